// CUDA only: attention on Hopper after FlashAttention-3 (Shah et al., arXiv:2407.08608, 2024), in f16 only. Four warps
// compute a product together (wgmma), from tiles that hardware copies to shared memory. The softmax of a step overlaps
// with the value products of the previous step. WGSL has none of these instructions.
// Pattern: Each block processes 128 queries of a head, with four warps for each half. One more warp copies 128 keys and
// their values at a time, two steps ahead. Scores, exponentials and outputs stay in registers. Exponentials are already
// in the registers where the second product needs them. One block per SM processes several tiles of queries.
// Work: 4 · heads · length² · D operations, half if causal; q, k, v and the output are each moved once.
// Summary: FlashAttention-3 with Hopper's wgmma: 128 queries per block, tiles copied by hardware (TMA)
// Look for: The speedup over the CUDA port of cooperative, from instructions that WGSL lacks and a softmax that
// overlaps with products. The gap to cudnn shows how much could still be gained.
// Limits: Tensor cores and exponentials, or the power limit.

#include "hopper.cuh"

struct Sizes { u32 heads, length; };

constexpr u32 QUERIES = 128u, KEYS = 128u, STAGES = 2u;
constexpr u32 TILE_BYTES = KEYS * D * 2u, CHUNK_BYTES = KEYS * CHUNK * 2u;
// Dynamic shared memory of a launch, at a multiple of 1024: queries, keys and values.
constexpr u32 SHARED_BYTES = 164864u;
static_assert(SHARED_BYTES >= (1u + 2u * STAGES) * TILE_BYTES + 1024u, "five tiles");
// An exponential has base 2. The largest is 2^6, so that small ones are normal numbers of f16.
constexpr float SHIFT = 6.0f;
constexpr float LOG2_E = 1.44269504f;
constexpr float LOWEST = -1e30f;

// The barriers in shared memory: of queries, keys and values, that they have arrived, and that they were read.
struct Barriers { u32 queries, keys, values, queries_read, keys_read, values_read; };

// Tells a barrier that one warp group has read its tile.
__device__ __forceinline__ void release(u32 barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(barrier) : "memory");
}

// scores = a·b, or scores + a·b: a of 64×16 with rows of D, b of 16×128 with columns of D.
__device__ __forceinline__ void multiply_keys(float (&sums)[64], u64 a, u64 b, u32 adds) {
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
        "}, %64, %65, adds, 1, 1, 0, 0;\n}"
        : SUMS(0), SUMS(8), SUMS(16), SUMS(24), SUMS(32), SUMS(40), SUMS(48), SUMS(56)
        : "l"(a), "l"(b), "r"(adds));
}

// o = p·v, or o + p·v: p of 64×16 in registers, v of 16×D with rows of D.
__device__ __forceinline__ void multiply_values(float (&sums)[D / 2], const u32* p, u64 v, u32 adds) {
#if D == 128
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %69, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
        "}, {%64, %65, %66, %67}, %68, adds, 1, 1, 1;\n}"
        : SUMS(0), SUMS(8), SUMS(16), SUMS(24), SUMS(32), SUMS(40), SUMS(48), SUMS(56)
        : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v), "r"(adds));
#else
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %37, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
        "}, {%32, %33, %34, %35}, %36, adds, 1, 1, 1;\n}"
        : SUMS(0), SUMS(8), SUMS(16), SUMS(24)
        : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v), "r"(adds));
#endif
}

__device__ __forceinline__ float power_of_two(float x) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

