// BabelStream's dot, the sum of a · b. Each workgroup stores one sum per vector component, and the host adds these
// sums.
// Pattern: a grid-stride loop with eight coalesced loads in flight per invocation, then a tree over the workgroup.
// Work: 2n scalars read, 2n operations; the stored partial sums are not counted.
// Summary: the sum of a · b, one partial sum per workgroup and vector component
// Look for: Whether the byte rate exceeds that of copy, since almost nothing is written. A lower rate means that too
// few loads are in flight. The end-to-end time includes the host's additions.
// Limits: DRAM reads, then the trees and the uneven work of the last workgroups.

alias T = vec4<f32>;

struct Sizes { elements: u32, scalar: u32 }

@group(0) @binding(0) var<storage, read> a: array<T>;
@group(0) @binding(1) var<storage, read> b: array<T>;
@group(0) @binding(2) var<storage, read_write> block_sums: array<T>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

var<workgroup> tile: array<T, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = group.y * groups.x + group.x;
    let stride = groups.x * groups.y * WG;
    var i = block * WG + t;
    var p = T(); var q = T(); var r = T(); var s = T();
    while (i + 3u * stride < sizes.elements) {
        p += a[i] * b[i];
        q += a[i + stride] * b[i + stride];
        r += a[i + 2u * stride] * b[i + 2u * stride];
        s += a[i + 3u * stride] * b[i + 3u * stride];
        i += 4u * stride;
    }
    while (i < sizes.elements) {
        p += a[i] * b[i];
        i += stride;
    }
    tile[t] = (p + q) + (r + s);
    workgroupBarrier();
    for (var half = WG / 2u; half > 0u; half /= 2u) {
        if (t < half) {
            tile[t] += tile[t + half];
        }
        workgroupBarrier();
    }
    if (t == 0u) {
        block_sums[block] = tile[0];
    }
}
