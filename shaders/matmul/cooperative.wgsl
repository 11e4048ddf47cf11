// GEMM of f16 matrices, C = A · B with A m×k and B k×n, accumulated in f32 with cooperative matrices. A workgroup
// computes 128×128 elements of C from tiles 32 deep; a subgroup computes 64×64, as 4×4 blocks of 16×16.
// Pattern: each subgroup reads 8 blocks for 16 block products, while the next tiles load into registers. Block reads
// overlap with the products of the previous step. Keeping only one pair of tiles leaves room for more workgroups, which
// hide the latency of barriers. Workgroups are numbered in bands of 8 rows, so that neighbours read the same tiles.
// Work: 2mnk operations.
// Summary: f16 inputs, f32 accumulation, on tensor cores: tiles of 128×128, 64×64 per subgroup
// Look for: The percentage of the ceiling/tensor rate, not of the FMA peak. CUDA has an advantage: it can copy to
// workgroup memory without using registers.
// Limits: Workgroup memory, which must supply A and B as fast as the tensor cores consume them.

enable f16;
enable wgpu_cooperative_matrix;


alias Eight = array<vec4<f16>, 8>;
alias MatrixA = coop_mat16x16<f16, A>;
alias MatrixB = coop_mat16x16<f16, B>;
alias MatrixC = coop_mat16x16<f32, C>;

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
fn keep(t: u32, of_a: Eight, of_b: Eight) {
    let into_a = a_row(t) * A_PITCH + t % 8u;
    let into_b = t / 32u * B_PITCH + t % 32u;
    // unroll
    for (var i = 0u; i < 8u; i++) {
        a_tile[into_a + 16u * i * A_PITCH] = of_a[i];
    }
    // unroll
    for (var i = 0u; i < 8u; i++) {
        b_tile[into_b + 4u * i * B_PITCH] = of_b[i];
    }
}

