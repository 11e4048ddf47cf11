// Sums each block in place in global memory (source workload A3). In step s = 1, 2, 4, …, invocation t adds element t +
// s to element t if t is a multiple of 2s. A barrier follows each step.
// Pattern: interleaved addressing with a modulo test.
// Work: n scalars read.
// Summary: interleaved addressing, in place in global memory
// Look for: The slowdown relative to all other reductions: each step accesses global memory, and at least half of the
// lanes are idle. The ratio to `interleaved_workgroup` includes this kernel's barriers, which have device scope in wgpu
// but block scope in CUDA.
// Limits: The latency of log2(WG) round trips to a cache, and the barriers between them. On an H200, the CUDA port with
// its weaker fence takes less than a third of the time.

alias T = f32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read_write> data: array<T>;
@group(0) @binding(1) var<storage, read_write> block_sums: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 512u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = group.y * groups.x + group.x;
    let i = block * WG + t;
    for (var s = 1u; s < WG; s *= 2u) {
        if (t % (2u * s) == 0u && i + s < sizes.n) {
            data[i] += data[i + s];
        }
        storageBarrier();
    }
    if (t == 0u && i < sizes.n) {
        block_sums[block] = data[i];
    }
}
