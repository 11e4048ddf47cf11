// Twin of double_buffered.wgsl: if rows are not aligned, CUDA reads the matrices as scalars; WGSL selects vector
// components.

struct Sizes { u32 m, n, k; };

constexpr u32 SIDE = 128u;
constexpr u32 DEPTH = 8u;
// vec4s in a step of k, and in a tile.
constexpr u32 PITCH = SIDE / 4u;
constexpr u32 TILE = DEPTH * PITCH;
constexpr u32 BAND = 8u;

// Operands of one step of k: eight elements of a column of A and eight of a row of B.
struct Factors { vec4<T> top, bottom, left, right; };

// A thread's loads for the next tiles: four neighbours of a row of each matrix.
struct Brought { vec4<T> a, b; };

// A thread's indices in vec4s: of A and B in memory, and of the tiles for stores and loads.
struct Place { u32 t, row, column, a, b, a_put, a_read, b_read; };

// Four neighbours of a row of a matrix of `rows` by `columns`, zero outside.
__device__ __forceinline__ vec4<T> four_at(
    const vec4<T>* __restrict__ matrix, u32 rows, u32 columns, u32 row, u32 column
) {
    const T* scalars = reinterpret_cast<const T*>(matrix) + row * columns + column;
    vec4<T> four = vec4<T>();
    if (row < rows) {
        if (column < columns) { four.x = scalars[0]; }
        if (column + 1u < columns) { four.y = scalars[1]; }
        if (column + 2u < columns) { four.z = scalars[2]; }
        if (column + 3u < columns) { four.w = scalars[3]; }
    }
    return four;
}

// The thread's loads of the tiles from step `first` on, zero outside of the matrices. After the last tiles it loads
// them again; nothing multiplies those.
template <bool IS_WHOLE>
__device__ __forceinline__ Brought brought(
    const vec4<T>* __restrict__ a, const vec4<T>* __restrict__ b, const Sizes& sizes, const Place& place, u32 first) {
    if (IS_WHOLE) {
        const u32 step = min(first, sizes.k - DEPTH);
        return {a[place.a + step / 4u], b[place.b + step * (sizes.n / 4u)]};
    }
    const u32 t = place.t;
    return {
        four_at(a, sizes.m, sizes.k, place.row + t / 2u, first + t % 2u * 4u),
        four_at(b, sizes.k, sizes.n, first + t / PITCH, place.column + t % PITCH * 4u),
    };
}

// Stores the loaded elements to the tiles at `tile`.
__device__ __forceinline__ void keep(
    vec4<T>* a_tiles, vec4<T>* b_tiles, const Place& place, u32 tile, const Brought& coming
) {
    T* a_put = reinterpret_cast<T*>(a_tiles + tile + place.a_put) + place.t / 2u % 4u;
    a_put[0] = coming.a.x;
    a_put[4u * PITCH] = coming.a.y;
    a_put[8u * PITCH] = coming.a.z;
    a_put[12u * PITCH] = coming.a.w;
    b_tiles[tile + place.t] = coming.b;
}

// Step p of the tiles at `tile`.
__device__ __forceinline__ Factors step_of(
    const vec4<T>* a_tiles, const vec4<T>* b_tiles, const Place& place, u32 tile, u32 p
) {
    const u32 step = tile + p * PITCH;
    const u32 top = p >= 4u ? place.a_read ^ 4u : place.a_read;
    return {a_tiles[step + top], a_tiles[step + (top ^ 4u)],
            b_tiles[step + place.b_read], b_tiles[step + place.b_read + 8u]};
}

// The sums: rows 0 to 7, the left and the right vec4 of each.
__device__ __forceinline__ void multiply(vec4<T> (&left)[8], vec4<T> (&right)[8], const Factors& step) {
    const T factors[8] = {
        step.top.x, step.top.y, step.top.z, step.top.w, step.bottom.x, step.bottom.y, step.bottom.z, step.bottom.w,
    };
#pragma unroll
    for (u32 row = 0u; row < 8u; row++) {
        left[row] = fma(factors[row], step.left, left[row]);
        right[row] = fma(factors[row], step.right, right[row]);
    }
}

