// Fills 16 KiB of workgroup memory, reads it back in another order, and stores one sum per invocation.
// Pattern: the workgroup does little else, so the cost of zero-initialisation is visible. Every word is written before
// it is read, so zeroing does not change the results.
// Work: n scalars written; 16 words of workgroup memory written and read per scalar.
// Summary: fills workgroup memory and reads it back
// Look for: The cost of zeroing 16 KiB that the kernel overwrites anyway: one more store per word and a barrier.
// Limits: Stores to workgroup memory and the barrier after them. The 16 KiB per workgroup can also lower occupancy.

alias T = u32;

struct Sizes { elements: u32 }

@group(0) @binding(0) var<storage, read_write> output: array<T>;
@group(0) @binding(1) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

const WORDS = 4096u;

var<workgroup> block: array<T, WORDS>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let first = (group.y * groups.x + group.x) * WG;
    for (var k = t; k < WORDS; k += WG) {
        block[k] = (first + k) * 2654435761u;
    }
    workgroupBarrier();
    var sum = 0u;
    for (var k = WORDS - 1u - t; k < WORDS; k -= WG) {
        sum = sum * 3u + block[k];
    }
    if (first + t < sizes.elements) {
        output[first + t] = sum;
    }
}
