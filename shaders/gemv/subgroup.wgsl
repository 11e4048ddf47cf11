// Matrix-vector product with a subgroup reduction.
// Pattern: neighbouring lanes read neighbouring elements of a row, one per load. The grid is sized for subgroups of 32;
// a loop over rows allows any subgroup size.
// Work: weights, x and y are moved once; 2 FLOP per weight.
// Summary: one subgroup per row, then one subgroupAdd
// Look for: The speed relative to `workgroup`. There is no barrier, and each subgroup has a row in flight. The kernel
// is slower if there are too few rows to fill the device.
// Limits: DRAM reads in f32 with enough rows. Otherwise bytes in flight, since each lane loads one weight at a time (4
// bytes, or 2 bytes in f16).

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> weights: array<T>;
@group(0) @binding(1) var<storage, read> x: array<T>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) full: u32,
) {
    let lanes = min(full, WG);
    let step = groups.x * groups.y * (WG / lanes);
    for (var first = (group.y * groups.x + group.x) * (WG / lanes); first < sizes.rows; first += step) {
        let row = first + subgroup;
        var own = 0.0f;
        if (row < sizes.rows) {
            for (var column = lane; column < sizes.columns; column += lanes) {
                own += f32(weights[row * sizes.columns + column]) * f32(x[column]);
            }
        }
        let sum = subgroupAdd(own);
        if (lane == 0u && row < sizes.rows) {
            y[row] = sum;
        }
    }
}
