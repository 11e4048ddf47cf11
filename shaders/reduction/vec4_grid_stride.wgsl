// Sums an array with a fixed number of workgroups: each invocation adds up vec4s with a stride of the whole grid, then
// each workgroup runs a tree.
// Pattern: eight 16-byte loads in flight per invocation, and one tree for thousands of elements.
// Work: n scalars read.
// Summary: vec4 loads one grid apart, one tree for thousands of elements
// Look for: Whether the rate is near the read peak, since the loads are those of `ceiling/read` and there are few
// trees. Below 90 % at large sizes, try another WG.
// Limits: DRAM reads at large sizes, cache reads at small ones. Below a few MiB, the overhead of the two launches
// dominates.

alias T = f32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<vec4<T>>;
@group(0) @binding(1) var<storage, read_write> block_sums: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

var<workgroup> tile: array<T, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let stride = groups.x * WG;
    let whole = sizes.n / 4u;
    var i = group.x * WG + t;
    var a = vec4<T>(); var b = vec4<T>(); var c = vec4<T>(); var d = vec4<T>();
    while (i + 7u * stride < whole) {
        a += input[i];
        b += input[i + stride];
        c += input[i + 2u * stride];
        d += input[i + 3u * stride];
        a += input[i + 4u * stride];
        b += input[i + 5u * stride];
        c += input[i + 6u * stride];
        d += input[i + 7u * stride];
        i += 8u * stride;
    }
    while (i < whole) {
        a += input[i];
        i += stride;
    }
    let rest = sizes.n % 4u;
    if (i == whole && rest > 0u) {
        // The one invocation whose next element is the incomplete last one.
        b += select(vec4<T>(), input[whole], vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(rest));
    }
    let sum = (a + b) + (c + d);
    tile[t] = (sum.x + sum.y) + (sum.z + sum.w);
    workgroupBarrier();
    for (var s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            tile[t] += tile[t + s];
        }
        workgroupBarrier();
    }
    if (t == 0u) {
        block_sums[group.x] = tile[0];
    }
}
