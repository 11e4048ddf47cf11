// Each invocation mixes eight variables in registers; every operation depends on earlier ones.
// Pattern: no memory accesses. Additions and exclusive ors alternate, so no compiler can merge them. Eight interleaved
// chains give enough independent work.
// Work: each invocation runs 16 · ROUNDS steps x = (x + y) ^ z, and each step reads four operands of 4 bytes.
// Summary: eight variables mixed in registers; the rate counts operands
// Look for: An upper bound for the rates of the other kernels.
// Limits: Instruction issue to the integer pipelines, and register banks if three operands are in the same bank.

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
