// Matrix-vector product with 4-bit weights that stay integers: one instruction adds four products of bytes. A first
// launch converts x to three-byte integers, with a power-of-two scale per block of 32.
// Pattern: each group of LANES invocations computes four rows. An invocation reads two blocks, whose scales share a
// word. The bytes of x are staged in workgroup memory.
// Work: packed weights, scales, x and y are moved once; 2 FLOP per weight.
// Summary: 4-bit weights that stay integers: four byte products per instruction, x as three-byte integers
// Look for: The gain over `q4_vec4` at large sizes. Four weights take three byte-product instructions and one or two
// masks instead of about ten instructions. Each element of x is rounded to a multiple of 2^-22 times the largest of its
// block.
// Limits: DRAM reads, or arithmetic on hardware without byte-product instructions. At small sizes, the first launch
// dominates.

/// Stage 0 writes `digits`, stage 1 multiplies.
struct Sizes { rows: u32, columns: u32, stage: u32 }

/// Blocks: byte b holds weight b in its low half and weight b + 16 in its high half, each with an offset of 8.
@group(0) @binding(0) var<storage, read> words: array<vec4<u32>>;
/// Two f16 per word, one per block.
@group(0) @binding(1) var<storage, read> scales: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<vec4<f32>>;
/// 15 vectors for two blocks of x. Each block has seven: the lowest bytes of elements 0 to 15, those of elements 16 to
/// 31, likewise the middle and the highest bytes; then the block's power of two, and -8 times the sum of its lowest,
/// middle and highest bytes, for the weights' offset. The 15th moves pairs of blocks to different banks.
@group(0) @binding(3) var<storage, read_write> digits: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;
@group(0) @binding(5) var<uniform> sizes: Sizes;

override WG: u32 = 128u;
/// Invocations that share a row.
override LANES: u32 = 8u;

/// Pairs of blocks of x in workgroup memory at a time.
const CHUNK = 32u;

var<workgroup> near: array<vec4<u32>, 15u * CHUNK>;
var<workgroup> parts: array<vec4<f32>, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = group.y * groups.x + group.x;
    let blocks = (sizes.columns + 31u) / 32u;
    let pairs = (blocks + 1u) / 2u;
    if (sizes.stage == 0u) {
        write_half(number * WG + t, t, pairs);
    } else {
        multiply(number, t, blocks, pairs);
    }
}

/// Writes the bytes of half a block, 16 elements of x. Its neighbour in the workgroup has the other half.
fn write_half(half: u32, t: u32, pairs: u32) {
    let i = 4u * half;
    let a = known(i);
    let b = known(i + 1u);
    let c = known(i + 2u);
    let d = known(i + 3u);
    let most = max(max(abs(a), abs(b)), max(abs(c), abs(d)));
    parts[t] = most;
    workgroupBarrier();
    let both = max(most, parts[t ^ 1u]);
    workgroupBarrier();
    // The power of two that makes the largest element less than 2^22. Exponents stay those of normal numbers.
    let largest = max(max(both.x, both.y), max(both.z, both.w));
    let exponent = clamp(bitcast<u32>(largest) >> 23u, 22u, 254u);
    let factor = bitcast<f32>((275u - exponent) << 23u);
    let wholes = Wholes(whole(factor * a), whole(factor * b), whole(factor * c), whole(factor * d));
    let lowest = bytes(wholes);
    // The lowest byte has a sign: half of its range carries into the next one.
    let rest = carried(wholes);
    let middle = bytes(rest);
    let highest = bytes(carried(rest));
    parts[t] = vec4<f32>(sum_of_bytes(lowest), sum_of_bytes(middle), sum_of_bytes(highest), 0.0f);
    workgroupBarrier();
    if (half >= 4u * pairs) {
        return;
    }
    let place = half / 4u * 15u + half / 2u % 2u * 7u;
    digits[place + half % 2u] = lowest;
    digits[place + 2u + half % 2u] = middle;
    digits[place + 4u + half % 2u] = highest;
    if (half % 2u == 0u) {
        let offsets = -8.0f * (parts[t] + parts[t ^ 1u]);
        let words = vec3<u32>(u32(i32(offsets.x)), u32(i32(offsets.y)), u32(i32(offsets.z)));
        digits[place + 6u] = vec4<u32>((exponent - 21u) << 23u, words);
    }
}

/// Elements 4i to 4i + 3 of x, with 0 from the end of the columns on.
fn known(i: u32) -> vec4<f32> {
    if (4u * i >= sizes.columns) {
        return vec4<f32>();
    }
    return select(vec4<f32>(), x[i], vec4<u32>(0u, 1u, 2u, 3u) + 4u * i < vec4<u32>(sizes.columns));
}

/// 16 whole numbers.
struct Wholes { a: vec4<i32>, b: vec4<i32>, c: vec4<i32>, d: vec4<i32> }

fn whole(x: vec4<f32>) -> vec4<i32> {
    let rounded = round(x);
    return vec4<i32>(i32(rounded.x), i32(rounded.y), i32(rounded.z), i32(rounded.w));
}

fn carried(own: Wholes) -> Wholes {
    let by = vec4<u32>(8u);
    return Wholes((own.a + 128) >> by, (own.b + 128) >> by, (own.c + 128) >> by, (own.d + 128) >> by);
}

/// The lowest bytes.
fn bytes(own: Wholes) -> vec4<u32> {
    return vec4<u32>(four_bytes(own.a), four_bytes(own.b), four_bytes(own.c), four_bytes(own.d));
}

