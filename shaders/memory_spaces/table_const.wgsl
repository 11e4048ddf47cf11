// Reads a table of 64 words that is part of the program, and mixes all values into one word. The table is in a variable
// that is never written, so compilers can share one copy. (naga copies a `const` for every read with a run-time index.)
// Pattern: with EACH=0, all invocations read the same element; with EACH=1, each reads its own.
// Work: each invocation reads 16 · ROUNDS words of 4 bytes.
// Summary: a table of 64 words in the program
// Look for: The speed of EACH=1 relative to EACH=0. A table in the program is usually in constant memory, which
// serialises lanes that read different elements. A ratio of 1.0 means that the table is in ordinary cached memory.
// Limits: With EACH=0, instruction issue. With EACH=1, the constant cache, which serves the addresses of a subgroup (up
// to 32) one at a time.

struct Sizes { invocations: u32, shift: u32 }

@group(0) @binding(0) var<storage, read_write> output: array<u32>;
@group(0) @binding(1) var<uniform> sizes: Sizes;

const TABLE = array<u32, 64>(
    0x55f3519au, 0x7c116525u, 0x213bc10du, 0x5b301a63u, 0x51fe0e11u, 0x48802a7bu, 0x3c304a68u, 0xeb21c88cu,
    0x33b69983u, 0xee7f92f6u, 0xa71c71ceu, 0x960f7e23u, 0xf683becdu, 0x51e49f53u, 0xf9e12da6u, 0x91574aa9u,
    0x357e4dd5u, 0x24a93e4eu, 0x97ee9772u, 0x5438eb0eu, 0x6783066fu, 0xbbec8401u, 0xb3d9d4a8u, 0xc8885a90u,
    0x1bed96ffu, 0xc1b26672u, 0x242c719fu, 0x7d20924au, 0xdb17b1a7u, 0x4c885206u, 0xc30f1ceau, 0xab69d918u,
    0x4219d0c1u, 0x562b542au, 0xd4f66993u, 0xa1a679a2u, 0x4213d335u, 0x4839b22du, 0xa92e2331u, 0xa50a2f91u,
    0xc02fb740u, 0xe9583fa2u, 0x174b4bcbu, 0x5a2958f4u, 0xcb541601u, 0xf3a66fd6u, 0x917a93d8u, 0xa676d441u,
    0x02411734u, 0x8b52b3fau, 0xe0bbef59u, 0x242d372au, 0x18e24161u, 0x687b371du, 0xce39db55u, 0x699ae7d3u,
    0xf4ad304cu, 0x80bd3f40u, 0xd0884686u, 0xe2240464u, 0x7dbee81cu, 0x082961fau, 0x3eba7d01u, 0x62905ddau,
);

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
    var table = TABLE;
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
