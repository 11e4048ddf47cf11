// Histogram of bytes, four per word: every byte adds 1 to its bin in global memory.
// Pattern: one coalesced load, then four atomic additions to 256 global words that all invocations share.
// Work: n words read, 4n atomic additions.
// Summary: one atomic addition to global memory per byte
// Look for: The slowdown relative to the other kernels: all SMs add to the same 1 KiB. Random bytes are the best case;
// an image with one dominant colour would be slower.
// Limits: The atomic units of L2, which perform few additions per cycle on one cache line.

alias T = u32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < sizes.n) {
        let word = input[i];
        atomicAdd(&bins[word & 255u], 1u);
        atomicAdd(&bins[(word >> 8u) & 255u], 1u);
        atomicAdd(&bins[(word >> 16u) & 255u], 1u);
        atomicAdd(&bins[word >> 24u], 1u);
    }
}
