// Places three arrays at explicit offsets in one block of words: 128 × i16 (two per word), 64 × f32 (as bits) and 256 ×
// i32. Each round writes and reads all three arrays. `structured` does the same with a struct.
// Pattern: every access needs an offset calculation, and a shift or a bit cast. Neighbouring invocations access
// neighbouring elements. In each round, 64 of the 256 invocations write floats, and 64 write two shorts each.
// Work: 16 · ROUNDS bytes of workgroup memory accessed by each of n invocations (6 written and 10 read per round).
// Summary: three arrays in one block of words, two shorts per word
// Look for: The time relative to `structured`: the cost of shifts, masks and bit casts in WGSL. With the typed pointers
// of the CUDA port, both kernels should be equally fast.
// Limits: Address arithmetic and the packing of 16-bit values at each access; then the barriers, as in `structured`.

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override ROUNDS: u32 = 16u;

const SHORTS = 0u;
const FLOATS = 256u / 4u;
const INTS = 512u / 4u;
const WORDS = INTS + 256u;

var<workgroup> block: array<u32, WORDS>;

/// Elements 2 pair and 2 pair + 1 of the shorts.
fn put_shorts(pair: u32, low: i32, high: i32) {
    block[SHORTS + pair] = (bitcast<u32>(low) & 0xffffu) | (bitcast<u32>(high) << 16u);
}

fn short_at(i: u32) -> i32 {
    // To the top of the word, then down with sign extension.
    return bitcast<i32>(block[SHORTS + i / 2u] << (16u - 16u * (i % 2u))) >> 16u;
}

fn put_float(i: u32, value: f32) {
    block[FLOATS + i] = bitcast<u32>(value);
}

fn float_at(i: u32) -> f32 {
    return bitcast<f32>(block[FLOATS + i]);
}

fn put_int(i: u32, value: i32) {
    block[INTS + i] = bitcast<u32>(value);
}

fn int_at(i: u32) -> i32 {
    return bitcast<i32>(block[INTS + i]);
}

@compute @workgroup_size(256)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let i = (group.y * groups.x + group.x) * 256u + t;
    let quarter = t / 64u;
    let place = t % 64u;
    var x = 0u;
    if (i < sizes.n) {
        x = input[i];
    }
    for (var k = 0u; k < ROUNDS; k++) {
        put_int(t, bitcast<i32>(x));
        if (quarter == k % 4u) {
            put_float(place, f32(x >> 12u));
        }
        if (quarter == (k + 1u) % 4u) {
            put_shorts(place, i32(x & 0xffffu) - 32768, i32(x >> 16u) - 32768);
        }
        workgroupBarrier();
        let sum = int_at((t + 37u) % 256u) + short_at((t + k) % 128u) + i32(float_at((3u * t + k) % 64u));
        x = bitcast<u32>(sum) * 5u + 1u;
        workgroupBarrier();
    }
    if (i < sizes.n) {
        output[i] = x;
    }
}
