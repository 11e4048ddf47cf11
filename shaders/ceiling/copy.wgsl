// Copies an array, one element per invocation.
// Pattern: neighbouring invocations access neighbouring elements; vec4, the widest, fills a transaction best.
// Work: 2n scalars moved.
// Summary: copies an array with 4-, 8- and 16-byte accesses, over a range of working sets
// Look for: The rate by working set: the first plateau is a cache, the last one is DRAM. If 8- and 16-byte accesses are
// faster than 4-byte ones at large sets, narrow accesses may keep too few bytes in flight.
// Limits: DRAM bandwidth, shared by reads and writes, and DRAM read/write turnaround; the last-level cache at a few
// MiB; launch overhead below that.

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
