// Mixes eight variables of each invocation, held in registers: every operation depends on the ones before it.
// Pattern: no memory. Additions and exclusive ors alternate, which no compiler can merge; eight short interleaved
// chains give a scheduler enough independent work.
// Work: 16 · ROUNDS times x = (x + y) ^ z by each invocation, each of which reads four registers of 4 bytes.
// Summary: eight variables mixed with each other; every operand counts
// Look for: An upper bound for all other rows, in operands per second and not bytes on a bus. The ratio to fma shows
// how many of four operands per cycle the integer units accept.
// Limits: Instruction issue to the integer pipelines; register banks, where three operands lie in one.

struct Sizes { invocations: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 4u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    let at = i & 1023u;
    var a = input[at]; var b = input[at + 1u]; var c = input[at + 2u]; var d = input[at + 3u];
    var e = input[at + 4u]; var f = input[at + 5u]; var g = input[at + 6u]; var h = input[at + 7u];
    for (var k = 0u; k < ROUNDS; k++) {
        a = (a + b) ^ c; b = (b + c) ^ d; c = (c + d) ^ e; d = (d + e) ^ f;
        e = (e + f) ^ g; f = (f + g) ^ h; g = (g + h) ^ a; h = (h + a) ^ b;
        a = (a + b) ^ c; b = (b + c) ^ d; c = (c + d) ^ e; d = (d + e) ^ f;
        e = (e + f) ^ g; f = (f + g) ^ h; g = (g + h) ^ a; h = (h + a) ^ b;
    }
    if (i < sizes.invocations) {
        output[i] = ((a + 3u * b) ^ (c + 3u * d)) + ((e + 3u * f) ^ (g + 3u * h)) + i;
    }
}
