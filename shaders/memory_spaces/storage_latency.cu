// Twin of storage_latency.wgsl: no thread writes the cycle, so CUDA reads it through the read-only path of L1.

struct Sizes { u32 shift; };

extern "C" __global__ void __launch_bounds__(1)
kernel(const u32* __restrict__ cycle, u32* __restrict__ output, const Sizes sizes) {
    u32 at = 0u;
    for (u32 k = 0u; k < STEPS; k += 16u) {
        at = cycle[at]; at = cycle[at]; at = cycle[at]; at = cycle[at];
        at = cycle[at]; at = cycle[at]; at = cycle[at]; at = cycle[at];
        at = cycle[at]; at = cycle[at]; at = cycle[at]; at = cycle[at];
        at = cycle[at]; at = cycle[at]; at = cycle[at]; at = cycle[at];
    }
    if (blockIdx.x == 0u) {
        output[0] = at + sizes.shift;
    }
}
