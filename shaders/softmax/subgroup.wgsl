// Softmax of each row in registers. Each lane keeps up to VECTORS vec4s of a row, and lanes combine maxima and sums by
// shuffles.
// Pattern: VECTORS independent 16-byte loads and stores per lane. The part of a row that does not fit in registers is
// read twice. If the row length is not a multiple of four, accesses are scalar.
// Work: n scalars read and n written.
// Summary: rows in registers, vec4 loads, totals by shuffles; short rows share a workgroup
// Look for: The percentage of the copy peak, which should be near 100 % at all row lengths. With 32,768 columns,
// compare WG=512, which reads most of a row twice, with VECTORS=8 WG=1024, which reads it once.
// Limits: DRAM read/write turnaround. With long rows, too few rows are resident to overlap loads, reductions and
// stores.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> input: array<vec4<T>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<T>>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 512u;
/// Vectors in the registers of a lane: 1, 2, 4 or 8.
override VECTORS: u32 = 4u;

const LOWEST = -0x1.fffffep+127f;

/// A maximum, and a sum of exponentials less that maximum.
struct Total { top: f32, sum: f32 }

/// One per subgroup, which has at least four lanes.
var<workgroup> totals: array<Total, (WG + 3u) / 4u>;

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
    var tops = x[0];
    if (VECTORS > 1u) { tops = max(tops, x[1]); }
    if (VECTORS > 2u) { tops = max(tops, max(x[2], x[3])); }
    if (VECTORS > 4u) { tops = max(tops, max(max(x[4], x[5]), max(x[6], x[7]))); }
    var total = Total(largest(tops), 0.0f);
    var sums = exp(x[0] - total.top);
    if (VECTORS > 1u) { sums += exp(x[1] - total.top); }
    if (VECTORS > 2u) { sums += exp(x[2] - total.top) + exp(x[3] - total.top); }
    if (VECTORS > 4u) { sums += exp(x[4] - total.top) + exp(x[5] - total.top); }
    if (VECTORS > 4u) { sums += exp(x[6] - total.top) + exp(x[7] - total.top); }
    total.sum = added(sums);
    // What the registers do not hold.
    for (var v = own + VECTORS * lanes; v < end; v += 4u * lanes) {
        let a = fetch(first, v, end);
        let b = fetch(first, v + lanes, end);
        let c = fetch(first, v + 2u * lanes, end);
        let d = fetch(first, v + 3u * lanes, end);
        let top = max(total.top, largest(max(max(a, b), max(c, d))));
        let more = added((exp(a - top) + exp(b - top)) + (exp(c - top) + exp(d - top)));
        total = Total(top, total.sum * exp(total.top - top) + more);
    }
    total = combined(total, min(lanes, size));
    if (lanes > 4u) {
        if (lane == 0u) {
            totals[subgroup] = total;
        }
        workgroupBarrier();
        // The subgroups of this row; every lane combines those of its number and of every size-th after it.
        let count = max(lanes >> countTrailingZeros(size), 1u);
        let start = subgroup & ~(count - 1u);
        var all = Total(LOWEST, 0.0f);
        for (var s = lane; s < count; s += size) {
            let other = totals[start + s];
            let top = max(all.top, other.top);
            all = Total(top, all.sum * exp(all.top - top) + other.sum * exp(other.top - top));
        }
        all = combined(all, size);
        if (lanes > size) {
            total = all;
        }
    }
    let factor = 1.0f / total.sum;
    if (is_whole && own + (VECTORS - 1u) * lanes < end) {
        output[first / 4u + own] = exp(x[0] - total.top) * factor;
        if (VECTORS > 1u) { output[first / 4u + own + lanes] = exp(x[1] - total.top) * factor; }
        if (VECTORS > 2u) { output[first / 4u + own + 2u * lanes] = exp(x[2] - total.top) * factor; }
        if (VECTORS > 2u) { output[first / 4u + own + 3u * lanes] = exp(x[3] - total.top) * factor; }
        if (VECTORS > 4u) { output[first / 4u + own + 4u * lanes] = exp(x[4] - total.top) * factor; }
        if (VECTORS > 4u) { output[first / 4u + own + 5u * lanes] = exp(x[5] - total.top) * factor; }
        if (VECTORS > 4u) { output[first / 4u + own + 6u * lanes] = exp(x[6] - total.top) * factor; }
        if (VECTORS > 4u) { output[first / 4u + own + 7u * lanes] = exp(x[7] - total.top) * factor; }
    } else {
        put(first, own, end, exp(x[0] - total.top) * factor);
        if (VECTORS > 1u) { put(first, own + lanes, end, exp(x[1] - total.top) * factor); }
        if (VECTORS > 2u) { put(first, own + 2u * lanes, end, exp(x[2] - total.top) * factor); }
        if (VECTORS > 2u) { put(first, own + 3u * lanes, end, exp(x[3] - total.top) * factor); }
        if (VECTORS > 4u) { put(first, own + 4u * lanes, end, exp(x[4] - total.top) * factor); }
        if (VECTORS > 4u) { put(first, own + 5u * lanes, end, exp(x[5] - total.top) * factor); }
        if (VECTORS > 4u) { put(first, own + 6u * lanes, end, exp(x[6] - total.top) * factor); }
        if (VECTORS > 4u) { put(first, own + 7u * lanes, end, exp(x[7] - total.top) * factor); }
    }
    for (var v = own + VECTORS * lanes; v < end; v += lanes) {
        put(first, v, end, exp(fetch(first, v, end) - total.top) * factor);
    }
}

/// Totals of `width` neighbouring lanes, a power of two of them, combined in each.
fn combined(own: Total, width: u32) -> Total {
    var top = own.top;
    for (var step = 1u; step < width; step *= 2u) {
        top = max(top, subgroupShuffleXor(top, step));
    }
    var sum = own.sum * exp(own.top - top);
    for (var step = 1u; step < width; step *= 2u) {
        sum += subgroupShuffleXor(sum, step);
    }
    return Total(top, sum);
}

fn largest(x: vec4<T>) -> T {
    return max(max(x.x, x.y), max(x.z, x.w));
}

fn added(x: vec4<T>) -> T {
    return (x.x + x.y) + (x.z + x.w);
}

/// Elements 4v to 4v + 3 of the row that starts at `first`; LOWEST beyond its end.
fn fetch(first: u32, v: u32, end: u32) -> vec4<T> {
    if (v >= end) {
        return vec4<T>(LOWEST);
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
        return LOWEST;
    }
    return input[(first + column) / 4u][(first + column) % 4u];
}

fn put(first: u32, v: u32, end: u32, x: vec4<T>) {
    if (v >= end) {
        return;
    }
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
