// Copies an array through workgroup memory. Each workgroup of 64 invocations allocates WORDS words but uses only 256. A
// larger allocation leaves fewer workgroups resident per compute unit, and fewer loads in flight.
// Pattern: one 16-byte load and one 16-byte store per invocation, each of a different element. The part in use is known
// only at run time, so no compiler can shorten the array.
// Work: 2n scalars moved.
// Summary: copies an array in workgroups of 64 that allocate more workgroup memory than they need
// Look for: How the rate depends on WORDS. It is flat while enough workgroups are resident to hide latency, then falls
// in proportion to their number. The bend shows the occupancy that a copy needs. A drop at small WORDS means that the
// API reserves more than requested.
// Limits: Bytes in flight per SM (resident workgroups × 64 invocations × 16 bytes), divided by DRAM latency.

alias T = vec4<f32>;

struct Sizes { elements: u32, page: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WORDS: u32 = 1024u;

const WG = 64u;

var<workgroup> pages: array<T, WORDS / 4u>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = group.y * groups.x + group.x;
    let page = (block + sizes.page) % (WORDS / (4u * WG)) * WG;
    let i = block * WG + t;
    if (i < sizes.elements) {
        pages[page + t] = input[i];
    }
    workgroupBarrier();
    let other = t ^ 32u;
    let j = block * WG + other;
    if (j < sizes.elements) {
        output[j] = pages[page + other];
    }
}
