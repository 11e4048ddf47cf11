// Gathers every STRIDE-th element of an array: z[i] = x[STRIDE · i].
// Pattern: Neighbours read elements that are STRIDE apart, so a subgroup's loads span up to 32 sectors. Stores are
// coalesced.
// Work: 2n scalars moved; x has n · STRIDE elements.
// Summary: z[i] = x[s·i], s = STRIDE
// Look for: How the speed falls with STRIDE. The model is flat from stride 8 on, where each lane has its own sector. If
// DRAM delivers 64 bytes at once (see cache_curve/granule), stride 16 runs at half the speed of stride 8.
// Limits: Bytes fetched but not used: from stride 8 on, at least seven eighths of each fetch.

alias T = f32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> x: array<T>;
@group(0) @binding(1) var<storage, read_write> z: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override STRIDE: u32 = 1u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < sizes.n) {
        z[i] = x[STRIDE * i];
    }
}
