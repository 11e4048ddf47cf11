// Normalises each row by its root mean square, in registers. Each lane keeps up to VECTORS vec4s of a row, and lanes
// add up their squares by shuffles.
// Pattern: VECTORS independent 16-byte loads and stores per lane. The part of a row that does not fit in registers is
// read twice. If the row length is not a multiple of four, accesses are scalar.
// Work: n scalars read and n written (the gain factors of the columns come from the cache).
// Summary: rows in registers, vec4 loads, sums by shuffles; short rows share a workgroup
// Look for: Whether the rate is near the copy peak at all row lengths. This is `softmax/subgroup` without exponentials:
// if softmax is slower, its arithmetic is the reason.
// Limits: DRAM read/write turnaround. With 32,768 columns, few rows are resident at a time.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> input: array<vec4<T>>;
@group(0) @binding(1) var<storage, read> gains: array<vec4<T>>;
@group(0) @binding(2) var<storage, read_write> output: array<vec4<T>>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 512u;
/// Vectors in the registers of a lane: 1, 2, 4 or 8.
override VECTORS: u32 = 4u;

/// Keeps rows of zeros finite.
const EPSILON = 1e-5f;

/// One sum per subgroup, which has at least four lanes.
var<workgroup> totals: array<f32, (WG + 3u) / 4u>;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) full: u32,
) {
    let size = min(full, WG);
    let t = subgroup * size + lane;
    let width = (sizes.columns + 3u) / 4u;
    // Lanes of a row, a power of two.
    var lanes = 1u;
    while (lanes * VECTORS < width && lanes < WG) {
        lanes *= 2u;
    }
    let rows_each = WG >> countTrailingZeros(lanes);
    let row = (group.y * groups.x + group.x) * rows_each + (t >> countTrailingZeros(lanes));
    let own = t & (lanes - 1u);
    let end = select(0u, width, row < sizes.rows);
    let first = row * sizes.columns;
    let is_whole = sizes.columns % 4u == 0u;

    var x = array<vec4<T>, 8>();
    if (is_whole && own + (VECTORS - 1u) * lanes < end) {
        x[0] = input[first / 4u + own];
        if (VECTORS > 1u) { x[1] = input[first / 4u + own + lanes]; }
        if (VECTORS > 2u) { x[2] = input[first / 4u + own + 2u * lanes]; }
        if (VECTORS > 2u) { x[3] = input[first / 4u + own + 3u * lanes]; }
        if (VECTORS > 4u) { x[4] = input[first / 4u + own + 4u * lanes]; }
        if (VECTORS > 4u) { x[5] = input[first / 4u + own + 5u * lanes]; }
        if (VECTORS > 4u) { x[6] = input[first / 4u + own + 6u * lanes]; }
        if (VECTORS > 4u) { x[7] = input[first / 4u + own + 7u * lanes]; }
    } else {
        x[0] = fetch(first, own, end);
        if (VECTORS > 1u) { x[1] = fetch(first, own + lanes, end); }
        if (VECTORS > 2u) { x[2] = fetch(first, own + 2u * lanes, end); }
        if (VECTORS > 2u) { x[3] = fetch(first, own + 3u * lanes, end); }
        if (VECTORS > 4u) { x[4] = fetch(first, own + 4u * lanes, end); }
        if (VECTORS > 4u) { x[5] = fetch(first, own + 5u * lanes, end); }
        if (VECTORS > 4u) { x[6] = fetch(first, own + 6u * lanes, end); }
        if (VECTORS > 4u) { x[7] = fetch(first, own + 7u * lanes, end); }
    }
    var squares = x[0] * x[0];
    if (VECTORS > 1u) { squares += x[1] * x[1]; }
    if (VECTORS > 2u) { squares += x[2] * x[2] + x[3] * x[3]; }
    if (VECTORS > 4u) { squares += x[4] * x[4] + x[5] * x[5]; }
    if (VECTORS > 4u) { squares += x[6] * x[6] + x[7] * x[7]; }
    // What the registers do not hold.
    for (var v = own + VECTORS * lanes; v < end; v += 4u * lanes) {
        let a = fetch(first, v, end);
        let b = fetch(first, v + lanes, end);
        let c = fetch(first, v + 2u * lanes, end);
        let d = fetch(first, v + 3u * lanes, end);
        squares += (a * a + b * b) + (c * c + d * d);
    }
    var total = combined((squares.x + squares.y) + (squares.z + squares.w), min(lanes, size));
    if (lanes > 4u) {
        if (lane == 0u) {
            totals[subgroup] = total;
        }
        workgroupBarrier();
        // The subgroups of this row; every lane adds up those of its number and of every size-th after it.
        let count = max(lanes >> countTrailingZeros(size), 1u);
        let start = subgroup & ~(count - 1u);
        var all = 0.0f;
        for (var s = lane; s < count; s += size) {
            all += totals[start + s];
        }
        all = combined(all, size);
        if (lanes > size) {
            total = all;
        }
    }
    let factor = inverseSqrt(total / f32(sizes.columns) + EPSILON);
    if (is_whole && own + (VECTORS - 1u) * lanes < end) {
        output[first / 4u + own] = x[0] * factor * gains[own];
        if (VECTORS > 1u) { output[first / 4u + own + lanes] = x[1] * factor * gains[own + lanes]; }
        if (VECTORS > 2u) { output[first / 4u + own + 2u * lanes] = x[2] * factor * gains[own + 2u * lanes]; }
        if (VECTORS > 2u) { output[first / 4u + own + 3u * lanes] = x[3] * factor * gains[own + 3u * lanes]; }
        if (VECTORS > 4u) { output[first / 4u + own + 4u * lanes] = x[4] * factor * gains[own + 4u * lanes]; }
        if (VECTORS > 4u) { output[first / 4u + own + 5u * lanes] = x[5] * factor * gains[own + 5u * lanes]; }
        if (VECTORS > 4u) { output[first / 4u + own + 6u * lanes] = x[6] * factor * gains[own + 6u * lanes]; }
        if (VECTORS > 4u) { output[first / 4u + own + 7u * lanes] = x[7] * factor * gains[own + 7u * lanes]; }
    } else {
        put(first, own, end, x[0] * factor);
        if (VECTORS > 1u) { put(first, own + lanes, end, x[1] * factor); }
        if (VECTORS > 2u) { put(first, own + 2u * lanes, end, x[2] * factor); }
        if (VECTORS > 2u) { put(first, own + 3u * lanes, end, x[3] * factor); }
        if (VECTORS > 4u) { put(first, own + 4u * lanes, end, x[4] * factor); }
        if (VECTORS > 4u) { put(first, own + 5u * lanes, end, x[5] * factor); }
        if (VECTORS > 4u) { put(first, own + 6u * lanes, end, x[6] * factor); }
        if (VECTORS > 4u) { put(first, own + 7u * lanes, end, x[7] * factor); }
    }
    for (var v = own + VECTORS * lanes; v < end; v += lanes) {
        put(first, v, end, fetch(first, v, end) * factor);
    }
}

