// Matrix-vector product with weights in llama.cpp's format Q8_0 (f16 scales).
// Pattern: as in `naive`, neighbouring invocations read words one row apart; each word contains 4 weights.
// Work: packed weights, scales, x and y are moved once; 2 FLOP per weight.
// Summary: 8-bit weights with a scale per block of 32, one invocation per row
// Look for: The time saved relative to `naive` in f32, compared with the bytes saved. The gap to `q8_vec4` is the cost
// of the access pattern.
// Limits: Cache capacity, as in `naive`, and extracting each weight's byte and scale.

struct Sizes { rows: u32, columns: u32 }

@group(0) @binding(0) var<storage, read> words: array<u32>;
/// Two f16 per word, one per block.
@group(0) @binding(1) var<storage, read> scales: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

override WG: u32 = 128u;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let row = (group.y * groups.x + group.x) * WG + t;
    if (row < sizes.rows) {
        let blocks = (sizes.columns + 31u) / 32u;
        var sum = 0.0f;
        for (var column = 0u; column < sizes.columns; column++) {
            let block = row * blocks + column / 32u;
            let scale = unpack2x16float(scales[block / 2u] >> (16u * (block % 2u))).x;
            sum += scale * weight(block, column % 32u) * x[column];
        }
        y[row] = sum;
    }
}

/// Weight k of a block, without its scale.
fn weight(block: u32, k: u32) -> f32 {
    let word = bitcast<i32>(words[8u * block + k / 4u]);
    return f32(extractBits(word, 8u * (k % 4u), 8u));
}
