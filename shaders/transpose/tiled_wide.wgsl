// Transposes a matrix in 64×64 tiles, each in two halves through padded workgroup memory. Whole rows of 64 elements are
// written.
// Pattern: all 16 loads of an invocation are in flight at once, so the second half loads while the first is transposed.
// Workgroups are numbered down the columns, so concurrent workgroups write neighbouring parts of the same rows.
// Work: 2n scalars moved.
// Summary: 64x64 elements per workgroup through a padded half tile, all loads first
// Look for: How close the rate comes to that of a copy at large sizes. This kernel keeps more bytes in flight per
// invocation than `tiled` and writes 256 bytes of a row at once.
// Limits: DRAM read/write turnaround. At small sizes, there are too few workgroups to fill the device.

alias T = f32;

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

const SIDE = 64u;
const HALF = 32u;
const PITCH = SIDE + 1u;

/// Half of a tile, by columns.
var<workgroup> half: array<T, HALF * PITCH>;

@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = group.y * groups.x + group.x;
    let corner = vec2(number / groups.y, number % groups.y) * SIDE;
    // Tiles that cross no edge are moved without branches: a driver may wait for a load before a branch.
    if (corner.x + SIDE <= sizes.columns && corner.y + SIDE <= sizes.rows) {
        turn(corner, t, true);
    } else {
        turn(corner, t, false);
    }
}

/// `is_whole` is a literal in every call, so that its branches are removed.
fn turn(corner: vec2<u32>, t: u32, is_whole: bool) {
    let x = corner.x + t % HALF;
    let y = corner.y + t / HALF;
    let a = four(x, y, is_whole);
    let b = four(x, y + 32u, is_whole);
    let c = four(x + HALF, y, is_whole);
    let d = four(x + HALF, y + 32u, is_whole);
    let cell = t % HALF * PITCH + t / HALF;
    keep(cell, a);
    keep(cell + 32u, b);
    workgroupBarrier();
    write(corner, t, is_whole);
    workgroupBarrier();
    keep(cell, c);
    keep(cell + 32u, d);
    workgroupBarrier();
    write(vec2(corner.x + HALF, corner.y), t, is_whole);
}

/// Every eighth element of column x, from row y on; elements outside of the matrix are never written.
fn four(x: u32, y: u32, is_whole: bool) -> vec4<T> {
    return vec4<T>(
        element(x, y, is_whole), element(x, y + 8u, is_whole),
        element(x, y + 16u, is_whole), element(x, y + 24u, is_whole),
    );
}

fn element(x: u32, y: u32, is_whole: bool) -> T {
    if (is_whole || (x < sizes.columns && y < sizes.rows)) {
        return input[y * sizes.columns + x];
    }
    return T();
}

fn keep(cell: u32, x: vec4<T>) {
    half[cell] = x.x;
    half[cell + 8u] = x.y;
    half[cell + 16u] = x.z;
    half[cell + 24u] = x.w;
}

/// Writes the half's columns, from `corner` on, as rows: 64 invocations per row, four rows at a time.
fn write(corner: vec2<u32>, t: u32, is_whole: bool) {
    let x = corner.y + t % SIDE;
    for (var k = t / SIDE; k < HALF; k += 4u) {
        let y = corner.x + k;
        if (is_whole || (x < sizes.rows && y < sizes.columns)) {
            output[y * sizes.rows + x] = half[k * PITCH + t % SIDE];
        }
    }
}
