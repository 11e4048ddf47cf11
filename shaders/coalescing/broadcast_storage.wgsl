// Adds one element of a storage buffer to every element of an array: z[i] = x[0] + y[i].
// Pattern: All invocations read the same word, 4 bytes of a 32-byte sector (12.5 %). Other accesses are coalesced.
// Work: 2n scalars moved.
// Summary: z[i] = x[0] + y[i], x in a storage buffer
// Look for: Whether it is nearly as fast as `broadcast_uniform`: the sector is cached, so using only 12.5 % of it costs
// nothing. Any gap is the cost of the load instruction.
// Limits: The loads of y and stores of z. The load of x costs only an issue slot.

alias T = f32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> x: array<T>;
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
        z[i] = x[0] + y[i];
    }
}
