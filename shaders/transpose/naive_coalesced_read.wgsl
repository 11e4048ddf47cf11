// Transposes a matrix element by element, reading along rows.
// Pattern: reads are coalesced. Neighbouring invocations write elements that are a whole output row apart.
// Work: 2n scalars moved.
// Summary: reads rows, writes columns
// Look for: The slowdown relative to naive_coalesced_write: caches help scattered loads more than scattered stores. A
// larger slowdown at powers of two than at 1000x3001 suggests cache-set conflicts.
// Limits: Stores of 4 bytes to each of 32 sectors, which the cache must merge into full lines.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override HEIGHT: u32 = 8u;

@compute @workgroup_size(32, HEIGHT)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < sizes.columns && id.y < sizes.rows) {
        output[id.x * sizes.rows + id.y] = input[id.y * sizes.columns + id.x];
    }
}
