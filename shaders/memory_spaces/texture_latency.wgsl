// One invocation follows a random cycle through 4 KiB of a texture of 32×32 texels.
// Pattern: dependent loads through the texture unit; two operations convert an index to coordinates.
// Work: STEPS dependent loads, 16 per loop iteration.
// Summary: dependent loads from a texture of 32×32 texels
// Look for: The longest on-chip latency: a request passes through all stages (addressing, format, filter) even without
// filtering.
// Limits: The depth of the texture pipeline, and two operations per step for the coordinates.

struct Sizes { shift: u32 }

@group(0) @binding(0) var cycle: texture_2d<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override STEPS: u32 = 240000u;

@compute @workgroup_size(1)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
) {
    var at = 0u;
    for (var k = 0u; k < STEPS; k += 16u) {
        at = next(at); at = next(at); at = next(at); at = next(at);
        at = next(at); at = next(at); at = next(at); at = next(at);
        at = next(at); at = next(at); at = next(at); at = next(at);
        at = next(at); at = next(at); at = next(at); at = next(at);
    }
    if (group.x == 0u) {
        output[0] = at + sizes.shift;
    }
}

/// The position after `at`; positions are in row-major order.
fn next(at: u32) -> u32 {
    return textureLoad(cycle, vec2<u32>(at & 31u, at >> 5u), 0).x;
}
