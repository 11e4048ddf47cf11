// One invocation follows a random cycle through 4 KiB of a storage buffer.
// Pattern: dependent loads from the nearest cache.
// Work: STEPS dependent loads, 16 per loop iteration.
// Summary: dependent loads from 4 KiB of a storage buffer
// Look for: The time per load, which is the latency of L1 plus index arithmetic: 30 to 50 clock cycles on current
// NVIDIA GPUs.
// Limits: Latency only: each load waits for the one before, so nothing overlaps.

struct Sizes { shift: u32 }

@group(0) @binding(0) var<storage, read> cycle: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override STEPS: u32 = 240000u;

@compute @workgroup_size(1)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
) {
    var at = 0u;
    for (var k = 0u; k < STEPS; k += 16u) {
        at = cycle[at]; at = cycle[at]; at = cycle[at]; at = cycle[at];
        at = cycle[at]; at = cycle[at]; at = cycle[at]; at = cycle[at];
        at = cycle[at]; at = cycle[at]; at = cycle[at]; at = cycle[at];
        at = cycle[at]; at = cycle[at]; at = cycle[at]; at = cycle[at];
    }
    if (group.x == 0u) {
        output[0] = at + sizes.shift;
    }
}
