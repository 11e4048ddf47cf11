// GEMM, C = A · B with A m×k and B k×n, in square tiles: TILE×TILE invocations load one tile of A and one of B into
// workgroup memory, multiply them, and continue with the next pair. Each invocation computes one element of C.
// Pattern: each element is read from global memory TILE times less often than in `naive`; each FMA needs two reads of
// workgroup memory.
// Work: 2mnk operations.
// Summary: square tiles in workgroup memory, one element per invocation
// Look for: The speeds with TILE=8, 16 and 32. Memory traffic falls as tiles grow, until larger tiles gain nothing.
// Limits: Workgroup-memory bandwidth: 8 bytes per FMA. With TILE=32, one or two workgroups of 1,024 invocations fit on
// an SM.

alias T = f32;

struct Sizes { m: u32, n: u32, k: u32 }

@group(0) @binding(0) var<storage, read> a: array<T>;
@group(0) @binding(1) var<storage, read> b: array<T>;
@group(0) @binding(2) var<storage, read_write> c: array<T>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override TILE: u32 = 16u;

var<workgroup> a_tile: array<T, TILE * TILE>;
var<workgroup> b_tile: array<T, TILE * TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(local_invocation_id) t: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let row = group.y * TILE + t.y;
    let column = group.x * TILE + t.x;
    let own = t.y * TILE + t.x;
    var sum = T();
    for (var first = 0u; first < sizes.k; first += TILE) {
        // Elements outside of the matrices are zeros, which add nothing.
        var from_a = T();
        if (row < sizes.m && first + t.x < sizes.k) {
            from_a = a[row * sizes.k + first + t.x];
        }
        var from_b = T();
        if (first + t.y < sizes.k && column < sizes.n) {
            from_b = b[(first + t.y) * sizes.n + column];
        }
        a_tile[own] = from_a;
        b_tile[own] = from_b;
        workgroupBarrier();
        for (var p = 0u; p < TILE; p++) {
            sum += a_tile[t.y * TILE + p] * b_tile[p * TILE + t.x];
        }
        workgroupBarrier();
    }
    if (row < sizes.m && column < sizes.n) {
        c[row * sizes.n + column] = sum;
    }
}
