// Sum of cubes by many workgroups: each invocation adds up elements with a stride of the whole grid and stores its sum;
// the host adds these.
// Pattern: as in `one_block_interleaved`, on as many compute units as there are workgroups; one partial sum per
// invocation.
// Work: n scalars read, 3n integer operations.
// Summary: 32 workgroups; the host adds the sums of all invocations
// Look for: Up to 32 times one_block_interleaved: as many SMs. The kernel time leaves out the host; the end-to-end time
// includes copying 8,192 partial sums and adding them there.
// Limits: L2 latency: 32 workgroups fill a fraction of a large device.

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
