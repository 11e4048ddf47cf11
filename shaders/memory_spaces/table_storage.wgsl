// Reads a table of 64 words in a storage buffer, filled by the host, and mixes all values into one word.
// Pattern: with EACH=0, all invocations read the same element; with EACH=1, each reads its own.
// Work: each invocation reads 16 · ROUNDS words of 4 bytes.
// Summary: a table of 64 words in a storage buffer
// Look for: The rate with EACH=1: a storage buffer is the best place for a table if lanes read different elements.
// EACH=0 is hardly faster, since the cache serves 32 words as fast as one.
// Limits: The load unit of L1, with one request per subgroup. The 64 words always hit.

struct Sizes { invocations: u32, shift: u32 }

@group(0) @binding(0) var<storage, read> table: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 4u;
override EACH: u32 = 1u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * WG + t;
    let first = select(0u, i, EACH == 1u) + sizes.shift;
    var sum = i;
    for (var k = 0u; k < ROUNDS; k++) {
        let at = (first + 37u * k) & 31u;
        sum = sum * 3u + table[at]; sum = sum * 3u + table[at + 2u];
        sum = sum * 3u + table[at + 4u]; sum = sum * 3u + table[at + 6u];
        sum = sum * 3u + table[at + 8u]; sum = sum * 3u + table[at + 10u];
        sum = sum * 3u + table[at + 12u]; sum = sum * 3u + table[at + 14u];
        sum = sum * 3u + table[at + 16u]; sum = sum * 3u + table[at + 18u];
        sum = sum * 3u + table[at + 20u]; sum = sum * 3u + table[at + 22u];
        sum = sum * 3u + table[at + 24u]; sum = sum * 3u + table[at + 26u];
        sum = sum * 3u + table[at + 28u]; sum = sum * 3u + table[at + 30u];
    }
    if (i < sizes.invocations) {
        output[i] = sum;
    }
}
