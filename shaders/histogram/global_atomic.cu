// Twin of global_atomic.wgsl: the same code.

struct Sizes { u32 n; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, u32* bins, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    if (i < sizes.n) {
        const T word = input[i];
        atomicAdd(&bins[word & 255u], 1u);
        atomicAdd(&bins[(word >> 8u) & 255u], 1u);
        atomicAdd(&bins[(word >> 16u) & 255u], 1u);
        atomicAdd(&bins[word >> 24u], 1u);
    }
}
