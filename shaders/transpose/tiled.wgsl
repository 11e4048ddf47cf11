// Transposes a matrix through a 32×32 tile of workgroup memory, so that both reads and writes are coalesced.
// Pattern: rows are written to the tile and columns are read. With PAD=0, a column is in one bank (32-way conflict);
// with PAD=1, it is spread over 32 banks. Each of the 32×HEIGHT invocations moves 32/HEIGHT elements.
// Work: 2n scalars moved.
// Summary: through a 32x32 tile of workgroup memory, unpadded (bank conflicts) and padded
// Look for: The speedup of PAD=1 over PAD=0 is the cost of bank conflicts; its speedup over the naive kernels is the
// gain from coalescing both reads and writes. Tiles that cross an edge also cost time.
// Limits: With PAD=0, workgroup memory, which serves a column one word at a time. With PAD=1, bytes in flight, since a
// barrier separates loads and stores.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override PAD: u32 = 1u;
override HEIGHT: u32 = 8u;

const TILE = 32u;

var<workgroup> tile: array<T, TILE * (TILE + PAD)>;

@compute @workgroup_size(TILE, HEIGHT)
fn main(@builtin(local_invocation_id) t: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let corner = group.xy * TILE;
    for (var k = t.y; k < TILE; k += HEIGHT) {
        let at = corner + vec2(t.x, k);
        if (at.x < sizes.columns && at.y < sizes.rows) {
            tile[k * (TILE + PAD) + t.x] = input[at.y * sizes.columns + at.x];
        }
    }
    workgroupBarrier();
    for (var k = t.y; k < TILE; k += HEIGHT) {
        let at = corner.yx + vec2(t.x, k);
        if (at.x < sizes.rows && at.y < sizes.columns) {
            output[at.y * sizes.rows + at.x] = tile[t.x * (TILE + PAD) + k];
        }
    }
}
