// Twin of tiled.wgsl: the same code.

struct Sizes { u32 m, n, k; };

extern "C" __global__ void __launch_bounds__(TILE * TILE)
kernel(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ c, const Sizes sizes) {
    __shared__ T a_tile[TILE * TILE];
    __shared__ T b_tile[TILE * TILE];
    const uint2 t = make_uint2(threadIdx.x, threadIdx.y);
    const u32 row = blockIdx.y * TILE + t.y;
    const u32 column = blockIdx.x * TILE + t.x;
    const u32 own = t.y * TILE + t.x;
    T sum = T();
    for (u32 first = 0u; first < sizes.k; first += TILE) {
        // Elements outside of the matrices are zeros, which add nothing.
        T from_a = T();
        if (row < sizes.m && first + t.x < sizes.k) {
            from_a = a[row * sizes.k + first + t.x];
        }
        T from_b = T();
        if (first + t.y < sizes.k && column < sizes.n) {
            from_b = b[(first + t.y) * sizes.n + column];
        }
        a_tile[own] = from_a;
        b_tile[own] = from_b;
        __syncthreads();
        for (u32 p = 0u; p < TILE; p++) {
            sum += a_tile[t.y * TILE + p] * b_tile[p * TILE + t.x];
        }
        __syncthreads();
    }
    if (row < sizes.m && column < sizes.n) {
        c[row * sizes.n + column] = sum;
    }
}
