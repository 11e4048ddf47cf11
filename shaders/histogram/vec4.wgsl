// Histogram of bytes with vec4 loads, counted per workgroup as in `workgroup_atomic`. Each invocation reads 64 words
// instead of 16, so there are fewer histograms to merge.
// Pattern: as in `workgroup_atomic`, with 16-byte loads.
// Work: n words read, 4n atomic additions to workgroup memory.
// Summary: vec4 loads, 64 words per invocation, fewer histograms to merge
// Look for: The gain over `workgroup_atomic`, which merges four times as many histograms. The gap to the read peak is
// the cost of counting.
// Limits: Atomic additions to workgroup memory: the busiest bank gets three or four of 32 random bytes, so an addition
// takes three or four passes.

alias T = u32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<vec4<T>>;
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
    let whole = sizes.n / 4u;
    var i = (group.y * groups.x + group.x) * WG + t;
    for (; i < whole; i += stride) {
        let four = input[i];
        count(four.x);
        count(four.y);
        count(four.z);
        count(four.w);
    }
    if (i == whole) {
        // The one invocation whose next element is the incomplete last one.
        for (var k = 0u; k < sizes.n % 4u; k++) {
            count(input[whole][k]);
        }
    }
    workgroupBarrier();
    for (var bin = t; bin < 256u; bin += WG) {
        atomicAdd(&bins[bin], atomicLoad(&counts[bin]));
    }
}

/// Counts the four bytes of a word.
fn count(word: u32) {
    atomicAdd(&counts[word & 255u], 1u);
    atomicAdd(&counts[(word >> 8u) & 255u], 1u);
    atomicAdd(&counts[(word >> 16u) & 255u], 1u);
    atomicAdd(&counts[word >> 24u], 1u);
}
