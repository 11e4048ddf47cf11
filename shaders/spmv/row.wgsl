// Multiplies a sparse matrix in CSR (compressed sparse row) form by a vector, with one invocation per row.
// Pattern: neighbouring invocations load values and columns one row apart. With 16 nonzeros per row, a load by 32 lanes
// touches 16 cache lines of 128 bytes instead of one. A subgroup runs until its longest row is done.
// Work: 8 bytes per nonzero (value, column), 12 bytes per row (start, x, result); 2 operations per nonzero.
// Summary: one invocation per row
// Look for: How much slower MATRIX=2 is than MATRIX=1, which has about as many nonzeros: a subgroup takes as long as
// its longest row, with up to 8192 nonzeros instead of 32.
// Limits: L1, since each load of values and columns touches many cache lines; with random columns (MATRIX=1 and 2),
// also partly used sectors of x. With MATRIX=2, lanes that wait for the longest row.

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
