// Batched discrete Fourier transforms of 256 to 4096 complex points by Stockham's algorithm: 16 points in the registers of
// an invocation, exchanged through workgroup memory between passes. A pass combines RADIX transforms to one.
// Pattern: 4096 points a workgroup; coalesced loads and stores of 8 bytes; real and imaginary parts are exchanged one after
// the other, without bank conflicts: in 16 KiB, with RADIX=16 by halves in 8.5 KiB, so that more workgroups are resident.
// Twiddle factors are in a table; RADIX=16 reads two of them a pass and multiplies for the others.
// Work: n complex points read and n written, 5 log2(points) operations for each.

alias T = f32;
alias C = vec2<T>;
alias Points = array<C, 16>;

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
        // unroll
        for (var e = 0u; e < 16u; e++) {
            x[e] = input[first + number + e * each];
        }
    }
    if (RADIX == 16u) {
        planned(&x, t);
    } else {
        // unroll: the driver must know the number of the pass
        for (var number_of_pass = 0u; number_of_pass < 12u; number_of_pass++) {
            pass_from(&x, t, number_of_pass);
        }
    }
    if (is_inside) {
        // unroll
        for (var e = 0u; e < 16u; e++) {
            output[first + number + e * each] = x[e];
        }
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
        // unroll
        for (var g = 0u; g < 4u; g++) {
            by_three_powers(x, g, twiddles[row + 64u * g]);
        }
        fours(x);
    } else {
        // unroll
        for (var q = 0u; q < 8u; q++) {
            (*x)[8u + q] = times((*x)[8u + q], twiddles[row + 32u * q]);
        }
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
    var moved = Points();
    // unroll
    for (var part = 0u; part < 2u; part++) {
        // unroll
        for (var half = 0u; half < 2u; half++) {
            if (part + half > 0u) {
                workgroupBarrier(); // until all invocations have read the last ones
            }
            if (own.half == half) {
                let to = own.to - half * own.middle;
                // unroll
                for (var e = 0u; e < 16u; e++) {
                    parts[to + e * own.to_step] = (*x)[e][part];
                }
            }
            workgroupBarrier();
            let at = own.at - half * own.middle;
            if (own.is_split) {
                // unroll
                for (var e = 8u * half; e < 8u * half + 8u; e++) {
                    moved[e][part] = parts[at + distance(e, own)];
                }
            } else if (own.half == half) {
                // unroll
                for (var e = 0u; e < 16u; e++) {
                    moved[e][part] = parts[at + distance(e, own)];
                }
            }
        }
    }
    *x = moved;
}

fn distance(e: u32, own: Move) -> u32 {
    return e * own.from_step + own.gap * ((e * own.from_step) >> 8u);
}

/// Multiplies points 1 to 15 by the powers of a factor, of which the first and the fourth are given.
fn by_powers(x: ptr<function, Points>, w1: C, w4: C) {
    let w2 = times(w1, w1);
    let w3 = times(w2, w1);
    (*x)[1] = times((*x)[1], w1);
    (*x)[2] = times((*x)[2], w2);
    (*x)[3] = times((*x)[3], w3);
    var w = w4;
    // unroll
    for (var m = 4u; m < 16u; m += 4u) {
        (*x)[m] = times((*x)[m], w);
        (*x)[m + 1u] = times((*x)[m + 1u], times(w, w1));
        (*x)[m + 2u] = times((*x)[m + 2u], times(w, w2));
        (*x)[m + 3u] = times((*x)[m + 3u], times(w, w3));
        w = times(w, w4);
    }
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
    // unroll
    for (var e = 1u; e < 16u; e++) {
        (*x)[e] = factored((*x)[e], e, step, table);
    }
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
    var moved = Points();
    // unroll
    for (var part = 0u; part < 2u; part++) {
        workgroupBarrier(); // until all invocations have read the parts of the last use
        // unroll
        for (var e = 0u; e < 16u; e++) {
            parts[destination(e, step)] = (*x)[e][part];
        }
        workgroupBarrier();
        // unroll
        for (var e = 0u; e < 16u; e++) {
            moved[e][part] = parts[spread(begin + e * step.each)];
        }
    }
    *x = moved;
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
    // unroll
    for (var q = 0u; q < 8u; q++) {
        let sum = (*x)[q] + (*x)[q + 8u];
        (*x)[q + 8u] = (*x)[q] - (*x)[q + 8u];
        (*x)[q] = sum;
    }
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
    // unroll
    for (var q = 0u; q < 4u; q++) {
        let f = four((*x)[q], (*x)[q + 4u], (*x)[q + 8u], (*x)[q + 12u]);
        (*x)[q] = f.a;
        (*x)[q + 4u] = f.b;
        (*x)[q + 8u] = f.c;
        (*x)[q + 12u] = f.d;
    }
}

/// Two transforms of eight points, two apart: of four even and four odd points each.
fn eights(x: ptr<function, Points>) {
    // unroll
    for (var g = 0u; g < 2u; g++) {
        let even = four((*x)[g], (*x)[4u + g], (*x)[8u + g], (*x)[12u + g]);
        let odd = four((*x)[2u + g], (*x)[6u + g], (*x)[10u + g], (*x)[14u + g]);
        let b = HALF * C(odd.b.x + odd.b.y, odd.b.y - odd.b.x);
        let c = C(odd.c.y, -odd.c.x);
        let d = HALF * C(odd.d.y - odd.d.x, -odd.d.x - odd.d.y);
        (*x)[g] = even.a + odd.a;
        (*x)[2u + g] = even.b + b;
        (*x)[4u + g] = even.c + c;
        (*x)[6u + g] = even.d + d;
        (*x)[8u + g] = even.a - odd.a;
        (*x)[10u + g] = even.b - b;
        (*x)[12u + g] = even.c - c;
        (*x)[14u + g] = even.d - d;
    }
}

/// The transform of sixteen points: of four times four.
fn sixteen(x: ptr<function, Points>) {
    var r = array<Four, 4>();
    // unroll
    for (var n = 0u; n < 4u; n++) {
        r[n] = four((*x)[n], (*x)[4u + n], (*x)[8u + n], (*x)[12u + n]);
    }
    let s0 = four(r[0].a, r[1].a, r[2].a, r[3].a);
    let s1 = four(
        r[0].b, times(r[1].b, C(COS, -SIN)),
        HALF * C(r[2].b.x + r[2].b.y, r[2].b.y - r[2].b.x), times(r[3].b, C(SIN, -COS)));
    let s2 = four(
        r[0].c, HALF * C(r[1].c.x + r[1].c.y, r[1].c.y - r[1].c.x),
        C(r[2].c.y, -r[2].c.x), HALF * C(r[3].c.y - r[3].c.x, -r[3].c.x - r[3].c.y));
    let s3 = four(
        r[0].d, times(r[1].d, C(SIN, -COS)),
        HALF * C(r[2].d.y - r[2].d.x, -r[2].d.x - r[2].d.y), times(r[3].d, C(-COS, SIN)));
    let s = array<Four, 4>(s0, s1, s2, s3);
    // unroll
    for (var n = 0u; n < 4u; n++) {
        (*x)[n] = s[n].a;
        (*x)[4u + n] = s[n].b;
        (*x)[8u + n] = s[n].c;
        (*x)[12u + n] = s[n].d;
    }
}
