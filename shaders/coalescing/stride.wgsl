// Gathers every STRIDE-th element of an array: z[i] = x[STRIDE · i].
// Pattern: neighbours read STRIDE elements apart, so that a subgroup's 128 bytes span up to 32 sectors; stores are
// coalesced.
// Work: 2n scalars moved; x has n · STRIDE elements.
// Summary: z[i] = x[s·i], s = STRIDE
// Look for: Speed by STRIDE against the model, which is flat from stride 8 on, where each lane has its own sector.
// Where DRAM delivers 64 bytes at once (cache_curve/granule), the speed falls until stride 16, to half of the speed at
// stride 8.
// Limits: Bytes fetched and not used: seven eighths of each sector from stride 8 on, and more where DRAM delivers more
// than a sector at once.

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
