// Sums a copy of each block in workgroup memory (source workload A4). The steps are those of `interleaved_global`, with
// workgroupBarrier instead of storageBarrier.
// Pattern: interleaved addressing with a modulo test. Each step leaves fewer active lanes in a subgroup.
// Work: n scalars read.
// Summary: interleaved addressing on a copy in workgroup memory
// Look for: The ratio to `interleaved_global`, which shows the effect of memory and barriers together. The gap to
// `sequential` is the cost of modulo and divergence, not of memory.
// Limits: Instructions: an integer remainder in each step, and subgroups that stay busy for one active lane.

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
        workgroupBarrier();
    }
    if (t == 0u && i < sizes.n) {
        block_sums[block] = tile[0];
    }
}
