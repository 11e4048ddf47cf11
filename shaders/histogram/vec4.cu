// Twin of vec4.wgsl: the incomplete last element is read as scalars, up to the end of the array.

struct Sizes { u32 n; };

// Counts the four bytes of a word.
__device__ __forceinline__ void count(u32* counts, u32 word) {
    atomicAdd(&counts[word & 255u], 1u);
    atomicAdd(&counts[(word >> 8u) & 255u], 1u);
    atomicAdd(&counts[(word >> 16u) & 255u], 1u);
    atomicAdd(&counts[word >> 24u], 1u);
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const vec4<T>* __restrict__ input, u32* bins, const Sizes sizes) {
    __shared__ u32 counts[256];
    const u32 t = threadIdx.x;
    for (u32 bin = t; bin < 256u; bin += WG) {
        counts[bin] = 0u;
    }
    __syncthreads();
    const u32 stride = gridDim.x * gridDim.y * WG;
    const u32 whole = sizes.n / 4u;
    u32 i = block_index() * WG + t;
    for (; i < whole; i += stride) {
        const vec4<T> four = input[i];
        count(counts, four.x);
        count(counts, four.y);
        count(counts, four.z);
        count(counts, four.w);
    }
    if (i == whole) {
        // The one thread whose next element is the incomplete last one.
        const T* __restrict__ last = reinterpret_cast<const T*>(input + whole);
        for (u32 k = 0u; k < sizes.n % 4u; k++) {
            count(counts, last[k]);
        }
    }
    __syncthreads();
    for (u32 bin = t; bin < 256u; bin += WG) {
        atomicAdd(&bins[bin], counts[bin]);
    }
}
