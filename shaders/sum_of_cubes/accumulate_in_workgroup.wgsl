// Sum of cubes as in the source article (workload C1). Each invocation accumulates in workgroup memory. After a
// barrier, invocation 0 adds all sums.
// Pattern: as in `serial_block_sum`, plus a load and a store of workgroup memory per element.
// Work: n scalars read, 3n integer operations.
// Summary: serial_block_sum as the article writes it, accumulating in workgroup memory
// Look for: The time relative to serial_block_sum. At 1.00, the compiler keeps the sum in a register, or global loads
// hide the accesses to workgroup memory.
// Limits: Global memory latency, then workgroup memory latency, since each addition waits for the previous one.

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
