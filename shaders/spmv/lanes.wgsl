// Multiplies a sparse CSR matrix by a vector, with LANES neighbouring invocations per row (after Bell and Garland 2009,
// who use a whole subgroup).
// Pattern: the nonzeros of a workgroup's WG rows are contiguous, so neighbouring lanes read neighbouring memory. All
// row starts are loaded first, so no row waits for its start. Lanes combine their sums by shuffles.
// Work: 8 bytes per nonzero (value, column), 12 bytes per row (start, x, result); 2 operations per nonzero.
// Summary: LANES invocations per row, each with four nonzeros in flight
// Look for: The gain over `subgroup` with 16 nonzeros per row: no lane is idle, and row starts are loaded in advance.
// Limits: DRAM reads for MATRIX=0, partly used sectors of x for random columns, and the longest row for MATRIX=2, with
// up to 2048 nonzeros per lane.

alias T = f32;

struct Sizes { rows: u32 }

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<T>;
@group(0) @binding(3) var<storage, read> x: array<T>;
@group(0) @binding(4) var<storage, read_write> y: array<T>;
@group(0) @binding(5) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
/// Invocations per row; not more than a subgroup has.
override LANES: u32 = 4u;

/// The starts of this workgroup's rows, and the end of the last.
var<workgroup> bounds: array<u32, WG + 1u>;

@compute @workgroup_size(WG)
fn main(
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) full: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let size = min(full, WG);
    let t = subgroup * size + lane;
    let first = (group.y * groups.x + group.x) * WG;
    let rows = min(WG, sizes.rows - min(first, sizes.rows));
    if (t < rows) {
        bounds[t + 1u] = starts[first + t + 1u];
    }
    if (t == 0u) {
        bounds[0] = starts[min(first, sizes.rows)];
    }
    workgroupBarrier();
    let lanes = min(LANES, size);
    let own = t & (lanes - 1u);
    for (var part = 0u; part < lanes; part++) {
        let row = (part * WG + t) >> countTrailingZeros(lanes);
        var sum = T();
        if (row < rows) {
            sum = products(bounds[row] + own, bounds[row + 1u], lanes);
        }
        for (var step = 1u; step < lanes; step *= 2u) {
            sum += subgroupShuffleXor(sum, step);
        }
        if (own == 0u && row < rows) {
            y[first + row] = sum;
        }
    }
}

/// The sum of every lanes-th product from `start` on.
fn products(start: u32, end: u32, lanes: u32) -> T {
    var sums = vec4<T>();
    for (var k = start; k < end; k += 4u * lanes) {
        // Those beyond the last are read as the last, and not added.
        let at = vec4<u32>(k, k + lanes, k + 2u * lanes, k + 3u * lanes);
        let from_row = min(at, vec4<u32>(end - 1u));
        let others =
            vec4<u32>(columns[from_row.x], columns[from_row.y], columns[from_row.z], columns[from_row.w]);
        let factors = vec4<T>(values[from_row.x], values[from_row.y], values[from_row.z], values[from_row.w]);
        let more = factors * vec4<T>(x[others.x], x[others.y], x[others.z], x[others.w]);
        sums += select(vec4<T>(), more, at < vec4<u32>(end));
    }
    return (sums.x + sums.y) + (sums.z + sums.w);
}
