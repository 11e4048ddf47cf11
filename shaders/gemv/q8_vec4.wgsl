// Matrix-vector product with 8-bit weights and an f16 scale per block of 32, as in llama.cpp's Q8_0. Each load reads 16
// weights.
// Pattern: each group of LANES invocations computes four rows; neighbouring invocations read neighbouring 16-byte
// vectors. Each load of x serves four rows.
// Work: packed weights, scales, x and y are moved once; 2 FLOP per weight.
// Summary: 8-bit weights, 16 per load, four rows at a time
// Look for: The time relative to `packed`, which reads 16 bits per weight instead of 8.5. If `q8_vec4` reaches a lower
// percentage of the read peak, dequantisation costs time.
// Limits: DRAM reads, and three instructions to convert each byte to a float and add its product.

/// `unit` is 0x4b000000, the bits of 2^23. It is no constant here: NVIDIA's compilers need two instructions for
/// (word & a) | b with two constants, one with a variable.
struct Sizes { rows: u32, columns: u32, unit: u32 }

/// Half blocks.
@group(0) @binding(0) var<storage, read> words: array<vec4<u32>>;
/// Two f16 per word, one per block.
@group(0) @binding(1) var<storage, read> scales: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

override WG: u32 = 128u;
/// Invocations that share a row.
override LANES: u32 = 16u;

var<workgroup> parts: array<vec4<f32>, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let lanes = min(LANES, WG);
    let lane = t % lanes;
    let row = 4u * ((group.y * groups.x + group.x) * (WG / lanes) + t / lanes);
    var sums = vec4<f32>();
    if (row < sizes.rows) {
        sums = by_blocks(row, lane, lanes);
    }
    parts[t] = sums;
    workgroupBarrier();
    for (var s = lanes / 2u; s > 0u; s /= 2u) {
        if (lane < s) {
            parts[t] += parts[t + s];
        }
        workgroupBarrier();
    }
    if (lane < 4u && row + lane < sizes.rows) {
        y[row + lane] = parts[t - lane][lane];
    }
}

/// Sixteen elements of x.
struct Sixteen { a: vec4<f32>, b: vec4<f32>, c: vec4<f32>, d: vec4<f32> }

/// Four rows; those beyond the last are read as the last one, and not stored.
fn by_blocks(row: u32, lane: u32, lanes: u32) -> vec4<f32> {
    let halves = (sizes.columns + 31u) / 32u * 2u;
    let rows = min(vec4<u32>(row, row + 1u, row + 2u, row + 3u), vec4<u32>(sizes.rows - 1u)) * halves;
    var sums = vec4<f32>();
    for (var i = lane; i < halves; i += lanes) {
        let at = rows + i;
        let a = words[at.x];
        let b = words[at.y];
        let c = words[at.z];
        let d = words[at.w];
        let by = vec4<f32>(scale(at.x), scale(at.y), scale(at.z), scale(at.w));
        let from_x = sixteen(i);
        sums += by * vec4<f32>(product(from_x, a), product(from_x, b), product(from_x, c), product(from_x, d));
    }
    return sums;
}

/// Elements 16i to 16i + 15 of x, with 0 from the end of the columns on.
fn sixteen(i: u32) -> Sixteen {
    if (16u * i + 16u <= sizes.columns) {
        return Sixteen(x[4u * i], x[4u * i + 1u], x[4u * i + 2u], x[4u * i + 3u]);
    }
    return Sixteen(known(4u * i), known(4u * i + 1u), known(4u * i + 2u), known(4u * i + 3u));
}

fn known(i: u32) -> vec4<f32> {
    return select(vec4<f32>(), x[i], vec4<u32>(0u, 1u, 2u, 3u) + 4u * i < vec4<u32>(sizes.columns));
}

/// The scale of a half block.
fn scale(half: u32) -> f32 {
    return unpack2x16float(scales[half / 4u] >> (16u * (half / 2u % 2u))).x;
}

fn product(from_x: Sixteen, own: vec4<u32>) -> f32 {
    // With the highest bit turned, a byte with a sign is one without a sign that is 128 larger.
    let words = own ^ vec4<u32>(0x80808080u);
    var sums = vec2<f32>();
    sums = add(add(sums, words.x, from_x.a.xy), words.x >> 16u, from_x.a.zw);
    sums = add(add(sums, words.y, from_x.b.xy), words.y >> 16u, from_x.b.zw);
    sums = add(add(sums, words.z, from_x.c.xy), words.z >> 16u, from_x.c.zw);
    sums = add(add(sums, words.w, from_x.d.xy), words.w >> 16u, from_x.d.zw);
    return fma(sums.y, 1.0f / 256.0f, sums.x);
}

// The last bit of 2^23 counts 1: a whole number in its mantissa, less 2^23, is that number as f32, by two instructions.
// A conversion of integers has half their rate or less.

/// Adds the products with the two lowest bytes. The second stays at its bits, 2^8 times as large: exact in f32.
fn add(sums: vec2<f32>, word: u32, from_x: vec2<f32>) -> vec2<f32> {
    let bytes = bitcast<vec2<f32>>((vec2<u32>(word) & vec2<u32>(0xffu, 0xff00u)) | vec2<u32>(sizes.unit));
    // 2^23, and 128 at each position.
    return fma(bytes - vec2<f32>(8388736.0f, 8421376.0f), from_x, sums);
}
