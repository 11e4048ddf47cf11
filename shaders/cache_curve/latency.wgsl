// One invocation follows a chain of 128-byte lines. Each line holds the index of the next, so every load waits for the
// previous one.
// Pattern: Dependent loads over all lines in random order, one load per line. Each launch continues where the previous
// one stopped, so short launches together cover the set. Random words in the first and the last line verify the number
// of steps.
// Work: `steps` dependent loads; the loop body has 16.
// Summary: one invocation follows a random cycle through all 128-byte lines of the working set
// Look for: Each plateau is the latency of a cache level; the size where it ends is that level's capacity. A rise
// beyond the last cache can come from address translation.
// Limits: The latency of a single load, by design. Beyond the largest cache, DRAM row activation and address
// translation add to it.

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
