// Batched Fourier transforms of 256 to 4096 complex points by Stockham's algorithm. Each pass combines RADIX transforms
// into one. An invocation holds 16 points in registers and exchanges them through workgroup memory between passes.
// Pattern: Each workgroup processes 4096 points, with coalesced loads and stores of 8 bytes. Real and imaginary parts
// are exchanged one after the other, without bank conflicts, through 16 KiB of workgroup memory. RADIX=16 needs only
// 8.5 KiB, so more workgroups are resident. Twiddle factors come from a table; RADIX=16 reads two factors per pass and
// multiplies them to get the others.
// Work: n complex points read and n written, 5 · log2(points) operations per point.
// Summary: Stockham's algorithm in passes of radix 2, 4, 8 or 16, with 16 points per invocation
// Look for: How the rate rises with RADIX: transforms of 4096 points take 12, 6, 4 and 3 passes. If RADIX=16 is near
// 100 % of the copy peak, the exchanges overlap with DRAM accesses.
// Limits: DRAM with RADIX=16; with RADIX=2 and 4, workgroup memory, four barriers per exchange, and address arithmetic.

alias T = f32;
alias C = vec2<T>;
alias Points = array<C, 16>;

struct Sizes { transforms: u32 }

/// A pass: logarithms of its radix, of the groups of an invocation, and of the points of a transform before it; then
/// the number of the invocation in its transform, the distance of its points, and the first position of the transform.
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

/// Room for the parts of all points; with RADIX=16, for those of one half and for gaps.
var<workgroup> parts: array<T, 16u * WG - RADIX / 16u * (15u * WG / 2u)>;

@compute @workgroup_size(WG)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    // Invocations of a transform, and the number of this one among them. Its point e is number + e × each.
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
    // unroll: the driver must know the pass
    for (var log_done = 0u; log_done < LOG_POINTS; log_done += firstTrailingBit(RADIX)) {
        combine(&x, t, log_done);
    }
    if (is_inside) {
        // unroll
        for (var e = 0u; e < 16u; e++) {
            output[first + number + e * each] = x[e];
        }
    }
}

/// A pass: each group of `radix` points, one of each transform so far, becomes its transform.
fn combine(x: ptr<function, Points>, t: u32, log_done: u32) {
    let log_radix = min(firstTrailingBit(RADIX), LOG_POINTS - log_done);
    let each = 1u << (LOG_POINTS - 4u);
    let number = t & (each - 1u);
    let step = Step(log_radix, 4u - log_radix, log_done, number, each, 16u * (t - number));
    if (log_done > 0u) {
        twiddle(x, step);
    }
    if (log_radix == 4u) {
        sixteen(x);
    } else if (log_radix == 3u) {
        eights(x);
    } else if (log_radix == 2u) {
        fours(x);
    } else {
        twos(x);
    }
    if (log_done + log_radix < LOG_POINTS) {
        exchange(x, step, t / (WG / 2u), log_done);
    }
}

/// Multiplies the points of each group, but the first one, by their factors.
fn twiddle(x: ptr<function, Points>, step: Step) {
    if (RADIX < 16u) {
        // unroll
        for (var e = 1u; e < 16u; e++) {
            if (e >> step.log_apart > 0u) {
                (*x)[e] = times((*x)[e], factor(e, step));
            }
        }
        return;
    }
    // unroll: points of a group are `apart` apart
    for (var apart = 1u; apart < 16u; apart *= 2u) {
        if (apart == 1u << step.log_apart) {
            // unroll
            for (var g = 0u; g < apart; g++) {
                // A group of two or four points has no fourth factor: what is read for it is unused.
                let w = powers(factor(apart + g, step), factor(min(4u * apart + g, 15u), step));
                // unroll
                for (var e = apart + g; e < 16u; e += apart) {
                    (*x)[e] = times((*x)[e], w[e / apart]);
                }
            }
        }
    }
}

/// The powers of a factor, of which the first and the fourth are given.
fn powers(w1: C, w4: C) -> Points {
    var w = Points();
    w[1] = w1;
    w[2] = times(w1, w1);
    w[3] = times(w[2], w1);
    w[4] = w4;
    w[8] = times(w4, w4);
    w[12] = times(w[8], w4);
    // unroll
    for (var m = 4u; m < 16u; m += 4u) {
        // unroll
        for (var k = 1u; k < 4u; k++) {
            w[m + k] = times(w[m], w[k]);
        }
    }
    return w;
}

/// The factor of point e, which is point m = e / apart of group e % apart: exp(-2 pi i k m / (done radix)), where k is
/// the position of the group within the transforms so far.
fn factor(e: u32, step: Step) -> C {
    // Each point of the transforms so far has RADIX - 1 factors in each pass before.
    let table = (1u << step.log_done) - RADIX;
    let m = e >> step.log_apart;
    let k = group_of(e, step) & ((1u << step.log_done) - 1u);
    return twiddles[table + ((m - 1u) << step.log_done) + k];
}

fn group_of(e: u32, step: Step) -> u32 {
    return step.number + (e & ((1u << step.log_apart) - 1u)) * step.each;
}

