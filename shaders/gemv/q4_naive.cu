// Twin of q4_naive.wgsl: the same code, with loads of bytes and of f16.

struct Sizes { u32 rows, columns; };

// Weight k of a block, without its scale.
__device__ __forceinline__ float weight(const u32* __restrict__ words, u32 block, u32 k) {
    const u32 byte = reinterpret_cast<const unsigned char*>(words)[16u * block + k % 16u];
    return static_cast<float>((byte >> (4u * (k / 16u))) & 15u) - 8.0f;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(
    const u32* __restrict__ words, const u32* __restrict__ scales, const float* __restrict__ x, float* __restrict__ y,
    const Sizes sizes
) {
    const u32 row = block_index() * WG + threadIdx.x;
    if (row < sizes.rows) {
        const u32 blocks = (sizes.columns + 31u) / 32u;
        float sum = 0.0f;
        for (u32 column = 0u; column < sizes.columns; column++) {
            const u32 block = row * blocks + column / 32u;
            const float scale = to_float(reinterpret_cast<const f16*>(scales)[block]);
            sum += scale * weight(words, block, column % 32u) * x[column];
        }
        y[row] = sum;
    }
}
