// Reads a table of 64 words in a uniform buffer, filled by the host, and mixes all values into one word.
// Pattern: with EACH=0, all invocations read the same element; with EACH=1, each reads its own.
// Work: each invocation reads 16 · ROUNDS words of 4 bytes.
// Summary: a table of 64 words in a uniform buffer
// Look for: The ratio of EACH=1 to EACH=0. If it equals that of `table_const`, both kernels use the constant cache.
// Limits: With EACH=0, the mixing arithmetic. With EACH=1, divergent constant reads, replayed for each distinct
// address.

struct Sizes { invocations: u32, shift: u32 }

@group(0) @binding(0) var<uniform> table: array<vec4<u32>, 16>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 4u;
override EACH: u32 = 1u;

/// Arrays in uniform buffers have a stride of at least 16 bytes, so four words are packed in an element.
fn word(at: u32) -> u32 {
    return table[at / 4u][at % 4u];
}

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
        sum = sum * 3u + word(at); sum = sum * 3u + word(at + 2u);
        sum = sum * 3u + word(at + 4u); sum = sum * 3u + word(at + 6u);
        sum = sum * 3u + word(at + 8u); sum = sum * 3u + word(at + 10u);
        sum = sum * 3u + word(at + 12u); sum = sum * 3u + word(at + 14u);
        sum = sum * 3u + word(at + 16u); sum = sum * 3u + word(at + 18u);
        sum = sum * 3u + word(at + 20u); sum = sum * 3u + word(at + 22u);
        sum = sum * 3u + word(at + 24u); sum = sum * 3u + word(at + 26u);
        sum = sum * 3u + word(at + 28u); sum = sum * 3u + word(at + 30u);
    }
    if (i < sizes.invocations) {
        output[i] = sum;
    }
}
