// Reads every element of a volume once, slice by slice and row by row. The slice pitch is the row pitch × the height.
// Pattern: each workgroup reads a row, as in `rows_2d`, but the rows are too short to hide a misaligned start.
// Work: width × height × depth scalars read.
// Summary: reads the rows of a volume, slice by slice
// Look for: The speedup of PITCHED=1 over PITCHED=0 for rows of 65 to 511 elements. Misaligned starts and idle lanes
// cost more than in the long rows of `rows_2d`.
// Limits: Short rows: with workgroups of 64, a row of 65 elements takes two rounds, the second for one element.

alias T = f32;

struct Sizes { width: u32, height: u32, depth: u32, pitch: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 64u;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>) {
    var sum = T();
    let slice = sizes.pitch * sizes.height;
    for (var x = t; x < sizes.width; x += WG) {
        sum += input[group.y * slice + group.x * sizes.pitch + x];
    }
    output[(group.y * sizes.height + group.x) * WG + t] = sum;
}
