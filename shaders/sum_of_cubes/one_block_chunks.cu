// Twin of one_block_chunks.wgsl: the same code.

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
    const u32 chunk = (sizes.n + WG - 1u) / WG;
    const u32 end = min((t + 1u) * chunk, sizes.n);
    T sum = T();
    for (u32 i = t * chunk; i < end; i++) {
        sum += cube(input[i]);
    }
    sums[t] = sum;
}
