// Twin of naive.wgsl: the same code.

struct Sizes { u32 m, n, k; };

extern "C" __global__ void __launch_bounds__(16 * 16)
kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, const Sizes sizes) {
    const u32 column = blockIdx.x * 16u + threadIdx.x;
    const u32 row = blockIdx.y * 16u + threadIdx.y;
    if (column < sizes.n && row < sizes.m) {
        T sum = T();
        for (u32 p = 0u; p < sizes.k; p++) {
            sum += a[row * sizes.k + p] * b[p * sizes.n + column];
        }
        c[row * sizes.n + column] = sum;
    }
}
