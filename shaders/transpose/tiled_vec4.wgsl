// Transposes a matrix through a padded 32×32 tile with vec4 loads and stores.
// Pattern: each of the 8×8 invocations has four vec4 loads in flight. There are no bank conflicts. Tiles that cross an
// edge, and matrices with a side that is not a multiple of four, use scalar accesses.
// Work: 2n scalars moved.
// Summary: through a padded tile with vec4 loads and stores
// Look for: The gain over `tiled` from vec4 accesses. At large sizes, the rate should be near that of a copy. The gain
// is lost if a side is not a multiple of four.
// Limits: DRAM read/write turnaround. With f64 or small matrices, 64 invocations per workgroup cannot hide the barrier.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> input: array<vec4<T>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<T>>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

const TILE = 32u;
const ROW = TILE + 1u;

var<workgroup> tile: array<T, TILE * ROW>;

@compute @workgroup_size(8, 8)
fn main(
    @builtin(local_invocation_id) t: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    let corner = group.xy * TILE;
    let is_whole = corner.x + TILE <= sizes.columns && corner.y + TILE <= sizes.rows
        && sizes.rows % 4u == 0u && sizes.columns % 4u == 0u;
    if (is_whole) {
        let pitch = sizes.columns / 4u;
        let at = (corner.y + t.y) * pitch + corner.x / 4u + t.x;
        let a = input[at];
        let b = input[at + 8u * pitch];
        let c = input[at + 16u * pitch];
        let d = input[at + 24u * pitch];
        let cell = t.y * ROW + 4u * t.x;
        put(cell, a);
        put(cell + 8u * ROW, b);
        put(cell + 16u * ROW, c);
        put(cell + 24u * ROW, d);
    } else {
        let x = corner.x + index % TILE;
        for (var k = index / TILE; k < TILE; k += 2u) {
            let y = corner.y + k;
            if (x < sizes.columns && y < sizes.rows) {
                let source = y * sizes.columns + x;
                tile[k * ROW + index % TILE] = input[source / 4u][source % 4u];
            }
        }
    }
    workgroupBarrier();
    if (is_whole) {
        let pitch = sizes.rows / 4u;
        let at = (corner.x + t.y) * pitch + corner.y / 4u + t.x;
        let cell = 4u * t.x * ROW + t.y;
        output[at] = column(cell);
        output[at + 8u * pitch] = column(cell + 8u);
        output[at + 16u * pitch] = column(cell + 16u);
        output[at + 24u * pitch] = column(cell + 24u);
    } else {
        let x = corner.y + index % TILE;
        for (var k = index / TILE; k < TILE; k += 2u) {
            let y = corner.x + k;
            if (x < sizes.rows && y < sizes.columns) {
                let sink = y * sizes.rows + x;
                output[sink / 4u][sink % 4u] = tile[index % TILE * ROW + k];
            }
        }
    }
}

/// Stores four neighbours of a row to the tile.
fn put(cell: u32, four: vec4<T>) {
    tile[cell] = four.x;
    tile[cell + 1u] = four.y;
    tile[cell + 2u] = four.z;
    tile[cell + 3u] = four.w;
}

/// Four neighbours of a column of the tile.
fn column(cell: u32) -> vec4<T> {
    return vec4<T>(tile[cell], tile[cell + ROW], tile[cell + 2u * ROW], tile[cell + 3u * ROW]);
}
