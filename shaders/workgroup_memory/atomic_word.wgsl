// Each group of 32 invocations applies atomicMax to the same word, with a different value per invocation. After a
// barrier, each checks that the word contains the largest value.
// Pattern: each round is 8 atomics, a barrier, 8 loads and a barrier. All invocations of a group access the same word.
// Work: 16 · ROUNDS words changed or loaded by each of n invocations.
// Summary: 32 invocations apply atomicMax to the same word, each with its own value
// Look for: The slowdown relative to same_word, since atomics must process every value. APIs can differ tenfold if only
// one compiler combines the values of a subgroup first.
// Limits: Serialised accesses to one word, up to 32 per subgroup unless values are combined first.

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override ROUNDS: u32 = 8u;

const WG = 256u;
const CLUMP = 32u;
const CLUMPS = WG / CLUMP;
const SETS = 8u;

var<workgroup> words: array<atomic<u32>, SETS * CLUMPS>;

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
    if (t < SETS * CLUMPS) {
        // Smaller than every base.
        atomicStore(&words[t], 0u);
    }
    workgroupBarrier();
    var hits = 0u;
    for (var k = 0u; k < ROUNDS; k++) {
        for (var j = 0u; j < SETS; j++) {
            let base = seed + (k * SETS + j) * CLUMP;
            atomicMax(&words[j * CLUMPS + clump], base + lane);
        }
        workgroupBarrier();
        for (var j = 0u; j < SETS; j++) {
            let base = seed + (k * SETS + j) * CLUMP;
            hits += u32(atomicLoad(&words[j * CLUMPS + clump]) == base + CLUMP - 1u);
        }
        workgroupBarrier();
    }
    if (i < sizes.n) {
        output[i] = input[i] + hits;
    }
}
