// Twin of private.wgsl: the first and last accesses to the counts are plain; the barriers order them with the atomic
// ones.

struct Sizes { u32 n; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, u32* bins, const Sizes sizes) {
    __shared__ u32 counts[COPIES * 256u];
    const u32 t = threadIdx.x;
    for (u32 k = t; k < COPIES * 256u; k += WG) {
        counts[k] = 0u;
    }
    __syncthreads();
    const u32 own = t * COPIES / WG * 256u;
    const u32 stride = gridDim.x * gridDim.y * WG;
    for (u32 i = block_index() * WG + t; i < sizes.n; i += stride) {
        const T word = input[i];
        atomicAdd(&counts[own + (word & 255u)], 1u);
        atomicAdd(&counts[own + ((word >> 8u) & 255u)], 1u);
        atomicAdd(&counts[own + ((word >> 16u) & 255u)], 1u);
        atomicAdd(&counts[own + (word >> 24u)], 1u);
    }
    __syncthreads();
    for (u32 bin = t; bin < 256u; bin += WG) {
        u32 count = 0u;
        for (u32 copy = 0u; copy < COPIES; copy++) {
            count += counts[copy * 256u + bin];
        }
        atomicAdd(&bins[bin], count);
    }
}
