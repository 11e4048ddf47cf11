// BabelStream's add, c = a + b, one element per invocation.
// Pattern: two coalesced loads and one coalesced store per element.
// Work: 3n scalars moved, n operations.
// Summary: c = a + b
// Look for: Whether the byte rate is higher than that of copy: with two reads per write, the memory bus can switch
// direction less often.
// Limits: DRAM reads, which are two thirds of the traffic.

alias T = vec4<f32>;

struct Sizes { elements: u32, scalar: u32 }

@group(0) @binding(0) var<storage, read> a: array<T>;
@group(0) @binding(1) var<storage, read> b: array<T>;
@group(0) @binding(2) var<storage, read_write> c: array<T>;
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
        c[i] = a[i] + b[i];
    }
}
