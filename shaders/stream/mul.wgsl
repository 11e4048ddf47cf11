// BabelStream's mul, b = s·c, one element per invocation. The scalar s is read from a uniform, so the compiler cannot
// fold it.
// Pattern: one coalesced load, one multiplication and one coalesced store per element.
// Work: 2n scalars moved, n operations.
// Summary: b = s c
// Look for: Whether it takes as long as copy: the multiplication should be free. Any difference comes from run-to-run
// variation or very slow f64 units.
// Limits: DRAM, as for copy. One operation per 8 bytes (f32) or 16 bytes (f64) is far from compute-bound.

alias T = vec4<f32>;

struct Sizes { elements: u32, scalar: u32 }

@group(0) @binding(0) var<storage, read> c: array<T>;
@group(0) @binding(1) var<storage, read_write> b: array<T>;
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
        b[i] = T(bitcast<f32>(sizes.scalar)) * c[i];
    }
}
