// Multiplies a sparse CSR matrix by a vector along the merge path of nonzeros and row ends (Merrill and Garland 2016),
// eight items per invocation. The first launch finds where tiles start, the second multiplies, and the third adds up
// rows that span tiles.
// Pattern: coalesced loads of values and columns. Products and row ends pass through workgroup memory.
// Work: 8 bytes per nonzero (value, column), 12 bytes per row (start, x, result); 2 operations per nonzero.
// Summary: eight nonzeros or row ends per invocation, along the merge path
// Look for: MATRIX=1 and MATRIX=2 should take nearly the same time, since row lengths do not matter. The gap to
// MATRIX=0 is the cost of random access to x.
// Limits: Instructions: each invocation searches for its start on the path and processes items one by one, so even
// MATRIX=0 reaches at most half of the read peak. At small sizes, the overhead of the three launches dominates.

alias T = f32;

struct Sizes { rows: u32, nonzeros: u32, tiles: u32, kernel: u32 }

@group(0) @binding(0) var<storage, read> starts: array<u32>;
@group(0) @binding(1) var<storage, read> columns: array<u32>;
@group(0) @binding(2) var<storage, read> values: array<T>;
@group(0) @binding(3) var<storage, read> x: array<T>;
@group(0) @binding(4) var<storage, read_write> y: array<T>;
/// The row in which each tile starts, and the number of rows behind the last.
@group(0) @binding(5) var<storage, read_write> corners: array<u32>;
/// What each tile has of the row in which it ends.
@group(0) @binding(6) var<storage, read_write> carries: array<T>;
@group(0) @binding(7) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

const EACH = 8u;
const FIND = 0u;
const MULTIPLY = 1u;

/// The products of a tile, then the ends of its rows as counts of its nonzeros.
var<workgroup> items: array<u32, EACH * WG>;
/// For each invocation, the sum of the row in which it ends.
var<workgroup> sums: array<T, WG>;
var<workgroup> ends: array<u32, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let group = id.y * groups.x + id.x;
    let at = group * WG + t;
    if (sizes.kernel == FIND) {
        if (at <= sizes.tiles) {
            corners[at] = row_at(min(at * EACH * WG, sizes.rows + sizes.nonzeros));
        }
    } else if (sizes.kernel == MULTIPLY) {
        if (group < sizes.tiles) {
            multiply(group, t);
        }
    } else if (at < sizes.tiles) {
        // The first of the tiles that end in a row adds what all of them have.
        let row = corners[at + 1u];
        if (row < sizes.rows && (at == 0u || corners[at] != row)) {
            var sum = T();
            for (var k = at; k < sizes.tiles && corners[k + 1u] == row; k++) {
                sum += carries[k];
            }
            y[row] += sum;
        }
    }
}

/// The row at a position of the path: as many rows end before it.
fn row_at(position: u32) -> u32 {
    var low = position - min(position, sizes.nonzeros);
    var high = min(position, sizes.rows);
    while (low < high) {
        let middle = (low + high) / 2u;
        if (starts[middle + 1u] + middle < position) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

fn multiply(tile: u32, t: u32) {
    let begin = tile * EACH * WG;
    let upto = min(begin + EACH * WG, sizes.rows + sizes.nonzeros);
    let row = corners[tile];
    let rows = corners[tile + 1u] - row;
    let nonzero = begin - row;
    let nonzeros = upto - begin - rows;
    for (var k = t; k < nonzeros; k += 4u * WG) {
        // Four products in flight. Those beyond the last are repeated, and not kept.
        let a = nonzero + k;
        let b = nonzero + min(k + WG, nonzeros - 1u);
        let c = nonzero + min(k + 2u * WG, nonzeros - 1u);
        let d = nonzero + min(k + 3u * WG, nonzeros - 1u);
        let factors = vec4<T>(values[a], values[b], values[c], values[d]);
        let others = vec4<u32>(columns[a], columns[b], columns[c], columns[d]);
        let products = bitcast<vec4<u32>>(factors * vec4<T>(x[others.x], x[others.y], x[others.z], x[others.w]));
        items[k] = products.x;
        if (k + WG < nonzeros) { items[k + WG] = products.y; }
        if (k + 2u * WG < nonzeros) { items[k + 2u * WG] = products.z; }
        if (k + 3u * WG < nonzeros) { items[k + 3u * WG] = products.w; }
    }
    for (var k = t; k < rows; k += WG) {
        items[nonzeros + k] = starts[row + k + 1u] - nonzero;
    }
    workgroupBarrier();
    // Where this invocation starts on the path of the tile.
    let first = min(t * EACH, rows + nonzeros);
    var low = first - min(first, nonzeros);
    var high = min(first, rows);
    while (low < high) {
        let middle = (low + high) / 2u;
        if (items[nonzeros + middle] + middle < first) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    // The first row that ends here needs what the invocations before have of it.
    let own = low;
    var sum = T();
    var sum_of_own = T();
    for (var k = first; k < min(first + EACH, rows + nonzeros); k++) {
        if (low < rows && items[nonzeros + low] + low <= k) {
            if (low == own) {
                sum_of_own = sum;
            } else {
                y[row + low] = sum;
            }
            sum = T();
            low++;
        } else {
            sum += bitcast<T>(items[k - low]);
        }
    }
    // Sums over the invocations that end in the same row: neighbours.
    sums[t] = sum;
    ends[t] = low;
    workgroupBarrier();
    for (var s = 1u; s < WG; s *= 2u) {
        var before = T();
        if (t >= s && ends[t - min(s, t)] == low) {
            before = sums[t - s];
        }
        workgroupBarrier();
        sum += before;
        sums[t] = sum;
        workgroupBarrier();
    }
    if (own < low) {
        if (t > 0u) {
            sum_of_own += sums[t - 1u];
        }
        y[row + own] = sum_of_own;
    }
    if (t == WG - 1u) {
        carries[tile] = sum;
    }
}
