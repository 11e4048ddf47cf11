// Adds up words of workgroup memory that are STRIDE apart, with 16 independent reads in the loop body.
// Pattern: Invocation i reads word STRIDE · i + base. The base advances every round. The other reads of a round are at
// multiples of 128 words from the first, in the same bank. These constant offsets cost no arithmetic.
// Work: Each invocation reads 16 · ROUNDS words; n scalars are stored.
// Summary: 32-bit words STRIDE apart
// Look for: With 32 banks, the speed halves at each of strides 2, 4, 8, 16 and 32, and is full at every odd stride. The
// number of banks is the stride beyond which doubling the stride costs nothing.
// Limits: The busiest bank, which serves its lanes one after another.

alias T = f32;

struct Sizes { n: u32, advance: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 1024u;
override STRIDE: u32 = 1u;

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
    let start = STRIDE * i;
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
