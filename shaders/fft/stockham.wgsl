// Batched discrete Fourier transforms of 256 to 4096 complex points by Stockham's algorithm: 16 points in the registers of
// an invocation, exchanged through workgroup memory between passes. A pass combines RADIX transforms to one.
// Pattern: 4096 points a workgroup; coalesced loads and stores of 8 bytes; real and imaginary parts are exchanged one after
// the other, without bank conflicts: in 16 KiB, with RADIX=16 by halves in 8.5 KiB, so that more workgroups are resident.
// Twiddle factors are in a table; RADIX=16 reads two of them a pass and multiplies for the others.
// Work: n complex points read and n written, 5 log2(points) operations for each.

alias T = f32;
alias C = vec2<T>;
alias Points = array<C, 16>;
alias Parts = array<T, 16>;

struct Sizes { transforms: u32 }

/// A pass: its radix, transforms of an invocation, points of a transform before it, and the place of the invocation.
struct Step { log_radix: u32, log_apart: u32, log_done: u32, number: u32, each: u32, corner: u32 }

@group(0) @binding(0) var<storage, read> input: array<C>;
@group(0) @binding(1) var<storage, read_write> output: array<C>;
/// For each pass after the first, one after the other: the factors of points 1 to radix - 1, each for all positions k
/// within the transforms so far.
@group(0) @binding(2) var<storage, read> twiddles: array<C>;
@group(0) @binding(3) var<uniform> sizes: Sizes;

/// Transforms that a pass combines to one: 2, 4, 8 or 16. The last pass combines fewer where that suffices.
override RADIX: u32 = 16u;
/// Logarithm of the points of a transform. As the compiler knows it, positions are one index and constant distances.
override LOG_POINTS: u32 = 12u;

const WG = 256u;
/// cos 45 degrees, cos and sin 22.5 degrees.
const HALF = T(0.70710678118654752);
const COS = T(0.92387953251128674);
const SIN = T(0.38268343236508977);

/// Room for the parts of all points; with RADIX=16, for those of one half and for gaps: one word after each 16 or 32, or 16
/// after each 256.
var<workgroup> parts: array<T, 16u * WG - RADIX / 16u * (15u * WG / 2u)>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    // Invocations of a transform, and the number of this one among them. Point e of an invocation is number + e × each.
    let each = 1u << (LOG_POINTS - 4u);
    let number = t & (each - 1u);
    // Where the transform starts in workgroup memory, and in the arrays.
    let corner = (t - number) * 16u;
    let first = (group.y * groups.x + group.x) * 16u * WG + corner;
    let is_inside = first < sizes.transforms << LOG_POINTS;
    var x = Points();
    if (is_inside) {
        let at = first + number;
        x[0] = input[at];
        x[1] = input[at + each];
        x[2] = input[at + 2u * each];
        x[3] = input[at + 3u * each];
        x[4] = input[at + 4u * each];
        x[5] = input[at + 5u * each];
        x[6] = input[at + 6u * each];
        x[7] = input[at + 7u * each];
        x[8] = input[at + 8u * each];
        x[9] = input[at + 9u * each];
        x[10] = input[at + 10u * each];
        x[11] = input[at + 11u * each];
        x[12] = input[at + 12u * each];
        x[13] = input[at + 13u * each];
        x[14] = input[at + 14u * each];
        x[15] = input[at + 15u * each];
    }
    if (RADIX == 16u) {
        planned(&x, t);
    } else {
        // One by one: in a loop, the driver would not know the number of the pass.
        pass_from(&x, t, 0u);
        pass_from(&x, t, 1u);
        pass_from(&x, t, 2u);
        pass_from(&x, t, 3u);
        pass_from(&x, t, 4u);
        pass_from(&x, t, 5u);
        pass_from(&x, t, 6u);
        pass_from(&x, t, 7u);
        pass_from(&x, t, 8u);
        pass_from(&x, t, 9u);
        pass_from(&x, t, 10u);
        pass_from(&x, t, 11u);
    }
    if (is_inside) {
        let at = first + number;
        output[at] = x[0];
        output[at + each] = x[1];
        output[at + 2u * each] = x[2];
        output[at + 3u * each] = x[3];
        output[at + 4u * each] = x[4];
        output[at + 5u * each] = x[5];
        output[at + 6u * each] = x[6];
        output[at + 7u * each] = x[7];
        output[at + 8u * each] = x[8];
        output[at + 9u * each] = x[9];
        output[at + 10u * each] = x[10];
        output[at + 11u * each] = x[11];
        output[at + 12u * each] = x[12];
        output[at + 13u * each] = x[13];
        output[at + 14u * each] = x[14];
        output[at + 15u * each] = x[15];
    }
}

