// Twin of naive_2d.wgsl.

struct Sizes { u32 rows, columns; };

extern "C" __global__ void __launch_bounds__(32 * 8)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    const u32 x = blockIdx.x * 32u + threadIdx.x, y = blockIdx.y * 8u + threadIdx.y;
    if (x >= sizes.columns || y >= sizes.rows) {
        return;
    }
    const u32 i = y * sizes.columns + x;
    const T own = input[i];
    T next = own;
    if (x > 0u && x + 1u < sizes.columns && y > 0u && y + 1u < sizes.rows) {
        const T around = (input[i - 1u] + input[i + 1u]) + (input[i - sizes.columns] + input[i + sizes.columns]);
        next = T(0.5) * own + T(0.125) * around;
    }
    output[i] = next;
}
