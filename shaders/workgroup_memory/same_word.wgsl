// In each group of 32 invocations, all write distinct values to the same word. After a barrier, each invocation checks
// that the word contains one of these values.
// Pattern: each round is 8 stores, a barrier, 8 loads and a barrier. All invocations of a group access the same word.
// Work: 16 · ROUNDS words stored or loaded by each of n invocations.
// Summary: 32 invocations write distinct values to the same word; any value may survive
// Look for: Whether it is at least as fast as distinct_words: the hardware merges 32 stores to one word into one store,
// and the next load is a broadcast.
// Limits: The barriers, since the hardware merges the 32 stores into one.

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override ROUNDS: u32 = 8u;

const WG = 256u;
const CLUMP = 32u;
const CLUMPS = WG / CLUMP;
const SETS = 8u;

var<workgroup> words: array<u32, SETS * CLUMPS>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let first = (group.y * groups.x + group.x) * WG;
    let i = first + t;
    let lane = t % CLUMP;
    let clump = t / CLUMP;
    // Each clump has its own values, small enough to grow each round without wrapping.
    var seed = 1u + clump * ROUNDS * SETS * CLUMP;
    if (first < sizes.n) {
        seed += input[first] >> 4u;
    }
    var hits = 0u;
    for (var k = 0u; k < ROUNDS; k++) {
        for (var j = 0u; j < SETS; j++) {
            let base = seed + (k * SETS + j) * CLUMP;
            words[j * CLUMPS + clump] = base + lane;
        }
        workgroupBarrier();
        for (var j = 0u; j < SETS; j++) {
            let base = seed + (k * SETS + j) * CLUMP;
            hits += u32(words[j * CLUMPS + clump] - base < CLUMP);
        }
        workgroupBarrier();
    }
    if (i < sizes.n) {
        output[i] = input[i] + hits;
    }
}
