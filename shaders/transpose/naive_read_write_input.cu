// Twin of naive_read_write_input.wgsl: naive_coalesced_write without const and __restrict__. The output may overlap the
// input, so the compiler cannot prove the input read-only.

struct Sizes { u32 rows, columns; };

extern "C" __global__ void __launch_bounds__(32 * HEIGHT)
kernel(T* input, T* output, const Sizes sizes) {
    const u32 x = blockIdx.x * 32u + threadIdx.x;
    const u32 y = blockIdx.y * HEIGHT + threadIdx.y;
    if (x < sizes.rows && y < sizes.columns) {
        output[y * sizes.rows + x] = input[x * sizes.columns + y];
    }
}
