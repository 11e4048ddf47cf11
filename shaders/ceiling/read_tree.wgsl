// Reads an array like `read`, but stores only one sum per workgroup. The stores of `read`, one scalar per ITEMS
// elements, can cost read bandwidth through DRAM read/write turnaround.
// Pattern: The loads are those of `read`. A tree reduction then adds up the sums of a workgroup.
// Work: n scalars read. The stores are not counted.
// Summary: reads an array with vec4 loads and stores only one sum per workgroup
// Look for: Compare with `read`, whose stores are less than 1 % of the bytes at ITEMS=32. If `read_tree` is faster,
// these few stores are expensive. If it is slower, the tree costs more than the stores.
// Limits: DRAM reads beyond the last cache. Within a cache, the latency of the tree's barriers, unless other workgroups
// hide it.

alias T = vec4<f32>;

struct Sizes { elements: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ITEMS: u32 = 32u;

var<workgroup> tile: array<f32, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = group.y * groups.x + group.x;
    let stride = groups.x * groups.y * WG;
    let first = block * WG + t;
    var a = T(); var b = T(); var c = T(); var d = T();
    for (var k = 0u; k < ITEMS; k += 8u) {
        let i = first + k * stride;
        if (i + 7u * stride < sizes.elements) {
            a += input[i];
            b += input[i + stride];
            c += input[i + 2u * stride];
            d += input[i + 3u * stride];
            a += input[i + 4u * stride];
            b += input[i + 5u * stride];
            c += input[i + 6u * stride];
            d += input[i + 7u * stride];
        } else {
            for (var j = i; j < sizes.elements; j += stride) {
                a += input[j];
            }
        }
    }
    let sum = (a + b) + (c + d);
    tile[t] = (sum.x + sum.y) + (sum.z + sum.w);
    workgroupBarrier();
    for (var half = WG / 2u; half > 0u; half /= 2u) {
        if (t < half) {
            tile[t] += tile[t + half];
        }
        workgroupBarrier();
    }
    if (t == 0u && block * WG < sizes.elements) {
        output[block] = tile[0];
    }
}
