// Matrix-vector product (GEMV), y = W x, with W stored row by row.
// Pattern: neighbouring invocations read elements one row apart, so each load of a subgroup touches one sector per
// lane. The caches must keep these sectors for the next columns.
// Work: weights, x and y are moved once; 2 FLOP per weight.
// Summary: one invocation per row
// Look for: The slowdown relative to `workgroup`, whose loads are coalesced. The gap grows once the sectors in use no
// longer fit in the caches.
// Limits: Cache capacity: each row in flight needs one sector cached until all elements of the sector are used. With
// few rows, there are too few invocations.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> weights: array<T>;
@group(0) @binding(1) var<storage, read> x: array<T>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 128u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let row = (group.y * groups.x + group.x) * WG + t;
    if (row < sizes.rows) {
        var sum = 0.0f;
        for (var column = 0u; column < sizes.columns; column++) {
            sum += f32(weights[row * sizes.columns + column]) * f32(x[column]);
        }
        y[row] = sum;
    }
}
