// Matrix-vector product that divides the columns among workgroups (split-K) if there are few rows. The first launch
// sums CHUNK columns of four rows per workgroup, and the second adds the partial sums of each row. With one chunk per
// row, there is no second launch.
// Pattern: vec4 loads, eight in flight per invocation. Each chunk has its own workgroup. Row lengths not divisible by 4
// take scalar loads.
// Work: weights, x and y are moved once; 2 FLOP per weight (one partial sum per CHUNK weights is not counted).
// Summary: columns divided among workgroups; a second launch adds the partial sums
// Look for: The gain at 256x57344, where `vec4` has work for only 64 groups of LANES invocations. With many rows,
// columns are not divided, so `split_k` should be as fast as `vec4`. Use this kernel if shapes vary.
// Limits: DRAM reads. With few rows, the second launch adds its latency.

alias T = f32;

/// Stage 0 writes partial sums, stage 1 adds them up.
struct Sizes { rows: u32, columns: u32, chunks: u32, stage: u32 }

@group(0) @binding(0) var<storage, read> weights: array<vec4<T>>;
@group(0) @binding(1) var<storage, read> x: array<vec4<T>>;
@group(0) @binding(2) var<storage, read_write> partial: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

override WG: u32 = 128u;
/// Columns of a chunk, a multiple of 4.
override CHUNK: u32 = 4096u;

var<workgroup> parts: array<vec4<f32>, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = group.y * groups.x + group.x;
    if (sizes.stage == 1u) {
        let row = number * WG + t;
        if (row < sizes.rows) {
            var sum = 0.0f;
            for (var chunk = 0u; chunk < sizes.chunks; chunk++) {
                sum += partial[chunk * sizes.rows + row];
            }
            y[row] = sum;
        }
        return;
    }
    // Neighbouring workgroups read the same columns of x, and different rows.
    let blocks = (sizes.rows + 3u) / 4u;
    let chunk = number / blocks;
    let row = 4u * (number % blocks);
    let end = min(sizes.columns, (chunk + 1u) * CHUNK);
    var sums = vec4<f32>();
    if (chunk < sizes.chunks) {
        if (sizes.columns % 4u == 0u) {
            sums = by_vectors(row, chunk * CHUNK / 4u + t, end / 4u);
        } else {
            sums = by_elements(row, chunk * CHUNK + t, end);
        }
    }
    parts[t] = sums;
    workgroupBarrier();
    for (var s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            parts[t] += parts[t + s];
        }
        workgroupBarrier();
    }
    if (t < 4u && chunk < sizes.chunks && row + t < sizes.rows) {
        if (sizes.chunks == 1u) {
            y[row + t] = parts[0][t];
        } else {
            partial[chunk * sizes.rows + row + t] = parts[0][t];
        }
    }
}

/// Four rows; those beyond the last are read as the last one, and not stored.
fn by_vectors(row: u32, first: u32, end: u32) -> vec4<f32> {
    let width = sizes.columns / 4u;
    let rows = min(vec4<u32>(row, row + 1u, row + 2u, row + 3u), vec4<u32>(sizes.rows - 1u)) * width;
    var sums = vec4<f32>();
    var i = first;
    while (i + WG < end) {
        let j = i + WG;
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
        i += 2u * WG;
    }
    if (i < end) {
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

fn by_elements(row: u32, first: u32, end: u32) -> vec4<f32> {
    let rows = min(vec4<u32>(row, row + 1u, row + 2u, row + 3u), vec4<u32>(sizes.rows - 1u)) * sizes.columns;
    var sums = vec4<f32>();
    var column = first;
    while (column + 3u * WG < end) {
        let a = of_column(rows, column);
        let b = of_column(rows, column + WG);
        let c = of_column(rows, column + 2u * WG);
        let d = of_column(rows, column + 3u * WG);
        sums += (a + b) + (c + d);
        column += 4u * WG;
    }
    while (column < end) {
        sums += of_column(rows, column);
        column += WG;
    }
    return sums;
}

/// Products of four rows' weights in a column.
fn of_column(rows: vec4<u32>, column: u32) -> vec4<f32> {
    let from_x = f32(x[column / 4u][column % 4u]);
    return from_x * vec4<f32>(at(rows.x + column), at(rows.y + column), at(rows.z + column), at(rows.w + column));
}

fn at(i: u32) -> f32 {
    return f32(weights[i / 4u][i % 4u]);
}
