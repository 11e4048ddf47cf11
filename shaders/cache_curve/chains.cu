// Twin of chains.wgsl: the same code.

struct Line { u32 next, rest[31]; };

struct Sizes { u32 steps; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const Line* __restrict__ cycle, const u32* __restrict__ starts, u32* __restrict__ output, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    if (i < THREADS) {
        u32 at = starts[i];
        for (u32 k = 0u; k < sizes.steps; k++) {
            at = cycle[at].next;
        }
        output[i] = at;
    }
}