/// The product of complex numbers.
fn times(a: C, b: C) -> C {
    return C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/// Moves the points from the order in which the pass has them to that in which the next pass needs them: real parts,
/// then imaginary ones, with RADIX=16 one half after the other. An invocation then writes half `own` and reads it; only
/// a transform of 4096 points is in both halves, and each of its invocations reads both.
fn exchange(x: ptr<function, Points>, step: Step, own: u32, log_done: u32) {
    let is_split = RADIX == 16u && LOG_POINTS == 12u;
    let middle = with_gaps(8u * WG, step);
    let begin = step.corner + step.number;
    var moved = Points();
    // unroll
    for (var part = 0u; part < 2u; part++) {
        // unroll
        for (var half = 0u; half < 1u + RADIX / 16u; half++) {
            if (part + half + log_done > 0u) {
                workgroupBarrier(); // until all invocations have read the last parts
            }
            if (RADIX < 16u || own == half) {
                // unroll
                for (var e = 0u; e < 16u; e++) {
                    parts[destination(e, step) - half * middle] = (*x)[e][part];
                }
            }
            workgroupBarrier();
            if (is_split) {
                // unroll
                for (var e = 8u * half; e < 8u * half + 8u; e++) {
                    moved[e][part] = parts[index(begin, e * step.each, step) - half * middle];
                }
            } else if (RADIX < 16u || own == half) {
                // unroll
                for (var e = 0u; e < 16u; e++) {
                    moved[e][part] = parts[index(begin, e * step.each, step) - half * middle];
                }
            }
        }
    }
    *x = moved;
}

/// Where point e goes: group j of the pass becomes `radix` points, `done` apart, of the transform of its position.
fn destination(e: u32, step: Step) -> u32 {
    let j = group_of(e, step);
    let k = j & ((1u << step.log_done) - 1u);
    return index(step.corner + ((j - k) << step.log_radix) + k, (e >> step.log_apart) << step.log_done, step);
}

/// The index of a part: those that a subgroup accesses lie in different banks. With RADIX=16 by gaps, which leave
/// distances constant, otherwise by a permutation.
fn index(at: u32, distance: u32, step: Step) -> u32 {
    if (RADIX == 16u) {
        return with_gaps(at, step) + with_gaps(distance, step);
    }
    return (at + distance) ^ (((at + distance) >> 5u) & 31u);
}

/// The first exchange has a gap of one word after each 32, or each 16 where a subgroup has several transforms; the
/// second one has 16 words after each 256.
fn with_gaps(at: u32, step: Step) -> u32 {
    if (step.log_done > 0u) {
        return at + 16u * (at >> 8u);
    }
    return at + (at >> select(5u, 4u, LOG_POINTS == 8u));
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

/// Four transforms of four points, four apart.
fn fours(x: ptr<function, Points>) {
    // unroll
    for (var q = 0u; q < 4u; q++) {
        let f = four((*x)[q], (*x)[q + 4u], (*x)[q + 8u], (*x)[q + 12u]);
        // unroll
        for (var m = 0u; m < 4u; m++) {
            (*x)[q + 4u * m] = f[m];
        }
    }
}

/// The transform of four points.
fn four(a: C, b: C, c: C, d: C) -> array<C, 4> {
    let even = a + c;
    let odd = b + d;
    let difference = a - c;
    let side = turned(b - d);
    return array<C, 4>(even + odd, difference + side, even - odd, difference - side);
}

/// The product with -i.
fn turned(a: C) -> C {
    return C(a.y, -a.x);
}

/// Two transforms of eight points, two apart: of four even and four odd points each.
fn eights(x: ptr<function, Points>) {
    fours(x);
    var y = *x;
    // unroll
    for (var g = 0u; g < 2u; g++) {
        y[6u + g] = HALF * (y[6u + g] + turned(y[6u + g]));
        y[10u + g] = turned(y[10u + g]);
        y[14u + g] = HALF * (turned(y[14u + g]) - y[14u + g]);
        // unroll
        for (var m = 0u; m < 4u; m++) {
            (*x)[2u * m + g] = y[4u * m + g] + y[4u * m + 2u + g];
            (*x)[2u * m + 8u + g] = y[4u * m + g] - y[4u * m + 2u + g];
        }
    }
}

/// The transform of sixteen points: of four times four.
fn sixteen(x: ptr<function, Points>) {
    fours(x);
    (*x)[5] = times((*x)[5], C(COS, -SIN));
    (*x)[6] = HALF * ((*x)[6] + turned((*x)[6]));
    (*x)[7] = times((*x)[7], C(SIN, -COS));
    (*x)[9] = HALF * ((*x)[9] + turned((*x)[9]));
    (*x)[10] = turned((*x)[10]);
    (*x)[11] = HALF * (turned((*x)[11]) - (*x)[11]);
    (*x)[13] = times((*x)[13], C(SIN, -COS));
    (*x)[14] = HALF * (turned((*x)[14]) - (*x)[14]);
    (*x)[15] = times((*x)[15], C(-COS, SIN));
    var y = Points();
    // unroll
    for (var k = 0u; k < 4u; k++) {
        let f = four((*x)[4u * k], (*x)[4u * k + 1u], (*x)[4u * k + 2u], (*x)[4u * k + 3u]);
        // unroll
        for (var m = 0u; m < 4u; m++) {
            y[k + 4u * m] = f[m];
        }
    }
    *x = y;
}
