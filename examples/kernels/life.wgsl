// Conway's Game of Life on a torus, one texel per cell.

@group(0) @binding(0) var cells: texture_2d<u32>;
@group(0) @binding(1) var next: texture_storage_2d<r32uint, write>;

@compute @workgroup_size(8, 8)
fn generation(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = textureDimensions(cells);
    if (any(id.xy >= size)) {
        return;
    }
    var neighbours = 0u;
    for (var k = 0u; k < 9u; k += 1u) {
        let near = (id.xy + size + vec2(k % 3u, k / 3u) - 1u) % size;
        neighbours += select(textureLoad(cells, near, 0).x, 0u, k == 4u);
    }
    let is_alive = textureLoad(cells, id.xy, 0).x == 1u;
    let lives = neighbours == 3u || (is_alive && neighbours == 2u);
    textureStore(next, id.xy, vec4(select(0u, 1u, lives), 0u, 0u, 0u));
}
