// Rotates blocks of 256 words by 37 places through one of the 16 pages of a workgroup array of 16 KiB, after nobody, the API (which WGSL
// asks of it: no array can be initialised where it is declared) or, with ZEROING = 1, the kernel has set all of it to zero.
// Pattern: every word is written before it is read, so that the answer is the same and the time of zeroing stands out; which page is
// used is known at run time only, so that no compiler can tell which zeros nobody reads.
// Work: n words read and n written.

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
        // Words that no other invocation writes: the barrier below is enough.
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
