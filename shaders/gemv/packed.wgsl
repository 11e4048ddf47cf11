// Matrix-vector product with f16 weights: each 16-byte load reads eight, which unpack2x16float converts to f32. The
// device needs no f16 support in shaders.
// Pattern: each group of LANES invocations computes four rows, with eight independent 16-byte loads in flight per
// invocation. Row lengths not divisible by 8 take one load per element.
// Work: weights, x and y are moved once; 2 FLOP per weight.
// Summary: eight f16 weights per 16-byte load, four rows at a time
// Look for: The gain over `vec4` in f16: the same sums with half the load instructions. At large sizes, the rate is
// near the read peak.
// Limits: DRAM reads. At sizes that fit in L2, converting the weights.

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> weights: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> x: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 128u;
/// Invocations that share a row.
override LANES: u32 = 64u;

var<workgroup> parts: array<vec4<f32>, WG>;

/// Eight elements.
struct Eight { low: vec4<f32>, high: vec4<f32> }

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
        if (sizes.columns % 8u == 0u) {
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
    let width = sizes.columns / 8u;
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
        sums += products(unpacked(x[i]), a0, b0, c0, d0);
        sums += products(unpacked(x[j]), a1, b1, c1, d1);
        i += 2u * lanes;
    }
    if (i < width) {
        let from_x = unpacked(x[i]);
        sums += products(from_x, weights[rows.x + i], weights[rows.y + i], weights[rows.z + i], weights[rows.w + i]);
    }
    return sums;
}

fn products(from_x: Eight, a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(product(from_x, a), product(from_x, b), product(from_x, c), product(from_x, d));
}

fn product(from_x: Eight, words: vec4<u32>) -> f32 {
    let own = unpacked(words);
    return dot(own.low, from_x.low) + dot(own.high, from_x.high);
}

fn unpacked(words: vec4<u32>) -> Eight {
    return Eight(
        vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y)),
        vec4<f32>(unpack2x16float(words.z), unpack2x16float(words.w)),
    );
}

fn by_elements(row: u32, lane: u32, lanes: u32) -> vec4<f32> {
    let rows = min(vec4<u32>(row, row + 1u, row + 2u, row + 3u), vec4<u32>(sizes.rows - 1u)) * sizes.columns;
    var sums = vec4<f32>();
    for (var column = lane; column < sizes.columns; column += lanes) {
        let from_x = x_at(column);
        sums += from_x * vec4<f32>(
            weight_at(rows.x + column), weight_at(rows.y + column),
            weight_at(rows.z + column), weight_at(rows.w + column),
        );
    }
    return sums;
}

// One word is loaded, not the vector around it.
fn weight_at(i: u32) -> f32 {
    return half(weights[i / 8u][i / 2u % 4u], i);
}

fn x_at(i: u32) -> f32 {
    return half(x[i / 8u][i / 2u % 4u], i);
}

/// Half i % 2 of a word.
fn half(word: u32, i: u32) -> f32 {
    return unpack2x16float(word >> (16u * (i % 2u))).x;
}
