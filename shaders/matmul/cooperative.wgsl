// GEMM of f16 matrices, C = A·B with A m×k and B k×n, accumulated in f32 by cooperative matrices: 128×128 elements of C
// per workgroup, 64×64 per subgroup, as 4×4 products of 16×16 from tiles 32 deep in workgroup memory.
// Pattern: 16 products per 8 reads of 16×16, while the next tiles load to registers. The first step after the barriers
// is read before the last one before them is multiplied. One pair of tiles, not two: less workgroup memory allows more
// workgroups, which hide barriers; they are numbered in bands of 8 rows to share reads.
// Work: 2mnk operations.

enable f16;
enable wgpu_cooperative_matrix;

struct Sizes { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> a: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

const WG = 128u;
const SIDE = 128u;
const DEPTH = 32u;
// Parts of a workgroup's elements: two by two.
const PARTS = 4u;
const BAND = 8u;
// Pitch of the tiles in vec4s: two more than a row holds, so that rows start in different banks and at multiples of 16
// bytes.
const A_PITCH = 10u;
const B_PITCH = 34u;

// Element (row, p) of A is in vec4 row * A_PITCH + p / 4, element (p, column) of B in vec4 p * B_PITCH + column / 4.
var<workgroup> a_tile: array<vec4<f16>, 128 * 10>;
var<workgroup> b_tile: array<vec4<f16>, 32 * 34>;
// One product of each part, on its way to C.
var<workgroup> staged: array<f32, 4 * 256>;

// Four neighbours of a row of A, zero outside: one load if rows are aligned.
fn a_at(row: u32, p: u32) -> vec4<f16> {
    var four = vec4<f16>();
    if (row < sizes.m && p < sizes.k) {
        let at = row * sizes.k + p;
        if (sizes.k % 4u == 0u) {
            return a[at / 4u];
        }
        four.x = a[at / 4u][at % 4u];
        if (p + 1u < sizes.k) { four.y = a[(at + 1u) / 4u][(at + 1u) % 4u]; }
        if (p + 2u < sizes.k) { four.z = a[(at + 2u) / 4u][(at + 2u) % 4u]; }
        if (p + 3u < sizes.k) { four.w = a[(at + 3u) / 4u][(at + 3u) % 4u]; }
    }
    return four;
}

// The same for B.
fn b_at(p: u32, column: u32) -> vec4<f16> {
    var four = vec4<f16>();
    if (p < sizes.k && column < sizes.n) {
        let at = p * sizes.n + column;
        if (sizes.n % 4u == 0u) {
            return b[at / 4u];
        }
        four.x = b[at / 4u][at % 4u];
        if (column + 1u < sizes.n) { four.y = b[(at + 1u) / 4u][(at + 1u) % 4u]; }
        if (column + 2u < sizes.n) { four.z = b[(at + 2u) / 4u][(at + 2u) % 4u]; }
        if (column + 3u < sizes.n) { four.w = b[(at + 3u) / 4u][(at + 3u) % 4u]; }
    }
    return four;
}

// The row of an invocation's first vec4 in A's tile: rows 4 apart are stored together, since they fall into different
// banks.
fn a_row(t: u32) -> u32 {
    let place = t / 8u;
    return place / 2u % 4u + place % 2u * 4u + place / 8u * 8u;
}

// Stores an invocation's vec4s to the tiles: in either tile one vec4 and every 128th after it.
fn keep(
    t: u32,
    a_0: vec4<f16>, a_1: vec4<f16>, a_2: vec4<f16>, a_3: vec4<f16>,
    a_4: vec4<f16>, a_5: vec4<f16>, a_6: vec4<f16>, a_7: vec4<f16>,
    b_0: vec4<f16>, b_1: vec4<f16>, b_2: vec4<f16>, b_3: vec4<f16>,
    b_4: vec4<f16>, b_5: vec4<f16>, b_6: vec4<f16>, b_7: vec4<f16>,
) {
    let into_a = a_row(t) * A_PITCH + t % 8u;
    a_tile[into_a + 0u * A_PITCH] = a_0;
    a_tile[into_a + 16u * A_PITCH] = a_1;
    a_tile[into_a + 32u * A_PITCH] = a_2;
    a_tile[into_a + 48u * A_PITCH] = a_3;
    a_tile[into_a + 64u * A_PITCH] = a_4;
    a_tile[into_a + 80u * A_PITCH] = a_5;
    a_tile[into_a + 96u * A_PITCH] = a_6;
    a_tile[into_a + 112u * A_PITCH] = a_7;
    let into_b = t / 32u * B_PITCH + t % 32u;
    b_tile[into_b + 0u * B_PITCH] = b_0;
    b_tile[into_b + 4u * B_PITCH] = b_1;
    b_tile[into_b + 8u * B_PITCH] = b_2;
    b_tile[into_b + 12u * B_PITCH] = b_3;
    b_tile[into_b + 16u * B_PITCH] = b_4;
    b_tile[into_b + 20u * B_PITCH] = b_5;
    b_tile[into_b + 24u * B_PITCH] = b_6;
    b_tile[into_b + 28u * B_PITCH] = b_7;
}

// Copies whole tiles from the matrices, starting at the vec4s `a_from` and `b_from`.
fn bring(t: u32, a_from: u32, b_from: u32, a_pitch: u32, b_pitch: u32) {
    keep(
        t,
        a[a_from], a[a_from + 16u * a_pitch], a[a_from + 32u * a_pitch], a[a_from + 48u * a_pitch],
        a[a_from + 64u * a_pitch], a[a_from + 80u * a_pitch], a[a_from + 96u * a_pitch], a[a_from + 112u * a_pitch],
        b[b_from], b[b_from + 4u * b_pitch], b[b_from + 8u * b_pitch], b[b_from + 12u * b_pitch],
        b[b_from + 16u * b_pitch], b[b_from + 20u * b_pitch], b[b_from + 24u * b_pitch], b[b_from + 28u * b_pitch],
    );
}

// Copies tiles from the matrices, starting at depth `first`, zero outside.
fn keep_guarded(t: u32, corner: vec2<u32>, first: u32) {
    let row = corner.y + a_row(t);
    let p = first + t % 8u * 4u;
    let q = first + t / 32u;
    let column = corner.x + t % 32u * 4u;
    keep(
        t,
        a_at(row, p), a_at(row + 16u, p), a_at(row + 32u, p), a_at(row + 48u, p),
        a_at(row + 64u, p), a_at(row + 80u, p), a_at(row + 96u, p), a_at(row + 112u, p),
        b_at(q, column), b_at(q + 4u, column), b_at(q + 8u, column), b_at(q + 12u, column),
        b_at(q + 16u, column), b_at(q + 20u, column), b_at(q + 24u, column), b_at(q + 28u, column),
    );
}

// Stores staged products to C, up to its edge: product (y, x) of each part from `first` up to `end`.
fn put(t: u32, corner: vec2<u32>, first: u32, end: u32, y: u32, x: u32) {
    workgroupBarrier();
    for (var part = first; part < end; part++) {
        for (var element = t; element < 256u; element += WG) {
            let row = corner.y + part / 2u * 64u + y * 16u + element / 16u;
            let column = corner.x + part % 2u * 64u + x * 16u + element % 16u;
            if (row < sizes.m && column < sizes.n) {
                c[row * sizes.n + column] = staged[part * 256u + element];
            }
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    let number = group.y * groups.x + group.x;
    let band = number / (BAND * groups.x) * BAND;
    let height = min(BAND, groups.y - band);
    let rest = number - band * groups.x;
    let corner = vec2<u32>(rest / height * SIDE, (band + rest % height) * SIDE);
    // Whole products can be stored if rows are aligned to 16 bytes.
    let is_inside = (corner.y + SIDE <= sizes.m) & (corner.x + SIDE <= sizes.n) & (sizes.n % 4u == 0u);
    // Tiles that cross no edge, with aligned rows, are loaded without branches: a driver may wait for a load before a
    // branch.
    let is_whole = is_inside & (sizes.k % (2u * DEPTH) == 0u);
    let a_pitch = sizes.k / 4u;
    let b_pitch = sizes.n / 4u;
    let a_from = (corner.y + a_row(t)) * a_pitch + t % 8u;
    let b_from = t / 32u * b_pitch + corner.x / 4u + t % 32u;
    // Four subgroups have one part each, and fewer have several in turn; beyond four, subgroups repeat parts that
    // others store.
    for (var first_part = 0u; first_part < PARTS; first_part += subgroups) {
        let part = first_part + subgroup;
        let part_row = part % PARTS / 2u * 64u;
        let part_column = part % 2u * 64u;
        var s00 = coop_mat16x16<f32, C>();
        var s01 = coop_mat16x16<f32, C>();
        var s02 = coop_mat16x16<f32, C>();
        var s03 = coop_mat16x16<f32, C>();
        var s10 = coop_mat16x16<f32, C>();
        var s11 = coop_mat16x16<f32, C>();
        var s12 = coop_mat16x16<f32, C>();
        var s13 = coop_mat16x16<f32, C>();
        var s20 = coop_mat16x16<f32, C>();
        var s21 = coop_mat16x16<f32, C>();
        var s22 = coop_mat16x16<f32, C>();
        var s23 = coop_mat16x16<f32, C>();
        var s30 = coop_mat16x16<f32, C>();
        var s31 = coop_mat16x16<f32, C>();
        var s32 = coop_mat16x16<f32, C>();
        var s33 = coop_mat16x16<f32, C>();
        let from_a = part_row * A_PITCH;
        let from_b = part_column / 4u;
        if (is_whole) {
            bring(t, a_from, b_from, a_pitch, b_pitch);
            workgroupBarrier();
            var early_a0 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a], A_PITCH);
            var early_a1 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 16u * A_PITCH], A_PITCH);
            var early_a2 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 32u * A_PITCH], A_PITCH);
            var early_a3 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 48u * A_PITCH], A_PITCH);
            var early_b0 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b], B_PITCH);
            var early_b1 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 4u], B_PITCH);
            var early_b2 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 8u], B_PITCH);
            var early_b3 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 12u], B_PITCH);
            // Two rounds per iteration: the driver then prefetches the tiles of both (10 % faster on an H200 than one
            // round).
            for (var first = 0u; first < sizes.k; first += 2u * DEPTH) {
                {
                    let next = first + DEPTH;
                    let next_a = a_from + next / 4u;
                    let next_b = b_from + next * b_pitch;
                    let a_0 = a[next_a];
                    let a_1 = a[next_a + 16u * a_pitch];
                    let a_2 = a[next_a + 32u * a_pitch];
                    let a_3 = a[next_a + 48u * a_pitch];
                    let a_4 = a[next_a + 64u * a_pitch];
                    let a_5 = a[next_a + 80u * a_pitch];
                    let a_6 = a[next_a + 96u * a_pitch];
                    let a_7 = a[next_a + 112u * a_pitch];
                    let b_0 = b[next_b];
                    let b_1 = b[next_b + 4u * b_pitch];
                    let b_2 = b[next_b + 8u * b_pitch];
                    let b_3 = b[next_b + 12u * b_pitch];
                    let b_4 = b[next_b + 16u * b_pitch];
                    let b_5 = b[next_b + 20u * b_pitch];
                    let b_6 = b[next_b + 24u * b_pitch];
                    let b_7 = b[next_b + 28u * b_pitch];
                    let late_a0 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 4u], A_PITCH);
                    let late_a1 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 16u * A_PITCH + 4u], A_PITCH);
                    let late_a2 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 32u * A_PITCH + 4u], A_PITCH);
                    let late_a3 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 48u * A_PITCH + 4u], A_PITCH);
                    let late_b0 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 16u * B_PITCH], B_PITCH);
                    let late_b1 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 16u * B_PITCH + 4u], B_PITCH);
                    let late_b2 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 16u * B_PITCH + 8u], B_PITCH);
                    let late_b3 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 16u * B_PITCH + 12u], B_PITCH);
                    s00 = coopMultiplyAdd(early_a0, early_b0, s00);
                    s01 = coopMultiplyAdd(early_a0, early_b1, s01);
                    s02 = coopMultiplyAdd(early_a0, early_b2, s02);
                    s03 = coopMultiplyAdd(early_a0, early_b3, s03);
                    s13 = coopMultiplyAdd(early_a1, early_b3, s13);
                    s12 = coopMultiplyAdd(early_a1, early_b2, s12);
                    s11 = coopMultiplyAdd(early_a1, early_b1, s11);
                    s10 = coopMultiplyAdd(early_a1, early_b0, s10);
                    s20 = coopMultiplyAdd(early_a2, early_b0, s20);
                    s21 = coopMultiplyAdd(early_a2, early_b1, s21);
                    s22 = coopMultiplyAdd(early_a2, early_b2, s22);
                    s23 = coopMultiplyAdd(early_a2, early_b3, s23);
                    s33 = coopMultiplyAdd(early_a3, early_b3, s33);
                    s32 = coopMultiplyAdd(early_a3, early_b2, s32);
                    s31 = coopMultiplyAdd(early_a3, early_b1, s31);
                    s30 = coopMultiplyAdd(early_a3, early_b0, s30);
                    // Every invocation has read the tiles.
                    workgroupBarrier();
                    keep(t, a_0, a_1, a_2, a_3, a_4, a_5, a_6, a_7, b_0, b_1, b_2, b_3, b_4, b_5, b_6, b_7);
                    workgroupBarrier();
                    early_a0 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a], A_PITCH);
                    early_a1 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 16u * A_PITCH], A_PITCH);
                    early_a2 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 32u * A_PITCH], A_PITCH);
                    early_a3 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 48u * A_PITCH], A_PITCH);
                    early_b0 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b], B_PITCH);
                    early_b1 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 4u], B_PITCH);
                    early_b2 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 8u], B_PITCH);
                    early_b3 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 12u], B_PITCH);
                    s00 = coopMultiplyAdd(late_a0, late_b0, s00);
                    s01 = coopMultiplyAdd(late_a0, late_b1, s01);
                    s02 = coopMultiplyAdd(late_a0, late_b2, s02);
                    s03 = coopMultiplyAdd(late_a0, late_b3, s03);
                    s13 = coopMultiplyAdd(late_a1, late_b3, s13);
                    s12 = coopMultiplyAdd(late_a1, late_b2, s12);
                    s11 = coopMultiplyAdd(late_a1, late_b1, s11);
                    s10 = coopMultiplyAdd(late_a1, late_b0, s10);
                    s20 = coopMultiplyAdd(late_a2, late_b0, s20);
                    s21 = coopMultiplyAdd(late_a2, late_b1, s21);
                    s22 = coopMultiplyAdd(late_a2, late_b2, s22);
                    s23 = coopMultiplyAdd(late_a2, late_b3, s23);
                    s33 = coopMultiplyAdd(late_a3, late_b3, s33);
                    s32 = coopMultiplyAdd(late_a3, late_b2, s32);
                    s31 = coopMultiplyAdd(late_a3, late_b1, s31);
                    s30 = coopMultiplyAdd(late_a3, late_b0, s30);
                }
                {
                    // The last round loads its own tiles again; they are not used.
                    let next = min(first + 2u * DEPTH, sizes.k - DEPTH);
                    let next_a = a_from + next / 4u;
                    let next_b = b_from + next * b_pitch;
                    let a_0 = a[next_a];
                    let a_1 = a[next_a + 16u * a_pitch];
                    let a_2 = a[next_a + 32u * a_pitch];
                    let a_3 = a[next_a + 48u * a_pitch];
                    let a_4 = a[next_a + 64u * a_pitch];
                    let a_5 = a[next_a + 80u * a_pitch];
                    let a_6 = a[next_a + 96u * a_pitch];
                    let a_7 = a[next_a + 112u * a_pitch];
                    let b_0 = b[next_b];
                    let b_1 = b[next_b + 4u * b_pitch];
                    let b_2 = b[next_b + 8u * b_pitch];
                    let b_3 = b[next_b + 12u * b_pitch];
                    let b_4 = b[next_b + 16u * b_pitch];
                    let b_5 = b[next_b + 20u * b_pitch];
                    let b_6 = b[next_b + 24u * b_pitch];
                    let b_7 = b[next_b + 28u * b_pitch];
                    let late_a0 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 4u], A_PITCH);
                    let late_a1 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 16u * A_PITCH + 4u], A_PITCH);
                    let late_a2 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 32u * A_PITCH + 4u], A_PITCH);
                    let late_a3 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 48u * A_PITCH + 4u], A_PITCH);
                    let late_b0 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 16u * B_PITCH], B_PITCH);
                    let late_b1 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 16u * B_PITCH + 4u], B_PITCH);
                    let late_b2 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 16u * B_PITCH + 8u], B_PITCH);
                    let late_b3 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 16u * B_PITCH + 12u], B_PITCH);
                    s00 = coopMultiplyAdd(early_a0, early_b0, s00);
                    s01 = coopMultiplyAdd(early_a0, early_b1, s01);
                    s02 = coopMultiplyAdd(early_a0, early_b2, s02);
                    s03 = coopMultiplyAdd(early_a0, early_b3, s03);
                    s13 = coopMultiplyAdd(early_a1, early_b3, s13);
                    s12 = coopMultiplyAdd(early_a1, early_b2, s12);
                    s11 = coopMultiplyAdd(early_a1, early_b1, s11);
                    s10 = coopMultiplyAdd(early_a1, early_b0, s10);
                    s20 = coopMultiplyAdd(early_a2, early_b0, s20);
                    s21 = coopMultiplyAdd(early_a2, early_b1, s21);
                    s22 = coopMultiplyAdd(early_a2, early_b2, s22);
                    s23 = coopMultiplyAdd(early_a2, early_b3, s23);
                    s33 = coopMultiplyAdd(early_a3, early_b3, s33);
                    s32 = coopMultiplyAdd(early_a3, early_b2, s32);
                    s31 = coopMultiplyAdd(early_a3, early_b1, s31);
                    s30 = coopMultiplyAdd(early_a3, early_b0, s30);
                    // Every invocation has read the tiles.
                    workgroupBarrier();
                    keep(t, a_0, a_1, a_2, a_3, a_4, a_5, a_6, a_7, b_0, b_1, b_2, b_3, b_4, b_5, b_6, b_7);
                    workgroupBarrier();
                    early_a0 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a], A_PITCH);
                    early_a1 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 16u * A_PITCH], A_PITCH);
                    early_a2 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 32u * A_PITCH], A_PITCH);
                    early_a3 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 48u * A_PITCH], A_PITCH);
                    early_b0 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b], B_PITCH);
                    early_b1 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 4u], B_PITCH);
                    early_b2 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 8u], B_PITCH);
                    early_b3 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + 12u], B_PITCH);
                    s00 = coopMultiplyAdd(late_a0, late_b0, s00);
                    s01 = coopMultiplyAdd(late_a0, late_b1, s01);
                    s02 = coopMultiplyAdd(late_a0, late_b2, s02);
                    s03 = coopMultiplyAdd(late_a0, late_b3, s03);
                    s13 = coopMultiplyAdd(late_a1, late_b3, s13);
                    s12 = coopMultiplyAdd(late_a1, late_b2, s12);
                    s11 = coopMultiplyAdd(late_a1, late_b1, s11);
                    s10 = coopMultiplyAdd(late_a1, late_b0, s10);
                    s20 = coopMultiplyAdd(late_a2, late_b0, s20);
                    s21 = coopMultiplyAdd(late_a2, late_b1, s21);
                    s22 = coopMultiplyAdd(late_a2, late_b2, s22);
                    s23 = coopMultiplyAdd(late_a2, late_b3, s23);
                    s33 = coopMultiplyAdd(late_a3, late_b3, s33);
                    s32 = coopMultiplyAdd(late_a3, late_b2, s32);
                    s31 = coopMultiplyAdd(late_a3, late_b1, s31);
                    s30 = coopMultiplyAdd(late_a3, late_b0, s30);
                }
            }
        } else {
            for (var first = 0u; first < sizes.k; first += DEPTH) {
                keep_guarded(t, corner, first);
                workgroupBarrier();
                for (var p = 0u; p < DEPTH; p += 16u) {
                    let a0 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + p / 4u], A_PITCH);
                    let a1 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 16u * A_PITCH + p / 4u], A_PITCH);
                    let a2 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 32u * A_PITCH + p / 4u], A_PITCH);
                    let a3 = coopLoadT<coop_mat16x16<f16, A>>(&a_tile[from_a + 48u * A_PITCH + p / 4u], A_PITCH);
                    let b0 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + p * B_PITCH], B_PITCH);
                    let b1 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + p * B_PITCH + 4u], B_PITCH);
                    let b2 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + p * B_PITCH + 8u], B_PITCH);
                    let b3 = coopLoadT<coop_mat16x16<f16, B>>(&b_tile[from_b + p * B_PITCH + 12u], B_PITCH);
                    s00 = coopMultiplyAdd(a0, b0, s00);
                    s01 = coopMultiplyAdd(a0, b1, s01);
                    s02 = coopMultiplyAdd(a0, b2, s02);
                    s03 = coopMultiplyAdd(a0, b3, s03);
                    s13 = coopMultiplyAdd(a1, b3, s13);
                    s12 = coopMultiplyAdd(a1, b2, s12);
                    s11 = coopMultiplyAdd(a1, b1, s11);
                    s10 = coopMultiplyAdd(a1, b0, s10);
                    s20 = coopMultiplyAdd(a2, b0, s20);
                    s21 = coopMultiplyAdd(a2, b1, s21);
                    s22 = coopMultiplyAdd(a2, b2, s22);
                    s23 = coopMultiplyAdd(a2, b3, s23);
                    s33 = coopMultiplyAdd(a3, b3, s33);
                    s32 = coopMultiplyAdd(a3, b2, s32);
                    s31 = coopMultiplyAdd(a3, b1, s31);
                    s30 = coopMultiplyAdd(a3, b0, s30);
                }
                workgroupBarrier();
            }
        }
        if (is_inside) {
            if (part < PARTS) {
                // naga evaluates the arguments of coopStoreT after the call, so they are named before it.
                let n = sizes.n;
                let row_0 = (corner.y + part_row) * n + corner.x + part_column;
                let row_1 = row_0 + 16u * n;
                let row_2 = row_0 + 32u * n;
                let row_3 = row_0 + 48u * n;
                let at_01 = row_0 + 16u;
                let at_02 = row_0 + 32u;
                let at_03 = row_0 + 48u;
                let at_11 = row_1 + 16u;
                let at_12 = row_1 + 32u;
                let at_13 = row_1 + 48u;
                let at_21 = row_2 + 16u;
                let at_22 = row_2 + 32u;
                let at_23 = row_2 + 48u;
                let at_31 = row_3 + 16u;
                let at_32 = row_3 + 32u;
                let at_33 = row_3 + 48u;
                coopStoreT(s00, &c[row_0], n);
                coopStoreT(s01, &c[at_01], n);
                coopStoreT(s02, &c[at_02], n);
                coopStoreT(s03, &c[at_03], n);
                coopStoreT(s10, &c[row_1], n);
                coopStoreT(s11, &c[at_11], n);
                coopStoreT(s12, &c[at_12], n);
                coopStoreT(s13, &c[at_13], n);
                coopStoreT(s20, &c[row_2], n);
                coopStoreT(s21, &c[at_21], n);
                coopStoreT(s22, &c[at_22], n);
                coopStoreT(s23, &c[at_23], n);
                coopStoreT(s30, &c[row_3], n);
                coopStoreT(s31, &c[at_31], n);
                coopStoreT(s32, &c[at_32], n);
                coopStoreT(s33, &c[at_33], n);
            }
            // Before the next part's tiles.
            workgroupBarrier();
        } else {
            let is_own = part < PARTS;
            let own = part % PARTS * 256u;
            let end = min(first_part + subgroups, PARTS);
            if (is_own) { coopStoreT(s00, &staged[own], 16u); }
            put(t, corner, first_part, end, 0u, 0u);
            if (is_own) { coopStoreT(s01, &staged[own], 16u); }
            put(t, corner, first_part, end, 0u, 1u);
            if (is_own) { coopStoreT(s02, &staged[own], 16u); }
            put(t, corner, first_part, end, 0u, 2u);
            if (is_own) { coopStoreT(s03, &staged[own], 16u); }
            put(t, corner, first_part, end, 0u, 3u);
            if (is_own) { coopStoreT(s10, &staged[own], 16u); }
            put(t, corner, first_part, end, 1u, 0u);
            if (is_own) { coopStoreT(s11, &staged[own], 16u); }
            put(t, corner, first_part, end, 1u, 1u);
            if (is_own) { coopStoreT(s12, &staged[own], 16u); }
            put(t, corner, first_part, end, 1u, 2u);
            if (is_own) { coopStoreT(s13, &staged[own], 16u); }
            put(t, corner, first_part, end, 1u, 3u);
            if (is_own) { coopStoreT(s20, &staged[own], 16u); }
            put(t, corner, first_part, end, 2u, 0u);
            if (is_own) { coopStoreT(s21, &staged[own], 16u); }
            put(t, corner, first_part, end, 2u, 1u);
            if (is_own) { coopStoreT(s22, &staged[own], 16u); }
            put(t, corner, first_part, end, 2u, 2u);
            if (is_own) { coopStoreT(s23, &staged[own], 16u); }
            put(t, corner, first_part, end, 2u, 3u);
            if (is_own) { coopStoreT(s30, &staged[own], 16u); }
            put(t, corner, first_part, end, 3u, 0u);
            if (is_own) { coopStoreT(s31, &staged[own], 16u); }
            put(t, corner, first_part, end, 3u, 1u);
            if (is_own) { coopStoreT(s32, &staged[own], 16u); }
            put(t, corner, first_part, end, 3u, 2u);
            if (is_own) { coopStoreT(s33, &staged[own], 16u); }
            put(t, corner, first_part, end, 3u, 3u);
        }
    }
}
