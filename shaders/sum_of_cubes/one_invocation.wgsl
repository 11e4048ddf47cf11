// Sum of cubes by a single invocation: a sequential program, moved to the device unchanged.
// Pattern: one lane of one compute unit is active; all others are idle. The loop body is 32 elements long, since some
// software devices end a loop after 65,536 rounds.
// Work: n scalars read, 3n integer operations.
// Summary: one invocation adds everything
// Look for: The time per element: 32 elements are unrolled, but each addition waits for the one before. It is the
// slowest row, and compares one lane of a GPU with a CPU core.
// Limits: Latency: one lane keeps few loads in flight, and thousands of lanes are idle.

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
