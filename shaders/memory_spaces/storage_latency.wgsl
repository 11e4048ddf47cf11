// One invocation follows a random cycle through 4 KiB of a storage buffer.
// Pattern: dependent loads from the nearest cache.
// Work: STEPS dependent loads, 16 in the loop body.
// Summary: one invocation's dependent loads from 4 KiB of a storage buffer
// Look for: Nanoseconds per load, median over STEPS: the latency of L1 with its index arithmetic. Multiplied by the
// clock, this latency is 30 to 50 cycles on current GPUs.
// Limits: One chain of dependent loads: nothing overlaps, so latency is the only limit.

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
