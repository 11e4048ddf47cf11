// Twin of cooperative_f16.wgsl: a warp computes 4×16 products of 16×16 by 16×8 by mma.sync, from tiles that ldmatrix
// reads. WGSL has no asynchronous copy: here 16-byte copies (cp.async) go to shared memory without registers, two rounds
// before the round in use; a round is 64 deep. Lanes store their elements of C directly, so that edge tiles need no
// shared memory.
#define CAPABILITY 80

struct Sizes { u32 m, n, k; };

typedef unsigned short half_bits;

constexpr u32 SIDE = 256u;
constexpr u32 DEPTH = 64u;
constexpr u32 BAND = 8u;
constexpr u32 STAGES = 3u;
// A copy moves a chunk: eight f16, 16 bytes. The row number permutes a row's chunks, so that eight rows fall into
// different banks.
constexpr u32 CHUNK = 8u;
constexpr u32 TILE_BYTES = SIDE * DEPTH * sizeof(half_bits);
constexpr u32 THREADS = 256u;
// Dynamic shared memory of a launch: more than 48 KiB cannot be static.
constexpr u32 SHARED_BYTES = 196608u;
static_assert(SHARED_BYTES == STAGES * 2u * TILE_BYTES, "three pairs of tiles");

// Byte offset of chunk `chunk` of row `row` in a tile with `chunks` chunks per row.
__device__ __forceinline__ u32 place(u32 row, u32 chunk, u32 chunks) {
    return (row * chunks + (chunk ^ row % 8u)) * 16u;
}

__device__ __forceinline__ void store(u32 to, uint4 chunk) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
                 : : "r"(to), "r"(chunk.x), "r"(chunk.y), "r"(chunk.z), "r"(chunk.w)
                 : "memory");
}

// Starts a copy of 16 bytes to an address of shared memory; `arrived` waits for it.
__device__ __forceinline__ void copy(u32 to, const half_bits* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}

// Ends the copies of a round.
__device__ __forceinline__ void close_round() {
    asm volatile("cp.async.commit_group;" : : : "memory");
}

// Waits until the copies of all rounds but the last are complete, for all threads.
__device__ __forceinline__ void arrived() {
    asm volatile("cp.async.wait_group 1;" : : : "memory");
    __syncthreads();
}

