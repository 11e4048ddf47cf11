// Invocation i atomically adds ROUNDS random numbers to word i modulo SLOTS of global memory. SLOTS is a power of two.
// Pattern: Neighbouring invocations update neighbouring words. Each word is shared by n / SLOTS invocations.
// Work: ROUNDS · n atomic additions.
// Summary: invocation i adds to word i modulo SLOTS of global memory
// Look for: How the rate grows with SLOTS, since more words use more L2 slices. Compare with `same_address`.
// Limits: The atomic throughput of L2, about one sector per cycle per slice.

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 8u;
override SLOTS: u32 = 4096u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    if (i < sizes.n) {
        let own = scrambled(input[i & 1023u] ^ i);
        for (var k = 0u; k < ROUNDS; k++) {
            atomicAdd(&counters[i & (SLOTS - 1u)], own + k);
        }
    }
}

/// No formula has the sum of many of them.
fn scrambled(word: u32) -> u32 {
    let product = word * 0x9e3779b1u;
    return product ^ (product >> 15u);
}
