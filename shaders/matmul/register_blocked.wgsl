// GEMM, C = A · B with A m×k and B k×n, in tiles of 64×64: each of 16×16 invocations accumulates 4×4 elements of C in
// registers. Over 16 steps of k, each invocation also loads 4 elements of the next tile of A and 4 of B.
// Pattern: two 16-byte reads of workgroup memory per 16 FMAs. A's tile is padded to avoid bank conflicts in stores.
// Accumulators are named variables: a compiler may keep an array in memory if a loop indexes it.
// Work: 2mnk operations.
// Summary: tiles of 64×64, 4×4 elements per invocation in registers
// Look for: The percentage of the FMA peak that portable code reaches. Odd sizes show the cost of edges; 512x512x512
// shows the cost of too few tiles.
// Limits: Registers, and how well the scheduler interleaves loads and FMAs. Small matrices have too few tiles to fill
// the last wave.

alias T = f32;

struct Sizes { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> a: array<T>;
@group(0) @binding(1) var<storage, read> b: array<vec4<T>>;
@group(0) @binding(2) var<storage, read_write> c: array<T>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

const SIDE = 16u;
const DEPTH = 16u;
const A_PITCH = SIDE + 1u;

/// Step p of k, rows 4q to 4q + 3: at p · A_PITCH + q.
var<workgroup> a_tile: array<vec4<T>, DEPTH * A_PITCH>;
/// Step p of k, columns 4q to 4q + 3: at p · SIDE + q.
var<workgroup> b_tile: array<vec4<T>, DEPTH * SIDE>;

@compute @workgroup_size(SIDE, SIDE)
fn main(@builtin(local_invocation_id) t: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let row = 4u * (group.y * SIDE + t.y);
    let column = 4u * (group.x * SIDE + t.x);
    var next_a = four_rows(row, t.x);
    var next_b = four_columns(t.y, column);
    var c0 = vec4<T>();
    var c1 = vec4<T>();
    var c2 = vec4<T>();
    var c3 = vec4<T>();
    for (var first = 0u; first < sizes.k; first += DEPTH) {
        a_tile[t.x * A_PITCH + t.y] = next_a;
        b_tile[t.y * SIDE + t.x] = next_b;
        workgroupBarrier();
        next_a = four_rows(row, first + DEPTH + t.x);
        next_b = four_columns(first + DEPTH + t.y, column);
        for (var p = 0u; p < DEPTH; p++) {
            let from_a = a_tile[p * A_PITCH + t.y];
            let from_b = b_tile[p * SIDE + t.x];
            c0 = fma(vec4<T>(from_a.x), from_b, c0);
            c1 = fma(vec4<T>(from_a.y), from_b, c1);
            c2 = fma(vec4<T>(from_a.z), from_b, c2);
            c3 = fma(vec4<T>(from_a.w), from_b, c3);
        }
        workgroupBarrier();
    }
    put(row, column, c0);
    put(row + 1u, column, c1);
    put(row + 2u, column, c2);
    put(row + 3u, column, c3);
}

/// Element of A, zero outside.
fn a_at(row: u32, p: u32) -> T {
    if (row < sizes.m && p < sizes.k) {
        return a[row * sizes.k + p];
    }
    return T();
}

/// Four neighbours of a column of A.
fn four_rows(row: u32, p: u32) -> vec4<T> {
    return vec4<T>(a_at(row, p), a_at(row + 1u, p), a_at(row + 2u, p), a_at(row + 3u, p));
}

/// Element of B, zero outside.
fn b_at(p: u32, column: u32) -> T {
    if (p < sizes.k && column < sizes.n) {
        let at = p * sizes.n + column;
        return b[at / 4u][at % 4u];
    }
    return T();
}

/// Four neighbours of a row of B: one load if rows are aligned.
fn four_columns(p: u32, column: u32) -> vec4<T> {
    if (sizes.n % 4u == 0u) {
        if (p < sizes.k && column < sizes.n) {
            return b[(p * sizes.n + column) / 4u];
        }
        return vec4<T>();
    }
    return vec4<T>(b_at(p, column), b_at(p, column + 1u), b_at(p, column + 2u), b_at(p, column + 3u));
}

/// Stores four neighbours of a row of C, up to its edge.
fn put(row: u32, column: u32, four: vec4<T>) {
    if (row < sizes.m) {
        let at = row * sizes.n + column;
        if (column < sizes.n) {
            c[at] = four.x;
        }
        if (column + 1u < sizes.n) {
            c[at + 1u] = four.y;
        }
        if (column + 2u < sizes.n) {
            c[at + 2u] = four.z;
        }
        if (column + 3u < sizes.n) {
            c[at + 3u] = four.w;
        }
    }
}
