// Histogram of bytes, four per word. Each workgroup has COPIES histograms, each shared by WG / COPIES neighbouring
// invocations. The copies are merged at the end and added to the global histogram.
// Pattern: as in `workgroup_atomic`, with fewer invocations per counter, but COPIES KiB of workgroup memory.
// Work: n words read, 4n atomic additions to workgroup memory.
// Summary: several histograms per workgroup, merged at the end
// Look for: The best value of COPIES. Random bytes rarely collide, so more copies gain little and take longer to merge.
// Skewed data benefits from more copies of the histogram.
// Limits: Collisions with few copies; lower occupancy and a longer merge with many.

alias T = u32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override COPIES: u32 = 4u;

var<workgroup> counts: array<atomic<u32>, COPIES * 256u>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    for (var k = t; k < COPIES * 256u; k += WG) {
        atomicStore(&counts[k], 0u);
    }
    workgroupBarrier();
    let own = t * COPIES / WG * 256u;
    let stride = groups.x * groups.y * WG;
    for (var i = (group.y * groups.x + group.x) * WG + t; i < sizes.n; i += stride) {
        let word = input[i];
        atomicAdd(&counts[own + (word & 255u)], 1u);
        atomicAdd(&counts[own + ((word >> 8u) & 255u)], 1u);
        atomicAdd(&counts[own + ((word >> 16u) & 255u)], 1u);
        atomicAdd(&counts[own + (word >> 24u)], 1u);
    }
    workgroupBarrier();
    for (var bin = t; bin < 256u; bin += WG) {
        var count = 0u;
        for (var copy = 0u; copy < COPIES; copy++) {
            count += atomicLoad(&counts[copy * 256u + bin]);
        }
        atomicAdd(&bins[bin], count);
    }
}
