// One invocation follows a random cycle through 1 KiB of a private array.
// Pattern: dependent loads. The array is a rotated copy of a buffer. The host sets its rotation and length, so
// compilers can neither read the buffer instead nor keep the array in registers.
// Work: STEPS dependent loads, 16 per loop iteration.
// Summary: dependent loads from 1 KiB of a private array
// Look for: Expect a latency near that of `storage_latency`, since private memory is ordinary memory, cached in L1. A
// much shorter latency means that the array is in registers.
// Limits: The hit latency of L1, and the address arithmetic that interleaves lanes.

struct Sizes { shift: u32, places: u32 }

@group(0) @binding(0) var<storage, read> cycle: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override STEPS: u32 = 240000u;

const PLACES = 256u;

@compute @workgroup_size(1)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
) {
    var own: array<u32, PLACES>;
    for (var k = 0u; k < sizes.places; k++) {
        own[(k + sizes.shift) % PLACES] = (cycle[k] + sizes.shift) % PLACES;
    }
    var at = sizes.shift;
    for (var k = 0u; k < STEPS; k += 16u) {
        at = own[at]; at = own[at]; at = own[at]; at = own[at];
        at = own[at]; at = own[at]; at = own[at]; at = own[at];
        at = own[at]; at = own[at]; at = own[at]; at = own[at];
        at = own[at]; at = own[at]; at = own[at]; at = own[at];
    }
    if (group.x == 0u) {
        output[0] = at;
    }
}
