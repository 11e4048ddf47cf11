// The 7-point stencil without workgroup memory: each invocation processes four cells of a row in SLICES slices, one
// after the other, and keeps the slices before and after in registers. Surface cells are copied.
// Pattern: vec4 loads, two slices in flight. Neighbours within a slice come from L1 or L2. If the width is not a
// multiple of four, accesses are scalar.
// Work: n scalars read and n written, 8 operations per cell.
// Summary: 7 points; four cells of a row per invocation, slice by slice
// Look for: The gain over `naive_3d`: an invocation loads each of its cells once for three slices, so L2 needs to hold
// only the slices in progress.
// Limits: DRAM, and L1 and L2 bandwidth for the rows above and below: three vec4 loads per vec4 stored.

alias T = f32;

struct Sizes { depth: u32, height: u32, width: u32 }

@group(0) @binding(0) var<storage, read> input: array<vec4<T>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<T>>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

/// Slices that an invocation walks through, an even number.
override SLICES: u32 = 32u;

@compute @workgroup_size(32, 8)
fn main(@builtin(local_invocation_id) t: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let first = group.z * SLICES;
    let end = min(first + SLICES, sizes.depth);
    let y = group.y * 8u + t.y;
    if (y >= sizes.height) {
        return;
    }
    if (sizes.width % 4u == 0u) {
        let x = group.x * 32u + t.x;
        if (x < sizes.width / 4u) {
            walk(x, y, first, end);
        }
    } else {
        for (var k = 0u; k < 4u; k++) {
            let x = (4u * group.x + k) * 32u + t.x;
            if (x < sizes.width) {
                walk_scalars(x, y, first, end);
            }
        }
    }
}

/// Cells 4x to 4x + 3 of row y of slices `first` to `end` - 1.
fn walk(x: u32, y: u32, first: u32, end: u32) {
    var before = four(x, y, max(first, 1u) - 1u);
    var own = four(x, y, first);
    for (var z = first; z < end; z += 2u) {
        // All loads before the first store: later ones would wait for it. Slices beyond the last are never used.
        let b = four(x, y, z + 1u);
        let c = four(x, y, z + 2u);
        let beside_a = beside(x, y, z);
        let beside_b = beside(x, y, z + 1u);
        let rows_a = rows(x, y, z);
        let rows_b = rows(x, y, z + 1u);
        put(x, y, z, own, rows_a + (before + b), beside_a);
        if (z + 1u < end) {
            put(x, y, z + 1u, b, rows_b + (own + c), beside_b);
        }
        before = b;
        own = c;
    }
}

/// Four cells of a row; of the last slice where there is no such slice.
fn four(x: u32, y: u32, z: u32) -> vec4<T> {
    return input[(min(z, sizes.depth - 1u) * sizes.height + y) * (sizes.width / 4u) + x];
}

/// The cells to the left and to the right of four cells; any cell where there is none.
fn beside(x: u32, y: u32, z: u32) -> vec2<T> {
    let pitch = sizes.width / 4u;
    let row = (min(z, sizes.depth - 1u) * sizes.height + y) * pitch;
    return vec2<T>(input[row + max(x, 1u) - 1u].w, input[row + min(x + 1u, pitch - 1u)].x);
}

/// The sum of the cells above and below four cells; any cells where there are none.
fn rows(x: u32, y: u32, z: u32) -> vec4<T> {
    return four(x, max(y, 1u) - 1u, z) + four(x, min(y + 1u, sizes.height - 1u), z);
}

fn put(x: u32, y: u32, z: u32, own: vec4<T>, others: vec4<T>, beside: vec2<T>) {
    let across = vec4<T>(beside.x, own.xyz) + vec4<T>(own.yzw, beside.y);
    var next = T(0.25) * own + T(0.125) * (across + others);
    if (x == 0u) {
        next.x = own.x;
    }
    if (4u * x + 4u == sizes.width) {
        next.w = own.w;
    }
    if (y == 0u || z == 0u || y + 1u == sizes.height || z + 1u == sizes.depth) {
        next = own;
    }
    output[(z * sizes.height + y) * (sizes.width / 4u) + x] = next;
}

/// Cell x of row y of slices `first` to `end` - 1.
fn walk_scalars(x: u32, y: u32, first: u32, end: u32) {
    let is_inner = x > 0u && x + 1u < sizes.width && y > 0u && y + 1u < sizes.height;
    var before = one(x, y, max(first, 1u) - 1u);
    var own = one(x, y, first);
    for (var z = first; z < end; z++) {
        let after = one(x, y, min(z + 1u, sizes.depth - 1u));
        var next = own;
        if (is_inner && z > 0u && z + 1u < sizes.depth) {
            let around = (one(x - 1u, y, z) + one(x + 1u, y, z)) + (one(x, y - 1u, z) + one(x, y + 1u, z));
            next = T(0.25) * own + T(0.125) * (around + (before + after));
        }
        let i = (z * sizes.height + y) * sizes.width + x;
        output[i / 4u][i % 4u] = next;
        before = own;
        own = after;
    }
}

fn one(x: u32, y: u32, z: u32) -> T {
    let i = (z * sizes.height + y) * sizes.width + x;
    return input[i / 4u][i % 4u];
}
