// Twin of naive.wgsl: the same code.

struct Sizes { u32 rows, columns; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ weights, const T* __restrict__ x, float* __restrict__ y, const Sizes sizes) {
    const u32 row = block_index() * WG + threadIdx.x;
    if (row < sizes.rows) {
        float sum = 0.0f;
        for (u32 column = 0u; column < sizes.columns; column++) {
            sum += to_float(weights[row * sizes.columns + column]) * to_float(x[column]);
        }
        y[row] = sum;
    }
}
