// Layer normalisation: a workgroup for each row.

struct Shape { columns: u32, epsilon: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> gain: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> shape: Shape;

const WG = 128u;

var<workgroup> sums: array<vec2<f32>, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) row: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let first = row.x * shape.columns;
    var sum = vec2<f32>();
    for (var k = t; k < shape.columns; k += WG) {
        let value = x[first + k];
        sum += vec2(value, value * value);
    }
    sums[t] = sum;
    workgroupBarrier();
    for (var apart = WG / 2u; apart > 0u; apart /= 2u) {
        if (t < apart) {
            sums[t] += sums[t + apart];
        }
        workgroupBarrier();
    }
    let mean = sums[0].x / f32(shape.columns);
    let variance = sums[0].y / f32(shape.columns) - mean * mean;
    let scale = inverseSqrt(variance + shape.epsilon);
    for (var k = t; k < shape.columns; k += WG) {
        y[first + k] = (x[first + k] - mean) * scale * gain[k] + bias[k];
    }
}
