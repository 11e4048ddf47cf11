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

// Two weights, 16 bits apart, as floats: a half word 0x6400 | q is 1024 + q as f16.
__device__ __forceinline__ float2 pair(u32 bits) {
    float low, high;
    asm("{ .reg .f16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; }"
        : "=f"(low), "=f"(high) : "r"(bits));
    return make_float2(low, high);
}

// Adds one word, whose weights are 1024 too large, those at bit 4 16 times as large besides.
__device__ __forceinline__ void add_product(float4& own, u32 word, u32 magic, float4 low, float4 high) {
    const u32 rest = word >> 8u;
    const float2 a = pair((word & 0x000f000fu) | magic), b = pair((word & 0x00f000f0u) | magic);
    const float2 c = pair((rest & 0x000f000fu) | magic), d = pair((rest & 0x00f000f0u) | magic);
    own.x = fmaf(c.x, low.y, fmaf(a.x, low.x, own.x));
    own.y = fmaf(c.y, low.w, fmaf(a.y, low.z, own.y));
    own.z = fmaf(d.x, high.y, fmaf(b.x, high.x, own.z));
    own.w = fmaf(d.y, high.w, fmaf(b.y, high.z, own.w));
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

__device__ __forceinline__ float sum_of(float4 own, float offset) {
    return (own.x + own.y) + fmaf(own.z + own.w, 1.0f / 16.0f, -offset);
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
        const float offset = fmaf(1032.0f, x[8].x, 72.0f * x[8].y);
        return factors * make_float4(
            sum_of(own.a, offset), sum_of(own.b, offset), sum_of(own.c, offset), sum_of(own.d, offset));
    }
};

// Stores half a block of x from vector i on, and its sum.
__device__ __forceinline__ void keep(
    float4* near, u32 half, const float4* __restrict__ x, const Sizes& sizes, u32 i
) {
    float4* place = near + half / 2u * 9u;
    float4 sums = float4();
#pragma unroll
    for (u32 k = 0u; k < 4u; k++) {
        const float4 own = known(x, sizes, i + k);
        place[4u * (half % 2u) + k] = own;
        sums += own;
    }
    reinterpret_cast<float*>(place + 8)[half % 2u] = (sums.x + sums.y) + (sums.z + sums.w);
}

// Blocks of x in shared memory at a time: eight vectors each, and a ninth with the sums of its halves.
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
        for (u32 half = t; half < 2u * CHUNK; half += WG) {
            keep(near, half, x, sizes, 4u * (2u * first + half));
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
