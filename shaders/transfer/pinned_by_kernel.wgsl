// A kernel loads an array from host memory over the bus and stores it in device memory, four scalars per invocation.
// Pattern: neighbouring invocations read neighbouring elements, so bus requests are as long as possible. Many
// invocations keep enough requests in flight to hide the latency.
// Work: n scalars read over the bus; writes to device memory are not counted.
// Summary: the copy of pinned_to_device by a kernel that loads over the bus (CUDA: zero-copy)
// Look for: Whether a kernel reads host memory as fast as pinned_to_device copies it, as in NVIDIA's sample
// simpleZeroCopy. If so, data that is read once needs no copy.
// Limits: Bytes in flight: to fill the bus, they must equal its rate times its latency (1 µs or more).

alias T = vec4<f32>;

struct Sizes { elements: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

const WG = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < sizes.elements) {
        output[i] = input[i];
    }
}
