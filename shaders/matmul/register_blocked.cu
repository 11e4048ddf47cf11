// Twin of register_blocked.wgsl: if rows of B are not aligned, CUDA reads B as scalars; WGSL selects vector components.

struct Sizes { u32 m, n, k; };

constexpr u32 SIDE = 16u;
constexpr u32 DEPTH = 16u;
constexpr u32 A_PITCH = SIDE + 1u;

// Element of A, zero outside.
__device__ __forceinline__ T a_at(const T* __restrict__ a, const Sizes& sizes, u32 row, u32 p) {
    if (row < sizes.m && p < sizes.k) {
        return a[row * sizes.k + p];
    }
    return T();
}

// Four neighbours of a column of A.
__device__ __forceinline__ vec4<T> four_rows(const T* __restrict__ a, const Sizes& sizes, u32 row, u32 p) {
    return {a_at(a, sizes, row, p), a_at(a, sizes, row + 1u, p),
            a_at(a, sizes, row + 2u, p), a_at(a, sizes, row + 3u, p)};
}

// Element of B, zero outside.
__device__ __forceinline__ T b_at(const vec4<T>* __restrict__ b, const Sizes& sizes, u32 p, u32 column) {
    if (p < sizes.k && column < sizes.n) {
        return reinterpret_cast<const T*>(b)[p * sizes.n + column];
    }
    return T();
}

// Four neighbours of a row of B: one load if rows are aligned.
__device__ __forceinline__ vec4<T> four_columns(const vec4<T>* __restrict__ b, const Sizes& sizes, u32 p, u32 column) {
    if (sizes.n % 4u == 0u) {
        if (p < sizes.k && column < sizes.n) {
            return b[(p * sizes.n + column) / 4u];
        }
        return vec4<T>();
    }
    return {
        b_at(b, sizes, p, column), b_at(b, sizes, p, column + 1u),
        b_at(b, sizes, p, column + 2u), b_at(b, sizes, p, column + 3u),
    };
}

// Stores four neighbours of a row of C, up to its edge.
__device__ __forceinline__ void put(T* __restrict__ c, const Sizes& sizes, u32 row, u32 column, vec4<T> four) {
    if (row < sizes.m) {
        const u32 at = row * sizes.n + column;
        if (column < sizes.n) {
            c[at] = four.x;
        }
        if (column + 1u < sizes.n) {
            c[at + 1u] = four.y;
        }
        if (column + 2u < sizes.n) {
            c[at + 2u] = four.z;
        }
        if (column + 3u < sizes.n) {
            c[at + 3u] = four.w;
        }
    }
}

extern "C" __global__ void __launch_bounds__(SIDE * SIDE)
kernel(const T* __restrict__ a, const vec4<T>* __restrict__ b, T* __restrict__ c, const Sizes sizes) {
    // Step p of k, rows 4q to 4q + 3: at p * A_PITCH + q.
    __shared__ vec4<T> a_tile[DEPTH * A_PITCH];
    // Step p of k, columns 4q to 4q + 3: at p * SIDE + q.
    __shared__ vec4<T> b_tile[DEPTH * SIDE];
    const uint2 t = make_uint2(threadIdx.x, threadIdx.y);
    const u32 row = 4u * (blockIdx.y * SIDE + t.y);
    const u32 column = 4u * (blockIdx.x * SIDE + t.x);
    vec4<T> next_a = four_rows(a, sizes, row, t.x);
    vec4<T> next_b = four_columns(b, sizes, t.y, column);
    vec4<T> c0 = vec4<T>();
    vec4<T> c1 = vec4<T>();
    vec4<T> c2 = vec4<T>();
    vec4<T> c3 = vec4<T>();
    for (u32 first = 0u; first < sizes.k; first += DEPTH) {
        a_tile[t.x * A_PITCH + t.y] = next_a;
        b_tile[t.y * SIDE + t.x] = next_b;
        __syncthreads();
        next_a = four_rows(a, sizes, row, first + DEPTH + t.x);
        next_b = four_columns(b, sizes, first + DEPTH + t.y, column);
        for (u32 p = 0u; p < DEPTH; p++) {
            const vec4<T> from_a = a_tile[p * A_PITCH + t.y];
            const vec4<T> from_b = b_tile[p * SIDE + t.x];
            c0 = fma(from_a.x, from_b, c0);
            c1 = fma(from_a.y, from_b, c1);
            c2 = fma(from_a.z, from_b, c2);
            c3 = fma(from_a.w, from_b, c3);
        }
        __syncthreads();
    }
    put(c, sizes, row, column, c0);
    put(c, sizes, row + 1u, column, c1);
    put(c, sizes, row + 2u, column, c2);
    put(c, sizes, row + 3u, column, c3);
}
