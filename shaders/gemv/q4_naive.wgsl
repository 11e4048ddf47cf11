// Matrix-vector product with weights in llama.cpp's format Q4_0 (f16 scales).
// Pattern: as in `naive`, neighbouring invocations read words one row apart; each word contains 8 weights.
// Work: packed weights, scales, x and y are moved once; 2 FLOP per weight.
// Summary: 4-bit weights with a scale per block of 32, one invocation per row
// Look for: The speed relative to `q8_naive`, which reads nearly twice as many bytes. If `q4_naive` is not faster,
// arithmetic limits both kernels.
// Limits: Arithmetic: each weight needs shifts, masks, a conversion and two multiplications.

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

/// Weight k of a block, without its scale. Byte b of a block holds weight b in its low half and weight b + 16 in its
/// high half.
fn weight(block: u32, k: u32) -> f32 {
    let byte = k % 16u;
    let bits = words[4u * block + byte / 4u] >> (8u * (byte % 4u) + 4u * (k / 16u));
    return f32(bits & 15u) - 8.0f;
}
