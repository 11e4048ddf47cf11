// Reads workgroup memory, with 16 independent reads in the loop body, and adds up all values.
// Pattern: neighbouring invocations read neighbouring elements (no bank conflict); the position advances every round.
// Work: 16 · ROUNDS elements read by each invocation; n scalars stored.
// Summary: reads workgroup memory without bank conflicts, with scalar and vec4 loads
// Look for: Bytes per cycle and SM (the rate over clock times SMs): expect four times the number of banks. vec4 loads
// should not be faster than scalar loads where a subgroup's scalar load uses every bank.
// Limits: The banks: each delivers one word per cycle. With scalar loads, instruction issue can be the limit, since a
// load brings a quarter of the bytes.

alias T = vec4<f32>;

struct Sizes { elements: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 128u;

const TABLE = 1024u;
const STEP = 32u;

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
    var a = T(); var b = T(); var c = T(); var d = T();
    for (var k = 0u; k < ROUNDS; k++) {
        let at = (i + 37u * k) & 511u;
        a += table[at]; b += table[at + STEP]; c += table[at + 2u * STEP]; d += table[at + 3u * STEP];
        a += table[at + 4u * STEP]; b += table[at + 5u * STEP]; c += table[at + 6u * STEP]; d += table[at + 7u * STEP];
        a += table[at + 8u * STEP]; b += table[at + 9u * STEP];
        c += table[at + 10u * STEP]; d += table[at + 11u * STEP];
        a += table[at + 12u * STEP]; b += table[at + 13u * STEP];
        c += table[at + 14u * STEP]; d += table[at + 15u * STEP];
    }
    if (i < sizes.elements) {
        output[i] = (a + b) + (c + d);
    }
}
