// Reads an array; each invocation adds up ITEMS elements and stores one scalar, so that no load is dead.
// Pattern: the loads of an invocation are independent and lie WG elements apart, so that each of them is coalesced.
// Work: n scalars read (the sums written are 1/(4 ITEMS) of that and not counted).

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
    let block = group.y * groups.x + group.x;
    let first = block * WG * ITEMS + t;
    var sum = T();
    for (var k = 0u; k < ITEMS; k++) {
        let i = first + k * WG;
        if (i < sizes.elements) {
            sum += input[i];
        }
    }
    if (first < sizes.elements) {
        output[block * WG + t] = sum.x + sum.y + sum.z + sum.w;
    }
}
