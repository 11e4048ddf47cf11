// Reads a 4 KiB table in workgroup memory and mixes all values into one word.
// Pattern: neighbouring invocations read neighbouring elements, 16 bytes each (no bank conflicts).
// Work: each invocation reads 16 · ROUNDS elements of 16 bytes.
// Summary: a 4 KiB table in workgroup memory
// Look for: Whether the rate equals that of ceiling/workgroup_read with vec4 loads. A gap is the cost of the mixing
// arithmetic.
// Limits: The banks: 32 of them deliver 128 bytes per cycle per SM.

struct Sizes { invocations: u32 }

@group(0) @binding(0) var<storage, read> input: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 4u;

const TABLE = 256u;

var<workgroup> table: array<vec4<u32>, TABLE>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    for (var k = t; k < TABLE; k += WG) {
        table[k] = input[k];
    }
    workgroupBarrier();
    let i = (group.y * groups.x + group.x) * WG + t;
    var sum = vec4<u32>(i);
    for (var k = 0u; k < ROUNDS; k++) {
        let at = (i + 37u * k) & 127u;
        sum = sum * 3u + table[at]; sum = sum * 3u + table[at + 8u];
        sum = sum * 3u + table[at + 16u]; sum = sum * 3u + table[at + 24u];
        sum = sum * 3u + table[at + 32u]; sum = sum * 3u + table[at + 40u];
        sum = sum * 3u + table[at + 48u]; sum = sum * 3u + table[at + 56u];
        sum = sum * 3u + table[at + 64u]; sum = sum * 3u + table[at + 72u];
        sum = sum * 3u + table[at + 80u]; sum = sum * 3u + table[at + 88u];
        sum = sum * 3u + table[at + 96u]; sum = sum * 3u + table[at + 104u];
        sum = sum * 3u + table[at + 112u]; sum = sum * 3u + table[at + 120u];
    }
    if (i < sizes.invocations) {
        output[i] = ((sum.x * 3u + sum.y) * 3u + sum.z) * 3u + sum.w;
    }
}
