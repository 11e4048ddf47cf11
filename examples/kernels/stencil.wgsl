// A 5-point stencil: one invocation per element, neighbours from global memory. Elements at the edge are copied.

@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@group(0) @binding(2) var<uniform> sides: vec4<u32>;

override TILE: u32 = 16u;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let rows = sides.x;
    let columns = sides.y;
    if (id.x >= columns || id.y >= rows) {
        return;
    }
    let i = id.y * columns + id.x;
    let is_inner = id.x > 0u && id.y > 0u && id.x + 1u < columns && id.y + 1u < rows;
    if (is_inner) {
        output[i] = 0.5 * input[i] + 0.125 * (input[i - 1u] + input[i + 1u] + input[i - columns] + input[i + columns]);
    } else {
        output[i] = input[i];
    }
}
