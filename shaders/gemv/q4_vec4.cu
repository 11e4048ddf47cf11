// Twin of q4_vec4.wgsl: the same code, with f16 scales loaded one by one.

struct Sizes { u32 rows, columns, unit; };

// Elements 4i to 4i + 3 of x, with 0 from the end of the columns on.
__device__ __forceinline__ float4 known(const float4* __restrict__ x, const Sizes& sizes, u32 i) {
    if (4u * i >= sizes.columns) {
        return float4();
    }
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
template <u32 SHIFT> __device__ __forceinline__ float bits_at(u32 word, u32 unit) {
    return __uint_as_float((word & (15u << SHIFT)) | unit) - static_cast<float>((1u << 23u) + (8u << SHIFT));
}

// Adds one word, whose weights stay at their bits within half a word: 2^0, 2^8, 2^4 and 2^12 times as large.
__device__ __forceinline__ void add_product(float4& own, u32 word, u32 unit, float4 low, float4 high) {
    const u32 back = word >> 16u;
    own.x = fmaf(bits_at<0u>(word, unit), low.x, fmaf(bits_at<0u>(back, unit), low.z, own.x));
    own.y = fmaf(bits_at<8u>(word, unit), low.y, fmaf(bits_at<8u>(back, unit), low.w, own.y));
    own.z = fmaf(bits_at<4u>(word, unit), high.x, fmaf(bits_at<4u>(back, unit), high.z, own.z));
    own.w = fmaf(bits_at<12u>(word, unit), high.y, fmaf(bits_at<12u>(back, unit), high.w, own.w));
}

// Sums of products of a block, of four rows. Each component is of weights at one position in half a word.
struct Products {
    float4 a = float4(), b = float4(), c = float4(), d = float4();

    // One word of each of four rows.
    __device__ __forceinline__ void add(u32 x, u32 y, u32 z, u32 w, u32 unit, float4 low, float4 high) {
        add_product(a, x, unit, low, high);
        add_product(b, y, unit, low, high);
        add_product(c, z, unit, low, high);
        add_product(d, w, unit, low, high);
    }
};

__device__ __forceinline__ float sum_of(float4 own) {
    return fmaf(own.y, 1.0f / 256.0f, own.x) + fmaf(own.w, 1.0f / 4096.0f, own.z * (1.0f / 16.0f));
}

// Offsets of four rows; those beyond the last are read as the last one, and not stored.
__device__ __forceinline__ uint4 four_rows(u32 row, const Sizes& sizes, u32 width) {
    const u32 last = sizes.rows - 1u;
    return make_uint4(
        min(row, last) * width, min(row + 1u, last) * width, min(row + 2u, last) * width, min(row + 3u, last) * width
    );
}

// A block of each of four rows: those for the next round are on their way while this round's are used.
struct Blocks {
    uint4 a, b, c, d;
    float4 factors;

    __device__ __forceinline__ Blocks(
        const uint4* __restrict__ words, const u32* __restrict__ scales, uint4 rows, u32 k
    ) {
        a = words[rows.x + k];
        b = words[rows.y + k];
        c = words[rows.z + k];
        d = words[rows.w + k];
        factors = make_float4(
            scale(scales, rows.x + k), scale(scales, rows.y + k), scale(scales, rows.z + k), scale(scales, rows.w + k)
        );
    }

    // The products with a block of x.
    __device__ __forceinline__ float4 by(const float4* x, u32 unit) const {
        Products own;
        own.add(a.x, b.x, c.x, d.x, unit, x[0], x[4]);
        own.add(a.y, b.y, c.y, d.y, unit, x[1], x[5]);
        own.add(a.z, b.z, c.z, d.z, unit, x[2], x[6]);
        own.add(a.w, b.w, c.w, d.w, unit, x[3], x[7]);
        return factors * make_float4(sum_of(own.a), sum_of(own.b), sum_of(own.c), sum_of(own.d));
    }
};

// Blocks of x in shared memory at a time, eight vectors and a gap for each.
constexpr u32 CHUNK = 64u;

extern "C" __global__ void __launch_bounds__(WG)
kernel(
    const uint4* __restrict__ words, const u32* __restrict__ scales, const float4* __restrict__ x,
    float* __restrict__ y, const Sizes sizes
) {
    __shared__ float4 near[9u * CHUNK], parts[WG];
    constexpr u32 lanes = LANES < WG ? LANES : WG;
    const u32 t = threadIdx.x;
    const u32 lane = t % lanes;
    const u32 row = 4u * (block_index() * (WG / lanes) + t / lanes);
    const u32 blocks = (sizes.columns + 31u) / 32u;
    const uint4 rows = four_rows(row, sizes, blocks);
    float4 sums = float4();
    u32 k = lane;
    Blocks ahead(words, scales, rows, min(k, blocks - 1u));
    for (u32 first = 0u; first < blocks; first += CHUNK) {
        __syncthreads();
        for (u32 v = t; v < 8u * CHUNK; v += WG) {
            near[v + v / 8u] = known(x, sizes, 8u * first + v);
        }
        __syncthreads();
        const u32 end = min(CHUNK, blocks - first);
        for (u32 place = k - first; place < end; place += lanes) {
            const Blocks own = ahead;
            k += lanes;
            ahead = Blocks(words, scales, rows, min(k, blocks - 1u));
            sums += own.by(near + 9u * place, sizes.unit);
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
