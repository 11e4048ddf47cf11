// Twin of workgroup_fill.wgsl: shared memory, which CUDA never initialises.

struct Sizes { u32 elements; };

constexpr u32 WORDS = 4096u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(T* __restrict__ output, const Sizes sizes) {
    __shared__ T block[WORDS];
    const u32 t = threadIdx.x;
    const u32 first = block_index() * WG;
    for (u32 k = t; k < WORDS; k += WG) {
        block[k] = (first + k) * 2654435761u;
    }
    __syncthreads();
    u32 sum = 0u;
    // Below zero k wraps, and the loop ends.
    for (u32 k = WORDS - 1u - t; k < WORDS; k -= WG) {
        sum = sum * 3u + block[k];
    }
    if (first + t < sizes.elements) {
        output[first + t] = sum;
    }
}
