// One invocation follows a chain through blocks of 256 bytes, with two loads from each block: its first word, and the
// word APART bytes after it. The second load hits a cache if the first load also fetched its bytes.
// Pattern: dependent loads; blocks in random order. The second load waits for the first value, through a mask that is
// zero at run time; the next block waits for the second value, which is zero. A launch continues where the last one
// stopped. Two random words, of the last and of the first block, show whether the walk has the right number of steps.
// Work: two dependent loads per step, `steps` of them, 8 steps in the loop body.
// Summary: one invocation loads two words, APART bytes apart, from each block of 256 bytes in random order
// Look for: The smallest APART at which both loads have the latency of a miss: one miss fetches this number of bytes.
// Small sets show the fetch size of the first cache; the largest sets show that of DRAM.
// Limits: Two dependent loads: a miss and a hit if APART is below the fetch size, otherwise two misses.

struct Sizes { places: u32, steps: u32, zero: u32 }

@group(0) @binding(0) var<storage, read> cycle: array<u32>;
@group(0) @binding(1) var<storage, read_write> place: array<u32>;
@group(0) @binding(2) var<storage, read_write> output: array<u32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override APART: u32 = 16u;

// Words of a block.
const BLOCK = 64u;

fn after(at: u32) -> u32 {
    let next = cycle[at * BLOCK];
    return next + cycle[at * BLOCK + APART / 4u + (next & sizes.zero)];
}

@compute @workgroup_size(1)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
) {
    let first = place[0] % sizes.places;
    var at = first;
    for (var k = 0u; k < sizes.steps; k += 8u) {
        at = after(at); at = after(at); at = after(at); at = after(at);
        at = after(at); at = after(at); at = after(at); at = after(at);
    }
    if (group.x == 0u) {
        place[0] = at;
        output[0] = cycle[at * BLOCK + 1u] ^ cycle[first * BLOCK + 3u];
    }
}
