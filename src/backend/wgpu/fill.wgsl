// Fills a buffer with elements of a random input: what `Input::encode` writes on the host, bit by bit. One invocation
// writes four words.

struct Draw {
    // Position of the first element in the random stream.
    low: u32,
    high: u32,
    key: u32,
    kind: u32,
    encoding: u32,
    // Invocations in a row of the grid.
    row: u32,
    unused_a: u32,
    unused_b: u32,
}

@group(0) @binding(0) var<uniform> draw: Draw;
@group(0) @binding(1) var<storage, read_write> words: array<vec4<u32>>;

// As in `Draw` of `suite/input/mod.rs`.
const WHOLE: u32 = 0u;
const FRACTION: u32 = 1u;
const HALF: u32 = 2u;
const SIGNED_FRACTION: u32 = 3u;
const SIGNED_HALF: u32 = 4u;
const SUMMABLE: u32 = 5u;
const SIGN: u32 = 6u;
const DIGIT: u32 = 7u;
const LOGIT: u32 = 8u;

const AS_U32: u32 = 0u;
const AS_F32: u32 = 1u;

fn mixed(start: u32) -> u32 {
    var x = start;
    x ^= x >> 16u;
    x = (x * 0x7feb352du) ^ draw.key;
    x ^= x >> 15u;
    x *= 0x846ca68bu;
    return x ^ (x >> 16u);
}

// 32 random bits for an element, counted from the first one.
fn random_at(element: u32) -> u32 {
    let low = draw.low + element;
    let high = draw.high + select(0u, 1u, low < element);
    return mixed(low ^ (high * 0x9e3779b9u) ^ 0x5eedc0deu ^ draw.key);
}

// A number of magnitude 1 to 127.
fn summable(random: u32) -> f32 {
    let magnitude = f32((((random >> 16u) * 127u) >> 16u) + 1u);
    return select(magnitude, -magnitude, (random & 1u) == 1u);
}

fn fraction(random: u32) -> f32 {
    return f32((random >> 8u) | 1u) * (1.0 / 16777216.0);
}

// Every one is exact: a whole number of at most 24 bits, times a power of two.
fn number(random: u32) -> f32 {
    switch draw.kind {
        case FRACTION: { return fraction(random); }
        case SIGNED_FRACTION: { return select(fraction(random), -fraction(random), (random & 1u) == 1u); }
        case SIGN: { return f32(random & 2u) - 1.0; }
        case DIGIT: { return f32(((random >> 16u) * 10u) >> 16u); }
        case LOGIT: { return summable(random); }
        default: { return summable(random) * (1.0 / 128.0); }
    }
}

// Bits of a half-precision number: 0x0400 plus the high word of random times 0x3800, and its sign.
fn half_bits(random: u32) -> u32 {
    let high = (random >> 16u) * 0x3800u;
    let low = (random & 0xffffu) * 0x3800u;
    let sign = select(0u, (random & 1u) << 15u, draw.kind == SIGNED_HALF);
    return sign + 0x0400u + ((high + (low >> 16u)) >> 16u);
}

fn word(index: u32) -> u32 {
    if (draw.encoding == AS_U32) {
        let random = random_at(index);
        if (draw.kind == WHOLE) {
            return max(random, 1u);
        }
        return u32(number(random));
    }
    if (draw.encoding == AS_F32) {
        return bitcast<u32>(number(random_at(index)));
    }
    let a = random_at(2u * index);
    let b = random_at(2u * index + 1u);
    if (draw.kind == HALF || draw.kind == SIGNED_HALF) {
        return half_bits(a) | (half_bits(b) << 16u);
    }
    return pack2x16float(vec2<f32>(number(a), number(b)));
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = id.y * draw.row + id.x;
    if (at >= arrayLength(&words)) {
        return;
    }
    words[at] = vec4<u32>(word(4u * at), word(4u * at + 1u), word(4u * at + 2u), word(4u * at + 3u));
}
