// Sum of cubes with one workgroup. Invocation t adds elements t, t + WG, t + 2 WG … and stores its sum. The host adds
// these sums.
// Pattern: as in `one_block_chunks`, but neighbouring invocations read neighbouring elements (coalesced).
// Work: n scalars read, 3n integer operations.
// Summary: one workgroup with coalesced loads
// Look for: The ratio to one_block_chunks: the gain from coalescing. Both kernels perform the same additions on the
// same number of lanes of one SM.
// Limits: The loads that one SM keeps in flight, divided by the latency of the cache that contains the input.

alias T = u32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> sums: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>) {
    if (any(group != vec3<u32>())) {
        return;
    }
    var sum = T();
    for (var i = t; i < sizes.n; i += WG) {
        sum += cube(input[i]);
    }
    sums[t] = sum;
}

fn cube(x: T) -> T {
    return x * x * x;
}
