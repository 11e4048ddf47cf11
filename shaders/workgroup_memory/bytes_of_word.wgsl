// Each group of four invocations writes the four bytes of one word. After a barrier, each invocation reads a word and
// checks all four bytes. `distinct_words` does the same with one word per invocation.
// Pattern: each round is 8 stores, a barrier, 8 loads and a barrier. WGSL has no byte type, so an invocation adds its
// byte to a zeroed word with atomicOr. Meanwhile, the words for the next round are zeroed.
// Work: 8 · ROUNDS bytes stored and 8 · ROUNDS words loaded by each of n invocations.
// Summary: 32 invocations write one byte each, four to a word; all bytes must survive
// Look for: No lost bytes, and the cost of a byte store compared with `distinct_words`: WGSL needs an atomicOr for each
// byte, CUDA a plain store.
// Limits: In WGSL, the four serialised atomics on each word.

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override ROUNDS: u32 = 8u;

const WG = 256u;
const CLUMP = 32u;
const SETS = 8u;
const WORDS = SETS * WG / 4u;

var<workgroup> words: array<atomic<u32>, 2u * WORDS>;

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
    // A multiple of four, so that the bytes of a word are consecutive numbers. Each clump has its own.
    var seed = 100u * clump;
    if (first < sizes.n) {
        seed += input[first] & ~3u;
    }
    for (var j = t; j < WORDS; j += WG) {
        atomicStore(&words[j], 0u);
    }
    workgroupBarrier();
    var hits = 0u;
    for (var k = 0u; k < ROUNDS; k++) {
        let here = k % 2u * WORDS;
        let other = WORDS - here;
        for (var j = t; j < WORDS; j += WG) {
            atomicStore(&words[other + j], 0u);
        }
        for (var j = 0u; j < SETS; j++) {
            let byte = (seed + (k * SETS + j) * 36u + lane) & 255u;
            atomicOr(&words[here + (j * WG + t) / 4u], byte << (8u * (t % 4u)));
        }
        workgroupBarrier();
        for (var j = 0u; j < SETS; j++) {
            // The word of the next four invocations.
            let peer = (lane / 4u + k + 1u) % (CLUMP / 4u);
            let low = (seed + (k * SETS + j) * 36u + 4u * peer) & 255u;
            let word = atomicLoad(&words[here + j * (WG / 4u) + clump * (CLUMP / 4u) + peer]);
            hits += u32(word == low * 0x01010101u + 0x03020100u);
        }
        workgroupBarrier();
    }
    if (i < sizes.n) {
        output[i] = input[i] + hits;
    }
}
