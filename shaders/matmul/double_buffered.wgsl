// GEMM, C = A · B with A m×k and B k×n, in tiles of 128×128: each of 256 invocations accumulates 8×8 elements of C in
// registers, as 2×2 blocks of 4×4. One pair of tiles is loaded into workgroup memory while the other is multiplied,
// with one barrier per 8 steps of k.
// Pattern: each step of k takes 64 FMAs and four 16-byte reads per invocation; lanes share most of these reads. A's
// tile is stored transposed, and half of it is swizzled to avoid bank conflicts. Workgroups are numbered in bands of 8
// rows, so that neighbours read the same tiles.
// Work: 2mnk operations.
// Summary: tiles of 128×128, 8×8 elements per invocation, the next tiles prefetched
// Look for: The gain over `register_blocked`. An invocation has four times as many elements and needs half the reads
// per FMA; each tile needs only one barrier. The gap to `cublas` shows how far plain WGSL falls short.
// Limits: Instruction issue, and registers: only two workgroups fit on an SM. Small matrices have too few tiles for all
// SMs.

alias T = f32;

struct Sizes { m: u32, n: u32, k: u32 }

/// An invocation's 8×8 elements of C: rows 0 to 7, the left and the right vec4 of each.
struct Sums {
    left_0: vec4<T>, left_1: vec4<T>, left_2: vec4<T>, left_3: vec4<T>,
    left_4: vec4<T>, left_5: vec4<T>, left_6: vec4<T>, left_7: vec4<T>,
    right_0: vec4<T>, right_1: vec4<T>, right_2: vec4<T>, right_3: vec4<T>,
    right_4: vec4<T>, right_5: vec4<T>, right_6: vec4<T>, right_7: vec4<T>,
}

/// Operands of one step of k: eight elements of a column of A and eight of a row of B.
struct Factors { top: vec4<T>, bottom: vec4<T>, left: vec4<T>, right: vec4<T> }

/// An invocation's loads for the next tiles: four neighbours of a row of each matrix.
struct Brought { a: vec4<T>, b: vec4<T> }

/// An invocation's indices in vec4s: of A and B in memory, and of the tiles for stores and loads.
struct Place { t: u32, row: u32, column: u32, a: u32, b: u32, a_put: u32, a_read: u32, b_read: u32 }

@group(0) @binding(0) var<storage, read> a: array<vec4<T>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<T>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<T>>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

const SIDE = 128u;
const DEPTH = 8u;
/// vec4s in a step of k, and in a tile.
const PITCH = SIDE / 4u;
const TILE = DEPTH * PITCH;
const BAND = 8u;

/// Two tiles. Step p of k, rows 4q to 4q + 3: at p · PITCH + (q ^ (p / 4 · 4)).
var<workgroup> a_tiles: array<vec4<T>, 2u * TILE>;
/// Step p of k, columns 4q to 4q + 3: at p · PITCH + q.
var<workgroup> b_tiles: array<vec4<T>, 2u * TILE>;

@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = group.y * groups.x + group.x;
    let band = number / (BAND * groups.x) * BAND;
    let height = min(BAND, groups.y - band);
    let rest = number - band * groups.x;
    let row = (band + rest % height) * SIDE;
    let column = rest / height * SIDE;

    let warp = t / 32u;
    let x = warp % 2u * 16u + t % 32u / 8u * 2u + t % 2u;
    let y = warp / 2u * 8u + t / 2u % 4u;
    let half = t % 2u;
    let place = Place(
        t, row, column,
        (row + t / 2u) * (sizes.k / 4u) + half,
        t / PITCH * (sizes.n / 4u) + column / 4u + t % PITCH,
        half * 4u * PITCH + ((t / 8u) ^ (half * 4u)),
        y, x,
    );
    // Tiles that cross no edge, with aligned rows, are loaded without branches: a driver may wait for a load before a
    // branch.
    let is_inside = row + SIDE <= sizes.m && column + SIDE <= sizes.n && sizes.n % 4u == 0u;
    var sums = Sums();
    if (is_inside && sizes.k % (2u * DEPTH) == 0u) {
        multiply_all(&sums, place, true);
    } else {
        multiply_all(&sums, place, false);
    }
    let top = row + 4u * y;
    let left = column + 4u * x;
    put_four(top, left, sums.left_0, sums.left_1, sums.left_2, sums.left_3);
    put_four(top + 16u, left, sums.left_4, sums.left_5, sums.left_6, sums.left_7);
    put_four(top, left + 32u, sums.right_0, sums.right_1, sums.right_2, sums.right_3);
    put_four(top + 16u, left + 32u, sums.right_4, sums.right_5, sums.right_6, sums.right_7);
}

/// All steps of k. `is_whole` is a literal in every call, so that its branches are removed.
fn multiply_all(sums: ptr<function, Sums>, place: Place, is_whole: bool) {
    keep(place, 0u, brought(place, 0u, is_whole));
    workgroupBarrier();
    var factors = step_of(place, 0u, 0u);
    for (var first = 0u; first < sizes.k; first += 2u * DEPTH) {
        factors = multiply_tile(sums, place, factors, 0u, first + DEPTH, is_whole);
        factors = multiply_tile(sums, place, factors, TILE, first + 2u * DEPTH, is_whole);
    }
}

