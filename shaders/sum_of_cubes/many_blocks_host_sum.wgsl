// Sum of cubes with many workgroups. Each invocation adds elements in a grid-stride loop and stores its sum.
// The host adds these sums.
// Pattern: as in `one_block_interleaved`, on as many compute units as there are workgroups.
// Work: n scalars read, 3n integer operations.
// Summary: 32 workgroups; the host adds the sums of all invocations
// Look for: The speedup over one_block_interleaved: up to 32×, on up to 32 SMs. Only the end-to-end time includes
// copying 8,192 partial sums and adding them on the host.
// Limits: L2 latency. The 32 workgroups fill only a fraction of a large GPU.

alias T = u32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> sums: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let first = (group.y * groups.x + group.x) * WG + t;
    let stride = groups.x * groups.y * WG;
    var sum = T();
    for (var i = first; i < sizes.n; i += stride) {
        sum += cube(input[i]);
    }
    sums[first] = sum;
}

fn cube(x: T) -> T {
    return x * x * x;
}
