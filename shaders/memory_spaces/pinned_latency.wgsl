// One invocation follows a random cycle through 128 MiB of host memory: each line of 128 bytes holds the index of the
// next.
// Pattern: dependent loads over the bus, one load per line. A launch continues where the last one stopped, so that a
// device that caches host memory has dropped a line before its turn comes again. Two random words, of the last and of
// the first line, show whether the walk has the right number of steps.
// Work: STEPS dependent loads, 16 in the loop body.
// Summary: dependent loads from 128 MiB of pinned host memory, in lines of 128 bytes
// Look for: A round trip over the bus and address translation: about 1 µs or more over PCI Express, near the latency of
// DRAM where host and device share it (cache_curve/latency). Multiplied by the rate of transfer/pinned_by_kernel, it
// gives the bytes that must be in flight.
// Limits: The bus: requests wait for each other, so that its rate does not matter. No line is read again before all
// others, so no cache still holds it.

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
