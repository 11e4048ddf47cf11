// Reads 8-bit values, packed four to a word of workgroup memory, APART bytes apart, and adds up all values.
// Pattern: invocation i reads byte APART · i + base. With APART 1 four neighbours share a word, with APART 4 each reads
// its own word. The base and the other reads of a round move as in `stride`.
// Work: 16 ROUNDS bytes requested by each invocation (each loads a word); n scalars stored.

alias T = u32;

struct Sizes { n: u32, advance: u32 }

@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
override ROUNDS: u32 = 1024u;
override APART: u32 = 1u;

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
    let start = APART * i;
    var a = T(); var b = T(); var c = T(); var d = T();
    for (var k = 0u; k < ROUNDS; k++) {
        let place = (start + sizes.advance * k) & (4u * SPAN - 1u);
        let at = place / 4u;
        let shift = place % 4u * 8u;
        a += part(table[at], shift);
        b += part(table[at + STEP], shift);
        c += part(table[at + 2u * STEP], shift);
        d += part(table[at + 3u * STEP], shift);
        a += part(table[at + 4u * STEP], shift);
        b += part(table[at + 5u * STEP], shift);
        c += part(table[at + 6u * STEP], shift);
        d += part(table[at + 7u * STEP], shift);
        a += part(table[at + 8u * STEP], shift);
        b += part(table[at + 9u * STEP], shift);
        c += part(table[at + 10u * STEP], shift);
        d += part(table[at + 11u * STEP], shift);
        a += part(table[at + 12u * STEP], shift);
        b += part(table[at + 13u * STEP], shift);
        c += part(table[at + 14u * STEP], shift);
        d += part(table[at + 15u * STEP], shift);
    }
    if (i < sizes.n) {
        output[i] = (a + b) + (c + d);
    }
}

fn part(word: u32, shift: u32) -> u32 {
    return (word >> shift) & 0xffu;
}
