// Reads an array. Each invocation adds up ITEMS elements and stores one scalar, so the compiler cannot remove the
// loads.
// Pattern: Each invocation issues eight independent loads at a time, with a stride of the whole grid. Loads are
// coalesced, and all workgroups advance through memory together.
// Work: n scalars read. The stores of n / (4 · ITEMS) scalars are not counted.
// Summary: reads an array with vec4 loads and sums it
// Look for: The fastest value of ITEMS. A small value means many short workgroups; a large value means few workgroups
// with long sums. With large sets, all values should be equally fast, and at least as fast as `copy`.
// Limits: The bytes in flight, which must cover latency times bandwidth. Beyond the last cache, DRAM bandwidth.

alias T = vec4<f32>;

struct Sizes { elements: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ITEMS: u32 = 16u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let stride = groups.x * groups.y * WG;
    let first = (group.y * groups.x + group.x) * WG + t;
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
    if (first < sizes.elements) {
        let sum = (a + b) + (c + d);
        output[first] = (sum.x + sum.y) + (sum.z + sum.w);
    }
}
