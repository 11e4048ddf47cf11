// Sum of each block on a copy in workgroup memory, as in `interleaved_workgroup`, with the barrier of
// `interleaved_global` in addition to the workgroup's in every step (source workload A4). WGSL has no call for both: a
// step has two barriers.
// Pattern: the additions of `interleaved_workgroup`; the data stay on the SM, the barrier waits for the device.
// Work: n scalars read.
// Summary: interleaved_workgroup with the barriers of interleaved_global added
// Look for: Two ratios. The speed relative to interleaved_global is the effect of the memory at the same barriers
// (except in CUDA, where interleaved_global has the weaker fence of the block). The time relative to
// interleaved_workgroup is the effect of the barriers alone. WGSL needs two barriers per step here; CUDA needs a fence
// and a barrier.
// Limits: Barriers of the device's scope, log2 of the workgroup size in sequence, where the API gives storageBarrier
// that scope; else as in interleaved_workgroup.

alias T = f32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> block_sums: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 512u;

var<workgroup> tile: array<T, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = group.y * groups.x + group.x;
    let i = block * WG + t;
    var own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    tile[t] = own;
    workgroupBarrier();
    for (var s = 1u; s < WG; s *= 2u) {
        if (t % (2u * s) == 0u) {
            tile[t] += tile[t + s];
        }
        storageBarrier();
        workgroupBarrier();
    }
    if (t == 0u && i < sizes.n) {
        block_sums[block] = tile[0];
    }
}
