// Twin of spread.wgsl: the same code.

struct Sizes { u32 n; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(u32* counters, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    if (i < sizes.n) {
        for (u32 k = 0u; k < ROUNDS; k++) {
            atomicAdd(&counters[i & (SLOTS - 1u)], i + k);
        }
    }
}
