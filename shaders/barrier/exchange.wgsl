// ROUNDS barriers: each round, an invocation stores its value to workgroup memory, waits, and continues with its
// neighbour's value plus its own, with bits inverted by k: no formula gives the last value.
// Pattern: rounds alternate between two halves of workgroup memory, so that one barrier per round is enough. Only that
// barrier orders the neighbour's store before the load, and every value depends on all rounds before.
// Work: ROUNDS barriers per workgroup, ROUNDS · n additions.
// Summary: adds every value to its neighbour's, ROUNDS times
// Look for: Nanoseconds per round, and their growth with WG: a barrier waits for the slowest of its subgroups. APIs
// differ if an API compiles the barrier to a full memory fence.
// Limits: The latency of store, barrier and load; with few resident workgroups nothing hides this latency.

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 250u;

var<workgroup> tile: array<u32, 2u * WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    var x = 0u;
    if (i < sizes.n) {
        x = input[i];
    }
    let neighbour = (t + 1u) % WG;
    for (var k = 0u; k < ROUNDS; k++) {
        let half = (k & 1u) * WG;
        tile[half + t] = x;
        workgroupBarrier();
        x = tile[half + neighbour] + (x ^ k);
    }
    if (i < sizes.n) {
        output[i] = x;
    }
}