__device__ __forceinline__ u32 packed(float low, float high) {
    u32 both;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

// The head and the first query of a number; of causal queries the longest rows first.
__device__ __forceinline__ uint2 place_of(const Sizes& sizes, u32 number) {
    const u32 blocks = (sizes.length + QUERIES - 1u) / QUERIES;
    return CAUSAL == 1u ? make_uint2(number % sizes.heads, (blocks - 1u - number / sizes.heads) * QUERIES)
                        : make_uint2(number / blocks, number % blocks * QUERIES);
}

// The end of the keys that some query of a block attends to.
__device__ __forceinline__ u32 end_of(const Sizes& sizes, u32 first) {
    return CAUSAL == 1u ? min(sizes.length, first + QUERIES) : sizes.length;
}

// Copies a tile in chunks of 64 columns.
__device__ __forceinline__ void bring(u32 tile, const u32* map, u32 row, u32 barrier) {
    expect(barrier, TILE_BYTES);
#pragma unroll
    for (u32 chunk = 0u; chunk < D / CHUNK; chunk++) {
        copy(tile + chunk * CHUNK_BYTES, map, row, chunk * CHUNK, barrier);
    }
}

__device__ __forceinline__ void bring_all(
    u32 tiles, const Barriers& barriers, const u32* maps, const Sizes& sizes, u32 count
) {
    u32 step = 0u, turn = 0u;
    for (u32 number = blockIdx.x; number < count; number += gridDim.x, turn++) {
        const uint2 place = place_of(sizes, number);
        const u32 base = place.x * sizes.length;
        wait(barriers.queries_read, turn % 2u ^ 1u);
        bring(tiles, maps, base + place.y, barriers.queries);
        for (u32 key = 0u; key < end_of(sizes, place.y); key += KEYS, step++) {
            const u32 stage = step % STAGES, parity = step / STAGES % 2u ^ 1u;
            wait(barriers.keys_read + 8u * stage, parity);
            bring(tiles + (1u + stage) * TILE_BYTES, maps + MAP_WORDS, base + key, barriers.keys + 8u * stage);
            wait(barriers.values_read + 8u * stage, parity);
            bring(tiles + (1u + STAGES + stage) * TILE_BYTES, maps + 2u * MAP_WORDS, base + key, barriers.values + 8u * stage);
        }
    }
}

// Starts the products of a group's queries with the keys of a step.
__device__ __forceinline__ void score(float (&s)[64], u32 queries, u32 keys) {
#pragma unroll
    for (u32 d = 0u; d < D; d += 16u) {
        const u32 at = d / CHUNK * CHUNK_BYTES + d % CHUNK * 2u;
        multiply_keys(s, factor(queries + at, 16u), factor(keys + at, 16u), d > 0u);
    }
    end_products();
}

// Starts the products of a step's exponentials with its values.
__device__ __forceinline__ void add_values(float (&o)[D / 2], const u32 (&p)[32], u32 values, u32 adds) {
#pragma unroll
    for (u32 m = 0u; m < KEYS / 16u; m++) {
        multiply_values(o, p + 4u * m, factor(values + m * 16u * 128u, CHUNK_BYTES), adds + m > 0u);
    }
    end_products();
}

// A thread's two rows of scores, 8 apart, become exponentials; their greatest score and sum go on. A row lies in four lanes.
struct Rows { float top[2], sum[2], factor[2]; };

__device__ __forceinline__ void exponentials(
    float (&s)[64], Rows& rows, float scale, u32 key, u32 position, u32 length
) {
    const u32 lane = threadIdx.x % 32u;
    if (key + KEYS > (CAUSAL == 1u ? min(length, position - lane / 4u + 1u) : length)) {
#pragma unroll
        for (u32 i = 0u; i < 64u; i++) {
            const u32 number = key + i / 4u * 8u + lane % 4u * 2u + i % 2u;
            const u32 limit = CAUSAL == 1u ? min(length - 1u, position + i / 2u % 2u * 8u) : length - 1u;
            s[i] = number > limit ? LOWEST : s[i];
        }
    }
#pragma unroll
    for (u32 half = 0u; half < 2u; half++) {
        float most = LOWEST;
#pragma unroll
        for (u32 n = 0u; n < KEYS / 8u; n++) {
            most = fmaxf(most, fmaxf(s[4u * n + 2u * half], s[4u * n + 2u * half + 1u]));
        }
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 1u));
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 2u));
        const float larger = fmaxf(rows.top[half], most * scale), shift = SHIFT - larger;
        rows.factor[half] = power_of_two(rows.top[half] - larger);
        rows.top[half] = larger;
        float added = 0.0f;
#pragma unroll
        for (u32 n = 0u; n < KEYS / 8u; n++) {
#pragma unroll
            for (u32 j = 0u; j < 2u; j++) {
                float& own = s[4u * n + 2u * half + j];
                own = power_of_two(fmaf(own, scale, shift));
                added += own;
            }
        }
        rows.sum[half] = fmaf(rows.sum[half], rows.factor[half], added);
    }
}

