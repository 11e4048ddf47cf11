// BabelStream's nstream, out = a + b + s·c, one element per invocation, with a separate output array. The scalar s is
// read from a uniform.
// Pattern: three coalesced loads, a multiplication, two additions and one coalesced store per element.
// Work: 4n scalars moved, 3n operations.
// Summary: out = a + b + 3 c
// Look for: Whether the byte rate is at least as high as that of triad, which has two reads per write instead of three.
// Limits: DRAM reads, which are three quarters of the traffic.

alias T = vec4<f32>;

struct Sizes { elements: u32, scalar: u32 }

@group(0) @binding(0) var<storage, read> a: array<T>;
@group(0) @binding(1) var<storage, read> b: array<T>;
@group(0) @binding(2) var<storage, read> c: array<T>;
@group(0) @binding(3) var<storage, read_write> out: array<T>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < sizes.elements) {
        out[i] = a[i] + b[i] + T(bitcast<f32>(sizes.scalar)) * c[i];
    }
}
