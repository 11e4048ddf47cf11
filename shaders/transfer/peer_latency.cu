// CUDA only: dependent loads from another card's memory, one per 128-byte line, as in memory_spaces/pinned_latency.
// Each launch continues where the last one stopped, so no line is read again before all others.
// Work: 4 bytes for each of STEPS loads.
// Summary: dependent loads from 128 MiB of another card's memory, one per 128-byte line
// Look for: The latency of a round trip over the link and through the other card's memory. The difference from the DRAM
// latency (cache_curve/latency) is due to the link. Multiply the latency by the rate of peer_read_by_kernel to get the
// bytes that must be in flight.
// Limits: The latency of both cards' memory systems and of the link, not its rate, since each load waits for the one
// before.

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
