// Sum of cubes with many workgroups. Each invocation stores its sum in workgroup memory. After a barrier, invocation 0
// adds all sums.
// Pattern: as in `many_blocks_host_sum`, then WG additions by one lane.
// Work: n scalars read, 3n integer operations.
// Summary: 32 workgroups; invocation 0 of each adds its workgroup's 256 sums
// Look for: How little time the serial sum takes compared with the loop. The end-to-end time shows the gain from
// leaving the host fewer sums to add.
// Limits: The loop before the barrier, then 256 serial additions by one lane while 255 wait.

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
    if (t == 0u) {
        var sum = T();
        for (var k = 0u; k < WG; k++) {
            sum += shared_sums[k];
        }
        sums[block] = sum;
    }
}

fn cube(x: T) -> T {
    return x * x * x;
}
