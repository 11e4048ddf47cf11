// Inclusive scan in several passes: each workgroup scans a block and stores its sum, the block sums are scanned in the
// same way, and each block adds the sum of all earlier blocks.
// Pattern: four neighbouring elements per invocation, then a Hillis-Steele scan of the invocations' sums in workgroup
// memory, in log2(WG) steps.
// Work: n scalars read and n written.
// Summary: scans blocks, scans the block sums, adds the preceding sums
// Look for: Expect at most half of the copy rate, since the passes move twice the counted bytes. Below a fifth, the
// Hillis-Steele steps and their barriers cost more than memory.
// Limits: Memory traffic of 4n scalars. At small sizes, launch latency: each launch waits for the previous one.

alias T = f32;

struct Sizes { n: u32, is_adding: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<storage, read_write> block_sums: array<T>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

var<workgroup> sums: array<T, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = group.y * groups.x + group.x;
    let first = (block * WG + t) * 4u;
    if (sizes.is_adding == 1u) {
        if (block > 0u && first < sizes.n) {
            let before = block_sums[block - 1u];
            if (first + 3u < sizes.n) {
                // All loads before the first store: in a loop each load would wait for the store before.
                let a = output[first]; let b = output[first + 1u];
                let c = output[first + 2u]; let d = output[first + 3u];
                output[first] = a + before; output[first + 1u] = b + before;
                output[first + 2u] = c + before; output[first + 3u] = d + before;
            } else {
                for (var i = first; i < sizes.n; i++) {
                    output[i] += before;
                }
            }
        }
    } else {
        var a = T(); var b = T(); var c = T(); var d = T();
        if (first < sizes.n) { a = input[first]; }
        if (first + 1u < sizes.n) { b = input[first + 1u]; }
        if (first + 2u < sizes.n) { c = input[first + 2u]; }
        if (first + 3u < sizes.n) { d = input[first + 3u]; }
        b += a; c += b; d += c;
        sums[t] = d;
        workgroupBarrier();
        for (var s = 1u; s < WG; s *= 2u) {
            var own = sums[t];
            if (t >= s) {
                own += sums[t - s];
            }
            workgroupBarrier();
            sums[t] = own;
            workgroupBarrier();
        }
        var before = T();
        if (t > 0u) {
            before = sums[t - 1u];
        }
        if (first < sizes.n) { output[first] = before + a; }
        if (first + 1u < sizes.n) { output[first + 1u] = before + b; }
        if (first + 2u < sizes.n) { output[first + 2u] = before + c; }
        if (first + 3u < sizes.n) { output[first + 3u] = before + d; }
        if (t == WG - 1u && block * WG * 4u < sizes.n) {
            block_sums[block] = sums[t];
        }
    }
}
