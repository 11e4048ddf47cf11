// Twin of tiled_3d.wgsl.

struct Sizes { u32 depth, height, width; };

constexpr u32 TILE_X = 32u, TILE_Y = 4u, TILE_Z = 4u;
// Cells of a row, of a slice, and of the whole tile with its halo.
constexpr u32 ROW = 34u, SLICE = ROW * 6u, CELLS = SLICE * 6u;

extern "C" __global__ void __launch_bounds__(32 * 4 * 2)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    __shared__ T tile[CELLS];
    const u32 corner_x = blockIdx.x * TILE_X, corner_y = blockIdx.y * TILE_Y, corner_z = blockIdx.z * TILE_Z;
    const u32 row = sizes.width, slice = row * sizes.height;
#pragma unroll
    for (u32 step = 0u; step < (CELLS + 255u) / 256u; step++) {
        const u32 k = step * 256u + (threadIdx.z * 4u + threadIdx.y) * 32u + threadIdx.x;
        if (k < CELLS) {
            // Cell (0, 0, 0) of the tile is one before its corner. Cells outside of the volume are never used: any
            // index does.
            const u32 x = min(max(corner_x + k % ROW, 1u) - 1u, sizes.width - 1u);
            const u32 y = min(max(corner_y + k % SLICE / ROW, 1u) - 1u, sizes.height - 1u);
            const u32 z = min(max(corner_z + k / SLICE, 1u) - 1u, sizes.depth - 1u);
            tile[k] = input[z * slice + y * row + x];
        }
    }
    __syncthreads();
    const u32 x = corner_x + threadIdx.x, y = corner_y + threadIdx.y;
#pragma unroll
    for (u32 step = 0u; step < TILE_Z; step += 2u) {
        const u32 k = step + threadIdx.z, z = corner_z + k;
        if (x < sizes.width && y < sizes.height && z < sizes.depth) {
            const u32 at = (k + 1u) * SLICE + (threadIdx.y + 1u) * ROW + threadIdx.x + 1u;
            const T own = tile[at];
            T next = own;
            const bool is_inner = x > 0u && y > 0u && z > 0u && x + 1u < sizes.width && y + 1u < sizes.height
                && z + 1u < sizes.depth;
            if (is_inner) {
                const T around = (tile[at - 1u] + tile[at + 1u]) + (tile[at - ROW] + tile[at + ROW])
                    + (tile[at - SLICE] + tile[at + SLICE]);
                next = T(0.25) * own + T(0.125) * around;
            }
            output[z * slice + y * row + x] = next;
        }
    }
}
