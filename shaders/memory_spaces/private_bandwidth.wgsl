// Each invocation reads its private array of 32 words and mixes all values into one word.
// Pattern: the index is known only at run time, so the array is in private memory, or in registers with indirect
// addressing.
// Work: each invocation reads 16 · ROUNDS words of 4 bytes.
// Summary: an array of 32 words per invocation, indexed at run time
// Look for: A rate near that of L1, far below that of registers, means that the array is in memory. A rate far above L1
// means that the compiler kept the array in registers.
// Limits: Loads of 4 bytes per lane from local memory, where words of neighbouring lanes are adjacent.

struct Sizes { invocations: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 4u;

const OWN = 32u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    var own: array<u32, OWN>;
    for (var k = 0u; k < OWN; k++) {
        own[k] = input[(i + k) & 1023u] + i;
    }
    var sum = i;
    for (var k = 0u; k < ROUNDS; k++) {
        let at = (i + 37u * k) & 15u;
        sum = sum * 3u + own[at]; sum = sum * 3u + own[at + 1u];
        sum = sum * 3u + own[at + 2u]; sum = sum * 3u + own[at + 3u];
        sum = sum * 3u + own[at + 4u]; sum = sum * 3u + own[at + 5u];
        sum = sum * 3u + own[at + 6u]; sum = sum * 3u + own[at + 7u];
        sum = sum * 3u + own[at + 8u]; sum = sum * 3u + own[at + 9u];
        sum = sum * 3u + own[at + 10u]; sum = sum * 3u + own[at + 11u];
        sum = sum * 3u + own[at + 12u]; sum = sum * 3u + own[at + 13u];
        sum = sum * 3u + own[at + 14u]; sum = sum * 3u + own[at + 15u];
    }
    if (i < sizes.invocations) {
        output[i] = sum;
    }
}
