// Fills a buffer with a random input, bit for bit like `Input::encode` on the host. Four words per invocation.

struct Draw {
    // Position of the first element in the random stream.
    low: u32,
    high: u32,
    key: u32,
    kind: u32,
    encoding: u32,
    // Invocations in a row of the grid.
    row: u32,
    // Index of the first element in the input.
    first: u32,
    // Elements in a row of the input, or its keys; 0 for a single row.
    columns: u32,
    // The key for values that the elements of a row share.
    row_key: u32,
    // The largest whole number of a scaled input.
    most: u32,
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
const ANY: u32 = 8u;
const SCALED: u32 = 9u;
const LOGIT_ROW: u32 = 10u;
const SORT_KEY: u32 = 11u;
const QUERY: u32 = 12u;
const ATTENTION_KEY: u32 = 13u;

const AS_U32: u32 = 0u;
const AS_F32: u32 = 1u;

fn mixed(start: u32, key: u32) -> u32 {
    var x = start;
    x ^= x >> 16u;
    x = (x * 0x7feb352du) ^ key;
    x ^= x >> 15u;
    x *= 0x846ca68bu;
    return x ^ (x >> 16u);
}

// 32 random bits for an element, counted from the first one.
fn random_at(element: u32) -> u32 {
    let low = draw.low + element;
    let high = draw.high + select(0u, 1u, low < element);
    return mixed(low ^ (high * 0x9e3779b9u) ^ 0x5eedc0deu ^ draw.key, draw.key);
}

fn of_row(row: u32) -> u32 {
    return mixed(row ^ 0x5eedc0deu ^ draw.row_key, draw.row_key);
}

// The row of an element, counted from the first one.
fn row_of(element: u32) -> u32 {
    if (draw.columns == 0u) {
        return 0u;
    }
    return (draw.first + element) / draw.columns;
}

fn whole(random: u32, most: u32) -> f32 {
    let magnitude = f32((((random >> 16u) * most) >> 16u) + 1u);
    return select(magnitude, -magnitude, (random & 1u) == 1u);
}

fn summable(random: u32) -> f32 {
    return whole(random, 127u);
}

fn scale(row: u32) -> f32 {
    let random = of_row(row);
    let exponent = select((random >> 29u) + 115u, (random >> 27u) + 101u, draw.encoding == AS_F32);
    return bitcast<f32>(exponent << 23u);
}

fn sort_key(element: u32) -> u32 {
    let index = draw.first + element;
    let own = random_at(element);
    if (index >= draw.columns) {
        return max(own, 1u);
    }
    let of_piece = of_row(index >> 8u);
    let piece = of_piece & select(1023u, 31u, draw.columns < (1u << 20u));
    let choice = own & 7u;
    if (piece == 0u) {
        return of_piece;
    }
    if (piece == 1u) {
        return (of_piece & 0xffffff00u) + (index & 0xffu);
    }
    if (piece == 2u) {
        return of_row((own >> 16u) & 15u);
    }
    if (piece == 3u && choice < 4u) {
        return select(0u, 0xffffffffu, choice > 1u);
    }
    if (choice == 5u) {
        return of_row((own >> 16u) & 4095u);
    }
    return own;
}

// Column 0 shifts the scores of attention: it is 8 in every key and random in each query.
fn first_of_row(element: u32) -> bool {
    return (draw.first + element) % draw.columns == 0u;
}

fn query(element: u32) -> f32 {
    let row = row_of(element);
    if (first_of_row(element)) {
        return 2.0 * summable(of_row(row));
    }
    return summable(random_at(element)) * select(1.0 / 32.0, 0.25, row % 61u == 7u);
}

fn fraction(random: u32) -> f32 {
    return f32((random >> 8u) | 1u) * (1.0 / 16777216.0);
}

// Every result is exact: a whole number of at most 24 bits, times a power of two.
fn number(element: u32) -> f32 {
    let random = random_at(element);
    switch draw.kind {
        case FRACTION: { return fraction(random); }
        case SIGNED_FRACTION: { return select(fraction(random), -fraction(random), (random & 1u) == 1u); }
        case SIGN: { return f32(random & 2u) - 1.0; }
        case DIGIT: { return f32(1u + (((random >> 16u) * 9u) >> 16u)); }
        case SCALED: { return whole(random, draw.most) * scale(row_of(element)); }
        case QUERY: { return query(element); }
        case ATTENTION_KEY: { return select(summable(random) * (1.0 / 128.0), 8.0, first_of_row(element)); }
        case LOGIT_ROW: { return summable(random) + 8.0 * summable(of_row(row_of(element))); }
        default: { return summable(random) * (1.0 / 128.0); }
    }
}

// Bits of any normal f32.
fn any_bits(random: u32) -> u32 {
    let exponent = 1u + ((((random >> 23u) & 0xffu) * 254u) >> 8u);
    return (random & 0x807fffffu) | (exponent << 23u);
}

// Bits of an f16: any normal one, or 0x0400 plus the high word of random times 0x3800, with a sign.
fn half_bits(random: u32) -> u32 {
    if (draw.kind == ANY) {
        let exponent = 1u + ((((random >> 10u) & 31u) * 30u) >> 5u);
        return (random & 0x8000u) | (exponent << 10u) | ((random >> 16u) & 0x3ffu);
    }
    let high = (random >> 16u) * 0x3800u;
    let low = (random & 0xffffu) * 0x3800u;
    let sign = select(0u, (random & 1u) << 15u, draw.kind == SIGNED_HALF);
    return sign + 0x0400u + ((high + (low >> 16u)) >> 16u);
}

fn word(index: u32) -> u32 {
    if (draw.encoding == AS_U32) {
        if (draw.kind == WHOLE) {
            return max(random_at(index), 1u);
        }
        if (draw.kind == SORT_KEY) {
            return sort_key(index);
        }
        return u32(number(index));
    }
    if (draw.encoding == AS_F32) {
        if (draw.kind == ANY) {
            return any_bits(random_at(index));
        }
        return bitcast<u32>(number(index));
    }
    if (draw.kind == HALF || draw.kind == SIGNED_HALF || draw.kind == ANY) {
        return half_bits(random_at(2u * index)) | (half_bits(random_at(2u * index + 1u)) << 16u);
    }
    return pack2x16float(vec2<f32>(number(2u * index), number(2u * index + 1u)));
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = id.y * draw.row + id.x;
    if (at >= arrayLength(&words)) {
        return;
    }
    words[at] = vec4<u32>(word(4u * at), word(4u * at + 1u), word(4u * at + 2u), word(4u * at + 3u));
}
