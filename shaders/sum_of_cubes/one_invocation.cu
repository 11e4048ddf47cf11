// Twin of one_invocation.wgsl, with the same 32 elements per round, which CUDA does not need.

struct Sizes { u32 n; };

__device__ __forceinline__ T cube(T x) {
    return x * x * x;
}

__device__ __forceinline__ T eight(const T* __restrict__ input, u32 i) {
    return cube(input[i]) + cube(input[i + 1u]) + cube(input[i + 2u]) + cube(input[i + 3u])
        + cube(input[i + 4u]) + cube(input[i + 5u]) + cube(input[i + 6u]) + cube(input[i + 7u]);
}

extern "C" __global__ void __launch_bounds__(1)
kernel(const T* __restrict__ input, T* __restrict__ sums, const Sizes sizes) {
    if (blockIdx.x != 0u || blockIdx.y != 0u || blockIdx.z != 0u) {
        return;
    }
    T sum = T();
    u32 i = 0u;
    for (; i + 31u < sizes.n; i += 32u) {
        sum += eight(input, i) + eight(input, i + 8u) + eight(input, i + 16u) + eight(input, i + 24u);
    }
    for (; i < sizes.n; i++) {
        sum += cube(input[i]);
    }
    sums[0] = sum;
}
