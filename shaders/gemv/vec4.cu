// Twin of vec4.wgsl: the same code.

struct Sizes { u32 rows, columns; };

__device__ __forceinline__ float product(vec4<T> a, float4 from_x) {
    return (to_float(a.x) * from_x.x + to_float(a.y) * from_x.y)
        + (to_float(a.z) * from_x.z + to_float(a.w) * from_x.w);
}

__device__ __forceinline__ float4 products(float4 from_x, vec4<T> a, vec4<T> b, vec4<T> c, vec4<T> d) {
    return make_float4(product(a, from_x), product(b, from_x), product(c, from_x), product(d, from_x));
}

__device__ __forceinline__ float4 widened(vec4<T> x) {
    return make_float4(to_float(x.x), to_float(x.y), to_float(x.z), to_float(x.w));
}

// Offsets of four rows; those beyond the last are read as the last one, and not stored.
__device__ __forceinline__ uint4 four_rows(u32 row, const Sizes& sizes, u32 width) {
    const u32 last = sizes.rows - 1u;
    return make_uint4(
        row * width, min(row + 1u, last) * width, min(row + 2u, last) * width, min(row + 3u, last) * width
    );
}

__device__ __forceinline__ float4 by_vectors(
    const vec4<T>* __restrict__ weights, const vec4<T>* __restrict__ x, const Sizes& sizes, u32 row, u32 lane, u32 lanes
) {
    const u32 width = sizes.columns / 4u;
    const uint4 rows = four_rows(row, sizes, width);
    float4 sums = float4();
    u32 i = lane;
    while (i + lanes < width) {
        const u32 j = i + lanes;
        const vec4<T> a0 = weights[rows.x + i];
        const vec4<T> b0 = weights[rows.y + i];
        const vec4<T> c0 = weights[rows.z + i];
        const vec4<T> d0 = weights[rows.w + i];
        const vec4<T> a1 = weights[rows.x + j];
        const vec4<T> b1 = weights[rows.y + j];
        const vec4<T> c1 = weights[rows.z + j];
        const vec4<T> d1 = weights[rows.w + j];
        sums += products(widened(x[i]), a0, b0, c0, d0);
        sums += products(widened(x[j]), a1, b1, c1, d1);
        i += 2u * lanes;
    }
    if (i < width) {
        sums += products(
            widened(x[i]), weights[rows.x + i], weights[rows.y + i], weights[rows.z + i], weights[rows.w + i]
        );
    }
    return sums;
}

__device__ __forceinline__ float at(const vec4<T>* __restrict__ array, u32 i) {
    return to_float(reinterpret_cast<const T*>(array)[i]);
}

__device__ float4 by_elements(
    const vec4<T>* __restrict__ weights, const vec4<T>* __restrict__ x, const Sizes& sizes, u32 row, u32 lane, u32 lanes
) {
    const uint4 rows = four_rows(row, sizes, sizes.columns);
    float4 sums = float4();
    for (u32 column = lane; column < sizes.columns; column += lanes) {
        sums += at(x, column) * make_float4(
            at(weights, rows.x + column), at(weights, rows.y + column),
            at(weights, rows.z + column), at(weights, rows.w + column)
        );
    }
    return sums;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const vec4<T>* __restrict__ weights, const vec4<T>* __restrict__ x, float* __restrict__ y, const Sizes sizes) {
    __shared__ float4 parts[WG];
    constexpr u32 lanes = LANES < WG ? LANES : WG;
    const u32 t = threadIdx.x;
    const u32 lane = t % lanes;
    const u32 row = 4u * (block_index() * (WG / lanes) + t / lanes);
    float4 sums = float4();
    if (row < sizes.rows) {
        if (sizes.columns % 4u == 0u) {
            sums = by_vectors(weights, x, sizes, row, lane, lanes);
        } else {
            sums = by_elements(weights, x, sizes, row, lane, lanes);
        }
    }
    parts[t] = sums;
    __syncthreads();
    for (u32 s = lanes / 2u; s > 0u; s /= 2u) {
        if (lane < s) {
            parts[t] += parts[t + s];
        }
        __syncthreads();
    }
    if (lane < 4u && row + lane < sizes.rows) {
        y[row + lane] = reinterpret_cast<const float*>(parts + (t - lane))[lane];
    }
}
