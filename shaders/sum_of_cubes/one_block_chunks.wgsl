// Sum of cubes by one workgroup: each invocation adds up a contiguous chunk of the input and stores its sum; the host
// adds these.
// Pattern: neighbouring invocations read elements a whole chunk apart, so that each load accesses as many cache lines
// as lanes.
// Work: n scalars read, 3n integer operations.
// Summary: one workgroup, a contiguous chunk for each invocation
// Look for: The gain over one_invocation, up to 256×, less the cost of the access pattern: each load of a subgroup
// touches 32 lines and needs 4 bytes of each now and the rest later.
// Limits: The load unit and cache of one SM, which keeps the lines of 256 chunks at once or fetches them again.

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
    let chunk = (sizes.n + WG - 1u) / WG;
    let end = min((t + 1u) * chunk, sizes.n);
    var sum = T();
    for (var i = t * chunk; i < end; i++) {
        sum += cube(input[i]);
    }
    sums[t] = sum;
}

fn cube(x: T) -> T {
    return x * x * x;
}
