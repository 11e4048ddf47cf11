// Twin of packed.wgsl: the same code.

struct Sizes { u32 rows, columns; };

// Eight elements.
struct Eight { float4 low, high; };

// Two f16, the lower one first.
__device__ __forceinline__ float2 unpack2x16float(u32 word) {
    const f16 low = {static_cast<unsigned short>(word)}, high = {static_cast<unsigned short>(word >> 16u)};
    return make_float2(to_float(low), to_float(high));
}

__device__ __forceinline__ Eight unpacked(uint4 words) {
    const float2 a = unpack2x16float(words.x), b = unpack2x16float(words.y);
    const float2 c = unpack2x16float(words.z), d = unpack2x16float(words.w);
    return {make_float4(a.x, a.y, b.x, b.y), make_float4(c.x, c.y, d.x, d.y)};
}

__device__ __forceinline__ float dot(float4 a, float4 b) {
    return (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
}

__device__ __forceinline__ float product(const Eight& from_x, uint4 words) {
    const Eight own = unpacked(words);
    return dot(own.low, from_x.low) + dot(own.high, from_x.high);
}

__device__ __forceinline__ float4 products(const Eight& from_x, uint4 a, uint4 b, uint4 c, uint4 d) {
    return make_float4(product(from_x, a), product(from_x, b), product(from_x, c), product(from_x, d));
}

// Offsets of four rows; those beyond the last are read as the last one, and not stored.
__device__ __forceinline__ uint4 four_rows(u32 row, const Sizes& sizes, u32 width) {
    const u32 last = sizes.rows - 1u;
    return make_uint4(
        row * width, min(row + 1u, last) * width, min(row + 2u, last) * width, min(row + 3u, last) * width
    );
}

__device__ __forceinline__ float4 by_vectors(
    const uint4* __restrict__ weights, const uint4* __restrict__ x, const Sizes& sizes, u32 row, u32 lane, u32 lanes
) {
    const u32 width = sizes.columns / 8u;
    const uint4 rows = four_rows(row, sizes, width);
    float4 sums = float4();
    u32 i = lane;
    while (i + lanes < width) {
        const u32 j = i + lanes;
        const uint4 a0 = weights[rows.x + i];
        const uint4 b0 = weights[rows.y + i];
        const uint4 c0 = weights[rows.z + i];
        const uint4 d0 = weights[rows.w + i];
        const uint4 a1 = weights[rows.x + j];
        const uint4 b1 = weights[rows.y + j];
        const uint4 c1 = weights[rows.z + j];
        const uint4 d1 = weights[rows.w + j];
        sums += products(unpacked(x[i]), a0, b0, c0, d0);
        sums += products(unpacked(x[j]), a1, b1, c1, d1);
        i += 2u * lanes;
    }
    if (i < width) {
        sums += products(
            unpacked(x[i]), weights[rows.x + i], weights[rows.y + i], weights[rows.z + i], weights[rows.w + i]
        );
    }
    return sums;
}

__device__ __forceinline__ float at(const uint4* __restrict__ array, u32 i) {
    return to_float(reinterpret_cast<const f16*>(array)[i]);
}

__device__ float4 by_elements(
    const uint4* __restrict__ weights, const uint4* __restrict__ x, const Sizes& sizes, u32 row, u32 lane, u32 lanes
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
kernel(const uint4* __restrict__ weights, const uint4* __restrict__ x, float* __restrict__ y, const Sizes sizes) {
    __shared__ float4 parts[WG];
    constexpr u32 lanes = LANES < WG ? LANES : WG;
    const u32 t = threadIdx.x;
    const u32 lane = t % lanes;
    const u32 row = 4u * (block_index() * (WG / lanes) + t / lanes);
    float4 sums = float4();
    if (row < sizes.rows) {
        if (sizes.columns % 8u == 0u) {
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
