// Rotates blocks of 256 words by 37 positions through one of 16 pages of a 16 KiB workgroup array. The array is not
// zeroed, is zeroed by the API (as WGSL requires), or is zeroed by the kernel (`ZEROING=1`).
// Pattern: every word is written before it is read, so only the cost of zeroing differs. The page in use is known only
// at run time, so no compiler can tell which zeros are never read.
// Work: n words read and n written.
// Summary: a 16 KiB array with 1 KiB in use: not zeroed, zeroed by the API, zeroed by the kernel
// Look for: The times of the three variants relative to each other. If both run the same zeroing loop, the API takes as
// long as the kernel.
// Limits: Zeroing: each workgroup stores 16 KiB and waits at a barrier to use 1 KiB. With an array of this size, few
// workgroups fit on an SM.

alias T = u32;

struct Sizes { n: u32, page: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override ZEROING: u32 = 0u;

const WG = 256u;
const WORDS = 4096u;

var<workgroup> block: array<T, WORDS>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = group.y * groups.x + group.x;
    let page = (number + sizes.page) % (WORDS / WG) * WG;
    let i = number * WG + t;
    if (ZEROING == 1u) {
        // No other invocation writes these words: the barrier below is enough.
        for (var k = t; k < WORDS; k += WG) {
            block[k] = 0u;
        }
    }
    var own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    block[page + t] = own;
    workgroupBarrier();
    let other = (t + 37u) % WG;
    if (i < sizes.n) {
        output[i] = block[page + other];
    }
}
