// Matrix-vector product: one workgroup per row, then a tree reduction.
// Pattern: neighbouring invocations read neighbouring elements of a row, one per load. Every workgroup reads all of x
// from the cache.
// Work: weights, x and y are moved once; 2 FLOP per weight.
// Summary: one workgroup per row, coalesced loads, then a tree reduction
// Look for: The gain of coalesced loads over `naive`. The gap to `vec4` is the cost of 4-byte loads (2-byte in f16), of
// reading x for every row, and of a tree per row.
// Limits: Bytes in flight: each invocation loads one weight at a time. With short rows, the barriers of the tree
// dominate.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> weights: array<T>;
@group(0) @binding(1) var<storage, read> x: array<T>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

var<workgroup> parts: array<f32, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let row = group.y * groups.x + group.x;
    var sum = 0.0f;
    if (row < sizes.rows) {
        for (var column = t; column < sizes.columns; column += WG) {
            sum += f32(weights[row * sizes.columns + column]) * f32(x[column]);
        }
    }
    parts[t] = sum;
    workgroupBarrier();
    for (var s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            parts[t] += parts[t + s];
        }
        workgroupBarrier();
    }
    if (t == 0u && row < sizes.rows) {
        y[row] = parts[0];
    }
}
