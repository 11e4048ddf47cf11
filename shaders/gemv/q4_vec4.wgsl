// Matrix-vector product with 4-bit weights and an f16 scale per block of 32, as in llama.cpp's Q4_0. Each load reads a
// block, and each mask extracts two weights.
// Pattern: each group of LANES invocations computes four rows; eight neighbouring invocations read 128 contiguous bytes
// of each row. x is staged in workgroup memory, with a gap after each block to avoid bank conflicts.
// Work: packed weights, scales, x and y are moved once; 2 FLOP per weight.
// Summary: 4-bit weights, a block of 32 per load, four rows at a time, no integer conversions
// Look for: The percentage of the read peak reached: if it is below that of `q8_vec4`, arithmetic costs time. At best,
// `q4_vec4` is 16 / 4.5 = 3.6 times as fast as `packed`.
// Limits: DRAM reads, and about three instructions per weight. With small matrices, each invocation has too few blocks.

/// `unit` is 0x64006400, two f16 of 1024. It is no constant here: NVIDIA's compilers need two instructions for
/// (word & a) | b with two constants, one with a variable.
struct Sizes { rows: u32, columns: u32, unit: u32 }

/// Blocks: byte b holds weight b in its low half and weight b + 16 in its high half, each with an offset of 8.
@group(0) @binding(0) var<storage, read> words: array<vec4<u32>>;
/// Two f16 per word, one per block.
@group(0) @binding(1) var<storage, read> scales: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> sizes: Sizes;

override WG: u32 = 256u;
/// Invocations that share a row.
override LANES: u32 = 16u;

/// Blocks of x in workgroup memory at a time.
const CHUNK = 64u;

/// Eight vectors for each block of x, and a ninth with the sums of its halves.
var<workgroup> near: array<vec4<f32>, 9u * CHUNK>;
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
    // Rows beyond the last are read as the last one, and not stored.
    let blocks = (sizes.columns + 31u) / 32u;
    let rows = min(vec4<u32>(row, row + 1u, row + 2u, row + 3u), vec4<u32>(sizes.rows - 1u)) * blocks;
    var sums = vec4<f32>();
    var k = lane;
    var ahead = fetch(rows + min(k, blocks - 1u));
    for (var first = 0u; first < blocks; first += CHUNK) {
        workgroupBarrier();
        for (var v = t; v < 2u * CHUNK; v += WG) {
            keep(v, half_block(2u * first + v));
        }
        workgroupBarrier();
        let end = min(CHUNK, blocks - first);
        for (var place = k - first; place < end; place += lanes) {
            let read = ahead;
            k += lanes;
            ahead = fetch(rows + min(k, blocks - 1u));
            sums += by_block(read, 9u * place);
        }
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

/// A block of each of four rows: those for the next round are on their way while this round's are used.
struct Blocks { a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32>, scales: vec4<f32> }

fn fetch(at: vec4<u32>) -> Blocks {
    return Blocks(
        words[at.x], words[at.y], words[at.z], words[at.w],
        vec4<f32>(scale(at.x), scale(at.y), scale(at.z), scale(at.w)),
    );
}

/// The products of four blocks with x at `place`.
fn by_block(blocks: Blocks, place: u32) -> vec4<f32> {
    var own = Products();
    own = products(own, vec4<u32>(blocks.a.x, blocks.b.x, blocks.c.x, blocks.d.x), near[place], near[place + 4u]);
    own = products(own, vec4<u32>(blocks.a.y, blocks.b.y, blocks.c.y, blocks.d.y), near[place + 1u], near[place + 5u]);
    own = products(own, vec4<u32>(blocks.a.z, blocks.b.z, blocks.c.z, blocks.d.z), near[place + 2u], near[place + 6u]);
    own = products(own, vec4<u32>(blocks.a.w, blocks.b.w, blocks.c.w, blocks.d.w), near[place + 3u], near[place + 7u]);
    let halves = near[place + 8u].xy;
    let offset = LOW_OFFSET * halves.x + HIGH_OFFSET * halves.y;
    let low = vec4<f32>(own.a.x + own.a.y, own.b.x + own.b.y, own.c.x + own.c.y, own.d.x + own.d.y);
    let high = vec4<f32>(own.a.z + own.a.w, own.b.z + own.b.w, own.c.z + own.c.w, own.d.z + own.d.w);
    return blocks.scales * (low + (high / 16.0f - offset));
}

/// 16 elements of x.
struct Half { a: vec4<f32>, b: vec4<f32>, c: vec4<f32>, d: vec4<f32> }

fn half_block(half: u32) -> Half {
    let i = 4u * half;
    return Half(known(i), known(i + 1u), known(i + 2u), known(i + 3u));
}

/// Stores half a block of x, and its sum.
fn keep(half: u32, own: Half) {
    let place = half / 2u * 9u;
    let at = place + 4u * (half % 2u);
    near[at] = own.a;
    near[at + 1u] = own.b;
    near[at + 2u] = own.c;
    near[at + 3u] = own.d;
    let sums = (own.a + own.b) + (own.c + own.d);
    near[place + 8u][half % 2u] = (sums.x + sums.y) + (sums.z + sums.w);
}

/// Elements 4i to 4i + 3 of x, with 0 from the end of the columns on.
fn known(i: u32) -> vec4<f32> {
    if (4u * i >= sizes.columns) {
        return vec4<f32>();
    }
    return select(vec4<f32>(), x[i], vec4<u32>(0u, 1u, 2u, 3u) + 4u * i < vec4<u32>(sizes.columns));
}

fn scale(block: u32) -> f32 {
    return unpack2x16float(scales[block / 2u] >> (16u * (block % 2u))).x;
}

/// Sums of products of a block, of four rows. Each component is of weights at one position in half a word.
struct Products { a: vec4<f32>, b: vec4<f32>, c: vec4<f32>, d: vec4<f32> }

/// Adds one word of each of four rows.
fn products(own: Products, words: vec4<u32>, low: vec4<f32>, high: vec4<f32>) -> Products {
    return Products(
        product(own.a, words.x, low, high),
        product(own.b, words.y, low, high),
        product(own.c, words.z, low, high),
        product(own.d, words.w, low, high),
    );
}

// A half word 0x6400 | q is 1024 + q as f16, and 0x6400 | q << 4 is 1024 + 16 q: half an instruction for each weight, and
// one to convert it to f32. What is too much is subtracted from the sum over a block: of the 24 bits of f32, 16 are left
// for a weight and its product.

/// 1024 and the offset of 8, of weights at the lowest bits and at bit 4.
const LOW_OFFSET = 1032.0f;
const HIGH_OFFSET = 72.0f;

fn product(own: vec4<f32>, word: u32, low: vec4<f32>, high: vec4<f32>) -> vec4<f32> {
    let rest = word >> 8u;
    let low_even = unpack2x16float((word & 0x000f000fu) | sizes.unit);
    let high_even = unpack2x16float((word & 0x00f000f0u) | sizes.unit);
    let low_odd = unpack2x16float((rest & 0x000f000fu) | sizes.unit);
    let high_odd = unpack2x16float((rest & 0x00f000f0u) | sizes.unit);
    let first = fma(vec4<f32>(low_even, high_even), vec4<f32>(low.xz, high.xz), own);
    return fma(vec4<f32>(low_odd, high_odd), vec4<f32>(low.yw, high.yw), first);
}
