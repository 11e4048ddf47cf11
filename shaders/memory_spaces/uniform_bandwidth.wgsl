// Reads a 4 KiB table in a uniform buffer and mixes all values into one word.
// Pattern: all invocations of a workgroup read the same element, the case that uniform memory is built for.
// Work: each invocation reads 16 · ROUNDS elements of 16 bytes (bytes delivered; one fetch serves many invocations).
// Summary: a 4 KiB table in a uniform buffer; all invocations of a workgroup read the same element
// Look for: A rate above that of `storage_bandwidth` means that the constant path is faster for elements that all lanes
// share.
// Limits: The constant cache, which serves one 16-byte address at a time.

struct Sizes { invocations: u32 }

@group(0) @binding(0) var<uniform> table: array<vec4<u32>, 256>;
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
    let block = group.y * groups.x + group.x;
    let i = block * WG + t;
    var sum = vec4<u32>(i);
    for (var k = 0u; k < ROUNDS; k++) {
        let at = (block + 37u * k) & 127u;
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
