// Twin of workgroup_atomic.wgsl: the first and last accesses to the counts are plain; the barriers order them with the
// atomic ones.

struct Sizes { u32 n; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, u32* bins, const Sizes sizes) {
    __shared__ u32 counts[256];
    const u32 t = threadIdx.x;
    for (u32 bin = t; bin < 256u; bin += WG) {
        counts[bin] = 0u;
    }
    __syncthreads();
    const u32 stride = gridDim.x * gridDim.y * WG;
    for (u32 i = block_index() * WG + t; i < sizes.n; i += stride) {
        const T word = input[i];
        atomicAdd(&counts[word & 255u], 1u);
        atomicAdd(&counts[(word >> 8u) & 255u], 1u);
        atomicAdd(&counts[(word >> 16u) & 255u], 1u);
        atomicAdd(&counts[word >> 24u], 1u);
    }
    __syncthreads();
    for (u32 bin = t; bin < 256u; bin += WG) {
        atomicAdd(&bins[bin], counts[bin]);
    }
}
