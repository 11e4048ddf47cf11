// Adds one element of a uniform buffer to every element of an array: z[i] = x[0] + y[i].
// Pattern: All invocations read the same word through the constant cache, which moves no sectors. Other accesses are
// coalesced.
// Work: 2n scalars moved.
// Summary: z[i] = x[0] + y[i], x in a uniform buffer
// Look for: Whether it is at least as fast as `broadcast_storage`. Some drivers turn one kind of access into the other.
// Limits: DRAM, as for a copy of y to z. After its first use, x[0] is in a register or in the constant cache.

alias T = f32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<uniform> x: vec4<T>;
@group(0) @binding(1) var<storage, read> y: array<T>;
@group(0) @binding(2) var<storage, read_write> z: array<T>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < sizes.n) {
        z[i] = x.x + y[i];
    }
}
