// Twin of tensor.wgsl: a 16×16 by 16×16 matrix product is two instructions of 8 columns each, or four of half the depth
// before compute capability 8.0. Each lane loads its elements of the tiles itself.

struct Sizes { u32 elements; };

typedef unsigned short half_bits;

// c += a·b, a of 16×16 and b of 16×8 f16.
__device__ __forceinline__ void multiply(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(b0));
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
}

// Two neighbours in a row of a tile, or in a column.
__device__ __forceinline__ u32 in_row(const half_bits* __restrict__ tile, u32 row, u32 column) {
    return tile[16u * row + column] | u32(tile[16u * row + column + 1u]) << 16u;
}
__device__ __forceinline__ u32 in_column(const half_bits* __restrict__ tile, u32 row, u32 column) {
    return tile[16u * row + column] | u32(tile[16u * row + 16u + column]) << 16u;
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const half_bits* __restrict__ input, float* __restrict__ output, const Sizes sizes) {
    const u32 lane = threadIdx.x % 32u;
    const u32 set = block_index() * (WG / 32u) + threadIdx.x / 32u;
    const half_bits* tiles = input + (set & 31u) * 256u;
    // A lane has two neighbours in rows `row` and `row + 8` of A and C, and in the columns of the same numbers of B.
    const u32 row = lane / 4u, pair = lane % 4u * 2u;
    u32 a[2][4], b[4][2][2];
#pragma unroll
    for (u32 y = 0u; y < 2u; y++) {
        const half_bits* tile = tiles + 256u * y;
        a[y][0] = in_row(tile, row, pair);
        a[y][1] = in_row(tile, row + 8u, pair);
        a[y][2] = in_row(tile, row, pair + 8u);
        a[y][3] = in_row(tile, row + 8u, pair + 8u);
    }
#pragma unroll
    for (u32 x = 0u; x < 4u; x++) {
        const half_bits* tile = tiles + 256u * (2u + x);
#pragma unroll
        for (u32 half = 0u; half < 2u; half++) {
            b[x][half][0] = in_column(tile, pair, row + 8u * half);
            b[x][half][1] = in_column(tile, pair + 8u, row + 8u * half);
        }
    }
    float chains[2][4][2][4] = {};
    for (u32 k = 0u; k < ROUNDS; k++) {
#pragma unroll
        for (u32 y = 0u; y < 2u; y++) {
#pragma unroll
            for (u32 x = 0u; x < 4u; x++) {
                multiply(chains[y][x][0], a[y], b[x][0][0], b[x][0][1]);
                multiply(chains[y][x][1], a[y], b[x][1][0], b[x][1][1]);
            }
        }
    }
    if (256u * set >= sizes.elements) {
        return;
    }
    float* to = output + 256u * set;
#pragma unroll
    for (u32 half = 0u; half < 2u; half++) {
#pragma unroll
        for (u32 j = 0u; j < 4u; j++) {
            float sums[2];
#pragma unroll
            for (u32 y = 0u; y < 2u; y++) {
                sums[y] = (chains[y][0][half][j] + chains[y][1][half][j])
                          + (chains[y][2][half][j] + chains[y][3][half][j]);
            }
            to[16u * (row + j / 2u * 8u) + 8u * half + pair + j % 2u] = sums[0] + sums[1];
        }
    }
}
