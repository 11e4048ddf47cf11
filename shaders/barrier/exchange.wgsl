// In each of ROUNDS rounds, an invocation stores its value to workgroup memory, waits at a barrier, and computes its
// new value: its neighbour's value + (its own value XOR the round number).
// Pattern: Rounds alternate between two halves of workgroup memory, so one barrier per round is enough. Every value
// depends on all previous rounds.
// Work: ROUNDS barriers per workgroup, ROUNDS · n additions.
// Summary: adds the neighbour's value ROUNDS times, with one barrier per round
// Look for: The time per round, and how it grows with WG, since a barrier waits for the slowest subgroup. APIs differ
// if one of them compiles the barrier to a full memory fence.
// Limits: The latency of a store, a barrier and a load. With few resident workgroups, nothing hides this latency.

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