// Copies eight neighbours of a row of a matrix of `rows` by `columns`, zero outside: asynchronously if rows are
// aligned.
__device__ __forceinline__ void bring_guarded(
    u32 to, const half_bits* __restrict__ matrix, u32 rows, u32 columns, u32 row, u32 column
) {
    const half_bits* from = matrix + row * columns + column;
    if (row < rows && column < columns && columns % CHUNK == 0u) {
        copy(to, from);
        return;
    }
    u32 words[4];
#pragma unroll
    for (u32 w = 0u; w < 4u; w++) {
        const u32 low = row < rows && column + 2u * w < columns ? from[2u * w] : 0u;
        const u32 high = row < rows && column + 2u * w + 1u < columns ? from[2u * w + 1u] : 0u;
        words[w] = low | high << 16u;
    }
    store(to, make_uint4(words[0], words[1], words[2], words[3]));
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

// c += a·b, a of 16×16, b of 16×8 and c of 16×8 f16.
__device__ __forceinline__ void multiply(u32 (&c)[2], const u32 (&a)[4], u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
        : "+r"(c[0]), "+r"(c[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Stores two neighbours of a row of C, up to its edge: one store if rows are aligned.
__device__ __forceinline__ void put(half_bits* __restrict__ c, const Sizes& sizes, u32 row, u32 column, u32 two) {
    if (row >= sizes.m || column >= sizes.n) {
        return;
    }
    half_bits* to = c + row * sizes.n + column;
    if (sizes.n % 2u == 0u) {
        *reinterpret_cast<u32*>(to) = two;
        return;
    }
    to[0] = static_cast<half_bits>(two);
    if (column + 1u < sizes.n) {
        to[1] = static_cast<half_bits>(two >> 16u);
    }
}

// A warp's fragments for 16 steps of k: 64 rows of A, 128 columns of B.
struct Factors { u32 a[4][4], b[8][4]; };

// All products of a warp, whose part of the block starts at `warp_row` and `warp_column`. WHOLE: no tile crosses an
// edge, and rows are aligned.
template <bool WHOLE>
__device__ __forceinline__ void multiply_all(
    u32 (&sums)[4][16][2], u32 tiles,
    const half_bits* __restrict__ a, const half_bits* __restrict__ b, const Sizes& sizes,
    u32 top, u32 left, u32 warp_row, u32 warp_column
) {
    const u32 t = threadIdx.x;
    const u32 lane = t % 32u;
    const u32 rounds = (sizes.k + DEPTH - 1u) / DEPTH;
    // A thread copies a chunk of every 32nd row of A's tile and of every eighth of B's.
    const half_bits* from_a = a + (top + t / (DEPTH / CHUNK)) * sizes.k + t % (DEPTH / CHUNK) * CHUNK;
    const half_bits* from_b = b + t / (SIDE / CHUNK) * sizes.n + left + t % (SIDE / CHUNK) * CHUNK;
    // Copies the tiles of a round: element (row, p) of A is in chunk p / 8 of row `row`, element (p, column) of B in
    // chunk column / 8 of row p.
    const auto bring = [&](u32 round) {
        const u32 a_tile = tiles + round % STAGES * 2u * TILE_BYTES;
        const u32 b_tile = a_tile + TILE_BYTES;
        const u32 first = round * DEPTH;
#pragma unroll WHOLE ? 8 : 1
        for (u32 j = 0u; j < TILE_BYTES / 16u / THREADS; j++) {
            const u32 number = j * THREADS + t;
            const u32 a_row = number / (DEPTH / CHUNK), a_chunk = number % (DEPTH / CHUNK);
            const u32 b_row = number / (SIDE / CHUNK), b_chunk = number % (SIDE / CHUNK);
            const u32 into_a = a_tile + place(a_row, a_chunk, DEPTH / CHUNK);
            const u32 into_b = b_tile + place(b_row, b_chunk, SIDE / CHUNK);
            if (WHOLE) {
                copy(into_a, from_a + first + j * (THREADS / (DEPTH / CHUNK)) * sizes.k);
                copy(into_b, from_b + (first + j * (THREADS / (SIDE / CHUNK))) * sizes.n);
            } else {
                bring_guarded(into_a, a, sizes.m, sizes.k, top + a_row, first + a_chunk * CHUNK);
                bring_guarded(into_b, b, sizes.k, sizes.n, first + b_row, left + b_chunk * CHUNK);
            }
        }
    };
    const auto read = [&](Factors& into, u32 round, u32 p) {
        const u32 a_tile = tiles + round % STAGES * 2u * TILE_BYTES;
        const u32 b_tile = a_tile + TILE_BYTES;
#pragma unroll
        for (u32 y = 0u; y < 4u; y++) {
            load_rows(into.a[y],
                      a_tile + place(warp_row + 16u * y + lane % 16u, p / CHUNK + lane / 16u, DEPTH / CHUNK));
        }
#pragma unroll
        for (u32 x = 0u; x < 8u; x++) {
            const u32 chunk = (warp_column + 16u * x) / CHUNK + lane / 16u;
            load_columns(into.b[x], b_tile + place(p + lane % 16u, chunk, SIDE / CHUNK));
        }
    };
    for (u32 round = 0u; round < STAGES - 1u; round++) {
        if (round < rounds) {
            bring(round);
        }
        close_round();
    }
    arrived();
    // One set of fragments is multiplied while the next one is read, across rounds too.
    Factors factors[2];
    read(factors[0], 0u, 0u);
    for (u32 round = 0u; round < rounds; round++) {
#pragma unroll
        for (u32 p = 0u; p < DEPTH; p += 16u) {
            Factors& now = factors[p / 16u % 2u];
            Factors& next = factors[(p / 16u + 1u) % 2u];
            if (p + 16u < DEPTH) {
                read(next, round, p + 16u);
            } else {
                arrived();
                read(next, round + 1u, 0u);
            }
            // All threads have left the round before, the last to read these tiles.
            if (p == 0u) {
                if (round + STAGES - 1u < rounds) {
                    bring(round + STAGES - 1u);
                }
                close_round();
            }
#pragma unroll
            for (u32 y = 0u; y < 4u; y++) {
#pragma unroll
                for (u32 step = 0u; step < 16u; step++) {
                    // Alternating directions: consecutive products share a fragment.
                    const u32 x = y % 2u == 0u ? step : 15u - step;
                    multiply(sums[y][x], now.a[y], now.b[x / 2u][x % 2u * 2u], now.b[x / 2u][x % 2u * 2u + 1u]);
                }
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(256)
kernel(const half_bits* __restrict__ a, const half_bits* __restrict__ b, half_bits* __restrict__ c, const Sizes sizes) {
    extern __shared__ __align__(128) half_bits shared[];
    const u32 tiles = static_cast<u32>(__cvta_generic_to_shared(shared));
    const u32 lane = threadIdx.x % 32u;
    const u32 warp = threadIdx.x / 32u;
    const u32 number = block_index();
    const u32 band = number / (BAND * gridDim.x) * BAND;
    const u32 height = min(BAND, gridDim.y - band);
    const u32 rest = number - band * gridDim.x;
    const u32 top = (band + rest % height) * SIDE;
    const u32 left = rest / height * SIDE;
    // The block is four by two warps.
    const u32 warp_row = warp / 2u * 64u;
    const u32 warp_column = warp % 2u * 128u;
    u32 sums[4][16][2] = {};
    if (top + SIDE <= sizes.m && left + SIDE <= sizes.n && sizes.n % CHUNK == 0u && sizes.k % DEPTH == 0u) {
        multiply_all<true>(sums, tiles, a, b, sizes, top, left, warp_row, warp_column);
    } else {
        multiply_all<false>(sums, tiles, a, b, sizes, top, left, warp_row, warp_column);
    }
#pragma unroll
    for (u32 y = 0u; y < 4u; y++) {
#pragma unroll
        for (u32 x = 0u; x < 16u; x++) {
            const u32 row = top + warp_row + 16u * y + lane / 4u;
            const u32 column = left + warp_column + 8u * x + lane % 4u * 2u;
            put(c, sizes, row, column, sums[y][x][0]);
            put(c, sizes, row + 8u, column, sums[y][x][1]);
        }
    }
}
