// Reads every element of a matrix once; its rows are one pitch apart in memory. Each invocation adds up its columns.
// Pattern: each workgroup reads a row, and neighbouring invocations read neighbouring columns. Rows padded to a
// multiple of 256 bytes start on transaction boundaries; packed rows of odd width start anywhere.
// Work: rows × columns scalars read.
// Summary: reads the rows of a matrix, padded or packed
// Look for: The speedup of PITCHED=1 over PITCHED=0. The ratio is close to 1.0 on devices that cache sectors, since a
// sector that two rows share is fetched once. Padding is neither read nor counted.
// Limits: DRAM at large sizes. At small sizes, lanes at row ends are idle, since each row has its own workgroup.

alias T = f32;

struct Sizes { rows: u32, columns: u32, pitch: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let row = group.y * groups.x + group.x;
    if (row < sizes.rows) {
        var sum = T();
        for (var x = t; x < sizes.columns; x += WG) {
            sum += input[row * sizes.pitch + x];
        }
        output[row * WG + t] = sum;
    }
}