// All steps of k.
template <bool IS_WHOLE>
__device__ __forceinline__ void multiply_all(
    const vec4<T>* __restrict__ a, const vec4<T>* __restrict__ b,
    vec4<T>* a_tiles, vec4<T>* b_tiles, const Sizes& sizes,
    const Place& place, vec4<T> (&left)[8], vec4<T> (&right)[8]) {
    keep(a_tiles, b_tiles, place, 0u, brought<IS_WHOLE>(a, b, sizes, place, 0u));
    __syncthreads();
    Factors step = step_of(a_tiles, b_tiles, place, 0u, 0u);
    for (u32 first = 0u; first < sizes.k; first += 2u * DEPTH) {
#pragma unroll
        for (u32 half = 0u; half < 2u; half++) {
            const u32 tile = half * TILE;
            const Brought coming = brought<IS_WHOLE>(a, b, sizes, place, first + (half + 1u) * DEPTH);
#pragma unroll
            for (u32 p = 1u; p < DEPTH; p++) {
                const Factors next = step_of(a_tiles, b_tiles, place, tile, p);
                multiply(left, right, step);
                step = next;
            }
            keep(a_tiles, b_tiles, place, TILE - tile, coming);
            __syncthreads();
            const Factors next = step_of(a_tiles, b_tiles, place, TILE - tile, 0u);
            multiply(left, right, step);
            step = next;
        }
    }
}

// Stores four neighbours of a row of C, up to its edge: one store if rows are aligned.
__device__ __forceinline__ void put(vec4<T>* __restrict__ c, const Sizes& sizes, u32 row, u32 column, vec4<T> four) {
    if (row >= sizes.m || column >= sizes.n) {
        return;
    }
    const u32 at = row * sizes.n + column;
    if (sizes.n % 4u == 0u) {
        c[at / 4u] = four;
        return;
    }
    T* scalars = reinterpret_cast<T*>(c) + at;
    scalars[0] = four.x;
    if (column + 1u < sizes.n) { scalars[1] = four.y; }
    if (column + 2u < sizes.n) { scalars[2] = four.z; }
    if (column + 3u < sizes.n) { scalars[3] = four.w; }
}

// Two blocks per SM: one multiplies while the other waits. Without the bound NVRTC uses too many registers for two.
extern "C" __global__ void __launch_bounds__(256, 2)
kernel(const vec4<T>* __restrict__ a, const vec4<T>* __restrict__ b, vec4<T>* __restrict__ c, const Sizes sizes) {
    // Two tiles. Step p of k, rows 4q to 4q + 3: at p * PITCH + (q ^ (p / 4 * 4)).
    __shared__ vec4<T> a_tiles[2u * TILE];
    // Step p of k, columns 4q to 4q + 3: at p * PITCH + q.
    __shared__ vec4<T> b_tiles[2u * TILE];
    const u32 t = threadIdx.x;
    const u32 number = block_index();
    const u32 band = number / (BAND * gridDim.x) * BAND;
    const u32 height = min(BAND, gridDim.y - band);
    const u32 rest = number - band * gridDim.x;
    const u32 row = (band + rest % height) * SIDE;
    const u32 column = rest / height * SIDE;

    const u32 warp = t / 32u;
    const u32 x = warp % 2u * 16u + t % 32u / 8u * 2u + t % 2u;
    const u32 y = warp / 2u * 8u + t / 2u % 4u;
    const u32 half = t % 2u;
    const Place place = {
        t, row, column,
        (row + t / 2u) * (sizes.k / 4u) + half,
        t / PITCH * (sizes.n / 4u) + column / 4u + t % PITCH,
        half * 4u * PITCH + ((t / 8u) ^ (half * 4u)),
        y, x,
    };
    const bool is_inside = row + SIDE <= sizes.m && column + SIDE <= sizes.n && sizes.n % 4u == 0u;
    vec4<T> left[8] = {}, right[8] = {};
    if (is_inside && sizes.k % (2u * DEPTH) == 0u) {
        multiply_all<true>(a, b, a_tiles, b_tiles, sizes, place, left, right);
    } else {
        multiply_all<false>(a, b, a_tiles, b_tiles, sizes, place, left, right);
    }
#pragma unroll
    for (u32 j = 0u; j < 8u; j++) {
        const u32 to = row + 4u * y + j / 4u * 16u + j % 4u;
        put(c, sizes, to, column + 4u * x, left[j]);
        put(c, sizes, to, column + 4u * x + 32u, right[j]);
    }
}
