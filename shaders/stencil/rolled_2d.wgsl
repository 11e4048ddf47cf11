// The 5-point stencil without workgroup memory: each invocation processes four columns of ROWS rows, from top to
// bottom, and keeps the rows above and below in registers. Edge cells are copied.
// Pattern: vec4 loads, four rows in flight. L1 holds the cells left and right of each vec4, since neighbouring
// invocations load them. If the width is not a multiple of four, accesses are scalar.
// Work: n scalars read and n written, 6 operations per cell.
// Summary: 5 points; four columns per invocation, row by row, with three rows in registers
// Look for: Whether this is the fastest 2D kernel: four cells take 1.5 vector loads and two scalar loads instead of 20
// loads. `--param ROWS=16` loads fewer rows twice but is slower.
// Limits: DRAM at large sizes. At small sizes, there are too few invocations, since each computes 16 cells.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> input: array<vec4<T>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<T>>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 1024u;
/// Rows that an invocation walks, a multiple of four.
override ROWS: u32 = 4u;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let first = group.y * ROWS;
    let end = min(first + ROWS, sizes.rows);
    if (sizes.columns % 4u == 0u) {
        let x = group.x * WG + t;
        if (x < sizes.columns / 4u) {
            walk(x, first, end);
        }
    } else {
        for (var k = 0u; k < 4u; k++) {
            let x = (4u * group.x + k) * WG + t;
            if (x < sizes.columns) {
                walk_scalars(x, first, end);
            }
        }
    }
}

/// Columns 4x to 4x + 3 of rows `first` to `end` - 1.
fn walk(x: u32, first: u32, end: u32) {
    var above = four(x, max(first, 1u) - 1u);
    var own = four(x, first);
    for (var y = first; y < end; y += 4u) {
        // All loads before the first store: later ones would wait for it. Rows beyond the last are never used.
        let b = four(x, y + 1u);
        let c = four(x, y + 2u);
        let d = four(x, y + 3u);
        let e = four(x, y + 4u);
        let beside_a = beside(x, y);
        let beside_b = beside(x, y + 1u);
        let beside_c = beside(x, y + 2u);
        let beside_d = beside(x, y + 3u);
        put(x, y, above, own, b, beside_a);
        if (y + 1u < end) {
            put(x, y + 1u, own, b, c, beside_b);
        }
        if (y + 2u < end) {
            put(x, y + 2u, b, c, d, beside_c);
        }
        if (y + 3u < end) {
            put(x, y + 3u, c, d, e, beside_d);
        }
        above = d;
        own = e;
    }
}

/// Four cells of a row; of the last one where there is no such row.
fn four(x: u32, y: u32) -> vec4<T> {
    return input[min(y, sizes.rows - 1u) * (sizes.columns / 4u) + x];
}

/// The cells to the left and to the right of four cells; any cell where there is none.
fn beside(x: u32, y: u32) -> vec2<T> {
    let pitch = sizes.columns / 4u;
    let row = min(y, sizes.rows - 1u) * pitch;
    return vec2<T>(input[row + max(x, 1u) - 1u].w, input[row + min(x + 1u, pitch - 1u)].x);
}

fn put(x: u32, y: u32, above: vec4<T>, own: vec4<T>, below: vec4<T>, beside: vec2<T>) {
    let across = vec4<T>(beside.x, own.xyz) + vec4<T>(own.yzw, beside.y);
    var next = T(0.5) * own + T(0.125) * (across + (above + below));
    if (x == 0u) {
        next.x = own.x;
    }
    if (4u * x + 4u == sizes.columns) {
        next.w = own.w;
    }
    if (y == 0u || y + 1u == sizes.rows) {
        next = own;
    }
    output[y * (sizes.columns / 4u) + x] = next;
}

/// Column x of rows `first` to `end` - 1.
fn walk_scalars(x: u32, first: u32, end: u32) {
    let is_inner = x > 0u && x + 1u < sizes.columns;
    var above = one(x, max(first, 1u) - 1u);
    var own = one(x, first);
    for (var y = first; y < end; y++) {
        let below = one(x, min(y + 1u, sizes.rows - 1u));
        var next = own;
        if (is_inner && y > 0u && y + 1u < sizes.rows) {
            next = T(0.5) * own + T(0.125) * ((one(x - 1u, y) + one(x + 1u, y)) + (above + below));
        }
        let i = y * sizes.columns + x;
        output[i / 4u][i % 4u] = next;
        above = own;
        own = below;
    }
}

fn one(x: u32, y: u32) -> T {
    let i = y * sizes.columns + x;
    return input[i / 4u][i % 4u];
}
