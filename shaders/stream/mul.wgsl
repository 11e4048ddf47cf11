// BabelStream's mul, b = s·c, one element per invocation. The scalar s comes from the uniform as the bits of an f32:
// nothing folds.
// Pattern: one coalesced load and one coalesced store per element, one multiplication between them.
// Work: 2n scalars moved, n operations.
// Summary: b = s c
// Look for: The same time as copy: a multiplication between load and store is free. A difference is run-to-run
// variation, or f64 units so slow that one operation per element counts.
// Limits: DRAM, exactly as for copy: 1/16 operation per byte is little even for GPUs with few f64 units.

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
