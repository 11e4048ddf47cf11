// Twin of q4_dot4.wgsl: the same digits, with __dp4a.

struct Sizes { u32 rows, columns, stage; };

// Pairs of blocks of x in shared memory at a time, 15 vectors each.
constexpr u32 CHUNK = 32u;

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

__device__ __forceinline__ float largest_of(float4 x) {
    return fmaxf(fmaxf(fabsf(x.x), fabsf(x.y)), fmaxf(fabsf(x.z), fabsf(x.w)));
}

__device__ __forceinline__ int4 whole(float4 x, float factor) {
    return make_int4(
        __float2int_rn(factor * x.x), __float2int_rn(factor * x.y),
        __float2int_rn(factor * x.z), __float2int_rn(factor * x.w)
    );
}

// The lowest bytes.
__device__ __forceinline__ u32 bytes(int4 x) {
    return (x.x & 255) | (x.y & 255) << 8 | (x.z & 255) << 16 | static_cast<u32>(x.w) << 24;
}

__device__ __forceinline__ int4 carried(int4 x) {
    return make_int4((x.x + 128) >> 8, (x.y + 128) >> 8, (x.z + 128) >> 8, (x.w + 128) >> 8);
}

__device__ __forceinline__ int four_products(int sum, uint4 a, uint4 b) {
    sum = __dp4a(static_cast<int>(a.x), static_cast<int>(b.x), sum);
    sum = __dp4a(static_cast<int>(a.y), static_cast<int>(b.y), sum);
    sum = __dp4a(static_cast<int>(a.z), static_cast<int>(b.z), sum);
    return __dp4a(static_cast<int>(a.w), static_cast<int>(b.w), sum);
}

__device__ __forceinline__ float sum_of_bytes(uint4 words) {
    return static_cast<float>(four_products(0, words, make_uint4(0x01010101u, 0x01010101u, 0x01010101u, 0x01010101u)));
}

// Writes the bytes of half a block, 16 elements of x. Its neighbour in the block has the other half.
__device__ __forceinline__ void write_half(
    const float4* __restrict__ x, uint4* __restrict__ digits, float4* parts, const Sizes& sizes, u32 half, u32 t,
    u32 pairs
) {
    float4 of_x[4];
    float largest = 0.0f;
#pragma unroll
    for (u32 k = 0u; k < 4u; k++) {
        of_x[k] = known(x, sizes, 4u * half + k);
        largest = fmaxf(largest, largest_of(of_x[k]));
    }
    parts[t].x = largest;
    __syncthreads();
    largest = fmaxf(largest, parts[t ^ 1u].x);
    __syncthreads();
    // The power of two that makes the largest element less than 2^22. Exponents stay those of normal numbers.
    const u32 exponent = min(max(__float_as_uint(largest) >> 23u, 22u), 254u);
    const float factor = __uint_as_float((275u - exponent) << 23u);
    int4 wholes[4];
#pragma unroll
    for (u32 k = 0u; k < 4u; k++) {
        wholes[k] = whole(of_x[k], factor);
    }
    uint4 planes[3];
#pragma unroll
    for (u32 plane = 0u; plane < 3u; plane++) {
        planes[plane] = make_uint4(bytes(wholes[0]), bytes(wholes[1]), bytes(wholes[2]), bytes(wholes[3]));
#pragma unroll
        for (u32 k = 0u; k < 4u; k++) {
            wholes[k] = carried(wholes[k]);
        }
    }
    const float3 sums = make_float3(sum_of_bytes(planes[0]), sum_of_bytes(planes[1]), sum_of_bytes(planes[2]));
    parts[t] = make_float4(sums.x, sums.y, sums.z, 0.0f);
    __syncthreads();
    if (half >= 4u * pairs) {
        return;
    }
    uint4* place = digits + (half / 4u * 15u + half / 2u % 2u * 7u);
    place[half % 2u] = planes[0];
    place[2u + half % 2u] = planes[1];
    place[4u + half % 2u] = planes[2];
    if (half % 2u == 0u) {
        const float4 other = parts[t ^ 1u];
        place[6] = make_uint4(
            (exponent - 21u) << 23u, static_cast<u32>(static_cast<int>(-8.0f * (sums.x + other.x))),
            static_cast<u32>(static_cast<int>(-8.0f * (sums.y + other.y))),
            static_cast<u32>(static_cast<int>(-8.0f * (sums.z + other.z)))
        );
    }
}

// Offsets of four rows; those beyond the last are read as the last one, and not stored.
__device__ __forceinline__ uint4 four_rows(u32 row, const Sizes& sizes, u32 width) {
    const u32 last = sizes.rows - 1u;
    return make_uint4(
        min(row, last) * width, min(row + 1u, last) * width, min(row + 2u, last) * width, min(row + 3u, last) * width
    );
}