/// A pass of a lower radix, the first of which has number 0, if the transform has so many.
fn pass_from(x: ptr<function, Points>, t: u32, pass_number: u32) {
    let most = firstTrailingBit(RADIX);
    let log_done = pass_number * most;
    if (log_done >= LOG_POINTS) {
        return;
    }
    let log_radix = min(most, LOG_POINTS - log_done);
    let each = 1u << (LOG_POINTS - 4u);
    let number = t & (each - 1u);
    let step = Step(log_radix, 4u - log_radix, log_done, number, each, 16u * (t - number));
    if (log_done > 0u) {
        // Each point of the transforms so far has RADIX - 1 factors in each pass before.
        twiddle(x, step, (1u << log_done) - RADIX);
    }
    if (log_radix == 3u) {
        eights(x);
    } else if (log_radix == 2u) {
        fours(x);
    } else {
        twos(x);
    }
    if (log_done + log_radix < LOG_POINTS) {
        exchange(x, step);
    }
}

/// All passes of radix 16; the last one is of a lower radix where that suffices. In the table, factors of point m start
/// at 16 (m - 1) for the second pass, and at 240 + 256 (m - 1) for the third.
fn planned(x: ptr<function, Points>, t: u32) {
    let each = 1u << (LOG_POINTS - 4u);
    let number = t & (each - 1u);
    let corner = 16u * (t - number);
    sixteen(x);
    // The first exchange has a gap after each 32 points; after each 16 where a subgroup has several transforms.
    let gap = select(5u, 4u, each == 16u);
    let begin = corner + number;
    let is_split = LOG_POINTS == 12u;
    move_parts(x, Move(
        16u * t + ((16u * t) >> gap), 1u, begin + (begin >> gap), each + (each >> gap), 0u,
        8u * WG + ((8u * WG) >> gap), t / (WG / 2u), is_split));
    let k = t & 15u;
    by_powers(x, twiddles[k], twiddles[k + 48u]);
    sixteen(x);
    if (LOG_POINTS == 8u) {
        return;
    }
    // The second one has a gap of 16 after each 256 points.
    workgroupBarrier(); // until all invocations have read the parts of the first
    move_parts(x, Move(
        272u * (t >> 4u) + k, 16u, number + 17u * (corner >> 4u), each, 16u, 17u * WG / 2u, t / (WG / 2u), is_split));
    let row = 240u + number;
    if (LOG_POINTS == 12u) {
        by_powers(x, twiddles[row], twiddles[row + 768u]);
        sixteen(x);
    } else if (LOG_POINTS == 11u) {
        by_seven_powers(x, 0u, twiddles[row], twiddles[row + 768u]);
        by_seven_powers(x, 1u, twiddles[row + 128u], twiddles[row + 896u]);
        eights(x);
    } else if (LOG_POINTS == 10u) {
        by_three_powers(x, 0u, twiddles[row]);
        by_three_powers(x, 1u, twiddles[row + 64u]);
        by_three_powers(x, 2u, twiddles[row + 128u]);
        by_three_powers(x, 3u, twiddles[row + 192u]);
        fours(x);
    } else {
        (*x)[8] = times((*x)[8], twiddles[row]);
        (*x)[9] = times((*x)[9], twiddles[row + 32u]);
        (*x)[10] = times((*x)[10], twiddles[row + 64u]);
        (*x)[11] = times((*x)[11], twiddles[row + 96u]);
        (*x)[12] = times((*x)[12], twiddles[row + 128u]);
        (*x)[13] = times((*x)[13], twiddles[row + 160u]);
        (*x)[14] = times((*x)[14], twiddles[row + 192u]);
        (*x)[15] = times((*x)[15], twiddles[row + 224u]);
        twos(x);
    }
}

