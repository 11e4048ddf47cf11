// BabelStream's triad, a = b + s·c, one element per invocation. The scalar s comes from the uniform as the bits of an
// f32.
// Pattern: two coalesced loads and one coalesced store per element, a multiplication and an addition between them.
// Work: 3n scalars moved, 2n operations.
// Summary: a = b + s c
// Look for: BabelStream's headline. It should equal add within 1 %, whether or not the compiler fuses the
// multiplication and the addition.
// Limits: The three streams of add: 2 operations per 12 or 24 bytes are far from compute-bound.

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
