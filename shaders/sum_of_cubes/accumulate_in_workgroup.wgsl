// Sum of cubes as the article writes it (source workload C1): every invocation accumulates in its word of workgroup
// memory, and after a barrier invocation 0 adds all of them serially.
// Pattern: `serial_block_sum` with a load and a store of workgroup memory for each element.
// Work: n scalars read, 3n integer operations.
// Summary: serial_block_sum as the article writes it: each invocation accumulates in workgroup memory
// Look for: The time over that of serial_block_sum: a load and a store of workgroup memory for each element. 1.00 where
// the compiler keeps the sum in a register, or where the loads of global memory hide both.
// Limits: The latency of global memory, then that of workgroup memory: each addition waits for the one before.

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
    shared_sums[t] = T();
    for (var i = block * WG + t; i < sizes.n; i += stride) {
        shared_sums[t] += cube(input[i]);
    }
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
