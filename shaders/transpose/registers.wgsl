// Transposes a matrix without workgroup memory: each invocation transposes a block of 4×4 elements in registers.
// Pattern: 32 neighbouring invocations read 16-byte pieces of 8 rows and write 16-byte pieces of 16: whole 32-byte
// sectors both ways, which the cache merges into lines. No barrier, no tile, no bank conflict. Workgroups cover 64×64
// elements. Blocks that cross an edge, and matrices with a side that is not a multiple of four (rows not aligned to a
// vec4), use scalar accesses.
// Work: 2n scalars moved.
// Summary: 4x4 elements per invocation transposed in registers, without workgroup memory
// Look for: Whether it is as fast as tiled_vec4: then whole sectors suffice, and the cache assembles lines as well as a
// tile does. In f64 its 32-byte pieces take two accesses, half a sector row each, and it is slower.
// Limits: DRAM where the cache keeps lines until all their stores arrive; partly written sectors where it does not.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> input: array<vec4<T>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<T>>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

const TILE = 64u;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>) {
    // Blocks of neighbouring invocations: 4 along the rows by 8 along the columns; 4 by 2 of these make the workgroup's
    // tile.
    let x = group.x * TILE + (t / 32u % 4u * 4u + t % 4u) * 4u;
    let y = group.y * TILE + (t / 128u * 8u + t % 32u / 4u) * 4u;
    if (x + 4u <= sizes.columns && y + 4u <= sizes.rows && (sizes.columns | sizes.rows) % 4u == 0u) {
        let pitch = sizes.columns / 4u;
        let source = y * pitch + x / 4u;
        let a = input[source];
        let b = input[source + pitch];
        let c = input[source + 2u * pitch];
        let d = input[source + 3u * pitch];
        let height = sizes.rows / 4u;
        let to = x * height + y / 4u;
        output[to] = vec4<T>(a.x, b.x, c.x, d.x);
        output[to + height] = vec4<T>(a.y, b.y, c.y, d.y);
        output[to + 2u * height] = vec4<T>(a.z, b.z, c.z, d.z);
        output[to + 3u * height] = vec4<T>(a.w, b.w, c.w, d.w);
        return;
    }
    for (var row = y; row < min(y + 4u, sizes.rows); row++) {
        for (var column = x; column < min(x + 4u, sizes.columns); column++) {
            let source = row * sizes.columns + column;
            let sink = column * sizes.rows + row;
            output[sink / 4u][sink % 4u] = input[source / 4u][source % 4u];
        }
    }
}