/// The sum over `width` neighbouring lanes, a power of two of them, in each.
fn combined(own: f32, width: u32) -> f32 {
    var sum = own;
    for (var step = 1u; step < width; step *= 2u) {
        sum += subgroupShuffleXor(sum, step);
    }
    return sum;
}

/// Elements 4v to 4v + 3 of the row that starts at `first`; 0 beyond its end.
fn fetch(first: u32, v: u32, end: u32) -> vec4<T> {
    if (v >= end) {
        return vec4<T>();
    }
    if (sizes.columns % 4u == 0u) {
        return input[first / 4u + v];
    }
    return vec4<T>(
        element(first, 4u * v), element(first, 4u * v + 1u), element(first, 4u * v + 2u), element(first, 4u * v + 3u),
    );
}

fn element(first: u32, column: u32) -> T {
    if (column >= sizes.columns) {
        return T();
    }
    return input[(first + column) / 4u][(first + column) % 4u];
}

/// Stores elements that are normalised but for the gains.
fn put(first: u32, v: u32, end: u32, normalised: vec4<T>) {
    if (v >= end) {
        return;
    }
    let x = normalised * gains[v];
    if (sizes.columns % 4u == 0u) {
        output[first / 4u + v] = x;
        return;
    }
    put_element(first, 4u * v, x.x);
    put_element(first, 4u * v + 1u, x.y);
    put_element(first, 4u * v + 2u, x.z);
    put_element(first, 4u * v + 3u, x.w);
}

fn put_element(first: u32, column: u32, x: T) {
    if (column < sizes.columns) {
        output[(first + column) / 4u][(first + column) % 4u] = x;
    }
}
