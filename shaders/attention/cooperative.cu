// Twin of cooperative.wgsl: the same algorithm by mma.sync, in steps of 64 keys. A thread knows its elements of a
// product: scores, exponentials and outputs stay in its registers, and it scales outputs at every step. Tiles are
// copied to shared memory asynchronously: values during the first product, the next keys after it.

struct Sizes { u32 heads, length; };

typedef unsigned short half_bits;

constexpr u32 KEYS = 64u;
constexpr u32 WARPS = WG / 32u;
// A warp has so many times 16 queries.
constexpr u32 BLOCKS = QUERIES / WARPS / 16u;
// A copy moves a chunk: eight f16, 16 bytes. The row number permutes a row's chunks, so that eight rows fall into
// different banks.
constexpr u32 CHUNKS = D / 8u;
constexpr u32 TILE_BYTES = KEYS * D * sizeof(half_bits);
// Dynamic shared memory of a launch: more than 48 KiB cannot be static. Queries, keys and values.
constexpr u32 SHARED_BYTES = 65536u;
static_assert(SHARED_BYTES >= QUERIES * D * sizeof(half_bits) + 2u * TILE_BYTES, "three tiles");
static_assert(QUERIES == 16u * BLOCKS * WARPS, "all queries have a warp");
// An exponential has base 2. The largest is 2^6, so that small ones are normal numbers of f16.
constexpr float SHIFT = 6.0f;
constexpr float LOG2_E = 1.44269504f;
constexpr float LOWEST = -1e30f;

// Byte offset of chunk `chunk` of row `row` in a tile. That of chunk `chunk ^ n` is the same with bits 16 n flipped:
// tiles start at multiples of a row.
__device__ __forceinline__ u32 place(u32 row, u32 chunk) { return (row * CHUNKS + (chunk ^ row % 8u)) * 16u; }
constexpr u32 PITCH = CHUNKS * 16u;

// Starts a copy of 16 bytes to an address of shared memory; `arrived` waits for it.
__device__ __forceinline__ void copy(u32 to, const half_bits* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
#else
    const uint4 chunk = *reinterpret_cast<const uint4*>(from);
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
                 : : "r"(to), "r"(chunk.x), "r"(chunk.y), "r"(chunk.z), "r"(chunk.w)
                 : "memory");
#endif
}

// Waits until all copies are complete, for all threads.
__device__ __forceinline__ void arrived() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" : : : "memory");
#endif
    __syncthreads();
}

// Starts to copy so many rows, which follow each other in memory.
template <u32 ROWS> __device__ __forceinline__ void bring(u32 tile, const half_bits* __restrict__ rows) {
#pragma unroll
    for (u32 i = 0u; i < ROWS * CHUNKS; i += WG) {
        const u32 number = i + threadIdx.x;
        copy(tile + place(number / CHUNKS, number % CHUNKS), rows + number * 8u);
    }
}

// Four matrices of 8×8 f16, each from the rows at the addresses of eight lanes: a lane gets two neighbours of row lane
// / 4 of each.
__device__ __forceinline__ void load_rows(u32 (&into)[4], u32 row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(into[0]), "=r"(into[1]), "=r"(into[2]), "=r"(into[3])
                 : "r"(row)
                 : "memory");
}

// The same, transposed: a lane gets two neighbours of column lane / 4 of each.
__device__ __forceinline__ void load_columns(u32 (&into)[4], u32 row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(into[0]), "=r"(into[1]), "=r"(into[2]), "=r"(into[3])
                 : "r"(row)
                 : "memory");
}

// c += a·b, a of 16×16 and b of 16×8 f16.
__device__ __forceinline__ void multiply(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    // Two instructions of half the depth.
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
}

// Two f16 in a word, `low` in its lower half.
__device__ __forceinline__ u32 packed(float low, float high) {
    u32 both;
#if __CUDA_ARCH__ >= 800
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
#else
    unsigned short halves[2];
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(halves[0]) : "f"(low));
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(halves[1]) : "f"(high));
    both = halves[0] | static_cast<u32>(halves[1]) << 16u;
#endif
    return both;
}

__device__ __forceinline__ float power_of_two(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// The four lanes of a row combine their values.
__device__ __forceinline__ float largest(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1u));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2u));
}

