// Rotates blocks of 8 bytes by 3 positions 15 times, each time through a workgroup array of 8 bytes.
// Pattern: one byte per invocation, 8 invocations per workgroup, two barriers per round. WGSL has no byte type, so an
// invocation adds its byte to a zeroed word with atomicOr. Meanwhile, the words for the next round are zeroed.
// Work: 30 · n bytes moved through workgroup memory.
// Summary: rotates blocks of 8 bytes through an array of 8 bytes (source article 001)
// Look for: The baseline for dynamic_bytes. WGSL is slower than CUDA here, since it needs an atomicOr to store a byte.
// Limits: Workgroups of 8: most lanes of a subgroup are idle, and few of these workgroups fit on an SM.

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

const LENGTH = 8u;
const WORDS = LENGTH / 4u;
const ROUNDS = 15u;

var<workgroup> words: array<atomic<u32>, 2u * WORDS>;

@compute @workgroup_size(LENGTH)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * LENGTH + t;
    var own = 0u;
    if (i < sizes.n) {
        own = input[i] & 255u;
    }
    if (t < WORDS) {
        atomicStore(&words[t], 0u);
    }
    workgroupBarrier();
    for (var k = 0u; k < ROUNDS; k++) {
        let here = k % 2u * WORDS;
        if (t < WORDS) {
            atomicStore(&words[WORDS - here + t], 0u);
        }
        atomicOr(&words[here + t / 4u], own << (8u * (t % 4u)));
        workgroupBarrier();
        let other = (t + 3u) % LENGTH;
        own = (atomicLoad(&words[here + other / 4u]) >> (8u * (other % 4u))) & 255u;
        workgroupBarrier();
    }
    if (i < sizes.n) {
        output[i] = own;
    }
}
