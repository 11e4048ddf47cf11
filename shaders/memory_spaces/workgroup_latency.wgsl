// One invocation follows a random cycle through 4 KiB of workgroup memory, which its workgroup fills first.
// Pattern: dependent loads.
// Work: STEPS dependent loads, 16 per loop iteration.
// Summary: dependent loads from 4 KiB of workgroup memory
// Look for: The shortest load latency, since no cache tag is compared. The difference from `storage_latency` is the
// cost of a cache.
// Limits: A fixed number of cycles for address, bank access and return.

struct Sizes { shift: u32 }

@group(0) @binding(0) var<storage, read> cycle: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override STEPS: u32 = 240000u;

const FILLERS = 64u;
const PLACES = 1024u;

var<workgroup> table: array<u32, PLACES>;

@compute @workgroup_size(FILLERS)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    for (var k = t; k < PLACES; k += FILLERS) {
        table[k] = cycle[k];
    }
    workgroupBarrier();
    if (t == 0u && group.x == 0u) {
        var at = 0u;
        for (var k = 0u; k < STEPS; k += 16u) {
            at = table[at]; at = table[at]; at = table[at]; at = table[at];
            at = table[at]; at = table[at]; at = table[at]; at = table[at];
            at = table[at]; at = table[at]; at = table[at]; at = table[at];
            at = table[at]; at = table[at]; at = table[at]; at = table[at];
        }
        output[0] = at + sizes.shift;
    }
}
