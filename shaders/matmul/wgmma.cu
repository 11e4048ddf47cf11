// CUDA only: GEMM of f16 matrices, accumulated in f32 with Hopper's own instructions. The tensor memory accelerator
// (cp.async.bulk.tensor) copies tiles, those of B to both blocks of a cluster at once. Four warps compute a product
// together, straight from shared memory (wgmma). WGSL has none of these instructions.
// Pattern: Each block computes 128×256 elements of C, with four warps for each half. One more warp copies tiles 64
// deep, four steps ahead. One block per SM computes several tiles; a cluster of two blocks computes 256×256 elements at
// once. The next tiles arrive while sums are stored.
// Work: 2mnk operations.
// Summary: f16 inputs, f32 accumulation, with Hopper's wgmma: tiles of 128×256, copied by hardware (TMA)
// Look for: The speed of the hardware with instructions that WGSL lacks. The ratio to the CUDA port of cooperative is
// the gain from them; the gap to cublas_f16 shows how much could still be gained.
// Limits: Tensor cores, or the power limit. Small matrices have too few tiles of 128×256 to fill all SMs.

#include "hopper.cuh"

struct Sizes { u32 m, n, k; };

constexpr u32 ROWS = 128u, COLUMNS = 256u, DEPTH = 64u;
constexpr u32 STAGES = 4u, CLUSTER = 2u, BAND = 8u;
constexpr u32 A_BYTES = ROWS * DEPTH * 2u, B_BYTES = COLUMNS * DEPTH * 2u;
// Dynamic shared memory of a launch: the tiles, at a multiple of 1024.
constexpr u32 SHARED_BYTES = 197632u;
static_assert(SHARED_BYTES == STAGES * (A_BYTES + B_BYTES) + 1024u, "four pairs of tiles");

// Tells the same barrier of a block of the cluster that one warp group has read its tiles.
__device__ __forceinline__ void release(u32 barrier, u32 block) {
    asm volatile("{\n.reg .b32 other;\nmapa.shared::cluster.u32 other, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [other];\n}" : : "r"(barrier), "r"(block) : "memory");
}

// Copies the box at (row, column) of a matrix to shared memory of every block of the cluster.
__device__ __forceinline__ void copy_to_all(u32 to, const u32* map, u32 row, u32 column, u32 barrier) {
    const unsigned short blocks = (1u << CLUSTER) - 1u;
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%2, %3}], [%4], %5;"
        : : "r"(to), "l"(map), "r"(column), "r"(row), "r"(barrier), "h"(blocks) : "memory");
}

__device__ __forceinline__ void meet_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" : : : "memory");
}

// sums = a·b, or sums + a·b: a of 64×16 with rows of k, b of 16×256 with rows of n.
__device__ __forceinline__ void multiply(float (&sums)[128], u64 a, u64 b, u32 adds) {
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %130, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, adds, 1, 1, 0, 1;\n}"
        : SUMS(0), SUMS(8), SUMS(16), SUMS(24), SUMS(32), SUMS(40), SUMS(48), SUMS(56),
          SUMS(64), SUMS(72), SUMS(80), SUMS(88), SUMS(96), SUMS(104), SUMS(112), SUMS(120)
        : "l"(a), "l"(b), "r"(adds));
}

// The corner of the block's tile of a number, in bands of pairs of tiles that share columns of B.
__device__ __forceinline__ uint2 corner(const Sizes& sizes, u32 number, u32 rank) {
    const u32 pairs = (sizes.m + CLUSTER * ROWS - 1u) / (CLUSTER * ROWS), across = (sizes.n + COLUMNS - 1u) / COLUMNS;
    const u32 band = number / (BAND * across) * BAND, height = min(BAND, pairs - band), rest = number - band * across;
    return make_uint2(rest / height * COLUMNS, ((band + rest % height) * CLUSTER + rank) * ROWS);
}

// Copies every tile of A, and this block's part of B's, to where the products find them.
__device__ __forceinline__ void bring_all(
    u32 tiles, u32 full, u32 empty, const u32* maps, const Sizes& sizes, u32 count, u32 rank
) {
    u32 round = 0u;
    for (u32 number = blockIdx.x / CLUSTER; number < count; number += gridDim.x / CLUSTER) {
        const uint2 at = corner(sizes, number, rank);
        for (u32 p = 0u; p < sizes.k; p += DEPTH, round++) {
            const u32 stage = round % STAGES, a = tiles + stage * (A_BYTES + B_BYTES);
            wait(empty + 8u * stage, round / STAGES % 2u ^ 1u);
            expect(full + 8u * stage, A_BYTES + B_BYTES);
            copy(a, maps, at.y, p, full + 8u * stage);
#pragma unroll
            for (u32 chunk = rank * (COLUMNS / CLUSTER); chunk < (rank + 1u) * (COLUMNS / CLUSTER); chunk += CHUNK) {
                copy_to_all(a + A_BYTES + chunk * DEPTH * 2u, maps + MAP_WORDS, p, at.x + chunk, full + 8u * stage);
            }
        }
    }
}

