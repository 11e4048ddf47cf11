// Sums each block in workgroup memory. In step s = WG/2, WG/4, …, 1, invocation t adds element t + s to element t if t
// < s.
// Pattern: sequential addressing without bank conflicts. Whole subgroups become idle, and only the last active subgroup
// diverges.
// Work: n scalars read.
// Summary: sequential addressing: no modulo, no divergence
// Look for: The gain over `interleaved_workgroup`: the number of additions is the same, but whole subgroups finish
// early. Half of all invocations only load.
// Limits: Latency: with one load per invocation, a workgroup mostly waits for its data and for the tree's barriers.

alias T = f32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> block_sums: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 512u;

var<workgroup> tile: array<T, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = group.y * groups.x + group.x;
    let i = block * WG + t;
    var own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    tile[t] = own;
    workgroupBarrier();
    for (var s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            tile[t] += tile[t + s];
        }
        workgroupBarrier();
    }
    if (t == 0u && i < sizes.n) {
        block_sums[block] = tile[0];
    }
}
