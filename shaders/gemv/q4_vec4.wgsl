// Matrix-vector product with weights of 4 bits: blocks of 32 with one f16 scale, as Q4_0 of llama.cpp; LANES
// invocations per row, four rows at a time, one block per load.
// Pattern: eight invocations read 128 contiguous bytes of each of four rows. x passes through workgroup memory, with a
// gap after each block: neighbouring invocations have neighbouring blocks, whose elements would be in the same banks.
// Work: words, scales, x and y moved once, 2 FLOP per weight.

/// `unit` is 0x4b000000, the bits of 2^23. It is no constant here: NVIDIA's compilers need two instructions for
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

/// Eight vectors for each block of x, and a gap.
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
        for (var v = t; v < 8u * CHUNK; v += WG) {
            near[v + v / 8u] = known(8u * first + v);
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
    return blocks.scales * vec4<f32>(dot(own.a, UNITS), dot(own.b, UNITS), dot(own.c, UNITS), dot(own.d, UNITS));
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

// The last bit of 2^23 counts 1: a whole number in its mantissa, less 2^23, is that number as f32, by two instructions.
// A conversion of integers has half their rate or less.

/// The weights stay at their bits within half a word, so that they are 2^0, 2^8, 2^4 and 2^12 times as large: exact in
/// f32, and so is the multiplication by these.
const UNITS = vec4<f32>(1.0f, 1.0f / 256.0f, 1.0f / 16.0f, 1.0f / 4096.0f);
const MASKS = vec4<u32>(0xfu, 0xf00u, 0xf0u, 0xf000u);
/// 2^23, and the offset of 8 at each position.
const OFFSETS = vec4<f32>(8388616.0f, 8390656.0f, 8388736.0f, 8421376.0f);

fn product(own: vec4<f32>, word: u32, low: vec4<f32>, high: vec4<f32>) -> vec4<f32> {
    let front = bitcast<vec4<f32>>((vec4<u32>(word) & MASKS) | vec4<u32>(sizes.unit)) - OFFSETS;
    let back = bitcast<vec4<f32>>((vec4<u32>(word >> 16u) & MASKS) | vec4<u32>(sizes.unit)) - OFFSETS;
    return fma(front, vec4<f32>(low.xy, high.xy), fma(back, vec4<f32>(low.zw, high.zw), own));
}
