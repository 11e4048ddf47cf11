// Many invocations read a working set repeatedly; each stores the sum of the values that it read.
// Pattern: coalesced 16-byte loads, four independent ones at a time. A workgroup reads 256 KiB in sequence (a smaller
// set several times), and the next workgroup continues after it, cyclically over the set.
// Work: 64 elements read by each invocation.
// Summary: many invocations read the set repeatedly with vec4 loads
// Look for: The same levels in bytes per second: the ratio of two neighbouring levels shows how often data must be
// reused in the faster level. The step comes before the step of latency where each SM's cache holds a copy of the whole
// set.
// Limits: The port of each level: each SM's load unit, the crossbar to the shared cache, DRAM. No measured peak is a
// limit, since a launch reads the set several times and caches serve the repetitions.

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