/// How points move: point e is written `to_step` × e from `to`, and read from `at` on, `from_step` apart, with `gap` more
/// after each 256. The second half of the parts starts at `middle`, and is written by the invocations of half 1. A
/// transform of 4096 points `is_split`: each invocation reads from both halves. Others lie within one.
struct Move {
    to: u32, to_step: u32, at: u32, from_step: u32, gap: u32, middle: u32, half: u32, is_split: bool,
}

/// Passes the points on: real parts, then imaginary ones, of each one half after the other.
fn move_parts(x: ptr<function, Points>, own: Move) {
    var re = Parts();
    var im = Parts();
    put_re(x, own, 0u);
    workgroupBarrier();
    take(&re, own, 0u);
    workgroupBarrier();
    put_re(x, own, 1u);
    workgroupBarrier();
    take(&re, own, 1u);
    workgroupBarrier();
    put_im(x, own, 0u);
    workgroupBarrier();
    take(&im, own, 0u);
    workgroupBarrier();
    put_im(x, own, 1u);
    workgroupBarrier();
    take(&im, own, 1u);
    (*x)[0] = C(re[0], im[0]);
    (*x)[1] = C(re[1], im[1]);
    (*x)[2] = C(re[2], im[2]);
    (*x)[3] = C(re[3], im[3]);
    (*x)[4] = C(re[4], im[4]);
    (*x)[5] = C(re[5], im[5]);
    (*x)[6] = C(re[6], im[6]);
    (*x)[7] = C(re[7], im[7]);
    (*x)[8] = C(re[8], im[8]);
    (*x)[9] = C(re[9], im[9]);
    (*x)[10] = C(re[10], im[10]);
    (*x)[11] = C(re[11], im[11]);
    (*x)[12] = C(re[12], im[12]);
    (*x)[13] = C(re[13], im[13]);
    (*x)[14] = C(re[14], im[14]);
    (*x)[15] = C(re[15], im[15]);
}

fn put_re(x: ptr<function, Points>, own: Move, half: u32) {
    if (own.half == half) {
        let to = own.to - half * own.middle;
        parts[to + 0u * own.to_step] = (*x)[0].x;
        parts[to + 1u * own.to_step] = (*x)[1].x;
        parts[to + 2u * own.to_step] = (*x)[2].x;
        parts[to + 3u * own.to_step] = (*x)[3].x;
        parts[to + 4u * own.to_step] = (*x)[4].x;
        parts[to + 5u * own.to_step] = (*x)[5].x;
        parts[to + 6u * own.to_step] = (*x)[6].x;
        parts[to + 7u * own.to_step] = (*x)[7].x;
        parts[to + 8u * own.to_step] = (*x)[8].x;
        parts[to + 9u * own.to_step] = (*x)[9].x;
        parts[to + 10u * own.to_step] = (*x)[10].x;
        parts[to + 11u * own.to_step] = (*x)[11].x;
        parts[to + 12u * own.to_step] = (*x)[12].x;
        parts[to + 13u * own.to_step] = (*x)[13].x;
        parts[to + 14u * own.to_step] = (*x)[14].x;
        parts[to + 15u * own.to_step] = (*x)[15].x;
    }
}

