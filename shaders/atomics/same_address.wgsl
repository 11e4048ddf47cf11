// Every invocation adds ROUNDS numbers to one global word atomically; i + k, so that no two additions need be the same.
// Pattern: all invocations meet at one address. A compiler or a device may add a subgroup's numbers up first; that shows here.
// Work: ROUNDS n atomic additions.

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(1) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 8u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < sizes.n) {
        for (var k = 0u; k < ROUNDS; k++) {
            atomicAdd(&counters[0], i + k);
        }
    }
}
