// Adds one element of a storage buffer to every element of an array: z[i] = x[0] + y[i].
// Pattern: all invocations read one word (4 bytes of a 32-byte sector: 12.5 %), besides coalesced loads and stores.
// Work: 2n scalars moved.
// Summary: z[i] = x[0] + y[i], x in a storage buffer
// Look for: Nearly the speed of broadcast_uniform: the only sector is cached at once, so the use of 12.5 % of its 32
// bytes costs nothing. A gap is the cost of the load instruction.
// Limits: The coalesced streams: y is read and z written; x costs an issue slot.

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
