// Histogram of bytes, four per word: each workgroup counts into its own histogram, then adds it to the global one.
// Pattern: 4-byte loads with a stride of the whole grid, atomic additions to workgroup memory, then one global atomic
// addition per bin per workgroup.
// Work: n words read, 4n atomic additions to workgroup memory.
// Summary: one histogram per workgroup, added to the global one at the end
// Look for: The percentage of the peak read bandwidth reached. Random bytes rarely collide; with a frequent value, the
// speed would fall towards that of `global_atomic`.
// Limits: Atomic additions to workgroup memory, serialised for lanes with the same bin. At small sizes, merging the
// histograms dominates.

alias T = u32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

var<workgroup> counts: array<atomic<u32>, 256>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    for (var bin = t; bin < 256u; bin += WG) {
        atomicStore(&counts[bin], 0u);
    }
    workgroupBarrier();
    let stride = groups.x * groups.y * WG;
    for (var i = (group.y * groups.x + group.x) * WG + t; i < sizes.n; i += stride) {
        let word = input[i];
        atomicAdd(&counts[word & 255u], 1u);
        atomicAdd(&counts[(word >> 8u) & 255u], 1u);
        atomicAdd(&counts[(word >> 16u) & 255u], 1u);
        atomicAdd(&counts[word >> 24u], 1u);
    }
    workgroupBarrier();
    for (var bin = t; bin < 256u; bin += WG) {
        atomicAdd(&bins[bin], atomicLoad(&counts[bin]));
    }
}
