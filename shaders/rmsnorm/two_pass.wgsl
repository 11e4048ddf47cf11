// Normalises each row by its root mean square (Zhang & Sennrich, arXiv:1910.07467), one workgroup per row. The first
// launch computes a factor for each row, and the second multiplies by it.
// Pattern: coalesced scalar loads. Each launch reads the whole matrix, from DRAM if it exceeds the caches.
// Work: n scalars read and n written (the second read is not counted).
// Summary: two launches: the sum of squares, then the products
// Look for: Expect at most two thirds of the copy rate if the matrix exceeds the caches. The gap to `workgroup` is the
// cost of the second read from DRAM.
// Limits: Memory traffic of 3n scalars in 4-byte accesses. At small sizes, the second launch adds its latency.

alias T = f32;

/// Stage 0 finds the factors, stage 1 multiplies.
struct Sizes { rows: u32, columns: u32, stage: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read> gains: array<T>;
@group(0) @binding(2) var<storage, read_write> factors: array<T>;
@group(0) @binding(3) var<storage, read_write> output: array<T>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

/// Keeps rows of zeros finite.
const EPSILON = 1e-5f;

var<workgroup> parts: array<T, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let row = group.y * groups.x + group.x;
    if (row >= sizes.rows) {
        return;
    }
    let first = row * sizes.columns;
    if (sizes.stage == 1u) {
        let factor = factors[row];
        for (var column = t; column < sizes.columns; column += WG) {
            output[first + column] = input[first + column] * factor * gains[column];
        }
        return;
    }
    var sum = 0.0f;
    for (var column = t; column < sizes.columns; column += WG) {
        let x = input[first + column];
        sum += x * x;
    }
    parts[t] = sum;
    workgroupBarrier();
    for (var s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            parts[t] += parts[t + s];
        }
        workgroupBarrier();
    }
    if (t == 0u) {
        factors[row] = inverseSqrt(parts[0] / f32(sizes.columns) + EPSILON);
    }
}
