// Fills 16 KiB of workgroup memory, reads it back in another order, and stores the values.
// Pattern: the workgroup does little else, so that the cost of zero-initialisation shows. Every word is written before
// it is read: the result is the same with and without it.
// Work: n scalars written, 16 words of workgroup memory written and read for each.
// Summary: fills workgroup memory and reads it back
// Look for: The cost of zeroing 16 KiB in a kernel that writes all of them anyway: one more store per word and a
// barrier.
// Limits: Workgroup memory's stores and the barrier after them; 16 KiB per workgroup lower the occupancy.

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
