// Twin of one_block_interleaved.wgsl: the same code.

struct Sizes { u32 n; };

__device__ __forceinline__ T cube(T x) {
    return x * x * x;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ sums, const Sizes sizes) {
    if (blockIdx.x != 0u || blockIdx.y != 0u || blockIdx.z != 0u) {
        return;
    }
    const u32 t = threadIdx.x;
    T sum = T();
    for (u32 i = t; i < sizes.n; i += WG) {
        sum += cube(input[i]);
    }
    sums[t] = sum;
}
