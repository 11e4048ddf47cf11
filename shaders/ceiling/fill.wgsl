// Fills an array with values that depend on the index.
// Pattern: Coalesced stores only.
// Work: n scalars written.
// Summary: writes an array with vec4 stores
// Look for: The rate of stores relative to that of loads. If `fill` is much faster than `copy` with small sets, the
// writes stay in a write-back cache.
// Limits: The path from the SMs to L2; at larger sizes, DRAM write bandwidth. A device that fetches lines before
// overwriting them moves twice the bytes.

alias T = vec4<f32>;

struct Sizes { elements: u32, base: u32 }

@group(0) @binding(0) var<storage, read_write> output: array<T>;
@group(0) @binding(1) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < sizes.elements) {
        output[i] = T(f32(sizes.base + (i & 1023u)));
    }
}