fn put_im(x: ptr<function, Points>, own: Move, half: u32) {
    if (own.half == half) {
        let to = own.to - half * own.middle;
        parts[to + 0u * own.to_step] = (*x)[0].y;
        parts[to + 1u * own.to_step] = (*x)[1].y;
        parts[to + 2u * own.to_step] = (*x)[2].y;
        parts[to + 3u * own.to_step] = (*x)[3].y;
        parts[to + 4u * own.to_step] = (*x)[4].y;
        parts[to + 5u * own.to_step] = (*x)[5].y;
        parts[to + 6u * own.to_step] = (*x)[6].y;
        parts[to + 7u * own.to_step] = (*x)[7].y;
        parts[to + 8u * own.to_step] = (*x)[8].y;
        parts[to + 9u * own.to_step] = (*x)[9].y;
        parts[to + 10u * own.to_step] = (*x)[10].y;
        parts[to + 11u * own.to_step] = (*x)[11].y;
        parts[to + 12u * own.to_step] = (*x)[12].y;
        parts[to + 13u * own.to_step] = (*x)[13].y;
        parts[to + 14u * own.to_step] = (*x)[14].y;
        parts[to + 15u * own.to_step] = (*x)[15].y;
    }
}

/// Reads the parts that are in this half.
fn take(into: ptr<function, Parts>, own: Move, half: u32) {
    let at = own.at - half * own.middle;
    if (own.is_split && half == 0u) {
        (*into)[0] = parts[at + distance(0u, own)];
        (*into)[1] = parts[at + distance(1u, own)];
        (*into)[2] = parts[at + distance(2u, own)];
        (*into)[3] = parts[at + distance(3u, own)];
        (*into)[4] = parts[at + distance(4u, own)];
        (*into)[5] = parts[at + distance(5u, own)];
        (*into)[6] = parts[at + distance(6u, own)];
        (*into)[7] = parts[at + distance(7u, own)];
    } else if (own.is_split) {
        (*into)[8] = parts[at + distance(8u, own)];
        (*into)[9] = parts[at + distance(9u, own)];
        (*into)[10] = parts[at + distance(10u, own)];
        (*into)[11] = parts[at + distance(11u, own)];
        (*into)[12] = parts[at + distance(12u, own)];
        (*into)[13] = parts[at + distance(13u, own)];
        (*into)[14] = parts[at + distance(14u, own)];
        (*into)[15] = parts[at + distance(15u, own)];
    } else if (own.half == half) {
        (*into)[0] = parts[at + distance(0u, own)];
        (*into)[1] = parts[at + distance(1u, own)];
        (*into)[2] = parts[at + distance(2u, own)];
        (*into)[3] = parts[at + distance(3u, own)];
        (*into)[4] = parts[at + distance(4u, own)];
        (*into)[5] = parts[at + distance(5u, own)];
        (*into)[6] = parts[at + distance(6u, own)];
        (*into)[7] = parts[at + distance(7u, own)];
        (*into)[8] = parts[at + distance(8u, own)];
        (*into)[9] = parts[at + distance(9u, own)];
        (*into)[10] = parts[at + distance(10u, own)];
        (*into)[11] = parts[at + distance(11u, own)];
        (*into)[12] = parts[at + distance(12u, own)];
        (*into)[13] = parts[at + distance(13u, own)];
        (*into)[14] = parts[at + distance(14u, own)];
        (*into)[15] = parts[at + distance(15u, own)];
    }
}

fn distance(e: u32, own: Move) -> u32 {
    return e * own.from_step + own.gap * ((e * own.from_step) >> 8u);
}

