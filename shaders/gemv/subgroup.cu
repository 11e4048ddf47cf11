// Twin of subgroup.wgsl: a warp per row, summed by shuffles.

struct Sizes { u32 rows, columns; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ weights, const T* __restrict__ x, float* __restrict__ y, const Sizes sizes) {
    const u32 lane = threadIdx.x % 32u;
    const u32 step = gridDim.x * gridDim.y * (WG / 32u);
    for (u32 row = block_index() * (WG / 32u) + threadIdx.x / 32u; row < sizes.rows; row += step) {
        float own = 0.0f;
        for (u32 column = lane; column < sizes.columns; column += 32u) {
            own += to_float(weights[row * sizes.columns + column]) * to_float(x[column]);
        }
        for (u32 offset = 16u; offset > 0u; offset /= 2u) {
            own += __shfl_down_sync(0xffffffffu, own, offset);
        }
        if (lane == 0u) {
            y[row] = own;
        }
    }
}
