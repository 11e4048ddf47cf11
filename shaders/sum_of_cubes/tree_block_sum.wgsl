// Sum of cubes as in `serial_block_sum`, but all invocations of a workgroup add the sums in a tree.
// Pattern: log2(WG) steps, each followed by a barrier, instead of WG additions by one lane.
// Work: n scalars read, 3n integer operations.
// Summary: 32 workgroups; each adds its 256 sums in a tree
// Look for: Whether eight parallel steps are faster than 256 serial additions. With 128 elements per invocation, the
// difference is at most 1 µs. The tree helps more if each workgroup does less other work.
// Limits: The loop over global memory, as in serial_block_sum. Each step of the tree adds a barrier.

alias T = u32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> sums: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;

var<workgroup> shared_sums: array<T, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = group.y * groups.x + group.x;
    let stride = groups.x * groups.y * WG;
    var own = T();
    for (var i = block * WG + t; i < sizes.n; i += stride) {
        own += cube(input[i]);
    }
    shared_sums[t] = own;
    workgroupBarrier();
    for (var s = WG / 2u; s > 0u; s /= 2u) {
        if (t < s) {
            shared_sums[t] += shared_sums[t + s];
        }
        workgroupBarrier();
    }
    if (t == 0u) {
        sums[block] = shared_sums[0];
    }
}

fn cube(x: T) -> T {
    return x * x * x;
}