__device__ __forceinline__ float by_digits(uint4 own, const uint4* near, uint4 by) {
    constexpr u32 LOW = 0x0f0f0f0fu;
    const uint4 low = make_uint4(own.x & LOW, own.y & LOW, own.z & LOW, own.w & LOW);
    const uint4 high = make_uint4(own.x >> 4u & LOW, own.y >> 4u & LOW, own.z >> 4u & LOW, own.w >> 4u & LOW);
    const int lowest = four_products(four_products(static_cast<int>(by.y), low, near[0]), high, near[1]);
    const int middle = four_products(four_products(static_cast<int>(by.z), low, near[2]), high, near[3]);
    const int highest = four_products(four_products(static_cast<int>(by.w), low, near[4]), high, near[5]);
    // Both terms are less than 2^24 and exact: a sum of 32 products of at most 8 by 128 is at most 2^15.
    return fmaf(static_cast<float>(256 * highest + middle), 256.0f, static_cast<float>(lowest));
}

// A block of each of four rows.
struct Blocks {
    uint4 a, b, c, d;

    __device__ __forceinline__ Blocks(const uint4* __restrict__ words, uint4 rows, u32 k)
        : a(words[rows.x + k]), b(words[rows.y + k]), c(words[rows.z + k]), d(words[rows.w + k]) {}

    // The products with a block of x.
    __device__ __forceinline__ float4 by(const uint4* near) const {
        const uint4 by = near[6];
        const float factor = __uint_as_float(by.x);
        return factor * make_float4(
            by_digits(a, near, by), by_digits(b, near, by), by_digits(c, near, by), by_digits(d, near, by));
    }
};

// The scales of two blocks of each of four rows.
struct Scales {
    float4 even, odd;

    // One word per row where each row begins with a word.
    __device__ __forceinline__ Scales(const u32* __restrict__ scales, uint4 rows, u32 pair, u32 blocks) {
        const f16* each = reinterpret_cast<const f16*>(scales);
        const u32 at[4] = {rows.x, rows.y, rows.z, rows.w};
        float2 own[4];
#pragma unroll
        for (u32 k = 0u; k < 4u; k++) {
            if (blocks % 2u == 0u) {
                const u32 word = scales[at[k] / 2u + pair];
                asm("{ .reg .f16 a, b; mov.b32 {a, b}, %2; cvt.f32.f16 %0, a; cvt.f32.f16 %1, b; }"
                    : "=f"(own[k].x), "=f"(own[k].y) : "r"(word));
            } else {
                own[k].x = to_float(each[at[k] + 2u * pair]);
                own[k].y = to_float(each[at[k] + min(2u * pair + 1u, blocks - 1u)]);
            }
        }
        even = make_float4(own[0].x, own[1].x, own[2].x, own[3].x);
        odd = make_float4(own[0].y, own[1].y, own[2].y, own[3].y);
    }
};

// The last pair of a row may have one block, which is read twice: x has zeros for the second.
struct Pair {
    Blocks even, odd;
    Scales scales;

    __device__ __forceinline__ Pair(
        const uint4* __restrict__ words, const u32* __restrict__ of_scales, uint4 rows, u32 pair, u32 blocks
    )
        : even(words, rows, 2u * pair), odd(words, rows, min(2u * pair + 1u, blocks - 1u)),
          scales(of_scales, rows, pair, blocks) {}
};

extern "C" __global__ void __launch_bounds__(WG)
kernel(
    const uint4* __restrict__ words, const u32* __restrict__ scales, const float4* __restrict__ x, uint4* digits,
    float* __restrict__ y, const Sizes sizes
) {
    __shared__ uint4 near[15u * CHUNK];
    __shared__ float4 parts[WG];
    constexpr u32 lanes = LANES < WG ? LANES : WG;
    const u32 t = threadIdx.x;
    const u32 lane = t % lanes;
    const u32 blocks = (sizes.columns + 31u) / 32u;
    const u32 pairs = (blocks + 1u) / 2u;
    if (sizes.stage == 0u) {
        write_half(x, digits, parts, sizes, block_index() * WG + t, t, pairs);
        return;
    }
    const u32 row = 4u * (block_index() * (WG / lanes) + t / lanes);
    const uint4 rows = four_rows(row, sizes, blocks);
    float4 sums = float4();
    u32 pair = lane;
    Pair ahead(words, scales, rows, min(pair, pairs - 1u), blocks);
    for (u32 first = 0u; first < pairs; first += CHUNK) {
        __syncthreads();
        for (u32 v = t; v < 15u * CHUNK; v += WG) {
            near[v] = digits[min(15u * first + v, 15u * pairs - 1u)];
        }
        __syncthreads();
        const u32 end = min(CHUNK, pairs - first);
        for (u32 place = pair - first; place < end; place += lanes) {
            // The next blocks are on their way during the second products: earlier, they would take more registers.
            const Pair own = ahead;
            sums += own.scales.even * own.even.by(near + 15u * place);
            pair += lanes;
            ahead = Pair(words, scales, rows, min(pair, pairs - 1u), blocks);
            sums += own.scales.odd * own.odd.by(near + 15u * place + 7u);
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
