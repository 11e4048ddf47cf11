// Sum of cubes with a single invocation: a sequential program that runs on the GPU unchanged.
// Pattern: one lane of one compute unit is active. Each loop iteration adds 32 elements, since some software devices
// stop a loop after 65,536 iterations.
// Work: n scalars read, 3n integer operations.
// Summary: one invocation adds everything
// Look for: The time per element: most additions wait for the previous one. This kernel, the slowest, shows how one
// lane of a GPU compares with a CPU core.
// Limits: Latency. One lane keeps few loads in flight, and thousands of lanes are idle.

alias T = u32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> sums: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
    if (any(group != vec3<u32>())) {
        return;
    }
    var sum = T();
    var i = 0u;
    for (; i + 31u < sizes.n; i += 32u) {
        sum += eight(i) + eight(i + 8u) + eight(i + 16u) + eight(i + 24u);
    }
    for (; i < sizes.n; i++) {
        sum += cube(input[i]);
    }
    sums[0] = sum;
}

fn eight(i: u32) -> T {
    return cube(input[i]) + cube(input[i + 1u]) + cube(input[i + 2u]) + cube(input[i + 3u])
        + cube(input[i + 4u]) + cube(input[i + 5u]) + cube(input[i + 6u]) + cube(input[i + 7u]);
}

fn cube(x: T) -> T {
    return x * x * x;
}
