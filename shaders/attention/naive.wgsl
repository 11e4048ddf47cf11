// Attention with all scores in memory, in three launches.
// Pattern: An invocation computes a score or an element of the output; a workgroup computes the softmax of a row. All
// operands are in global memory. Each of a head's length² scores is written, replaced by its softmax, and read D times.
// Work: 4 · heads · length² · D operations, half if causal. q, k, v and the output are each counted once.
// Summary: three launches with all scores in memory: q·k, softmax, product with v
// Look for: The percentage of the FMA peak reached. CAUSAL=1 has half the operations and should take half the time.
// Limits: Each multiply-add needs two loads, and the loads of keys are not coalesced. With long sequences, the scores
// also pass through DRAM.

alias T = f32;

/// Stage 0 writes the scores, stage 1 the softmax of each row, stage 2 the output.
struct Sizes { heads: u32, length: u32, stage: u32 }

@group(0) @binding(0) var<storage, read> q: array<T>;
@group(0) @binding(1) var<storage, read> k: array<T>;
@group(0) @binding(2) var<storage, read> v: array<T>;
@group(0) @binding(3) var<storage, read_write> scores: array<T>;
@group(0) @binding(4) var<storage, read_write> output: array<T>;
@group(0) @binding(5) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
/// Elements of a query, a key and a value.
override D: u32 = 128u;
/// 1: a query attends to no key after its own position.
override CAUSAL: u32 = 0u;

const LOWEST = -0x1.fffffep+127f;

var<workgroup> parts: array<T, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = group.y * groups.x + group.x;
    let length = sizes.length;
    if (sizes.stage == 0u) {
        let i = number * WG + t;
        if (i < sizes.heads * length * length) {
            let row = i / length;
            let key = i % length;
            if (CAUSAL == 0u || key <= row % length) {
                let from_q = row * D;
                let from_k = (row / length * length + key) * D;
                var sum = 0.0f;
                for (var c = 0u; c < D; c++) {
                    sum += q[from_q + c] * k[from_k + c];
                }
                scores[i] = sum * inverseSqrt(f32(D));
            }
        }
        return;
    }
    if (sizes.stage == 1u) {
        if (number >= sizes.heads * length) {
            return;
        }
        let first = number * length;
        let end = select(length, number % length + 1u, CAUSAL == 1u);
        var top = LOWEST;
        for (var key = t; key < end; key += WG) {
            top = max(top, scores[first + key]);
        }
        parts[t] = top;
        workgroupBarrier();
        for (var s = WG / 2u; s > 0u; s /= 2u) {
            if (t < s) {
                parts[t] = max(parts[t], parts[t + s]);
            }
            workgroupBarrier();
        }
        top = parts[0];
        workgroupBarrier();
        var sum = 0.0f;
        for (var key = t; key < end; key += WG) {
            sum += exp(scores[first + key] - top);
        }
        parts[t] = sum;
        workgroupBarrier();
        for (var s = WG / 2u; s > 0u; s /= 2u) {
            if (t < s) {
                parts[t] += parts[t + s];
            }
            workgroupBarrier();
        }
        let factor = 1.0f / parts[0];
        for (var key = t; key < end; key += WG) {
            scores[first + key] = exp(scores[first + key] - top) * factor;
        }
        return;
    }
    let i = number * WG + t;
    if (i < sizes.heads * length * D) {
        let row = i / D;
        let end = select(length, row % length + 1u, CAUSAL == 1u);
        let from_v = row / length * length * D + i % D;
        var sum = 0.0f;
        for (var key = 0u; key < end; key++) {
            sum += scores[row * length + key] * v[from_v + key * D];
        }
        output[i] = sum;
    }
}
