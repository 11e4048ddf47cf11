// Sum of cubes with one workgroup. Each invocation adds a contiguous chunk of the input and stores its sum. The host
// adds these sums.
// Pattern: neighbouring invocations read elements a whole chunk apart, so each load of a subgroup touches one cache
// line per lane.
// Work: n scalars read, 3n integer operations.
// Summary: one workgroup, one contiguous chunk per invocation
// Look for: The speedup over one_invocation: up to 256×, reduced by the access pattern.
// Limits: The load unit and the cache of one SM, which must keep the lines of 256 chunks or fetch them again.

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
