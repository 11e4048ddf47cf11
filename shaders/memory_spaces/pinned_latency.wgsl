// One invocation follows a random cycle through 128 MiB of host memory: each 128-byte line contains the index of the
// next.
// Pattern: dependent loads over the bus, one per line. Each launch continues where the last one stopped, so caches have
// evicted a line before it is read again.
// Work: STEPS dependent loads, 16 per loop iteration.
// Summary: dependent loads from 128 MiB of pinned host memory, one per 128-byte line
// Look for: The latency of a round trip over the bus, including address translation: about 1 µs or more over PCI
// Express. If host and device share DRAM, the latency is near that of cache_curve/latency. Multiply the latency by the
// rate of transfer/pinned_by_kernel to get the bytes that must be in flight.
// Limits: The latency of the bus, not its rate, since each load waits for the one before.

struct Line { next: u32, check: u32, unused: u32, expected: u32, rest: array<u32, 28> }

struct Sizes { places: u32 }

@group(0) @binding(0) var<storage, read> cycle: array<Line>;
@group(0) @binding(1) var<storage, read_write> place: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override STEPS: u32 = 4096u;

@compute @workgroup_size(1)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
) {
    let first = place[0] % sizes.places;
    var at = first;
    for (var k = 0u; k < STEPS; k += 16u) {
        at = cycle[at].next; at = cycle[at].next; at = cycle[at].next; at = cycle[at].next;
        at = cycle[at].next; at = cycle[at].next; at = cycle[at].next; at = cycle[at].next;
        at = cycle[at].next; at = cycle[at].next; at = cycle[at].next; at = cycle[at].next;
        at = cycle[at].next; at = cycle[at].next; at = cycle[at].next; at = cycle[at].next;
    }
    if (group.x == 0u) {
        place[0] = at;
        output[0] = cycle[at].check ^ cycle[first].expected;
    }
}
