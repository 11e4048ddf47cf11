// Each invocation atomically adds ROUNDS random numbers to one word of global memory.
// Pattern: All invocations update one address. The compiler or the hardware may first combine the additions of a
// subgroup.
// Work: ROUNDS · n atomic additions.
// Summary: all invocations add to one global word
// Look for: How many additions per second a single word takes. A higher rate than that of `spread` with SLOTS=64 means
// that the additions of a subgroup are combined first.
// Limits: The L2 slice that holds the word.

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> counters: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 8u;

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
            atomicAdd(&counters[0], own + k);
        }
    }
}

/// No formula has the sum of many of them.
fn scrambled(word: u32) -> u32 {
    let product = word * 0x9e3779b1u;
    return product ^ (product >> 15u);
}
