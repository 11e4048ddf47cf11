// Softmax of each row, one workgroup per row, in three launches.
// Pattern: coalesced scalar loads. Each launch reads the whole matrix, from DRAM if it exceeds the caches.
// Work: n scalars read and n written (the reads of the other two launches are not counted).
// Summary: three launches: the maximum, the sum of exponentials, the quotients
// Look for: Expect at most half of the copy rate if the matrix exceeds the caches. Rows of 128 elements leave half of
// the invocations idle.
// Limits: Memory traffic of 4n scalars in 4-byte accesses. At small sizes, the overhead of the three launches
// dominates.

alias T = f32;

/// Stage 0 finds the maxima, stage 1 the sums, stage 2 writes the quotients.
struct Sizes { rows: u32, columns: u32, stage: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> maxima: array<T>;
@group(0) @binding(2) var<storage, read_write> sums: array<T>;
@group(0) @binding(3) var<storage, read_write> output: array<T>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

const LOWEST = -0x1.fffffep+127f;

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
    if (sizes.stage == 2u) {
        let top = maxima[row];
        let factor = 1.0f / sums[row];
        for (var column = t; column < sizes.columns; column += WG) {
            output[first + column] = exp(input[first + column] - top) * factor;
        }
        return;
    }
    if (sizes.stage == 0u) {
        var top = LOWEST;
        for (var column = t; column < sizes.columns; column += WG) {
            top = max(top, input[first + column]);
        }
        parts[t] = top;
        workgroupBarrier();
        for (var s = WG / 2u; s > 0u; s /= 2u) {
            if (t < s) {
                parts[t] = max(parts[t], parts[t + s]);
            }
            workgroupBarrier();
        }
        if (t == 0u) {
            maxima[row] = parts[0];
        }
        return;
    }
    let top = maxima[row];
    var sum = 0.0f;
    for (var column = t; column < sizes.columns; column += WG) {
        sum += exp(input[first + column] - top);
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
        sums[row] = parts[0];
    }
}
