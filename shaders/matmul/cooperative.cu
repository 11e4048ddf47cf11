// Twin of cooperative.wgsl: a warp's products are 4×8 of 16×16 by 16×8, as mma.sync makes them, from tiles that ldmatrix reads; memory is
// read by eight halves at once; lanes store their elements of C themselves, so that parts that stick out need no shared memory.

struct Sizes { u32 m, n, k; };

typedef unsigned short half_bits;

constexpr u32 SIDE = 128u;
constexpr u32 DEPTH = 32u;
// Eight halves, 16 bytes, are one load; a row of tiles has one more, so that rows of eight fall into different banks.
constexpr u32 CHUNK = 8u;
constexpr u32 A_PITCH = DEPTH + CHUNK;
constexpr u32 B_PITCH = SIDE + CHUNK;
// Chunks of either tile that each thread brings.
constexpr u32 BROUGHT = SIDE * DEPTH / CHUNK / 128u;
constexpr u32 BAND = 8u;

// Eight neighbours of a row of a matrix of `rows` by `columns`, zero outside: one load where rows are aligned to it.
__device__ __forceinline__ uint4 chunk_at(const half_bits* __restrict__ matrix, u32 rows, u32 columns, u32 row, u32 column) {
    uint4 chunk = make_uint4(0u, 0u, 0u, 0u);
    if (row >= rows || column >= columns) {
        return chunk;
    }
    const half_bits* from = matrix + row * columns + column;
    if (columns % CHUNK == 0u) {
        return *reinterpret_cast<const uint4*>(from);
    }
    u32 words[4];
#pragma unroll
    for (u32 w = 0u; w < 4u; w++) {
        const u32 low = column + 2u * w < columns ? from[2u * w] : 0u;
        const u32 high = column + 2u * w + 1u < columns ? from[2u * w + 1u] : 0u;
        words[w] = low | high << 16u;
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

// Four matrices of 8×8 halves, each from the rows at the addresses of eight lanes: a lane gets two neighbours of row lane / 4 of each.
__device__ __forceinline__ void load_rows(u32 (&into)[4], const half_bits* row) {
    const u32 address = static_cast<u32>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(into[0]), "=r"(into[1]), "=r"(into[2]), "=r"(into[3])
                 : "r"(address)
                 : "memory");
}

// The same, transposed: a lane gets two neighbours of column lane / 4 of each.
__device__ __forceinline__ void load_columns(u32 (&into)[4], const half_bits* row) {
    const u32 address = static_cast<u32>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(into[0]), "=r"(into[1]), "=r"(into[2]), "=r"(into[3])
                 : "r"(address)
                 : "memory");
}

// c += a·b of 16×16 by 16×8 halves.
__device__ __forceinline__ void multiply(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    // In two halves of the depth.
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
}

// Two neighbours of a row of C, as far as there are so many: one store where rows are aligned to it.
__device__ __forceinline__ void put(float* __restrict__ c, const Sizes& sizes, u32 row, u32 column, float first, float second) {
    if (row >= sizes.m || column >= sizes.n) {
        return;
    }
    float* to = c + row * sizes.n + column;
    if (sizes.n % 2u == 0u) {
        *reinterpret_cast<float2*>(to) = make_float2(first, second);
        return;
    }
    to[0] = first;
    if (column + 1u < sizes.n) {
        to[1] = second;
    }
}

