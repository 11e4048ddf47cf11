// Twin of occupancy.wgsl: the same code. Each block of 64 threads holds WORDS words of shared memory.

struct Sizes { u32 elements, page; };

constexpr u32 WG = 64u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    __shared__ T pages[WORDS / 4u];
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 page = (block + sizes.page) % (WORDS / (4u * WG)) * WG;
    const u32 i = block * WG + t;
    if (i < sizes.elements) {
        pages[page + t] = input[i];
    }
    __syncthreads();
    const u32 other = t ^ 32u;
    const u32 j = block * WG + other;
    if (j < sizes.elements) {
        output[j] = pages[page + other];
    }
}
