// Transposes a matrix without workgroup memory: each invocation transposes a block of 4×4 elements in registers.
// Pattern: workgroups cover 64×64 elements. With f32, each load of 32 invocations reads 64 bytes from each of 8 rows,
// and each store writes 128 bytes to each of 4 rows. Matrices with a side that is not a multiple of four use scalar
// accesses.
// Work: 2n scalars moved.
// Summary: 4x4 elements per invocation transposed in registers, without workgroup memory
// Look for: Whether this kernel is as fast as tiled_vec4. If so, the cache merges whole sectors into lines as well as a
// tile does. With f64, a 32-byte vec4 takes two accesses, each of which uses half of a sector, and tiled_vec4 is faster
// at large sizes.
// Limits: DRAM, if the cache keeps each line until all its stores have arrived; otherwise partly written sectors.

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
