// Sums blocks of 2 · WG elements: each invocation adds two, then the workgroup runs the tree of `sequential`.
// Pattern: as in `sequential`, with half as many workgroups. All invocations take part in the first addition.
// Work: n scalars read.
// Summary: two elements per invocation added on load, then a tree
// Look for: Whether it is nearly twice as fast as `sequential` at large sizes. A smaller gain points to memory as the
// limit, a larger gain to the cost of launching workgroups.
// Limits: DRAM latency, which two loads per invocation cannot hide, and the steps of the tree.

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
    let i = block * 2u * WG + t;
    var own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    if (i + WG < sizes.n) {
        own += input[i + WG];
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
