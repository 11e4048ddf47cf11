// Twin of many_blocks_host_sum.wgsl: the same code.

struct Sizes { u32 n; };

__device__ __forceinline__ T cube(T x) {
    return x * x * x;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ sums, const Sizes sizes) {
    const u32 first = block_index() * WG + threadIdx.x;
    const u32 stride = gridDim.x * gridDim.y * WG;
    T sum = T();
    for (u32 i = first; i < sizes.n; i += stride) {
        sum += cube(input[i]);
    }
    sums[first] = sum;
}
