// Twin of tiled_vec4.wgsl: element by element, CUDA accesses the arrays as scalars (WGSL selects vector components),
// and counts rounds from zero, since CUDA's compiler does not know that index < 64.

struct Sizes { u32 rows, columns; };

constexpr u32 TILE = 32u;
constexpr u32 ROW = TILE + 1u;

// Stores four neighbours of a row to the tile.
__device__ __forceinline__ void put(T* tile, u32 cell, vec4<T> four) {
    tile[cell] = four.x;
    tile[cell + 1u] = four.y;
    tile[cell + 2u] = four.z;
    tile[cell + 3u] = four.w;
}

// Four neighbours of a column of the tile.
__device__ __forceinline__ vec4<T> column(const T* tile, u32 cell) {
    return {tile[cell], tile[cell + ROW], tile[cell + 2u * ROW], tile[cell + 3u * ROW]};
}

extern "C" __global__ void __launch_bounds__(8 * 8)
kernel(const vec4<T>* __restrict__ input, vec4<T>* __restrict__ output, const Sizes sizes) {
    __shared__ T tile[TILE * ROW];
    const uint2 t = make_uint2(threadIdx.x, threadIdx.y);
    const u32 index = t.y * 8u + t.x;
    const uint2 corner = make_uint2(blockIdx.x * TILE, blockIdx.y * TILE);
    const bool is_whole = corner.x + TILE <= sizes.columns && corner.y + TILE <= sizes.rows
        && sizes.rows % 4u == 0u && sizes.columns % 4u == 0u;
    if (is_whole) {
        const u32 pitch = sizes.columns / 4u;
        const u32 at = (corner.y + t.y) * pitch + corner.x / 4u + t.x;
        const vec4<T> a = input[at];
        const vec4<T> b = input[at + 8u * pitch];
        const vec4<T> c = input[at + 16u * pitch];
        const vec4<T> d = input[at + 24u * pitch];
        const u32 cell = t.y * ROW + 4u * t.x;
        put(tile, cell, a);
        put(tile, cell + 8u * ROW, b);
        put(tile, cell + 16u * ROW, c);
        put(tile, cell + 24u * ROW, d);
    } else {
        const T* scalars = reinterpret_cast<const T*>(input);
        const u32 x = corner.x + index % TILE;
        for (u32 step = 0u; step < TILE; step += 2u) {
            const u32 k = index / TILE + step;
            const u32 y = corner.y + k;
            if (x < sizes.columns && y < sizes.rows) {
                tile[k * ROW + index % TILE] = scalars[y * sizes.columns + x];
            }
        }
    }
    __syncthreads();
    if (is_whole) {
        const u32 pitch = sizes.rows / 4u;
        const u32 at = (corner.x + t.y) * pitch + corner.y / 4u + t.x;
        const u32 cell = 4u * t.x * ROW + t.y;
        output[at] = column(tile, cell);
        output[at + 8u * pitch] = column(tile, cell + 8u);
        output[at + 16u * pitch] = column(tile, cell + 16u);
        output[at + 24u * pitch] = column(tile, cell + 24u);
    } else {
        T* scalars = reinterpret_cast<T*>(output);
        const u32 x = corner.y + index % TILE;
        for (u32 step = 0u; step < TILE; step += 2u) {
            const u32 k = index / TILE + step;
            const u32 y = corner.x + k;
            if (x < sizes.rows && y < sizes.columns) {
                scalars[y * sizes.rows + x] = tile[index % TILE * ROW + k];
            }
        }
    }
}
