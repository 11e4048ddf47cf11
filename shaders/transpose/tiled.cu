// Twin of tiled.wgsl: rounds are counted from zero. CUDA's compiler does not know that t.y < HEIGHT, and would not
// unroll four rounds whose number it cannot derive.

struct Sizes { u32 rows, columns; };

constexpr u32 TILE = 32u;

extern "C" __global__ void __launch_bounds__(TILE * HEIGHT)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    __shared__ T tile[TILE * (TILE + PAD)];
    const uint2 t = make_uint2(threadIdx.x, threadIdx.y);
    const uint2 corner = make_uint2(blockIdx.x * TILE, blockIdx.y * TILE);
    for (u32 step = 0u; step < TILE; step += HEIGHT) {
        const u32 k = t.y + step;
        const u32 x = corner.x + t.x;
        const u32 y = corner.y + k;
        if (x < sizes.columns && y < sizes.rows) {
            tile[k * (TILE + PAD) + t.x] = input[y * sizes.columns + x];
        }
    }
    __syncthreads();
    for (u32 step = 0u; step < TILE; step += HEIGHT) {
        const u32 k = t.y + step;
        const u32 x = corner.y + t.x;
        const u32 y = corner.x + k;
        if (x < sizes.rows && y < sizes.columns) {
            output[y * sizes.rows + x] = tile[t.x * (TILE + PAD) + k];
        }
    }
}
