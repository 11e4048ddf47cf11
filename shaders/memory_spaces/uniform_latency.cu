// Twin of uniform_latency.wgsl: the cycle is in constant memory, filled by the host, with the same stride of 16 bytes.

struct Sizes { u32 shift; };

__constant__ uint4 cycle[256];

extern "C" __global__ void __launch_bounds__(1)
kernel(u32* __restrict__ output, const Sizes sizes) {
    u32 at = 0u;
    for (u32 k = 0u; k < STEPS; k += 16u) {
        at = cycle[at].x; at = cycle[at].x; at = cycle[at].x; at = cycle[at].x;
        at = cycle[at].x; at = cycle[at].x; at = cycle[at].x; at = cycle[at].x;
        at = cycle[at].x; at = cycle[at].x; at = cycle[at].x; at = cycle[at].x;
        at = cycle[at].x; at = cycle[at].x; at = cycle[at].x; at = cycle[at].x;
    }
    if (blockIdx.x == 0u) {
        output[0] = at + sizes.shift;
    }
}
