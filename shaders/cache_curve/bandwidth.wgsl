// Many invocations read a working set repeatedly. Each stores the sum of the values it reads.
// Pattern: Coalesced 16-byte loads, four independent loads at a time. Consecutive workgroups read consecutive pieces of
// 256 KiB, wrapping around at the end of the set.
// Work: Each invocation reads 64 vec4 elements.
// Summary: many invocations read the working set repeatedly with vec4 loads
// Look for: The bandwidth of each cache level and of DRAM. The ratio of two levels is the gain from keeping data in the
// faster one.
// Limits: Depending on the size, each SM's load unit, the crossbar to the shared cache, or DRAM. No measured peak
// applies, since caches serve the repeated reads of a launch.

alias T = vec4<f32>;

struct Sizes { mask: u32, sums: u32 }

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
    for (var k = 0u; k < ROUNDS; k += 4u) {
        let at = first + k * WG;
        a += input[at & sizes.mask];
        b += input[(at + WG) & sizes.mask];
        c += input[(at + 2u * WG) & sizes.mask];
        d += input[(at + 3u * WG) & sizes.mask];
    }
    let i = block * WG + t;
    if (i < sizes.sums) {
        let sum = (a + b) + (c + d);
        output[i] = (sum.x + sum.y) + (sum.z + sum.w);
    }
}
