// Product of two matrices of f16, C = A·B with A m×k and B k×n, summed in f32 by cooperative matrices: 256 invocations make 128×128
// elements of C in parts of 64×32, a subgroup each, as 4×2 products of 16×16 from tiles 32 deep in workgroup memory.
// Pattern: the next tiles are under way to registers meanwhile. There are two of each in turn, so that one barrier a round is enough: who
// is ahead fills one while others still read the other. Parts of C that stick out go through workgroup memory.
// Work: 2mnk operations.

enable f16;
enable wgpu_cooperative_matrix;

struct Sizes { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> a: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

const WG = 256u;
const SIDE = 128u;
const DEPTH = 32u;
// Parts of a workgroup's elements: two by four.
const PARTS = 8u;
// Fours from one row of a tile to the next: two more than there are, so that rows begin in different banks and at multiples of 16 bytes.
const A_PITCH = 10u;
const B_PITCH = 34u;

// Element (row, p) of A in four row * A_PITCH + p / 4, element (p, column) of B in four p * B_PITCH + column / 4; of each tile two.
var<workgroup> a_tiles: array<vec4<f16>, 2 * 128 * 10>;
var<workgroup> b_tiles: array<vec4<f16>, 2 * 32 * 34>;
// One product of each part, on its way to C.
var<workgroup> staged: array<f32, 8 * 256>;

// Four neighbours of a row of A, zero outside: one load where rows are aligned to it.
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

// Likewise of B.
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

// Puts what an invocation brings into tiles number `turn`: a four and every 256th on from it, of either tile.
fn keep(
    turn: u32, t: u32, a_0: vec4<f16>, a_1: vec4<f16>, a_2: vec4<f16>, a_3: vec4<f16>,
    b_0: vec4<f16>, b_1: vec4<f16>, b_2: vec4<f16>, b_3: vec4<f16>,
) {
    let into_a = turn * SIDE * A_PITCH + t / 8u * A_PITCH + t % 8u;
    a_tiles[into_a] = a_0;
    a_tiles[into_a + 32u * A_PITCH] = a_1;
    a_tiles[into_a + 64u * A_PITCH] = a_2;
    a_tiles[into_a + 96u * A_PITCH] = a_3;
    let into_b = turn * DEPTH * B_PITCH + t / 32u * B_PITCH + t % 32u;
    b_tiles[into_b] = b_0;
    b_tiles[into_b + 8u * B_PITCH] = b_1;
    b_tiles[into_b + 16u * B_PITCH] = b_2;
    b_tiles[into_b + 24u * B_PITCH] = b_3;
}

// The same straight from the matrices, from depth `first` on, zero outside of them.
fn keep_guarded(turn: u32, t: u32, corner: vec2<u32>, first: u32) {
    let row = corner.y + t / 8u;
    let p = first + t % 8u * 4u;
    let q = first + t / 32u;
    let column = corner.x + t % 32u * 4u;
    keep(
        turn, t, a_at(row, p), a_at(row + 32u, p), a_at(row + 64u, p), a_at(row + 96u, p),
        b_at(q, column), b_at(q + 8u, column), b_at(q + 16u, column), b_at(q + 24u, column),
    );
}

// Puts what is staged where it belongs, product (y, x) of each of the parts from `first` up to `end`, as far as it lies in C.
fn put(t: u32, corner: vec2<u32>, first: u32, end: u32, y: u32, x: u32) {
    workgroupBarrier();
    for (var part = first; part < end; part++) {
        let row = corner.y + part / 4u * 64u + y * 16u + t / 16u;
        let column = corner.x + part % 4u * 32u + x * 16u + t % 16u;
        if (row < sizes.m && column < sizes.n) {
            c[row * sizes.n + column] = staged[part * 256u + t];
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
) {
    let corner = vec2<u32>(group.x * SIDE, group.y * SIDE);
    // Whole products can be stored where rows are aligned to 16 bytes.
    let is_inside = corner.y + SIDE <= sizes.m && corner.x + SIDE <= sizes.n && sizes.n % 4u == 0u;
    // Tiles that stick out nowhere, in aligned rows, are brought without a test in between: a driver may wait for a load before a branch.
    let is_whole = is_inside && sizes.k % DEPTH == 0u;
    let a_pitch = sizes.k / 4u;
    let b_pitch = sizes.n / 4u;
    let a_from = (corner.y + t / 8u) * a_pitch + t % 8u;
    let b_from = t / 32u * b_pitch + corner.x / 4u + t % 32u;
    // Eight subgroups have one part each, fewer have several in turn; more than eight compute parts again that others store.
    for (var first_part = 0u; first_part < PARTS; first_part += subgroups) {
        let part = first_part + subgroup;
        let part_row = part % PARTS / 4u * 64u;
        let part_column = part % 4u * 32u;
        var s00 = coop_mat16x16<f32, C>();
        var s01 = coop_mat16x16<f32, C>();
        var s10 = coop_mat16x16<f32, C>();
        var s11 = coop_mat16x16<f32, C>();
        var s20 = coop_mat16x16<f32, C>();
        var s21 = coop_mat16x16<f32, C>();
        var s30 = coop_mat16x16<f32, C>();
        var s31 = coop_mat16x16<f32, C>();
        if (is_whole) {
            keep(
                0u, t, a[a_from], a[a_from + 32u * a_pitch], a[a_from + 64u * a_pitch], a[a_from + 96u * a_pitch],
                b[b_from], b[b_from + 8u * b_pitch], b[b_from + 16u * b_pitch], b[b_from + 24u * b_pitch],
            );
        } else {
            keep_guarded(0u, t, corner, 0u);
        }
        for (var first = 0u; first < sizes.k; first += DEPTH) {
            let turn = first / DEPTH % 2u;
            let a_tile = turn * SIDE * A_PITCH;
            let b_tile = turn * DEPTH * B_PITCH;
            workgroupBarrier();
            // On their way while this round multiplies; nothing of them lives from round to round, which would cost moves that wait.
            var a_0 = vec4<f16>(); var a_1 = vec4<f16>(); var a_2 = vec4<f16>(); var a_3 = vec4<f16>();
            var b_0 = vec4<f16>(); var b_1 = vec4<f16>(); var b_2 = vec4<f16>(); var b_3 = vec4<f16>();
            if (is_whole) {
                // The last round brings its own tiles again, which nobody uses.
                let next = min(first + DEPTH, sizes.k - DEPTH);
                let from_a = a_from + next / 4u;
                let from_b = b_from + next * b_pitch;
                a_0 = a[from_a];
                a_1 = a[from_a + 32u * a_pitch];
                a_2 = a[from_a + 64u * a_pitch];
                a_3 = a[from_a + 96u * a_pitch];
                b_0 = b[from_b];
                b_1 = b[from_b + 8u * b_pitch];
                b_2 = b[from_b + 16u * b_pitch];
                b_3 = b[from_b + 24u * b_pitch];
            }
            for (var p = 0u; p < DEPTH; p += 16u) {
                let from_a = a_tile + part_row * A_PITCH + p / 4u;
                let a0 = coopLoadT<coop_mat16x16<f16, A>>(&a_tiles[from_a], A_PITCH);
                let a1 = coopLoadT<coop_mat16x16<f16, A>>(&a_tiles[from_a + 16u * A_PITCH], A_PITCH);
                let a2 = coopLoadT<coop_mat16x16<f16, A>>(&a_tiles[from_a + 32u * A_PITCH], A_PITCH);
                let a3 = coopLoadT<coop_mat16x16<f16, A>>(&a_tiles[from_a + 48u * A_PITCH], A_PITCH);
                let from_b = b_tile + p * B_PITCH + part_column / 4u;
                let b0 = coopLoadT<coop_mat16x16<f16, B>>(&b_tiles[from_b], B_PITCH);
                let b1 = coopLoadT<coop_mat16x16<f16, B>>(&b_tiles[from_b + 4u], B_PITCH);
                s00 = coopMultiplyAdd(a0, b0, s00);
                s01 = coopMultiplyAdd(a0, b1, s01);
                s10 = coopMultiplyAdd(a1, b0, s10);
                s11 = coopMultiplyAdd(a1, b1, s11);
                s20 = coopMultiplyAdd(a2, b0, s20);
                s21 = coopMultiplyAdd(a2, b1, s21);
                s30 = coopMultiplyAdd(a3, b0, s30);
                s31 = coopMultiplyAdd(a3, b1, s31);
            }
            if (is_whole) {
                keep(1u - turn, t, a_0, a_1, a_2, a_3, b_0, b_1, b_2, b_3);
            } else {
                keep_guarded(1u - turn, t, corner, first + DEPTH);
            }
        }
        if (is_inside) {
            if (part < PARTS) {
                // naga writes what is computed in the arguments of coopStoreT behind it: they are names here.
                let n = sizes.n;
                let top = (corner.y + part_row) * n + corner.x + part_column;
                let second = top + 16u * n;
                let third = top + 32u * n;
                let fourth = top + 48u * n;
                let top_right = top + 16u;
                let second_right = second + 16u;
                let third_right = third + 16u;
                let fourth_right = fourth + 16u;
                coopStoreT(s00, &c[top], n);
                coopStoreT(s01, &c[top_right], n);
                coopStoreT(s10, &c[second], n);
                coopStoreT(s11, &c[second_right], n);
                coopStoreT(s20, &c[third], n);
                coopStoreT(s21, &c[third_right], n);
                coopStoreT(s30, &c[fourth], n);
                coopStoreT(s31, &c[fourth_right], n);
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
            if (is_own) { coopStoreT(s10, &staged[own], 16u); }
            put(t, corner, first_part, end, 1u, 0u);
            if (is_own) { coopStoreT(s11, &staged[own], 16u); }
            put(t, corner, first_part, end, 1u, 1u);
            if (is_own) { coopStoreT(s20, &staged[own], 16u); }
            put(t, corner, first_part, end, 2u, 0u);
            if (is_own) { coopStoreT(s21, &staged[own], 16u); }
            put(t, corner, first_part, end, 2u, 1u);
            if (is_own) { coopStoreT(s30, &staged[own], 16u); }
            put(t, corner, first_part, end, 3u, 0u);
            if (is_own) { coopStoreT(s31, &staged[own], 16u); }
            put(t, corner, first_part, end, 3u, 1u);
        }
    }
}
