// BabelStream's copy, c = a, one element per invocation.
// Pattern: one coalesced load and one coalesced store per element; no arithmetic.
// Work: 2n scalars moved.
// Summary: c = a
// Look for: The baseline of this family, and the rate that papers quote as copy bandwidth. It should equal ceiling/copy
// at the same size.
// Limits: DRAM, if the arrays exceed the caches. Thousands of workgroups must also be launched fast enough.

alias T = vec4<f32>;

struct Sizes { elements: u32, scalar: u32 }

@group(0) @binding(0) var<storage, read> a: array<T>;
@group(0) @binding(1) var<storage, read_write> c: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < sizes.elements) {
        c[i] = a[i];
    }
}
