// One invocation walks through memory: each line of 128 bytes holds the number of the next, so that every load waits for the last.
// Pattern: dependent loads in random order over all lines, one to a line. A launch goes on where the last one stopped, so that
// launches too short for a whole round cover the working set together; what each line holds of its rank in the cycle tells, wherever
// the walk began, whether it went the right number of steps.
// Work: one dependent load a step, `steps` of them, 16 in the loop body.

struct Line { next: u32, rank: u32, rest: array<u32, 30> }

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
        output[0] = (cycle[at].rank + sizes.places - cycle[first].rank) % sizes.places;
    }
}