/// The eight steps of the tiles at `tile`; `first_step` holds the first one. Meanwhile the tiles of step `next` load to
/// the other buffer, whose first step is returned.
fn multiply_tile(
    sums: ptr<function, Sums>, place: Place, first_step: Factors, tile: u32, next: u32, is_whole: bool,
) -> Factors {
    let coming = brought(place, next, is_whole);
    let step_1 = step_of(place, tile, 1u);
    multiply(sums, first_step);
    let step_2 = step_of(place, tile, 2u);
    multiply(sums, step_1);
    let step_3 = step_of(place, tile, 3u);
    multiply(sums, step_2);
    let step_4 = step_of(place, tile, 4u);
    multiply(sums, step_3);
    let step_5 = step_of(place, tile, 5u);
    multiply(sums, step_4);
    let step_6 = step_of(place, tile, 6u);
    multiply(sums, step_5);
    keep(place, TILE - tile, coming);
    let step_7 = step_of(place, tile, 7u);
    multiply(sums, step_6);
    workgroupBarrier();
    let next_step = step_of(place, TILE - tile, 0u);
    multiply(sums, step_7);
    return next_step;
}

/// Step p of the tiles at `tile`; p is a literal in every call.
fn step_of(place: Place, tile: u32, p: u32) -> Factors {
    let step = tile + p * PITCH;
    let top = select(place.a_read, place.a_read ^ 4u, p >= 4u);
    return Factors(
        a_tiles[step + top], a_tiles[step + (top ^ 4u)],
        b_tiles[step + place.b_read], b_tiles[step + place.b_read + 8u],
    );
}

fn multiply(sums: ptr<function, Sums>, step: Factors) {
    (*sums).left_0 = fma(vec4<T>(step.top.x), step.left, (*sums).left_0);
    (*sums).right_0 = fma(vec4<T>(step.top.x), step.right, (*sums).right_0);
    (*sums).left_1 = fma(vec4<T>(step.top.y), step.left, (*sums).left_1);
    (*sums).right_1 = fma(vec4<T>(step.top.y), step.right, (*sums).right_1);
    (*sums).left_2 = fma(vec4<T>(step.top.z), step.left, (*sums).left_2);
    (*sums).right_2 = fma(vec4<T>(step.top.z), step.right, (*sums).right_2);
    (*sums).left_3 = fma(vec4<T>(step.top.w), step.left, (*sums).left_3);
    (*sums).right_3 = fma(vec4<T>(step.top.w), step.right, (*sums).right_3);
    (*sums).left_4 = fma(vec4<T>(step.bottom.x), step.left, (*sums).left_4);
    (*sums).right_4 = fma(vec4<T>(step.bottom.x), step.right, (*sums).right_4);
    (*sums).left_5 = fma(vec4<T>(step.bottom.y), step.left, (*sums).left_5);
    (*sums).right_5 = fma(vec4<T>(step.bottom.y), step.right, (*sums).right_5);
    (*sums).left_6 = fma(vec4<T>(step.bottom.z), step.left, (*sums).left_6);
    (*sums).right_6 = fma(vec4<T>(step.bottom.z), step.right, (*sums).right_6);
    (*sums).left_7 = fma(vec4<T>(step.bottom.w), step.left, (*sums).left_7);
    (*sums).right_7 = fma(vec4<T>(step.bottom.w), step.right, (*sums).right_7);
}

/// The invocation's loads of the tiles from step `first` on, zero outside of the matrices. After the last tiles it
/// loads them again; nothing multiplies those.
fn brought(place: Place, first: u32, is_whole: bool) -> Brought {
    if (is_whole) {
        let step = min(first, sizes.k - DEPTH);
        return Brought(a[place.a + step / 4u], b[place.b + step * (sizes.n / 4u)]);
    }
    let t = place.t;
    return Brought(
        four_of_a(place.row + t / 2u, first + t % 2u * 4u),
        four_of_b(first + t / PITCH, place.column + t % PITCH * 4u),
    );
}

fn four_of_a(row: u32, p: u32) -> vec4<T> {
    return vec4<T>(a_at(row, p), a_at(row, p + 1u), a_at(row, p + 2u), a_at(row, p + 3u));
}

fn four_of_b(p: u32, column: u32) -> vec4<T> {
    return vec4<T>(b_at(p, column), b_at(p, column + 1u), b_at(p, column + 2u), b_at(p, column + 3u));
}

fn a_at(row: u32, p: u32) -> T {
    let at = row * sizes.k + p;
    if (row < sizes.m && p < sizes.k) {
        return a[at / 4u][at % 4u];
    }
    return T();
}

fn b_at(p: u32, column: u32) -> T {
    let at = p * sizes.n + column;
    if (p < sizes.k && column < sizes.n) {
        return b[at / 4u][at % 4u];
    }
    return T();
}

/// Stores the loaded elements to the tiles at `tile`.
fn keep(place: Place, tile: u32, coming: Brought) {
    let row = place.t / 2u % 4u;
    a_tiles[tile + place.a_put][row] = coming.a.x;
    a_tiles[tile + place.a_put + PITCH][row] = coming.a.y;
    a_tiles[tile + place.a_put + 2u * PITCH][row] = coming.a.z;
    a_tiles[tile + place.a_put + 3u * PITCH][row] = coming.a.w;
    b_tiles[tile + place.t] = coming.b;
}

/// Stores a block of 4×4 elements of C.
fn put_four(row: u32, column: u32, first: vec4<T>, second: vec4<T>, third: vec4<T>, fourth: vec4<T>) {
    put(row, column, first);
    put(row + 1u, column, second);
    put(row + 2u, column, third);
    put(row + 3u, column, fourth);
}

/// Stores four neighbours of a row of C, up to its edge: one store if rows are aligned.
fn put(row: u32, column: u32, four: vec4<T>) {
    if (row >= sizes.m || column >= sizes.n) {
        return;
    }
    let at = row * sizes.n + column;
    if (sizes.n % 4u == 0u) {
        c[at / 4u] = four;
        return;
    }
    for (var j = 0u; j < min(4u, sizes.n - column); j++) {
        c[(at + j) / 4u][(at + j) % 4u] = four[j];
    }
}
