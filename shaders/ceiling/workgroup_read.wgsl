// Adds up values read from workgroup memory, with 16 independent reads in the loop body.
// Pattern: Neighbouring invocations read neighbouring elements, without bank conflicts. The position advances every
// round.
// Work: Each invocation reads 16 · ROUNDS elements; n scalars are stored.
// Summary: reads workgroup memory without bank conflicts, with scalar and vec4 loads
// Look for: The bytes per cycle per SM (rate divided by clock and by number of SMs). Expect four times the number of
// banks. vec4 loads should be no faster if a subgroup's scalar load already uses every bank.
// Limits: The banks, each of which delivers one word per cycle. For scalar loads, also instruction issue, since each
// load transfers only 4 bytes per lane.

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
