// Matrix-vector product with vec4 loads: each group of LANES invocations computes four rows.
// Pattern: each load of x serves four rows, and an invocation has eight independent loads of weights in flight. Row
// lengths not divisible by 4 take scalar loads.
// Work: weights, x and y are moved once; 2 FLOP per weight.
// Summary: vec4 loads, four rows at a time, LANES invocations per row
// Look for: The percentage of the read peak at large sizes. In f16, a vec4 is 8 bytes; `packed` loads 16 bytes at a
// time.
// Limits: DRAM reads. With few rows, there are too few workgroups to fill the device.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> weights: array<vec4<T>>;
@group(0) @binding(1) var<storage, read> x: array<vec4<T>>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 128u;
/// Invocations that share a row.
override LANES: u32 = 64u;

var<workgroup> parts: array<vec4<f32>, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let lanes = min(LANES, WG);
    let lane = t % lanes;
    let row = 4u * ((group.y * groups.x + group.x) * (WG / lanes) + t / lanes);
    var sums = vec4<f32>();
    if (row < sizes.rows) {
        if (sizes.columns % 4u == 0u) {
            sums = by_vectors(row, lane, lanes);
        } else {
            sums = by_elements(row, lane, lanes);
        }
    }
    parts[t] = sums;
    workgroupBarrier();
    for (var s = lanes / 2u; s > 0u; s /= 2u) {
        if (lane < s) {
            parts[t] += parts[t + s];
        }
        workgroupBarrier();
    }
    if (lane < 4u && row + lane < sizes.rows) {
        y[row + lane] = parts[t - lane][lane];
    }
}

/// Four rows; those beyond the last are read as the last one, and not stored.
fn by_vectors(row: u32, lane: u32, lanes: u32) -> vec4<f32> {
    let width = sizes.columns / 4u;
    let rows = min(vec4<u32>(row, row + 1u, row + 2u, row + 3u), vec4<u32>(sizes.rows - 1u)) * width;
    var sums = vec4<f32>();
    var i = lane;
    while (i + lanes < width) {
        let j = i + lanes;
        let a0 = weights[rows.x + i];
        let b0 = weights[rows.y + i];
        let c0 = weights[rows.z + i];
        let d0 = weights[rows.w + i];
        let a1 = weights[rows.x + j];
        let b1 = weights[rows.y + j];
        let c1 = weights[rows.z + j];
        let d1 = weights[rows.w + j];
        sums += products(vec4<f32>(x[i]), a0, b0, c0, d0);
        sums += products(vec4<f32>(x[j]), a1, b1, c1, d1);
        i += 2u * lanes;
    }
    if (i < width) {
        let from_x = vec4<f32>(x[i]);
        sums += products(from_x, weights[rows.x + i], weights[rows.y + i], weights[rows.z + i], weights[rows.w + i]);
    }
    return sums;
}

fn products(from_x: vec4<f32>, a: vec4<T>, b: vec4<T>, c: vec4<T>, d: vec4<T>) -> vec4<f32> {
    return vec4<f32>(
        dot(vec4<f32>(a), from_x),
        dot(vec4<f32>(b), from_x),
        dot(vec4<f32>(c), from_x),
        dot(vec4<f32>(d), from_x),
    );
}

fn by_elements(row: u32, lane: u32, lanes: u32) -> vec4<f32> {
    let rows = min(vec4<u32>(row, row + 1u, row + 2u, row + 3u), vec4<u32>(sizes.rows - 1u)) * sizes.columns;
    var sums = vec4<f32>();
    for (var column = lane; column < sizes.columns; column += lanes) {
        let from_x = f32(x[column / 4u][column % 4u]);
        sums += from_x * vec4<f32>(at(rows.x + column), at(rows.y + column), at(rows.z + column), at(rows.w + column));
    }
    return sums;
}

fn at(i: u32) -> f32 {
    return f32(weights[i / 4u][i % 4u]);
}
