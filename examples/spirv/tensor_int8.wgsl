// The interface of tensor_int8.spv, which runs in place of this: naga has no cooperative matrices of 8-bit integers.

enable wgpu_cooperative_matrix;

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<i32>;

// Never called: it says that a device without cooperative matrices skips the kernel.
fn needed() -> coop_mat16x16<f32, C> {
    return coop_mat16x16<f32, C>();
}

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    output[id.x] = i32(input[0]);
}