/// Multiplies points 1 to 15 by the powers of a factor, of which the first and the fourth are given.
fn by_powers(x: ptr<function, Points>, w1: C, w4: C) {
    let w2 = times(w1, w1);
    let w3 = times(w2, w1);
    let w8 = times(w4, w4);
    let w12 = times(w8, w4);
    (*x)[1] = times((*x)[1], w1);
    (*x)[2] = times((*x)[2], w2);
    (*x)[3] = times((*x)[3], w3);
    (*x)[4] = times((*x)[4], w4);
    (*x)[5] = times((*x)[5], times(w4, w1));
    (*x)[6] = times((*x)[6], times(w4, w2));
    (*x)[7] = times((*x)[7], times(w4, w3));
    (*x)[8] = times((*x)[8], w8);
    (*x)[9] = times((*x)[9], times(w8, w1));
    (*x)[10] = times((*x)[10], times(w8, w2));
    (*x)[11] = times((*x)[11], times(w8, w3));
    (*x)[12] = times((*x)[12], w12);
    (*x)[13] = times((*x)[13], times(w12, w1));
    (*x)[14] = times((*x)[14], times(w12, w2));
    (*x)[15] = times((*x)[15], times(w12, w3));
}

/// The same for points 1 to 7 of group g of two.
fn by_seven_powers(x: ptr<function, Points>, g: u32, w1: C, w4: C) {
    let w2 = times(w1, w1);
    let w3 = times(w2, w1);
    (*x)[2u + g] = times((*x)[2u + g], w1);
    (*x)[4u + g] = times((*x)[4u + g], w2);
    (*x)[6u + g] = times((*x)[6u + g], w3);
    (*x)[8u + g] = times((*x)[8u + g], w4);
    (*x)[10u + g] = times((*x)[10u + g], times(w4, w1));
    (*x)[12u + g] = times((*x)[12u + g], times(w4, w2));
    (*x)[14u + g] = times((*x)[14u + g], times(w4, w3));
}

/// The same for points 1 to 3 of group g of four.
fn by_three_powers(x: ptr<function, Points>, g: u32, w1: C) {
    let w2 = times(w1, w1);
    (*x)[4u + g] = times((*x)[4u + g], w1);
    (*x)[8u + g] = times((*x)[8u + g], w2);
    (*x)[12u + g] = times((*x)[12u + g], times(w2, w1));
}

