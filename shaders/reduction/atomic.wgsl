// Sum in one pass: each workgroup reduces its block as `first_add` does and atomically adds the result to one global
// word.
// Pattern: no second pass and no block sums; all workgroups update one address. Integers only: WGSL has no float
// atomics.
// Work: n scalars read.
// Summary: one pass; block sums are added atomically (integers)
// Look for: The speed of one pass relative to two. At small sizes one pass saves a launch; at large sizes thousands of
// workgroups add atomically to one word. The kernel sums only u32, so compare u32 rows.
// Limits: The load pattern of first_add; the atomics only where workgroups finish faster than one address accepts
// additions.

alias T = u32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> total: atomic<u32>;
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
        atomicAdd(&total, tile[0]);
    }
}
