// Reads a 4 KiB table in a texture of 16×16 texels, and mixes all values into one word.
// Pattern: neighbouring invocations load neighbouring texels, 16 bytes each, unfiltered.
// Work: each invocation reads 16 · ROUNDS texels of 16 bytes.
// Summary: a 4 KiB table in a texture of 16×16 texels
// Look for: The slowdown relative to `storage_bandwidth`, which is the cost of the texture unit.
// Limits: The address rate of the texture units: a few texels per cycle per SM, each with bounds checks and format
// conversion.

struct Sizes { invocations: u32 }

@group(0) @binding(0) var table: texture_2d<u32>;
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
    var sum = vec4<u32>(i);
    for (var k = 0u; k < ROUNDS; k++) {
        let at = (i + 37u * k) & 127u;
        sum = sum * 3u + texel(at); sum = sum * 3u + texel(at + 8u);
        sum = sum * 3u + texel(at + 16u); sum = sum * 3u + texel(at + 24u);
        sum = sum * 3u + texel(at + 32u); sum = sum * 3u + texel(at + 40u);
        sum = sum * 3u + texel(at + 48u); sum = sum * 3u + texel(at + 56u);
        sum = sum * 3u + texel(at + 64u); sum = sum * 3u + texel(at + 72u);
        sum = sum * 3u + texel(at + 80u); sum = sum * 3u + texel(at + 88u);
        sum = sum * 3u + texel(at + 96u); sum = sum * 3u + texel(at + 104u);
        sum = sum * 3u + texel(at + 112u); sum = sum * 3u + texel(at + 120u);
    }
    if (i < sizes.invocations) {
        output[i] = ((sum.x * 3u + sum.y) * 3u + sum.z) * 3u + sum.w;
    }
}

/// Texel number `at` in row-major order.
fn texel(at: u32) -> vec4<u32> {
    return textureLoad(table, vec2<u32>(at & 15u, at >> 4u), 0);
}
