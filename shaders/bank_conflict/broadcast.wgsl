// Adds up words of workgroup memory that GROUP neighbouring invocations share, with 16 independent reads in the loop
// body.
// Pattern: Invocation i reads word i / GROUP + base, so a subgroup reads one word per group. The base and the other
// reads of a round are as in `stride`.
// Work: Each invocation reads 16 · ROUNDS words; n scalars are stored.
// Summary: 32-bit words shared by GROUP neighbours; with GROUP=256, the workgroup reads a single word
// Look for: The speed should be the same for every GROUP, since a word that many lanes read is fetched once and
// broadcast. A lower speed would mean that the hardware broadcasts only one word per access, as the oldest GPUs do.
// Limits: The width of the path from the banks to the lanes. Reading fewer distinct words is not faster.

alias T = f32;

struct Sizes { n: u32, advance: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 1024u;
override GROUP: u32 = 1u;

const TABLE = 4096u;
const SPAN = 2048u;
const STEP = 128u;

var<workgroup> table: array<T, TABLE>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    for (var k = t; k < TABLE; k += WG) {
        table[k] = input[k];
    }
    workgroupBarrier();
    let i = (group.y * groups.x + group.x) * WG + t;
    let start = i / GROUP;
    var a = T(); var b = T(); var c = T(); var d = T();
    for (var k = 0u; k < ROUNDS; k++) {
        let at = (start + sizes.advance * k) & (SPAN - 1u);
        a += table[at]; b += table[at + STEP]; c += table[at + 2u * STEP]; d += table[at + 3u * STEP];
        a += table[at + 4u * STEP]; b += table[at + 5u * STEP]; c += table[at + 6u * STEP]; d += table[at + 7u * STEP];
        a += table[at + 8u * STEP]; b += table[at + 9u * STEP];
        c += table[at + 10u * STEP]; d += table[at + 11u * STEP];
        a += table[at + 12u * STEP]; b += table[at + 13u * STEP];
        c += table[at + 14u * STEP]; d += table[at + 15u * STEP];
    }
    if (i < sizes.n) {
        output[i] = (a + b) + (c + d);
    }
}
