// Twin of naive_coalesced_write.wgsl: const and __restrict__ correspond to WGSL's `read`, and allow the read-only path.

struct Sizes { u32 rows, columns; };

extern "C" __global__ void __launch_bounds__(32 * HEIGHT)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    const u32 x = blockIdx.x * 32u + threadIdx.x;
    const u32 y = blockIdx.y * HEIGHT + threadIdx.y;
    if (x < sizes.rows && y < sizes.columns) {
        output[y * sizes.rows + x] = input[x * sizes.columns + y];
    }
}
