// Places three arrays in a struct: 128 × i32 for shorts, 64 × f32 and 256 × i32. Each round writes and reads all three
// arrays. `carved` does the same in one block of words.
// Pattern: plain accesses, with one word per short. Neighbouring invocations access neighbouring elements. In each
// round, 64 of the 256 invocations write floats, and 64 write two shorts each.
// Work: 16 · ROUNDS bytes of workgroup memory accessed by each of n invocations (6 written and 10 read per round, with
// 2-byte shorts).
// Summary: three arrays in a struct, one word per element
// Look for: The speed relative to `carved`, which computes the same results. Each short takes a 32-bit word here:
// twice the memory, but no packing.
// Limits: Stores by only some of the invocations, and the barriers between stores and loads.

struct Sizes { n: u32 }

@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;

override ROUNDS: u32 = 16u;

struct Block { shorts: array<i32, 128>, floats: array<f32, 64>, ints: array<i32, 256> }

var<workgroup> block: Block;

/// Elements 2 pair and 2 pair + 1 of the shorts.
fn put_shorts(pair: u32, low: i32, high: i32) {
    block.shorts[2u * pair] = low;
    block.shorts[2u * pair + 1u] = high;
}

fn short_at(i: u32) -> i32 {
    return block.shorts[i];
}

fn put_float(i: u32, value: f32) {
    block.floats[i] = value;
}

fn float_at(i: u32) -> f32 {
    return block.floats[i];
}

fn put_int(i: u32, value: i32) {
    block.ints[i] = value;
}

fn int_at(i: u32) -> i32 {
    return block.ints[i];
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
