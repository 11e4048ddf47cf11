// The same prefix sums by one invocation of each workgroup: the simplest correct kernel.

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;

override WG: u32 = 256u;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    var sum = 0u;
    for (var k = group.x * 4u * WG; k < (group.x + 1u) * 4u * WG; k++) {
        sum += input[k];
        output[k] = sum;
    }
}
