// y = a x + y, element by element.
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> y: array<f32>;
@group(0) @binding(2) var<storage, read_write> output: array<f32>;
@group(0) @binding(3) var<uniform> sizes: vec4<u32>;

override WG: u32 = 256u;

const A = 2.0;

@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i < sizes.x) {
        output[i] = A * x[i] + y[i];
    }
}
