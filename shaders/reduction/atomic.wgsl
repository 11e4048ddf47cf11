// Sums an array in one pass: each workgroup reduces its block as `first_add` does, then adds the result atomically to
// one word.
// Pattern: as in `first_add`. WGSL has only integer atomics.
// Work: n scalars read.
// Summary: one pass; block sums are added atomically (integers only)
// Look for: The speed relative to `first_add` in u32. At small sizes, one pass saves a launch. At large sizes,
// thousands of workgroups add to the same word.
// Limits: The loads, as in `first_add`, unless workgroups finish faster than one address accepts additions.

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
