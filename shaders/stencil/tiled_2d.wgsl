// The 5-point stencil with a tile of 32×32 cells in workgroup memory and a halo of one cell. Edge cells are copied.
// Pattern: 32×8 invocations copy 34×34 cells to workgroup memory, then compute four cells each.
// Work: n scalars read and n written, 6 operations per cell.
// Summary: 5 points, 32x32 cells and their halo in workgroup memory
// Look for: The speed relative to `naive_2d`: workgroup memory replaces cache hits, but costs a barrier and 13 % more
// loads for the halo.
// Limits: The barrier between a workgroup's loads and stores, and index arithmetic for each loaded cell.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

const TILE = 32u;
/// Cells of a row of the tile with its halo.
const ROW = TILE + 2u;

var<workgroup> tile: array<T, ROW * ROW>;

@compute @workgroup_size(32, 8)
fn main(
    @builtin(local_invocation_id) t: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    let corner = group.xy * TILE;
    for (var k = index; k < ROW * ROW; k += 256u) {
        // Cell (0, 0) of the tile is one before its corner. Cells outside of the plane are never used: any index does.
        let x = min(max(corner.x + k % ROW, 1u) - 1u, sizes.columns - 1u);
        let y = min(max(corner.y + k / ROW, 1u) - 1u, sizes.rows - 1u);
        tile[k] = input[y * sizes.columns + x];
    }
    workgroupBarrier();
    let x = corner.x + t.x;
    for (var k = t.y; k < TILE; k += 8u) {
        let y = corner.y + k;
        if (x < sizes.columns && y < sizes.rows) {
            let at = (k + 1u) * ROW + t.x + 1u;
            let own = tile[at];
            var next = own;
            if (x > 0u && x + 1u < sizes.columns && y > 0u && y + 1u < sizes.rows) {
                let around = (tile[at - 1u] + tile[at + 1u]) + (tile[at - ROW] + tile[at + ROW]);
                next = T(0.5) * own + T(0.125) * around;
            }
            output[y * sizes.columns + x] = next;
        }
    }
}
