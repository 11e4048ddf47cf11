// Twin of q4_vec4.wgsl: the same code, with f16 scales loaded one by one.

struct Sizes { u32 rows, columns; };

// Elements 4i to 4i + 3 of x, with 0 from the end of the columns on.
__device__ __forceinline__ float4 known(const float4* __restrict__ x, const Sizes& sizes, u32 i) {
    const float4 from_x = x[i];
    return make_float4(
        4u * i < sizes.columns ? from_x.x : 0.0f, 4u * i + 1u < sizes.columns ? from_x.y : 0.0f,
        4u * i + 2u < sizes.columns ? from_x.z : 0.0f, 4u * i + 3u < sizes.columns ? from_x.w : 0.0f
    );
}

// The scale of a block.
__device__ __forceinline__ float scale(const u32* __restrict__ scales, u32 block) {
    return to_float(reinterpret_cast<const f16*>(scales)[block]);
}

// Four bits of a word as a float that is as many times as large as their position says: a whole number in the mantissa
// of 2^23, less 2^23 and the offset of 8.
template <u32 SHIFT> __device__ __forceinline__ float bits_at(u32 word) {
    return __uint_as_float((word & (15u << SHIFT)) | 0x4b000000u) - static_cast<float>((1u << 23u) + (8u << SHIFT));
}

// Adds one word, whose weights stay at their bits within half a word: 2^0, 2^8, 2^4 and 2^12 times as large.
__device__ __forceinline__ void add_product(float4& own, u32 word, float4 low, float4 high) {
    const u32 back = word >> 16u;
    own.x = fmaf(bits_at<0u>(word), low.x, fmaf(bits_at<0u>(back), low.z, own.x));
    own.y = fmaf(bits_at<8u>(word), low.y, fmaf(bits_at<8u>(back), low.w, own.y));
    own.z = fmaf(bits_at<4u>(word), high.x, fmaf(bits_at<4u>(back), high.z, own.z));
    own.w = fmaf(bits_at<12u>(word), high.y, fmaf(bits_at<12u>(back), high.w, own.w));
}

// Sums of products of a block, of four rows. Each component is of weights at one position in half a word.
struct Products {
    float4 a = float4(), b = float4(), c = float4(), d = float4();

    // One word of each of four rows.
    __device__ __forceinline__ void add(u32 x, u32 y, u32 z, u32 w, float4 low, float4 high) {
        add_product(a, x, low, high);
        add_product(b, y, low, high);
        add_product(c, z, low, high);
        add_product(d, w, low, high);
    }
};

__device__ __forceinline__ float sum_of(float4 own) {
    return fmaf(own.y, 1.0f / 256.0f, own.x) + fmaf(own.w, 1.0f / 4096.0f, own.z * (1.0f / 16.0f));
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
        const u32 blocks = (sizes.columns + 31u) / 32u;
        const uint4 rows = four_rows(row, sizes, blocks);
        for (u32 i = lane; i < blocks; i += lanes) {
            const uint4 at = make_uint4(rows.x + i, rows.y + i, rows.z + i, rows.w + i);
            const uint4 a = words[at.x];
            const uint4 b = words[at.y];
            const uint4 c = words[at.z];
            const uint4 d = words[at.w];
            const float4 by = make_float4(
                scale(scales, at.x), scale(scales, at.y), scale(scales, at.z), scale(scales, at.w)
            );
            const u32 place = 8u * i;
            Products own;
            if (32u * i + 32u <= sizes.columns) {
                own.add(a.x, b.x, c.x, d.x, x[place], x[place + 4u]);
                own.add(a.y, b.y, c.y, d.y, x[place + 1u], x[place + 5u]);
                own.add(a.z, b.z, c.z, d.z, x[place + 2u], x[place + 6u]);
                own.add(a.w, b.w, c.w, d.w, x[place + 3u], x[place + 7u]);
            } else {
                own.add(a.x, b.x, c.x, d.x, known(x, sizes, place), known(x, sizes, place + 4u));
                own.add(a.y, b.y, c.y, d.y, known(x, sizes, place + 1u), known(x, sizes, place + 5u));
                own.add(a.z, b.z, c.z, d.z, known(x, sizes, place + 2u), known(x, sizes, place + 6u));
                own.add(a.w, b.w, c.w, d.w, known(x, sizes, place + 3u), known(x, sizes, place + 7u));
            }
            sums += by * make_float4(sum_of(own.a), sum_of(own.b), sum_of(own.c), sum_of(own.d));
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