// Copies tiles from the matrices, starting at depth `first`, zero outside.
fn keep_guarded(t: u32, corner: vec2<u32>, first: u32) {
    var of_a = Eight();
    var of_b = Eight();
    // unroll
    for (var i = 0u; i < 8u; i++) {
        of_a[i] = a_at(corner.y + a_row(t) + 16u * i, first + t % 8u * 4u);
        of_b[i] = b_at(first + t / 32u + 4u * i, corner.x + t % 32u * 4u);
    }
    keep(t, of_a, of_b);
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
        var sums = array<array<MatrixC, 4>, 4>();
        let from_a = part_row * A_PITCH;
        let from_b = part_column / 4u;
        var early_a = array<MatrixA, 4>();
        var early_b = array<MatrixB, 4>();
        var late_a = array<MatrixA, 4>();
        var late_b = array<MatrixB, 4>();
        var of_a = Eight();
        var of_b = Eight();
        if (is_whole) {
            // unroll
            for (var i = 0u; i < 8u; i++) {
                of_a[i] = a[a_from + 16u * i * a_pitch];
                of_b[i] = b[b_from + 4u * i * b_pitch];
            }
            keep(t, of_a, of_b);
            workgroupBarrier();
            // unroll
            for (var i = 0u; i < 4u; i++) {
                early_a[i] = coopLoadT<MatrixA>(&a_tile[from_a + 16u * i * A_PITCH], A_PITCH);
                early_b[i] = coopLoadT<MatrixB>(&b_tile[from_b + 4u * i], B_PITCH);
            }
            // Two rounds per iteration: the driver then prefetches the tiles of both (10 % faster on an H200 than one
            // round).
            for (var first = 0u; first < sizes.k; first += 2u * DEPTH) {
                // unroll
                for (var round = 1u; round < 3u; round++) {
                    // The last round loads its own tiles again; they are not used.
                    let next = min(first + round * DEPTH, sizes.k - DEPTH);
                    let next_a = a_from + next / 4u;
                    let next_b = b_from + next * b_pitch;
                    // unroll
                    for (var i = 0u; i < 8u; i++) {
                        of_a[i] = a[next_a + 16u * i * a_pitch];
                    }
                    // unroll
                    for (var i = 0u; i < 8u; i++) {
                        of_b[i] = b[next_b + 4u * i * b_pitch];
                    }
                    // unroll
                    for (var i = 0u; i < 4u; i++) {
                        late_a[i] = coopLoadT<MatrixA>(&a_tile[from_a + 16u * i * A_PITCH + 4u], A_PITCH);
                    }
                    // unroll
                    for (var i = 0u; i < 4u; i++) {
                        late_b[i] = coopLoadT<MatrixB>(&b_tile[from_b + 16u * B_PITCH + 4u * i], B_PITCH);
                    }
                    // unroll
                    for (var y = 0u; y < 4u; y++) {
                        // unroll
                        for (var i = 0u; i < 4u; i++) {
                            let x = i ^ (y % 2u * 3u);
                            sums[y][x] = coopMultiplyAdd(early_a[y], early_b[x], sums[y][x]);
                        }
                    }
                    // Every invocation has read the tiles.
                    workgroupBarrier();
                    keep(t, of_a, of_b);
                    workgroupBarrier();
                    // unroll
                    for (var i = 0u; i < 4u; i++) {
                        early_a[i] = coopLoadT<MatrixA>(&a_tile[from_a + 16u * i * A_PITCH], A_PITCH);
                    }
                    // unroll
                    for (var i = 0u; i < 4u; i++) {
                        early_b[i] = coopLoadT<MatrixB>(&b_tile[from_b + 4u * i], B_PITCH);
                    }
                    // unroll
                    for (var y = 0u; y < 4u; y++) {
                        // unroll
                        for (var i = 0u; i < 4u; i++) {
                            let x = i ^ (y % 2u * 3u);
                            sums[y][x] = coopMultiplyAdd(late_a[y], late_b[x], sums[y][x]);
                        }
                    }
                }
            }
        } else {
            for (var first = 0u; first < sizes.k; first += DEPTH) {
                keep_guarded(t, corner, first);
                workgroupBarrier();
                for (var p = 0u; p < DEPTH; p += 16u) {
                    // unroll
                    for (var i = 0u; i < 4u; i++) {
                        early_a[i] = coopLoadT<MatrixA>(&a_tile[from_a + 16u * i * A_PITCH + p / 4u], A_PITCH);
                        early_b[i] = coopLoadT<MatrixB>(&b_tile[from_b + p * B_PITCH + 4u * i], B_PITCH);
                    }
                    // unroll
                    for (var y = 0u; y < 4u; y++) {
                        // unroll
                        for (var x = 0u; x < 4u; x++) {
                            sums[y][x] = coopMultiplyAdd(early_a[y], early_b[x], sums[y][x]);
                        }
                    }
                }
                workgroupBarrier();
            }
        }
        if (is_inside) {
            if (part < PARTS) {
                // unroll
                for (var y = 0u; y < 4u; y++) {
                    // unroll
                    for (var x = 0u; x < 4u; x++) {
                        // naga evaluates the arguments of coopStoreT after the call, so they are named before it.
                        let n = sizes.n;
                        let at = (corner.y + part_row + 16u * y) * n + corner.x + part_column + 16u * x;
                        coopStoreT(sums[y][x], &c[at], n);
                    }
                }
            }
            // Before the next part's tiles.
            workgroupBarrier();
        } else {
            let own = part % PARTS * 256u;
            let end = min(first_part + subgroups, PARTS);
            // unroll
            for (var y = 0u; y < 4u; y++) {
                // unroll
                for (var x = 0u; x < 4u; x++) {
                    if (part < PARTS) {
                        coopStoreT(sums[y][x], &staged[own], 16u);
                    }
                    put(t, corner, first_part, end, y, x);
                }
            }
        }
    }
}
