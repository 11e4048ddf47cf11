// Each invocation atomically adds ROUNDS random numbers to a word of workgroup memory. Each workgroup stores its sum.
// Pattern: All invocations of a workgroup update one address.
// Work: ROUNDS · n atomic additions.
// Summary: the invocations of a workgroup add to one word of workgroup memory
// Look for: The gain over `same_address`, whose word is in global memory. Atomics in workgroup memory scale with the
// number of SMs.
// Limits: The additions of a subgroup are serialised, unless they are first combined in registers.

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> counters: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 8u;

var<workgroup> counter: atomic<u32>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let block = group.y * groups.x + group.x;
    let i = block * WG + t;
    if (t == 0u) {
        atomicStore(&counter, 0u);
    }
    workgroupBarrier();
    if (i < sizes.n) {
        let own = scrambled(input[i & 1023u] ^ i);
        for (var k = 0u; k < ROUNDS; k++) {
            atomicAdd(&counter, own + k);
        }
    }
    workgroupBarrier();
    if (t == 0u && i < sizes.n) {
        counters[block] = atomicLoad(&counter);
    }
}

/// No formula has the sum of many of them.
fn scrambled(word: u32) -> u32 {
    let product = word * 0x9e3779b1u;
    return product ^ (product >> 15u);
}
