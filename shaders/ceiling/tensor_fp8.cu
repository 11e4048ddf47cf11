// CUDA only: `tensor` with fp8 inputs (e4m3) and f32 accumulation. naga has no fp8 type.
// Pattern: memory is read only at the start: two tiles of A and four of B (stored by columns), all of ±1. Sums are
// integers up to 256 · ROUNDS. No operation rounds for ROUNDS up to 65536, so the result is verified bit for bit.
// Work: 2 · 32 · 8 · ROUNDS operations for each of n scalars, 256 scalars per warp.
// Summary: the chains of tensor with fp8 inputs (e4m3), accumulated in f32
// Look for: Expect twice the rate of tensor if the GPU has a warp-level fp8 instruction (compute capability 8.9 and
// 12). The rate of tensor or less means that the compiler unpacks inputs to f16, as it does for compute capability 9.0.
// Limits: The tensor cores' fp8 rate, or their f16 rate with extra instructions that unpack inputs and add products.

struct Sizes { u32 elements; };

// The first compute capability with the instruction.
#define CAPABILITY 89
constexpr u32 WG = 128u;
// Depth of an instruction, and the elements of a row in each of 8 words.
constexpr u32 DEPTH = 32u, EACH = DEPTH / 8u;
constexpr u32 SHORT = 256u;

// c += a·b, a of 16×32 and b of 32×8.
__device__ __forceinline__ void multiply(float (&c)[4], const u32 (&a)[4], const u32 (&b)[2]) {
    asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Word `word` of a row of a tile.
__device__ __forceinline__ u32 packed(const float* __restrict__ tile, u32 row, u32 word) {
    const float* from = tile + DEPTH * row + EACH * word;
    u32 bytes = 0u;
#pragma unroll
    for (u32 j = 0u; j < EACH; j += 2u) {
        unsigned short two;
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(two) : "f"(from[j + 1u]), "f"(from[j]));
        bytes |= static_cast<u32>(two) << 8u * j;
    }
    return bytes;
}

extern "C" __global__ void __launch_bounds__(128)
kernel(const float* __restrict__ input, float* __restrict__ output, const Sizes sizes) {
    const u32 lane = threadIdx.x % 32u;
    const u32 set = block_index() * (WG / 32u) + threadIdx.x / 32u;
    const float* tiles = input + (set & 31u) * (16u * DEPTH);
    // A lane has words of the rows `row` and `row + 8` of A, of the column `row` of B and of the one 8 further.
    const u32 row = lane / 4u, word = lane % 4u;
    u32 a[2][4], b[4][2][2];
#pragma unroll
    for (u32 y = 0u; y < 2u; y++) {
        const float* tile = tiles + 16u * DEPTH * y;
        a[y][0] = packed(tile, row, word);
        a[y][1] = packed(tile, row + 8u, word);
        a[y][2] = packed(tile, row, word + 4u);
        a[y][3] = packed(tile, row + 8u, word + 4u);
    }
#pragma unroll
    for (u32 x = 0u; x < 4u; x++) {
        const float* tile = tiles + 16u * DEPTH * (2u + x);
#pragma unroll
        for (u32 half = 0u; half < 2u; half++) {
            b[x][half][0] = packed(tile, row + 8u * half, word);
            b[x][half][1] = packed(tile, row + 8u * half, word + 4u);
        }
    }
    // The last bit of a factor, as f32. Where the compiler unpacks the factors and adds up with other instructions, it must not
    // know that products of two rounds are the same: it would multiply once for both.
    const u32 zero = __float_as_uint(tiles[lane]) & 1u;
    // Chains are short, since instructions of some devices add up in less than f32; the sum of all is an f32.
    float sums[2][4] = {};
    for (u32 first = 0u; first < ROUNDS; first += SHORT) {
        float chains[2][4][2][4] = {};
        const u32 end = first + SHORT < ROUNDS ? first + SHORT : ROUNDS;
        for (u32 k = first; k < end; k++) {
#pragma unroll
            for (u32 y = 0u; y < 2u; y++) {
#pragma unroll
                for (u32 x = 0u; x < 4u; x++) {
                    multiply(chains[y][x][0], a[y], b[x][0]);
                    multiply(chains[y][x][1], a[y], b[x][1]);
                }
#pragma unroll
                for (u32 j = 0u; j < 4u; j++) {
                    a[y][j] += zero;
                }
            }
        }
#pragma unroll
        for (u32 half = 0u; half < 2u; half++) {
#pragma unroll
            for (u32 j = 0u; j < 4u; j++) {
                sums[half][j] += ((chains[0][0][half][j] + chains[0][1][half][j])
                                  + (chains[0][2][half][j] + chains[0][3][half][j]))
                                 + ((chains[1][0][half][j] + chains[1][1][half][j])
                                    + (chains[1][2][half][j] + chains[1][3][half][j]));
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
            to[16u * (row + j / 2u * 8u) + 8u * half + 2u * word + j % 2u] = sums[half][j];
        }
    }
}
