// The product of a sparse matrix in CSR with a vector: one invocation per row.
// Pattern: neighbouring invocations read values and columns a row apart, so that each load of a subgroup touches as many
// cache lines as rows are long; the subgroup ends with its longest row.
// Work: a value and a column per nonzero, a start, an element of x and a result per row; 2 operations per nonzero.
// Summary: one invocation per row
// Look for: MATRIX=2 relative to MATRIX=1, with about as many nonzeros: a subgroup lasts as long as its longest row,
// which has up to 8192 nonzeros against 32.
// Limits: L1: loads of a subgroup lie a row apart, 32 lines each; with MATRIX=2 idle lanes.

alias T = f32;

struct Sizes { rows: u32 }

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<T>;
@group(0) @binding(3) var<storage, read> x: array<T>;
@group(0) @binding(4) var<storage, read_write> y: array<T>;
@group(0) @binding(5) var<uniform> sizes: Sizes;

override WG: u32 = 128u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let row = (group.y * groups.x + group.x) * WG + t;
    if (row >= sizes.rows) {
        return;
    }
    var sum = T();
    let end = starts[row + 1u];
    for (var k = starts[row]; k < end; k++) {
        sum += values[k] * x[columns[k]];
    }
    y[row] = sum;
}