// The products of a warp group: 64 rows of each of the block's tiles.
__device__ __forceinline__ void multiply_all(
    u32 tiles, u32 full, u32 empty, float* __restrict__ c, const Sizes& sizes, u32 count, u32 rank, u32 group
) {
    const u32 t = threadIdx.x % 128u, lane = t % 32u;
    u32 round = 0u;
    for (u32 number = blockIdx.x / CLUSTER; number < count; number += gridDim.x / CLUSTER) {
        float sums[128];
        const u32 before = round;
        for (u32 p = 0u; p < sizes.k; p += DEPTH, round++) {
            const u32 stage = round % STAGES, a = tiles + stage * (A_BYTES + B_BYTES), b = a + A_BYTES;
            wait(full + 8u * stage, round / STAGES % 2u);
            begin_products();
#pragma unroll
            for (u32 q = 0u; q < DEPTH; q += 16u) {
                multiply(sums, factor(a + group * 64u * 128u + q * 2u, 16u), factor(b + q * 128u, CHUNK * DEPTH * 2u),
                         p + q > 0u);
            }
            end_products();
            // All rounds but this one are computed: the tiles of the one before are free.
            computed<1>();
            if (round > before && t < CLUSTER) {
                release(empty + 8u * ((round - 1u) % STAGES), t);
            }
        }
        computed<0>();
        if (round > before && t < CLUSTER) {
            release(empty + 8u * ((round - 1u) % STAGES), t);
        }
        const uint2 at = corner(sizes, number, rank);
        const u32 row = at.y + group * 64u + t / 32u * 16u + lane / 4u;
#pragma unroll
        for (u32 x = 0u; x < COLUMNS / 8u; x++) {
            const u32 column = at.x + 8u * x + lane % 4u * 2u;
            if (row < sizes.m && column < sizes.n) {
                *reinterpret_cast<float2*>(c + row * sizes.n + column) = make_float2(sums[4u * x], sums[4u * x + 1u]);
            }
            if (row + 8u < sizes.m && column < sizes.n) {
                *reinterpret_cast<float2*>(c + (row + 8u) * sizes.n + column) =
                    make_float2(sums[4u * x + 2u], sums[4u * x + 3u]);
            }
        }
    }
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(384)
kernel(
    const half_bits* __restrict__ a, const half_bits* __restrict__ b, float* __restrict__ c, u32* __restrict__ maps,
    const Sizes sizes
) {
    extern __shared__ half_bits shared[];
    __shared__ __align__(128) u32 place[2u * MAP_WORDS];
    __shared__ __align__(8) u64 barriers[2u * STAGES];
    const u32 tiles = (shared_address(shared) + 1023u) / 1024u * 1024u;
    const u32 full = shared_address(barriers), empty = full + 8u * STAGES;
    const u32 rank = blockIdx.x % CLUSTER;
    const u32 count = (sizes.m + CLUSTER * ROWS - 1u) / (CLUSTER * ROWS) * ((sizes.n + COLUMNS - 1u) / COLUMNS);
    u32* own = maps + blockIdx.x * 2u * MAP_WORDS;
    if (threadIdx.x < 32u) {
        describe(place, own, a, sizes.m, sizes.k, ROWS);
        describe(place + MAP_WORDS, own + MAP_WORDS, b, sizes.k, sizes.n, DEPTH);
    }
    if (threadIdx.x == 0u) {
        for (u32 stage = 0u; stage < STAGES; stage++) {
            prepare(full + 8u * stage, 1u);
            prepare(empty + 8u * stage, 2u * CLUSTER);
        }
        prepared();
    }
    __syncthreads();
    meet_cluster();
    if (threadIdx.x < 128u) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0u) {
            bring_all(tiles, full, empty, own, sizes, count, rank);
        }
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        multiply_all(tiles, full, empty, c, sizes, count, rank, threadIdx.x / 128u - 1u);
    }
    // No block ends while another copies to it.
    meet_cluster();
}
