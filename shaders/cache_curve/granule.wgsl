// One invocation visits blocks of 256 bytes and loads two words from each: the first word, and the word APART bytes
// after it. The second load hits a cache if the first load fetched both words.
// Pattern: Dependent loads from blocks in random order. The second load waits for the first, and the next block's loads
// wait for both. Each launch continues where the previous one stopped. Random words in the first and the last block
// verify the number of steps.
// Work: `steps` steps with two dependent loads each; the loop body has 8 steps.
// Summary: one invocation loads two words, APART bytes apart, from each 256-byte block in random order
// Look for: The smallest APART at which the second load also misses, which is the number of bytes that a miss fetches.
// Small sets show the fetch size of L1; the largest sets show that of DRAM.
// Limits: The latency of two dependent loads: a miss and a hit if APART is below the fetch size, otherwise two misses.

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