extern "C" __global__ void __launch_bounds__(128)
kernel(const half_bits* __restrict__ a, const half_bits* __restrict__ b, float* __restrict__ c, const Sizes sizes) {
    // Element (row, p) of A at row * A_PITCH + p, element (p, column) of B at p * B_PITCH + column.
    // Of each there are two, in turn, since CUDA has room for them: one barrier a round is enough.
    __shared__ __align__(16) half_bits a_tiles[2][SIDE * A_PITCH];
    __shared__ __align__(16) half_bits b_tiles[2][DEPTH * B_PITCH];
    const u32 t = threadIdx.x;
    const u32 lane = t % 32u;
    const u32 warp = t / 32u;
    const u32 number = block_index();
    const u32 band = number / (BAND * gridDim.x) * BAND;
    const u32 height = min(BAND, gridDim.y - band);
    const u32 rest = number - band * gridDim.x;
    const u32 top = (band + rest % height) * SIDE;
    const u32 left = rest / height * SIDE;
    // The warp's part of the block's: one of two by two.
    const u32 warp_row = warp / 2u * 64u;
    const u32 warp_column = warp % 2u * 64u;
    uint4 next_a[BROUGHT], next_b[BROUGHT];
    float sums[4][8][4] = {};
    for (u32 first = 0u; first < sizes.k + DEPTH; first += DEPTH) {
        half_bits* a_tile = a_tiles[first / DEPTH % 2u];
        half_bits* b_tile = b_tiles[first / DEPTH % 2u];
        // The first round brings tiles alone, every other one multiplies those that the round before brought.
        if (first > 0u) {
#pragma unroll
            for (u32 j = 0u; j < BROUGHT; j++) {
                const u32 place = j * 128u + t;
                const u32 a_row = place / (DEPTH / CHUNK), a_column = place % (DEPTH / CHUNK) * CHUNK;
                const u32 b_row = place / (SIDE / CHUNK), b_column = place % (SIDE / CHUNK) * CHUNK;
                *reinterpret_cast<uint4*>(&a_tile[a_row * A_PITCH + a_column]) = next_a[j];
                *reinterpret_cast<uint4*>(&b_tile[b_row * B_PITCH + b_column]) = next_b[j];
            }
            __syncthreads();
        }
#pragma unroll
        for (u32 j = 0u; j < BROUGHT; j++) {
            const u32 place = j * 128u + t;
            const u32 a_row = place / (DEPTH / CHUNK), a_column = place % (DEPTH / CHUNK) * CHUNK;
            const u32 b_row = place / (SIDE / CHUNK), b_column = place % (SIDE / CHUNK) * CHUNK;
            next_a[j] = chunk_at(a, sizes.m, sizes.k, top + a_row, first + a_column);
            next_b[j] = chunk_at(b, sizes.k, sizes.n, first + b_row, left + b_column);
        }
        if (first > 0u) {
#pragma unroll
            for (u32 p = 0u; p < DEPTH; p += 16u) {
                u32 from_a[4][4], from_b[4][4];
#pragma unroll
                for (u32 y = 0u; y < 4u; y++) {
                    const u32 row = warp_row + 16u * y + lane % 16u;
                    load_rows(from_a[y], &a_tile[row * A_PITCH + p + lane / 16u * CHUNK]);
                }
#pragma unroll
                for (u32 x = 0u; x < 4u; x++) {
                    const u32 column = warp_column + 16u * x + lane / 16u * CHUNK;
                    load_columns(from_b[x], &b_tile[(p + lane % 16u) * B_PITCH + column]);
                }
#pragma unroll
                for (u32 y = 0u; y < 4u; y++) {
#pragma unroll
                    for (u32 x = 0u; x < 8u; x++) {
                        multiply(sums[y][x], from_a[y], from_b[x / 2u][x % 2u * 2u], from_b[x / 2u][x % 2u * 2u + 1u]);
                    }
                }
            }
        }
    }
#pragma unroll
    for (u32 y = 0u; y < 4u; y++) {
#pragma unroll
        for (u32 x = 0u; x < 8u; x++) {
            const u32 row = top + warp_row + 16u * y + lane / 4u;
            const u32 column = left + warp_column + 8u * x + lane % 4u * 2u;
            put(c, sizes, row, column, sums[y][x][0], sums[y][x][1]);
            put(c, sizes, row + 8u, column, sums[y][x][2], sums[y][x][3]);
        }
    }
}
