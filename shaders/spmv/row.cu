// Twin of row.wgsl.

struct Sizes { u32 rows; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(
    const u32* __restrict__ starts, const u32* __restrict__ columns, const T* __restrict__ values,
    const T* __restrict__ x, T* __restrict__ y, const Sizes sizes) {
    const u32 row = block_index() * WG + threadIdx.x;
    if (row >= sizes.rows) {
        return;
    }
    T sum = T();
    const u32 end = starts[row + 1u];
    for (u32 k = starts[row]; k < end; k++) {
        sum += values[k] * x[columns[k]];
    }
    y[row] = sum;
}
