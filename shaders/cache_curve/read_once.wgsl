// Many invocations together read a working set once. Each stores the sum of the values it reads.
// Pattern: Coalesced 16-byte loads, four independent loads at a time, as in `bandwidth`. No byte is read twice in a
// launch.
// Work: Each invocation reads 64 elements, or fewer in the last workgroup.
// Summary: many invocations read the set once with vec4 loads
// Look for: The bandwidth of DRAM without help from a cache. It should equal the rate of `bandwidth` with the largest
// sets, and not exceed the read peak.
// Limits: DRAM, if the set is several times as large as the last-level cache.

alias T = vec4<f32>;

struct Sizes { elements: u32, sums: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

const ROUNDS = 64u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = group.y * groups.x + group.x;
    let first = block * ROUNDS * WG + t;
    var a = T(); var b = T(); var c = T(); var d = T();
    var k = 0u;
    for (; k < ROUNDS && first + (k + 3u) * WG < sizes.elements; k += 4u) {
        let at = first + k * WG;
        a += input[at];
        b += input[at + WG];
        c += input[at + 2u * WG];
        d += input[at + 3u * WG];
    }
    for (; k < ROUNDS && first + k * WG < sizes.elements; k += 1u) {
        a += input[first + k * WG];
    }
    let i = block * WG + t;
    if (i < sizes.sums) {
        let sum = (a + b) + (c + d);
        output[i] = (sum.x + sum.y) + (sum.z + sum.w);
    }
}
