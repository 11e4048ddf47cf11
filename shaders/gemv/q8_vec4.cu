// Twin of q8_vec4.wgsl: the same code, with f16 scales loaded one by one.

struct Sizes { u32 rows, columns, unit; };

// Sixteen elements of x.
struct Sixteen { float4 a, b, c, d; };

// Elements 4i to 4i + 3 of x, with 0 from the end of the columns on.
__device__ __forceinline__ float4 known(const float4* __restrict__ x, const Sizes& sizes, u32 i) {
    const float4 from_x = x[i];
    return make_float4(
        4u * i < sizes.columns ? from_x.x : 0.0f, 4u * i + 1u < sizes.columns ? from_x.y : 0.0f,
        4u * i + 2u < sizes.columns ? from_x.z : 0.0f, 4u * i + 3u < sizes.columns ? from_x.w : 0.0f
    );
}

// Elements 16i to 16i + 15 of x, with 0 from the end of the columns on.
__device__ __forceinline__ Sixteen sixteen(const float4* __restrict__ x, const Sizes& sizes, u32 i) {
    if (16u * i + 16u <= sizes.columns) {
        return {x[4u * i], x[4u * i + 1u], x[4u * i + 2u], x[4u * i + 3u]};
    }
    return {
        known(x, sizes, 4u * i), known(x, sizes, 4u * i + 1u),
        known(x, sizes, 4u * i + 2u), known(x, sizes, 4u * i + 3u),
    };
}

// A byte of a word, after its highest bit was turned, as a float with its sign that is 2^SHIFT times as large: a whole
// number in the mantissa of 2^23, less 2^23 and the offset of 128.
template <u32 SHIFT> __device__ __forceinline__ float byte_at(u32 word, u32 unit) {
    return __uint_as_float((word & (0xffu << SHIFT)) | unit) - static_cast<float>((1u << 23u) + (128u << SHIFT));
}

// Adds the products with four bytes.
__device__ __forceinline__ void add(float2& sums, u32 word, u32 unit, float4 from_x) {
    const u32 front = word ^ 0x80808080u, back = front >> 16u;
    sums.x = fmaf(byte_at<0u>(back, unit), from_x.z, fmaf(byte_at<0u>(front, unit), from_x.x, sums.x));
    sums.y = fmaf(byte_at<8u>(back, unit), from_x.w, fmaf(byte_at<8u>(front, unit), from_x.y, sums.y));
}

__device__ __forceinline__ float product(const Sixteen& from_x, u32 unit, uint4 own) {
    float2 sums = float2();
    add(sums, own.x, unit, from_x.a);
    add(sums, own.y, unit, from_x.b);
    add(sums, own.z, unit, from_x.c);
    add(sums, own.w, unit, from_x.d);
    return fmaf(sums.y, 1.0f / 256.0f, sums.x);
}

// The scale of a half block.
__device__ __forceinline__ float scale(const u32* __restrict__ scales, u32 half) {
    return to_float(reinterpret_cast<const f16*>(scales)[half / 2u]);
}

// Offsets of four rows; those beyond the last are read as the last one, and not stored.
__device__ __forceinline__ uint4 four_rows(u32 row, const Sizes& sizes, u32 width) {
    const u32 last = sizes.rows - 1u;
    return make_uint4(
        row * width, min(row + 1u, last) * width, min(row + 2u, last) * width, min(row + 3u, last) * width
    );
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(
    const uint4* __restrict__ words, const u32* __restrict__ scales, const float4* __restrict__ x,
    float* __restrict__ y, const Sizes sizes
) {
    __shared__ float4 parts[WG];
    constexpr u32 lanes = LANES < WG ? LANES : WG;
    const u32 t = threadIdx.x;
    const u32 lane = t % lanes;
    const u32 row = 4u * (block_index() * (WG / lanes) + t / lanes);
    float4 sums = float4();
    if (row < sizes.rows) {
        const u32 halves = (sizes.columns + 31u) / 32u * 2u;
        const uint4 rows = four_rows(row, sizes, halves);
        for (u32 i = lane; i < halves; i += lanes) {
            const uint4 at = make_uint4(rows.x + i, rows.y + i, rows.z + i, rows.w + i);
            const uint4 a = words[at.x];
            const uint4 b = words[at.y];
            const uint4 c = words[at.z];
            const uint4 d = words[at.w];
            const float4 by = make_float4(
                scale(scales, at.x), scale(scales, at.y), scale(scales, at.z), scale(scales, at.w)
            );
            const Sixteen from_x = sixteen(x, sizes, i);
            sums += by * make_float4(
                product(from_x, sizes.unit, a), product(from_x, sizes.unit, b),
                product(from_x, sizes.unit, c), product(from_x, sizes.unit, d)
            );
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
