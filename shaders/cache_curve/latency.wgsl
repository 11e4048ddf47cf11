// One invocation follows a chain: each line of 128 bytes holds the index of the next, so that every load waits for the
// one before.
// Pattern: dependent loads over all lines in random order, one load per line. A launch continues where the last one
// stopped, so that short launches cover the working set together. Two random words, of the last and of the first line,
// show whether the walk has the right number of steps.
// Work: one dependent load per step, `steps` of them, 16 in the loop body.
// Summary: one invocation follows a random cycle through all 128-byte lines of the set
// Look for: The plateaus and their ends, which show latencies and cache sizes (listed by the finding). A rise beyond
// the last cache can be address translation.
// Limits: The time of one load, by design; beyond the largest cache, DRAM row activation and address-translation
// misses.

struct Line { next: u32, check: u32, unused: u32, expected: u32, rest: array<u32, 28> }

struct Sizes { places: u32, steps: u32 }

@group(0) @binding(0) var<storage, read> cycle: array<Line>;
@group(0) @binding(1) var<storage, read_write> place: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

@compute @workgroup_size(1)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
) {
    let first = place[0] % sizes.places;
    var at = first;
    for (var k = 0u; k < sizes.steps; k += 16u) {
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
