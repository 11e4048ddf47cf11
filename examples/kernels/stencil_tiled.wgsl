// The 5-point stencil through workgroup memory: a tile and its border are loaded once.

@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@group(0) @binding(2) var<uniform> sides: vec4<u32>;

override TILE: u32 = 16u;

var<workgroup> tile: array<f32, (TILE + 2u) * (TILE + 2u)>;

fn at(row: i32, column: i32) -> f32 {
    let rows = i32(sides.x);
    let columns = i32(sides.y);
    return input[u32(clamp(row, 0, rows - 1) * columns + clamp(column, 0, columns - 1))];
}

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let side = TILE + 2u;
    let first = vec2<i32>(group.yx * TILE) - 1;
    for (var k = local.y * TILE + local.x; k < side * side; k += TILE * TILE) {
        tile[k] = at(first.x + i32(k / side), first.y + i32(k % side));
    }
    workgroupBarrier();
    let row = group.y * TILE + local.y;
    let column = group.x * TILE + local.x;
    if (row >= sides.x || column >= sides.y) {
        return;
    }
    let k = (local.y + 1u) * side + local.x + 1u;
    let is_inner = row > 0u && column > 0u && row + 1u < sides.x && column + 1u < sides.y;
    let near = tile[k - 1u] + tile[k + 1u] + tile[k - side] + tile[k + side];
    output[row * sides.y + column] = select(tile[k], 0.5 * tile[k] + 0.125 * near, is_inner);
}