/// The product of complex numbers.
fn times(a: C, b: C) -> C {
    return C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/// Multiplies point m of each group of `radix` points by exp(-2 pi i k m / (done radix)), where k is the position of
/// the group within the transforms so far.
fn twiddle(x: ptr<function, Points>, step: Step, table: u32) {
    (*x)[1] = factored((*x)[1], 1u, step, table);
    (*x)[2] = factored((*x)[2], 2u, step, table);
    (*x)[3] = factored((*x)[3], 3u, step, table);
    (*x)[4] = factored((*x)[4], 4u, step, table);
    (*x)[5] = factored((*x)[5], 5u, step, table);
    (*x)[6] = factored((*x)[6], 6u, step, table);
    (*x)[7] = factored((*x)[7], 7u, step, table);
    (*x)[8] = factored((*x)[8], 8u, step, table);
    (*x)[9] = factored((*x)[9], 9u, step, table);
    (*x)[10] = factored((*x)[10], 10u, step, table);
    (*x)[11] = factored((*x)[11], 11u, step, table);
    (*x)[12] = factored((*x)[12], 12u, step, table);
    (*x)[13] = factored((*x)[13], 13u, step, table);
    (*x)[14] = factored((*x)[14], 14u, step, table);
    (*x)[15] = factored((*x)[15], 15u, step, table);
}

/// Point e is the point e / apart of group e % apart.
fn factored(x: C, e: u32, step: Step, table: u32) -> C {
    let m = e >> step.log_apart;
    if (m == 0u) {
        return x;
    }
    let k = group_of(e, step) & ((1u << step.log_done) - 1u);
    return times(x, twiddles[table + ((m - 1u) << step.log_done) + k]);
}

fn group_of(e: u32, step: Step) -> u32 {
    return step.number + (e & ((1u << step.log_apart) - 1u)) * step.each;
}

/// Passes the points on: from the order in which the pass has them to that in which the next pass needs them.
fn exchange(x: ptr<function, Points>, step: Step) {
    let begin = step.corner + step.number;
    let each = step.each;
    workgroupBarrier(); // until all invocations have read the parts of the last use
    parts[destination(0u, step)] = (*x)[0].x;
    parts[destination(1u, step)] = (*x)[1].x;
    parts[destination(2u, step)] = (*x)[2].x;
    parts[destination(3u, step)] = (*x)[3].x;
    parts[destination(4u, step)] = (*x)[4].x;
    parts[destination(5u, step)] = (*x)[5].x;
    parts[destination(6u, step)] = (*x)[6].x;
    parts[destination(7u, step)] = (*x)[7].x;
    parts[destination(8u, step)] = (*x)[8].x;
    parts[destination(9u, step)] = (*x)[9].x;
    parts[destination(10u, step)] = (*x)[10].x;
    parts[destination(11u, step)] = (*x)[11].x;
    parts[destination(12u, step)] = (*x)[12].x;
    parts[destination(13u, step)] = (*x)[13].x;
    parts[destination(14u, step)] = (*x)[14].x;
    parts[destination(15u, step)] = (*x)[15].x;
    workgroupBarrier();
    let re_0 = parts[spread(begin)];
    let re_1 = parts[spread(begin + each)];
    let re_2 = parts[spread(begin + 2u * each)];
    let re_3 = parts[spread(begin + 3u * each)];
    let re_4 = parts[spread(begin + 4u * each)];
    let re_5 = parts[spread(begin + 5u * each)];
    let re_6 = parts[spread(begin + 6u * each)];
    let re_7 = parts[spread(begin + 7u * each)];
    let re_8 = parts[spread(begin + 8u * each)];
    let re_9 = parts[spread(begin + 9u * each)];
    let re_10 = parts[spread(begin + 10u * each)];
    let re_11 = parts[spread(begin + 11u * each)];
    let re_12 = parts[spread(begin + 12u * each)];
    let re_13 = parts[spread(begin + 13u * each)];
    let re_14 = parts[spread(begin + 14u * each)];
    let re_15 = parts[spread(begin + 15u * each)];
    workgroupBarrier();
    parts[destination(0u, step)] = (*x)[0].y;
    parts[destination(1u, step)] = (*x)[1].y;
    parts[destination(2u, step)] = (*x)[2].y;
    parts[destination(3u, step)] = (*x)[3].y;
    parts[destination(4u, step)] = (*x)[4].y;
    parts[destination(5u, step)] = (*x)[5].y;
    parts[destination(6u, step)] = (*x)[6].y;
    parts[destination(7u, step)] = (*x)[7].y;
    parts[destination(8u, step)] = (*x)[8].y;
    parts[destination(9u, step)] = (*x)[9].y;
    parts[destination(10u, step)] = (*x)[10].y;
    parts[destination(11u, step)] = (*x)[11].y;
    parts[destination(12u, step)] = (*x)[12].y;
    parts[destination(13u, step)] = (*x)[13].y;
    parts[destination(14u, step)] = (*x)[14].y;
    parts[destination(15u, step)] = (*x)[15].y;
    workgroupBarrier();
    (*x)[0] = C(re_0, parts[spread(begin)]);
    (*x)[1] = C(re_1, parts[spread(begin + each)]);
    (*x)[2] = C(re_2, parts[spread(begin + 2u * each)]);
    (*x)[3] = C(re_3, parts[spread(begin + 3u * each)]);
    (*x)[4] = C(re_4, parts[spread(begin + 4u * each)]);
    (*x)[5] = C(re_5, parts[spread(begin + 5u * each)]);
    (*x)[6] = C(re_6, parts[spread(begin + 6u * each)]);
    (*x)[7] = C(re_7, parts[spread(begin + 7u * each)]);
    (*x)[8] = C(re_8, parts[spread(begin + 8u * each)]);
    (*x)[9] = C(re_9, parts[spread(begin + 9u * each)]);
    (*x)[10] = C(re_10, parts[spread(begin + 10u * each)]);
    (*x)[11] = C(re_11, parts[spread(begin + 11u * each)]);
    (*x)[12] = C(re_12, parts[spread(begin + 12u * each)]);
    (*x)[13] = C(re_13, parts[spread(begin + 13u * each)]);
    (*x)[14] = C(re_14, parts[spread(begin + 14u * each)]);
    (*x)[15] = C(re_15, parts[spread(begin + 15u * each)]);
}

/// Where point e goes: group j of the pass becomes `radix` points, `done` apart, of the transform of its position.
fn destination(e: u32, step: Step) -> u32 {
    let j = group_of(e, step);
    let k = j & ((1u << step.log_done) - 1u);
    return spread(step.corner + ((j - k) << step.log_radix) + k + ((e >> step.log_apart) << step.log_done));
}

/// A permutation of positions: those that a subgroup accesses a power of two apart lie in different banks.
fn spread(at: u32) -> u32 {
    return at ^ ((at >> 5u) & 31u);
}

/// Eight transforms of two points, eight apart.
fn twos(x: ptr<function, Points>) {
    let sum_0 = (*x)[0] + (*x)[8];
    (*x)[8] = (*x)[0] - (*x)[8];
    (*x)[0] = sum_0;
    let sum_1 = (*x)[1] + (*x)[9];
    (*x)[9] = (*x)[1] - (*x)[9];
    (*x)[1] = sum_1;
    let sum_2 = (*x)[2] + (*x)[10];
    (*x)[10] = (*x)[2] - (*x)[10];
    (*x)[2] = sum_2;
    let sum_3 = (*x)[3] + (*x)[11];
    (*x)[11] = (*x)[3] - (*x)[11];
    (*x)[3] = sum_3;
    let sum_4 = (*x)[4] + (*x)[12];
    (*x)[12] = (*x)[4] - (*x)[12];
    (*x)[4] = sum_4;
    let sum_5 = (*x)[5] + (*x)[13];
    (*x)[13] = (*x)[5] - (*x)[13];
    (*x)[5] = sum_5;
    let sum_6 = (*x)[6] + (*x)[14];
    (*x)[14] = (*x)[6] - (*x)[14];
    (*x)[6] = sum_6;
    let sum_7 = (*x)[7] + (*x)[15];
    (*x)[15] = (*x)[7] - (*x)[15];
    (*x)[7] = sum_7;
}

/// Four points of a transform.
struct Four { a: C, b: C, c: C, d: C }

/// The transform of four points.
fn four(a: C, b: C, c: C, d: C) -> Four {
    let even = a + c;
    let odd = b + d;
    let difference = a - c;
    // -i (b - d)
    let turned = C(b.y - d.y, d.x - b.x);
    return Four(even + odd, difference + turned, even - odd, difference - turned);
}

/// Four transforms of four points, four apart.
fn fours(x: ptr<function, Points>) {
    let f0 = four((*x)[0], (*x)[4], (*x)[8], (*x)[12]);
    (*x)[0] = f0.a;
    (*x)[4] = f0.b;
    (*x)[8] = f0.c;
    (*x)[12] = f0.d;
    let f1 = four((*x)[1], (*x)[5], (*x)[9], (*x)[13]);
    (*x)[1] = f1.a;
    (*x)[5] = f1.b;
    (*x)[9] = f1.c;
    (*x)[13] = f1.d;
    let f2 = four((*x)[2], (*x)[6], (*x)[10], (*x)[14]);
    (*x)[2] = f2.a;
    (*x)[6] = f2.b;
    (*x)[10] = f2.c;
    (*x)[14] = f2.d;
    let f3 = four((*x)[3], (*x)[7], (*x)[11], (*x)[15]);
    (*x)[3] = f3.a;
    (*x)[7] = f3.b;
    (*x)[11] = f3.c;
    (*x)[15] = f3.d;
}

/// Two transforms of eight points, two apart: of four even and four odd points each.
fn eights(x: ptr<function, Points>) {
    let e0 = four((*x)[0], (*x)[4], (*x)[8], (*x)[12]);
    let o0 = four((*x)[2], (*x)[6], (*x)[10], (*x)[14]);
    let b0 = HALF * C(o0.b.x + o0.b.y, o0.b.y - o0.b.x);
    let c0 = C(o0.c.y, -o0.c.x);
    let d0 = HALF * C(o0.d.y - o0.d.x, -o0.d.x - o0.d.y);
    (*x)[0] = e0.a + o0.a;
    (*x)[2] = e0.b + b0;
    (*x)[4] = e0.c + c0;
    (*x)[6] = e0.d + d0;
    (*x)[8] = e0.a - o0.a;
    (*x)[10] = e0.b - b0;
    (*x)[12] = e0.c - c0;
    (*x)[14] = e0.d - d0;
    let e1 = four((*x)[1], (*x)[5], (*x)[9], (*x)[13]);
    let o1 = four((*x)[3], (*x)[7], (*x)[11], (*x)[15]);
    let b1 = HALF * C(o1.b.x + o1.b.y, o1.b.y - o1.b.x);
    let c1 = C(o1.c.y, -o1.c.x);
    let d1 = HALF * C(o1.d.y - o1.d.x, -o1.d.x - o1.d.y);
    (*x)[1] = e1.a + o1.a;
    (*x)[3] = e1.b + b1;
    (*x)[5] = e1.c + c1;
    (*x)[7] = e1.d + d1;
    (*x)[9] = e1.a - o1.a;
    (*x)[11] = e1.b - b1;
    (*x)[13] = e1.c - c1;
    (*x)[15] = e1.d - d1;
}

/// The transform of sixteen points: of four times four.
fn sixteen(x: ptr<function, Points>) {
    let r0 = four((*x)[0], (*x)[4], (*x)[8], (*x)[12]);
    let r1 = four((*x)[1], (*x)[5], (*x)[9], (*x)[13]);
    let r2 = four((*x)[2], (*x)[6], (*x)[10], (*x)[14]);
    let r3 = four((*x)[3], (*x)[7], (*x)[11], (*x)[15]);
    let s0 = four(r0.a, r1.a, r2.a, r3.a);
    let s1 = four(
        r0.b, times(r1.b, C(COS, -SIN)),
        HALF * C(r2.b.x + r2.b.y, r2.b.y - r2.b.x), times(r3.b, C(SIN, -COS)));
    let s2 = four(
        r0.c, HALF * C(r1.c.x + r1.c.y, r1.c.y - r1.c.x),
        C(r2.c.y, -r2.c.x), HALF * C(r3.c.y - r3.c.x, -r3.c.x - r3.c.y));
    let s3 = four(
        r0.d, times(r1.d, C(SIN, -COS)),
        HALF * C(r2.d.y - r2.d.x, -r2.d.x - r2.d.y), times(r3.d, C(-COS, SIN)));
    (*x)[0] = s0.a;
    (*x)[4] = s0.b;
    (*x)[8] = s0.c;
    (*x)[12] = s0.d;
    (*x)[1] = s1.a;
    (*x)[5] = s1.b;
    (*x)[9] = s1.c;
    (*x)[13] = s1.d;
    (*x)[2] = s2.a;
    (*x)[6] = s2.b;
    (*x)[10] = s2.c;
    (*x)[14] = s2.d;
    (*x)[3] = s3.a;
    (*x)[7] = s3.b;
    (*x)[11] = s3.c;
    (*x)[15] = s3.d;
}
