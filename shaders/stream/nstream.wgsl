// BabelStream's nstream, out = a + b + s·c, one element per invocation, with an output of its own. The scalar s comes
// from the uniform as the bits of an f32.
// Pattern: three coalesced loads and one coalesced store per element, a multiplication and two additions between them.
// Work: 4n scalars moved, 3n operations.
// Summary: out = a + b + 3 c
// Look for: At least 3/4 of triad's speed: it moves 4 bytes for every 3 of triad, and with three reads per write instead
// of two, the bus turns around less often.
// Limits: Reads, three quarters of the traffic; its four streams open one more DRAM page at a time than triad.

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
