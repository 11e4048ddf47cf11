// A stable radix sort of 32-bit keys, 8 bits a pass: count the digits of each block, add the counts up, move the keys.

struct Pass { shift: u32, blocks: u32 }

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(3) var<uniform> pass_of: Pass;

const WG = 256u;
const DIGITS = 256u;

var<workgroup> digits: array<u32, WG>;
var<workgroup> totals: array<u32, WG>;

fn digit_of(key: u32) -> u32 {
    return (key >> pass_of.shift) & (DIGITS - 1u);
}

@compute @workgroup_size(WG)
fn count(@builtin(global_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    if (id.x < arrayLength(&source)) {
        atomicAdd(&counts[digit_of(source[id.x]) * pass_of.blocks + group.x], 1u);
    }
}

// One workgroup: each invocation adds up the counts of one digit, then all the digits before it.
@compute @workgroup_size(WG)
fn add_up(@builtin(local_invocation_index) digit: u32) {
    let first = digit * pass_of.blocks;
    var total = 0u;
    for (var block = 0u; block < pass_of.blocks; block += 1u) {
        total += atomicLoad(&counts[first + block]);
    }
    totals[digit] = total;
    workgroupBarrier();
    var before = 0u;
    for (var other = 0u; other < digit; other += 1u) {
        before += totals[other];
    }
    for (var block = 0u; block < pass_of.blocks; block += 1u) {
        before += atomicExchange(&counts[first + block], before);
    }
}

@compute @workgroup_size(WG)
fn move_keys(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) t: u32,
) {
    var key = 0u;
    let is_inside = id.x < arrayLength(&source);
    if (is_inside) {
        key = source[id.x];
    }
    let digit = digit_of(key);
    digits[t] = digit;
    workgroupBarrier();
    var rank = 0u;
    for (var other = 0u; other < t; other += 1u) {
        rank += select(0u, 1u, digits[other] == digit);
    }
    if (is_inside) {
        result[atomicLoad(&counts[digit * pass_of.blocks + group.x]) + rank] = key;
    }
}
