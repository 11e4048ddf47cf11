// CUDA only: dependent loads from the memory of another card, in lines of 128 bytes, as in
// memory_spaces/pinned_latency. A launch continues where the last one stopped, so that no line is read again before all
// others.
// Work: 4 bytes for each of STEPS loads.
// Summary: dependent loads from 128 MiB of another card's memory, in lines of 128 bytes
// Look for: A round trip over the link and through the other card's memory: compared with cache_curve/latency of DRAM,
// it shows what the link adds. Multiplied by the rate of peer_read_by_kernel, it gives the bytes that must be in
// flight.
// Limits: Both cards' memory systems and the link, whose rate does not matter: requests wait for each other.

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
