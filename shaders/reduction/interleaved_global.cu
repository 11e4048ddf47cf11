// Twin of interleaved_global.wgsl: the fence makes stores visible to the block, and the barrier waits for them.

struct Sizes { u32 n; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(T* __restrict__ data, T* __restrict__ block_sums, const Sizes sizes) {
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 i = block * WG + t;
    for (u32 s = 1u; s < WG; s *= 2u) {
        if (t % (2u * s) == 0u && i + s < sizes.n) {
            data[i] += data[i + s];
        }
        __threadfence_block();
        __syncthreads();
    }
    if (t == 0u && i < sizes.n) {
        block_sums[block] = data[i];
    }
}
