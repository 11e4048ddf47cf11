// Sums each block as `interleaved_workgroup` does, with the storageBarrier of `interleaved_global` added to every step
// (source workload A4).
// Pattern: the additions of `interleaved_workgroup`. The data stay on the SM, but storageBarrier has device scope in
// wgpu.
// Work: n scalars read.
// Summary: interleaved_workgroup with the barriers of interleaved_global added
// Look for: The speed relative to `interleaved_global` shows the gain from workgroup memory with device-scope barriers
// in both (except in CUDA, where `interleaved_global` has a weaker fence). The time relative to `interleaved_workgroup`
// shows the cost of the added barriers.
// Limits: Barriers of device scope, log2(WG) in sequence. If the API gives storageBarrier a smaller scope, the limits
// are those of `interleaved_workgroup`.

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
