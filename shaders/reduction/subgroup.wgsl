// Sums each block of 2 · WG elements: two loads per invocation, one subgroupAdd, then a tree over the subgroups' sums.
// Pattern: each subgroup adds in registers and stores one word in workgroup memory. A counter gives each subgroup a
// slot, so that any subgroup size works.
// Work: n scalars read.
// Summary: subgroupAdd, then a tree over the subgroups
// Look for: The gain over `first_add`: register operations replace most of the tree. A small gain means that loads
// dominate the time. A loss means that the API's subgroup operation is slow.
// Limits: Too few bytes in flight, as in `first_add`, and one atomic in workgroup memory per subgroup.

alias T = f32;

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> block_sums: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 512u;

var<workgroup> slots: atomic<u32>;
var<workgroup> partial: array<T, WG>;
var<workgroup> subgroups: u32;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let block = group.y * groups.x + group.x;
    let i = block * 2u * WG + t;
    var own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    if (i + WG < sizes.n) {
        own += input[i + WG];
    }
    if (t == 0u) {
        atomicStore(&slots, 0u);
    }
    let sum = subgroupAdd(own);
    workgroupBarrier();
    if (lane == 0u) {
        partial[atomicAdd(&slots, 1u)] = sum;
    }
    workgroupBarrier();
    if (t == 0u) {
        subgroups = atomicLoad(&slots);
    }
    var left = workgroupUniformLoad(&subgroups);
    while (left > 1u) {
        let half = (left + 1u) / 2u;
        if (t + half < left) {
            partial[t] += partial[t + half];
        }
        workgroupBarrier();
        left = half;
    }
    if (t == 0u && i < sizes.n) {
        block_sums[block] = partial[0];
    }
}