__device__ __forceinline__ void attend(
    u32 tiles, const Barriers& barriers, float* __restrict__ output, const Sizes& sizes, u32 count, u32 group
) {
    const u32 t = threadIdx.x % 128u, lane = t % 32u;
    const float scale = LOG2_E * rsqrtf(static_cast<float>(D));
    u32 step = 0u, turn = 0u;
    for (u32 number = blockIdx.x; number < count; number += gridDim.x, turn++) {
        const uint2 place = place_of(sizes, number);
        const u32 end = end_of(sizes, place.y);
        const u32 position = place.y + group * 64u + t / 32u * 16u + lane / 4u;
        const u32 queries = tiles + group * 64u * 128u;
        Rows rows = {{LOWEST, LOWEST}, {0.0f, 0.0f}, {1.0f, 1.0f}};
        float s[64], o[D / 2];
        u32 p[32];
        wait(barriers.queries, turn % 2u);
        for (u32 key = 0u; key < end; key += KEYS, step++) {
            const u32 stage = step % STAGES, before = (step + STAGES - 1u) % STAGES;
            wait(barriers.keys + 8u * stage, step / STAGES % 2u);
            begin_products();
            score(s, queries, tiles + (1u + stage) * TILE_BYTES);
            if (key > 0u) {
                wait(barriers.values + 8u * before, (step - 1u) / STAGES % 2u);
                add_values(o, p, tiles + (1u + STAGES + before) * TILE_BYTES, key > KEYS);
                computed<1>();
            } else {
                computed<0>();
            }
            if (t == 0u) {
                release(barriers.keys_read + 8u * stage);
            }
            exponentials(s, rows, scale, key, position, sizes.length);
            if (key > 0u) {
                computed<0>();
                if (t == 0u) {
                    release(barriers.values_read + 8u * before);
                }
#pragma unroll
                for (u32 i = 0u; i < D / 2u; i++) {
                    o[i] *= rows.factor[i / 2u % 2u];
                }
            }
#pragma unroll
            for (u32 i = 0u; i < 32u; i++) {
                p[i] = packed(s[2u * i], s[2u * i + 1u]);
            }
        }
        const u32 last = (step + STAGES - 1u) % STAGES;
        if (t == 0u) {
            release(barriers.queries_read);
        }
        wait(barriers.values + 8u * last, (step - 1u) / STAGES % 2u);
        begin_products();
        add_values(o, p, tiles + (1u + STAGES + last) * TILE_BYTES, end > KEYS);
        computed<0>();
        if (t == 0u) {
            release(barriers.values_read + 8u * last);
        }
#pragma unroll
        for (u32 half = 0u; half < 2u; half++) {
            float sum = rows.sum[half];
            sum += __shfl_xor_sync(0xffffffffu, sum, 1u);
            sum += __shfl_xor_sync(0xffffffffu, sum, 2u);
            const float factor = 1.0f / sum;
            if (position + 8u * half < sizes.length) {
                float* to = output + (place.x * sizes.length + position + 8u * half) * D + lane % 4u * 2u;
#pragma unroll
                for (u32 n = 0u; n < D / 8u; n++) {
                    const float* own = &o[4u * n + 2u * half];
                    *reinterpret_cast<float2*>(to + 8u * n) = make_float2(own[0] * factor, own[1] * factor);
                }
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(384)
kernel(
    const half_bits* __restrict__ q, const half_bits* __restrict__ k, const half_bits* __restrict__ v,
    float* __restrict__ output, u32* __restrict__ maps, const Sizes sizes
) {
    extern __shared__ half_bits shared[];
    __shared__ __align__(128) u32 place[3u * MAP_WORDS];
    __shared__ __align__(8) u64 barriers[2u + 4u * STAGES];
    const u32 tiles = (shared_address(shared) + 1023u) / 1024u * 1024u;
    const u32 first = shared_address(barriers);
    const Barriers own = {first, first + 16u, first + 16u + 8u * STAGES, first + 8u,
                          first + 16u + 16u * STAGES, first + 16u + 24u * STAGES};
    const u32 count = sizes.heads * ((sizes.length + QUERIES - 1u) / QUERIES);
    u32* map = maps + blockIdx.x * 3u * MAP_WORDS;
    if (threadIdx.x < 32u) {
        describe(place, map, q, sizes.heads * sizes.length, D, QUERIES);
        describe(place + MAP_WORDS, map + MAP_WORDS, k, sizes.heads * sizes.length, D, KEYS);
        describe(place + 2u * MAP_WORDS, map + 2u * MAP_WORDS, v, sizes.heads * sizes.length, D, KEYS);
    }
    if (threadIdx.x == 0u) {
        prepare(own.queries, 1u);
        prepare(own.queries_read, 2u);
        for (u32 stage = 0u; stage < STAGES; stage++) {
            prepare(own.keys + 8u * stage, 1u);
            prepare(own.values + 8u * stage, 1u);
            prepare(own.keys_read + 8u * stage, 2u);
            prepare(own.values_read + 8u * stage, 2u);
        }
        prepared();
    }
    __syncthreads();
    if (threadIdx.x < 128u) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0u) {
            bring_all(tiles, own, map, sizes, count);
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        attend(tiles, own, output, sizes, count, threadIdx.x / 128u - 1u);
    }
}
