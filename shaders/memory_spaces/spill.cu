// CUDA only: 96 values per thread, all live until the end, with at most REGISTERS registers per thread. Values that do
// not fit spill to local memory and are reloaded when needed; in return, more blocks are resident. The limit follows
// from the number of blocks that must fit in an SM's 65,536 registers. WGSL pipelines have no such limit.
// Work: 96 · ROUNDS times x = x · s + y per invocation, each time reading two registers of 4 bytes.
// Summary: 96 values per thread in REGISTERS registers: with 64, many spill to local memory and more blocks are
// resident
// Look for: The speed with REGISTERS=64 relative to 256: more blocks are resident, but spilled values are reloaded from
// local memory. If the ratio is below 1, spilling costs more than the higher occupancy gains.
// Limits: With 64 registers, L1, which serves the spills. With 256, the rate of integer multiply-adds at low occupancy.

struct Sizes { u32 invocations, shift; };

constexpr u32 WG = 256u;
constexpr u32 VALUES = 96u;

extern "C" __global__ void __launch_bounds__(256, 65536u / (256u * REGISTERS))
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    u32 x[VALUES];
#pragma unroll
    for (u32 j = 0u; j < VALUES; j++) {
        x[j] = input[(i & 1023u) + j];
    }
#pragma unroll 1
    for (u32 k = 0u; k < ROUNDS; k++) {
#pragma unroll
        for (u32 j = 0u; j < VALUES; j++) {
            x[j] = x[j] * sizes.shift + x[(j + 1u) % VALUES];
        }
    }
    u32 sum = i;
#pragma unroll
    for (u32 j = 0u; j < VALUES; j++) {
        sum = sum * 3u + x[j];
    }
    if (i < sizes.invocations) {
        output[i] = sum;
    }
}
