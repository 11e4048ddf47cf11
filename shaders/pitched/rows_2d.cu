// Twin of rows_2d.wgsl: the same code.

struct Sizes { u32 rows, columns, pitch; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    const u32 t = threadIdx.x;
    const u32 row = block_index();
    if (row < sizes.rows) {
        T sum = T();
        for (u32 x = t; x < sizes.columns; x += WG) {
            sum += input[row * sizes.pitch + x];
        }
        output[row * WG + t] = sum;
    }
}
