// Twin of split_k.wgsl: the same code.

struct Sizes { u32 rows, columns, chunks, stage; };

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
    const vec4<T>* __restrict__ weights, const vec4<T>* __restrict__ x, const Sizes& sizes, u32 row, u32 first, u32 end
) {
    const uint4 rows = four_rows(row, sizes, sizes.columns / 4u);
    float4 sums = float4();
    u32 i = first;
    while (i + WG < end) {
        const u32 j = i + WG;
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
        i += 2u * WG;
    }
    if (i < end) {
        sums += products(
            widened(x[i]), weights[rows.x + i], weights[rows.y + i], weights[rows.z + i], weights[rows.w + i]
        );
    }
    return sums;
}

__device__ __forceinline__ float at(const vec4<T>* __restrict__ array, u32 i) {
    return to_float(reinterpret_cast<const T*>(array)[i]);
}

__device__ __forceinline__ float4 of_column(
    const vec4<T>* __restrict__ weights, const vec4<T>* __restrict__ x, uint4 rows, u32 column
) {
    return at(x, column) * make_float4(
        at(weights, rows.x + column), at(weights, rows.y + column),
        at(weights, rows.z + column), at(weights, rows.w + column)
    );
}

__device__ float4 by_elements(
    const vec4<T>* __restrict__ weights, const vec4<T>* __restrict__ x, const Sizes& sizes, u32 row, u32 first, u32 end
) {
    const uint4 rows = four_rows(row, sizes, sizes.columns);
    float4 sums = float4();
    u32 column = first;
    while (column + 3u * WG < end) {
        const float4 a = of_column(weights, x, rows, column);
        const float4 b = of_column(weights, x, rows, column + WG);
        const float4 c = of_column(weights, x, rows, column + 2u * WG);
        const float4 d = of_column(weights, x, rows, column + 3u * WG);
        sums += (a + b) + (c + d);
        column += 4u * WG;
    }
    while (column < end) {
        sums += of_column(weights, x, rows, column);
        column += WG;
    }
    return sums;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(
    const vec4<T>* __restrict__ weights, const vec4<T>* __restrict__ x, float* __restrict__ partial,
    float* __restrict__ y, const Sizes sizes
) {
    __shared__ float4 parts[WG];
    const u32 t = threadIdx.x;
    const u32 number = block_index();
    if (sizes.stage == 1u) {
        const u32 row = number * WG + t;
        if (row < sizes.rows) {
            float sum = 0.0f;
            for (u32 chunk = 0u; chunk < sizes.chunks; chunk++) {
                sum += partial[chunk * sizes.rows + row];
            }
            y[row] = sum;
        }
        return;
    }
    const u32 blocks = (sizes.rows + 3u) / 4u;
    const u32 chunk = number / blocks;
    const u32 row = 4u * (number % blocks);
    const u32 end = min(sizes.columns, (chunk + 1u) * CHUNK);
    float4 sums = float4();
    if (chunk < sizes.chunks) {
        if (sizes.columns % 4u == 0u) {
            sums = by_vectors(weights, x, sizes, row, chunk * CHUNK / 4u + t, end / 4u);
        } else {
            sums = by_elements(weights, x, sizes, row, chunk * CHUNK + t, end);
        }
    }
    parts[t] = sums;
    __syncthreads();
    for (u32 s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            parts[t] += parts[t + s];
        }
        __syncthreads();
    }
    if (t < 4u && chunk < sizes.chunks && row + t < sizes.rows) {
        const float sum = reinterpret_cast<const float*>(parts)[t];
        if (sizes.chunks == 1u) {
            y[row + t] = sum;
        } else {
            partial[chunk * sizes.rows + row + t] = sum;
        }
    }
}
