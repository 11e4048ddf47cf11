// Reads a table of 256 bytes in a uniform buffer, filled by the host, and mixes all values into one word.
// Pattern: with EACH=0, all invocations read the same byte; with EACH=1, each reads its own byte. WGSL has no byte
// type, so an invocation reads a word and extracts its byte.
// Work: each invocation reads 16 · ROUNDS bytes.
// Summary: a table of 256 bytes in a uniform buffer
// Look for: The ratio to `table_uniform`. In CUDA, lookups per second should be equal, since a byte loads as fast as a
// word. With EACH=1, a subgroup reads fewer distinct words than in `table_uniform`.
// Limits: As in `table_uniform`; in WGSL, also a shift and a mask for each byte.

struct Sizes { invocations: u32, shift: u32 }

@group(0) @binding(0) var<uniform> table: array<vec4<u32>, 16>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 4u;
override EACH: u32 = 1u;

/// Arrays in uniform buffers have a stride of at least 16 bytes, so 16 bytes are packed in an element.
fn byte(at: u32) -> u32 {
    return (table[at / 16u][at / 4u % 4u] >> (8u * (at % 4u))) & 255u;
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
        let at = (first + 37u * k) & 127u;
        sum = sum * 3u + byte(at); sum = sum * 3u + byte(at + 8u);
        sum = sum * 3u + byte(at + 16u); sum = sum * 3u + byte(at + 24u);
        sum = sum * 3u + byte(at + 32u); sum = sum * 3u + byte(at + 40u);
        sum = sum * 3u + byte(at + 48u); sum = sum * 3u + byte(at + 56u);
        sum = sum * 3u + byte(at + 64u); sum = sum * 3u + byte(at + 72u);
        sum = sum * 3u + byte(at + 80u); sum = sum * 3u + byte(at + 88u);
        sum = sum * 3u + byte(at + 96u); sum = sum * 3u + byte(at + 104u);
        sum = sum * 3u + byte(at + 112u); sum = sum * 3u + byte(at + 120u);
    }
    if (i < sizes.invocations) {
        output[i] = sum;
    }
}