__device__ __forceinline__ float total(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1u);
    return x + __shfl_xor_sync(0xffffffffu, x, 2u);
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(
    const half_bits* __restrict__ q, const half_bits* __restrict__ k, const half_bits* __restrict__ v,
    float* __restrict__ output, const Sizes sizes
) {
    extern __shared__ __align__(256) half_bits shared[];
    const u32 queries = static_cast<u32>(__cvta_generic_to_shared(shared));
    const u32 keys = queries + QUERIES * D * sizeof(half_bits);
    const u32 values = keys + TILE_BYTES;
    const u32 lane = threadIdx.x % 32u;
    const u32 warp_row = threadIdx.x / 32u * 16u * BLOCKS;
    const u32 number = block_index();
    const u32 length = sizes.length;
    const u32 blocks = (length + QUERIES - 1u) / QUERIES;
    if (number >= sizes.heads * blocks) {
        return;
    }
    // Causal: the longest rows first, so that the last blocks to run are short.
    const u32 head = CAUSAL == 1u ? number % sizes.heads : number / blocks;
    const u32 block = CAUSAL == 1u ? blocks - 1u - number / sizes.heads : number % blocks;
    const u32 first = block * QUERIES;
    const u32 end = CAUSAL == 1u ? min(first + QUERIES, length) : length;
    // Keys up to here are keys of every query.
    const u32 whole = CAUSAL == 1u ? min(first + 1u, length) : length;
    const half_bits* from_k = k + head * length * D;
    const half_bits* from_v = v + head * length * D;
    const float scale = LOG2_E * rsqrtf(static_cast<float>(D));

    // Where a lane's row of the first 16×16 of each tile starts, as `load_rows` and `load_columns` need it.
    const u32 own_queries = queries + place(warp_row + lane % 16u, lane / 16u);
    const u32 own_keys = keys + place(lane / 16u * 8u + lane % 8u, lane / 8u % 2u);
    const u32 own_values = values + place(lane % 16u, lane / 16u);

    bring<QUERIES>(queries, q + (head * length + first) * D);
    bring<KEYS>(keys, from_k);
    // A lane has two rows of each block: lane / 4, and the eighth after it.
    float o[BLOCKS][D / 8u][4] = {};
    float top[BLOCKS][2], sum[BLOCKS][2] = {};
#pragma unroll
    for (u32 b = 0u; b < BLOCKS; b++) {
        top[b][0] = top[b][1] = LOWEST;
    }
    for (u32 key = 0u; key < end; key += KEYS) {
        // The keys are here, and all threads have left the values.
        arrived();
        bring<KEYS>(values, from_v + key * D);
        float s[BLOCKS][KEYS / 8u][4] = {};
#pragma unroll
        for (u32 c = 0u; c < D / 16u; c++) {
            u32 a[BLOCKS][4];
#pragma unroll
            for (u32 b = 0u; b < BLOCKS; b++) {
                load_rows(a[b], (own_queries ^ 32u * c) + 16u * b * PITCH);
            }
#pragma unroll
            for (u32 n = 0u; n < KEYS / 16u; n++) {
                u32 both[4];
                load_rows(both, (own_keys ^ 32u * c) + 16u * n * PITCH);
#pragma unroll
                for (u32 b = 0u; b < BLOCKS; b++) {
                    multiply(s[b][2u * n], a[b], both[0], both[1]);
                    multiply(s[b][2u * n + 1u], a[b], both[2], both[3]);
                }
            }
        }
        // The values are here, and all threads have left the keys.
        arrived();
        if (key + KEYS < end) {
            bring<KEYS>(keys, from_k + (key + KEYS) * D);
        }
#pragma unroll
        for (u32 b = 0u; b < BLOCKS; b++) {
#pragma unroll
            for (u32 half = 0u; half < 2u; half++) {
                if (key + KEYS > whole) {
                    const u32 position = first + warp_row + 16u * b + 8u * half + lane / 4u;
                    const u32 limit = CAUSAL == 1u ? min(position, length - 1u) : length - 1u;
#pragma unroll
                    for (u32 n = 0u; n < KEYS / 8u; n++) {
                        const u32 at = key + 8u * n + lane % 4u * 2u;
                        if (at > limit) {
                            s[b][n][2u * half] = LOWEST;
                        }
                        if (at + 1u > limit) {
                            s[b][n][2u * half + 1u] = LOWEST;
                        }
                    }
                }
                float most = LOWEST;
#pragma unroll
                for (u32 n = 0u; n < KEYS / 8u; n++) {
                    most = fmaxf(most, fmaxf(s[b][n][2u * half], s[b][n][2u * half + 1u]));
                }
                const float larger = fmaxf(top[b][half], largest(most) * scale);
                const float factor = power_of_two(top[b][half] - larger);
                const float shift = SHIFT - larger;
                top[b][half] = larger;
                float added = 0.0f;
#pragma unroll
                for (u32 n = 0u; n < KEYS / 8u; n++) {
#pragma unroll
                    for (u32 j = 0u; j < 2u; j++) {
                        float& own = s[b][n][2u * half + j];
                        own = power_of_two(fmaf(own, scale, shift));
                        added += own;
                    }
                }
                sum[b][half] = fmaf(sum[b][half], factor, added);
#pragma unroll
                for (u32 n = 0u; n < D / 8u; n++) {
                    o[b][n][2u * half] *= factor;
                    o[b][n][2u * half + 1u] *= factor;
                }
            }
        }
#pragma unroll
        for (u32 m = 0u; m < KEYS / 16u; m++) {
            // Products of the first kind lie in registers as factors of the second do.
            u32 p[BLOCKS][4];
#pragma unroll
            for (u32 b = 0u; b < BLOCKS; b++) {
                p[b][0] = packed(s[b][2u * m][0], s[b][2u * m][1]);
                p[b][1] = packed(s[b][2u * m][2], s[b][2u * m][3]);
                p[b][2] = packed(s[b][2u * m + 1u][0], s[b][2u * m + 1u][1]);
                p[b][3] = packed(s[b][2u * m + 1u][2], s[b][2u * m + 1u][3]);
            }
#pragma unroll
            for (u32 n = 0u; n < D / 16u; n++) {
                u32 both[4];
                load_columns(both, (own_values ^ 32u * n) + 16u * m * PITCH);
#pragma unroll
                for (u32 b = 0u; b < BLOCKS; b++) {
                    multiply(o[b][2u * n], p[b], both[0], both[1]);
                    multiply(o[b][2u * n + 1u], p[b], both[2], both[3]);
                }
            }
        }
    }
#pragma unroll
    for (u32 b = 0u; b < BLOCKS; b++) {
#pragma unroll
        for (u32 half = 0u; half < 2u; half++) {
            const float factor = 1.0f / total(sum[b][half]);
            const u32 position = first + warp_row + 16u * b + 8u * half + lane / 4u;
            if (position < length) {
                float* to = output + (head * length + position) * D + lane % 4u * 2u;
#pragma unroll
                for (u32 n = 0u; n < D / 8u; n++) {
                    const float* own = &o[b][n][2u * half];
                    *reinterpret_cast<float2*>(to + 8u * n) = make_float2(own[0] * factor, own[1] * factor);
                }
            }
        }
    }
}