fn four_bytes(own: vec4<i32>) -> u32 {
    let lowest = bitcast<vec4<u32>>(own) & vec4<u32>(255u);
    return lowest.x | (lowest.y << 8u) | (lowest.z << 16u) | (lowest.w << 24u);
}

fn sum_of_bytes(words: vec4<u32>) -> f32 {
    return f32(four_products(0, words, vec4<u32>(0x01010101u)));
}

/// The products of four rows with x.
fn multiply(number: u32, t: u32, blocks: u32, pairs: u32) {
    let lanes = min(LANES, WG);
    let lane = t % lanes;
    let row = 4u * (number * (WG / lanes) + t / lanes);
    // Rows beyond the last are read as the last one, and not stored.
    let rows = min(vec4<u32>(row, row + 1u, row + 2u, row + 3u), vec4<u32>(sizes.rows - 1u)) * blocks;
    var sums = vec4<f32>();
    var pair = lane;
    var ahead = fetch_pair(rows, min(pair, pairs - 1u), blocks);
    for (var first = 0u; first < pairs; first += CHUNK) {
        workgroupBarrier();
        for (var v = t; v < 15u * CHUNK; v += WG) {
            near[v] = digits[min(15u * first + v, 15u * pairs - 1u)];
        }
        workgroupBarrier();
        let end = min(CHUNK, pairs - first);
        for (var place = pair - first; place < end; place += lanes) {
            // The next blocks are on their way during the second products: earlier, they would take more registers.
            let own = ahead;
            sums += own.scales.even * by_block(own.even, 15u * place);
            pair += lanes;
            ahead = fetch_pair(rows, min(pair, pairs - 1u), blocks);
            sums += own.scales.odd * by_block(own.odd, 15u * place + 7u);
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

/// A block of each of four rows.
struct Blocks { a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32> }

fn fetch(at: vec4<u32>) -> Blocks {
    return Blocks(words[at.x], words[at.y], words[at.z], words[at.w]);
}

/// The scales of two blocks of each of four rows.
struct Scales { even: vec4<f32>, odd: vec4<f32> }

struct Pair { even: Blocks, odd: Blocks, scales: Scales }

/// The last pair of a row may have one block, which is read twice: x has zeros for the second.
fn fetch_pair(rows: vec4<u32>, pair: u32, blocks: u32) -> Pair {
    let even = fetch(rows + 2u * pair);
    let odd = fetch(rows + min(2u * pair + 1u, blocks - 1u));
    return Pair(even, odd, two_scales(rows, pair, blocks));
}

/// One word per row where each row begins with a word.
fn two_scales(rows: vec4<u32>, pair: u32, blocks: u32) -> Scales {
    var own: vec4<u32>;
    if (blocks % 2u == 0u) {
        let at = (rows >> vec4<u32>(1u)) + pair;
        own = vec4<u32>(scales[at.x], scales[at.y], scales[at.z], scales[at.w]);
    } else {
        let even = rows + 2u * pair;
        let odd = rows + min(2u * pair + 1u, blocks - 1u);
        own = vec4<u32>(half_word(even.x), half_word(even.y), half_word(even.z), half_word(even.w));
        own |= vec4<u32>(half_word(odd.x), half_word(odd.y), half_word(odd.z), half_word(odd.w)) << vec4<u32>(16u);
    }
    let a = unpack2x16float(own.x);
    let b = unpack2x16float(own.y);
    let c = unpack2x16float(own.z);
    let d = unpack2x16float(own.w);
    return Scales(vec4<f32>(a.x, b.x, c.x, d.x), vec4<f32>(a.y, b.y, c.y, d.y));
}

fn half_word(block: u32) -> u32 {
    return (scales[block / 2u] >> (16u * (block % 2u))) & 0xffffu;
}

/// The products of four blocks with x at `place`.
fn by_block(own: Blocks, place: u32) -> vec4<f32> {
    let sums = vec4<f32>(
        by_digits(own.a, place), by_digits(own.b, place), by_digits(own.c, place), by_digits(own.d, place),
    );
    return bitcast<f32>(near[place + 6u].x) * sums;
}

fn by_digits(own: vec4<u32>, place: u32) -> f32 {
    let low = own & vec4<u32>(0x0f0f0f0fu);
    let high = (own >> vec4<u32>(4u)) & vec4<u32>(0x0f0f0f0fu);
    let offsets = bitcast<vec4<i32>>(near[place + 6u]);
    let lowest = four_products(four_products(offsets.y, low, near[place]), high, near[place + 1u]);
    let middle = four_products(four_products(offsets.z, low, near[place + 2u]), high, near[place + 3u]);
    let highest = four_products(four_products(offsets.w, low, near[place + 4u]), high, near[place + 5u]);
    // Both terms are less than 2^24 and exact: a sum of 32 products of at most 8 by 128 is at most 2^15.
    return fma(f32(256 * highest + middle), 256.0f, f32(lowest));
}

/// A function of its own: naga declares temporaries for each product in Metal, twice the same for two products with one
/// value (wgpu#9540).
fn four_products(sum: i32, a: vec4<u32>, b: vec4<u32>) -> i32 {
    return sum + dot4I8Packed(a.x, b.x) + dot4I8Packed(a.y, b.y) + dot4I8Packed(a.z, b.z) + dot4I8Packed(a.w, b.w);
}
