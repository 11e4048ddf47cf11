// Twin of naive_3d.wgsl.

struct Sizes { u32 depth, height, width; };

extern "C" __global__ void __launch_bounds__(32 * 8)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    const u32 x = blockIdx.x * 32u + threadIdx.x, y = blockIdx.y * 8u + threadIdx.y, z = blockIdx.z;
    if (x >= sizes.width || y >= sizes.height || z >= sizes.depth) {
        return;
    }
    const u32 row = sizes.width, slice = row * sizes.height;
    const u32 i = z * slice + y * row + x;
    const T own = input[i];
    T next = own;
    const bool is_inner = x > 0u && y > 0u && z > 0u && x + 1u < sizes.width && y + 1u < sizes.height
        && z + 1u < sizes.depth;
    if (is_inner) {
        const T around = (input[i - 1u] + input[i + 1u]) + (input[i - row] + input[i + row])
            + (input[i - slice] + input[i + slice]);
        next = T(0.25) * own + T(0.125) * around;
    }
    output[i] = next;
}
