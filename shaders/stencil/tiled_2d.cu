// Twin of tiled_2d.wgsl.

struct Sizes { u32 rows, columns; };

constexpr u32 TILE = 32u;
// Cells of a row of the tile with its halo.
constexpr u32 ROW = TILE + 2u;

extern "C" __global__ void __launch_bounds__(32 * 8)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    __shared__ T tile[ROW * ROW];
    const u32 corner_x = blockIdx.x * TILE, corner_y = blockIdx.y * TILE;
#pragma unroll
    for (u32 step = 0u; step < (ROW * ROW + 255u) / 256u; step++) {
        const u32 k = step * 256u + threadIdx.y * 32u + threadIdx.x;
        if (k < ROW * ROW) {
            // Cell (0, 0) of the tile is one before its corner. Cells outside of the plane are never used: any index
            // does.
            const u32 x = min(max(corner_x + k % ROW, 1u) - 1u, sizes.columns - 1u);
            const u32 y = min(max(corner_y + k / ROW, 1u) - 1u, sizes.rows - 1u);
            tile[k] = input[y * sizes.columns + x];
        }
    }
    __syncthreads();
    const u32 x = corner_x + threadIdx.x;
#pragma unroll
    for (u32 step = 0u; step < TILE; step += 8u) {
        const u32 k = step + threadIdx.y, y = corner_y + k;
        if (x < sizes.columns && y < sizes.rows) {
            const u32 at = (k + 1u) * ROW + threadIdx.x + 1u;
            const T own = tile[at];
            T next = own;
            if (x > 0u && x + 1u < sizes.columns && y > 0u && y + 1u < sizes.rows) {
                const T around = (tile[at - 1u] + tile[at + 1u]) + (tile[at - ROW] + tile[at + ROW]);
                next = T(0.5) * own + T(0.125) * around;
            }
            output[y * sizes.columns + x] = next;
        }
    }
}
