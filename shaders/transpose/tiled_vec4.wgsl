// Transposes a matrix through a padded 32×32 tile with loads and stores of four elements at a time.
// Pattern: 8×8 invocations, each of which moves four vec4: fewer, wider memory instructions, more of them in flight.
// Where a side is no multiple of four, rows are not aligned to a vec4, and the same invocations move single elements.
// Work: 2n scalars moved.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> input: array<vec4<T>>;
@group(0) @binding(1) var<storage, read_write> output: array<vec4<T>>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override HEIGHT: u32 = 8u;

const TILE = 32u;
const ROW = TILE + 1u;

var<workgroup> tile: array<T, TILE * ROW>;

@compute @workgroup_size(8, HEIGHT)
fn main(@builtin(local_invocation_id) t: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let corner = group.xy * TILE;
    let x = 4u * t.x;
    let is_aligned = sizes.rows % 4u == 0u && sizes.columns % 4u == 0u;
    for (var k = t.y; k < TILE; k += HEIGHT) {
        let at = corner + vec2(x, k);
        let first = at.y * sizes.columns + at.x;
        let cell = k * ROW + x;
        if (at.y < sizes.rows) {
            if (is_aligned && at.x < sizes.columns) {
                let four = input[first / 4u];
                tile[cell] = four.x;
                tile[cell + 1u] = four.y;
                tile[cell + 2u] = four.z;
                tile[cell + 3u] = four.w;
            } else {
                for (var c = 0u; c < 4u && at.x + c < sizes.columns; c++) {
                    tile[cell + c] = input[(first + c) / 4u][(first + c) % 4u];
                }
            }
        }
    }
    workgroupBarrier();
    for (var k = t.y; k < TILE; k += HEIGHT) {
        let at = corner.yx + vec2(x, k);
        let first = at.y * sizes.rows + at.x;
        let cell = x * ROW + k;
        if (at.y < sizes.columns) {
            if (is_aligned && at.x < sizes.rows) {
                output[first / 4u] =
                    vec4<T>(tile[cell], tile[cell + ROW], tile[cell + 2u * ROW], tile[cell + 3u * ROW]);
            } else {
                for (var c = 0u; c < 4u && at.x + c < sizes.rows; c++) {
                    output[(first + c) / 4u][(first + c) % 4u] = tile[cell + c * ROW];
                }
            }
        }
    }
}
