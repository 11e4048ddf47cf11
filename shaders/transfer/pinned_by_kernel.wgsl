// Copies an array in host memory to device memory, four scalars per invocation, without an upload first.
// Pattern: neighbouring invocations read neighbours, so that requests over the bus are as long as it allows; many
// invocations keep enough requests in flight to hide the latency of host memory.
// Work: n scalars read over the bus; the n scalars written to device memory are not counted.
// Summary: pinned_to_device by a kernel, whose loads cross the bus (CUDA: zero-copy)
// Look for: The ratio to pinned_to_device: whether kernels read host memory as fast as a copy transfers it, as in
// NVIDIA's sample simpleZeroCopy. If so, data that is read once needs no copy first.
// Limits: Requests in flight on the bus: its latency, 1 µs or more, times its rate.

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
