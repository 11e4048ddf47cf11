// Multiplies a sparse CSR matrix by a vector, with one subgroup per row: each of its N lanes adds up every N-th
// product.
// Pattern: coalesced loads of values and columns. Lanes are idle at the end of each row, especially in short rows.
// Work: 8 bytes per nonzero (value, column), 12 bytes per row (start, x, result); 2 operations per nonzero.
// Summary: one subgroup per row
// Look for: The gain over `row` from coalesced loads. With 16 nonzeros per row, half of the 32 lanes are idle, and
// adding up the lanes' sums costs as much as computing the products.
// Limits: Latency: each row is a chain of three loads (start, column, x) and a sum, for only 16 products.

alias T = f32;

struct Sizes { rows: u32 }

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<T>;
@group(0) @binding(3) var<storage, read> x: array<T>;
@group(0) @binding(4) var<storage, read_write> y: array<T>;
@group(0) @binding(5) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) full: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let lanes = min(full, WG);
    let first = (group.y * groups.x + group.x) * (WG / 4u);
    let end = min(first + WG / 4u, sizes.rows);
    for (var row = first + subgroup; row < end; row += WG / lanes) {
        var sum = T();
        let stop = starts[row + 1u];
        for (var k = starts[row] + lane; k < stop; k += lanes) {
            sum += values[k] * x[columns[k]];
        }
        let total = subgroupAdd(sum);
        if (lane == 0u) {
            y[row] = total;
        }
    }
}
