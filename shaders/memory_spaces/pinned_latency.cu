// Twin of pinned_latency.wgsl: the same code. The cycle is pinned memory of the host, mapped for the device.

struct Line { u32 next, check, unused, expected, rest[28]; };

struct Sizes { u32 places; };

extern "C" __global__ void __launch_bounds__(1)
kernel(const Line* __restrict__ cycle, u32* __restrict__ place, u32* __restrict__ output, const Sizes sizes) {
    const u32 first = place[0] % sizes.places;
    u32 at = first;
    for (u32 k = 0u; k < STEPS; k += 16u) {
        at = cycle[at].next; at = cycle[at].next; at = cycle[at].next; at = cycle[at].next;
        at = cycle[at].next; at = cycle[at].next; at = cycle[at].next; at = cycle[at].next;
        at = cycle[at].next; at = cycle[at].next; at = cycle[at].next; at = cycle[at].next;
        at = cycle[at].next; at = cycle[at].next; at = cycle[at].next; at = cycle[at].next;
    }
    if (blockIdx.x == 0u) {
        place[0] = at;
        output[0] = cycle[at].check ^ cycle[first].expected;
    }
}
