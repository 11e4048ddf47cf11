// BabelStream's triad, a = b + s·c, one element per invocation. The scalar s is read from a uniform.
// Pattern: two coalesced loads, a multiplication, an addition and one coalesced store per element.
// Work: 3n scalars moved, 2n operations.
// Summary: a = b + s c
// Look for: The rate usually quoted for BabelStream. It should be within 1 % of add's, whether or not the compiler uses
// FMAs.
// Limits: DRAM, with three streams as in add. Two operations per 12 or 24 bytes are far from compute-bound.

alias T = vec4<f32>;

struct Sizes { elements: u32, scalar: u32 }

@group(0) @binding(0) var<storage, read> b: array<T>;
@group(0) @binding(1) var<storage, read> c: array<T>;
@group(0) @binding(2) var<storage, read_write> a: array<T>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < sizes.elements) {
        a[i] = b[i] + T(bitcast<f32>(sizes.scalar)) * c[i];
    }
}
