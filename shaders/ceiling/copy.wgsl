// Copies an array, one element per invocation.
// Pattern: Neighbouring invocations access neighbouring elements. vec4, the widest type, moves the most bytes per
// instruction.
// Work: 2n scalars moved.
// Summary: copies an array with 4-, 8- and 16-byte accesses, over a range of working sets
// Look for: The rate for each working set. The first plateau is a cache, the last is DRAM. If 4-byte accesses are
// slower than wider accesses with large sets, they may keep too few bytes in flight.
// Limits: DRAM bandwidth and DRAM read/write turnaround. At a few MiB, the last-level cache; below that, launch
// overhead.

alias T = vec4<f32>;

struct Sizes { elements: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < sizes.elements) {
        output[i] = input[i];
    }
}
