// One invocation follows a random cycle through 4 KiB of a uniform buffer.
// Pattern: dependent loads; the elements are 16 bytes apart, as uniform arrays require.
// Work: STEPS dependent loads, 16 per loop iteration.
// Summary: dependent loads from 4 KiB of a uniform buffer
// Look for: The ratio to `storage_latency`. Constant memory has its own small cache, and 4 KiB may exceed its first
// level.
// Limits: The hit latency of the constant cache's first or second level.

struct Sizes { shift: u32 }

@group(0) @binding(0) var<uniform> cycle: array<vec4<u32>, 256>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override STEPS: u32 = 240000u;

@compute @workgroup_size(1)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
) {
    var at = 0u;
    for (var k = 0u; k < STEPS; k += 16u) {
        at = cycle[at].x; at = cycle[at].x; at = cycle[at].x; at = cycle[at].x;
        at = cycle[at].x; at = cycle[at].x; at = cycle[at].x; at = cycle[at].x;
        at = cycle[at].x; at = cycle[at].x; at = cycle[at].x; at = cycle[at].x;
        at = cycle[at].x; at = cycle[at].x; at = cycle[at].x; at = cycle[at].x;
    }
    if (group.x == 0u) {
        output[0] = at + sizes.shift;
    }
}
