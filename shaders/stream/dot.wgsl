// BabelStream's dot, the sum of a · b: each workgroup adds up its products and stores one sum per component of T; the
// host adds these.
// Pattern: elements with a stride of the whole grid, eight coalesced loads in flight per invocation, then a tree over
// the workgroup.
// Work: 2n scalars read, 2n operations (one partial sum per thousands of products is stored and not counted).
// Summary: the sum of a · b, one partial sum per workgroup and vector component
// Look for: Faster than copy in bytes per second, since almost nothing is written. If it is slower, too few loads of
// its grid-stride loop are in flight. The end-to-end time includes adding the partial sums on the host.
// Limits: Reads; near the end of the launch, the trees of the last workgroups and an uneven share of elements.

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
