//! `fft`: batched discrete Fourier transforms of complex f32, computed in registers and workgroup memory.

pub(crate) mod claims;

use std::f64::consts::TAU;

use record::suite::by_rows;
use record::suite::input::{Input, Scaled};
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "fft",
    summary: "batched Fourier transforms of complex f32; sizes are transforms × points",
    model_text: "A transform that fits in workgroup memory reads and writes each point once, as a copy does: 16 bytes \
        per point. There are log2(points) / log2(radix) passes, rounded up; between passes, the points move through \
        workgroup memory. A larger radix needs fewer passes and more registers.",
    tags: &[Tag::Primitive],
    headlines: &[Headline { name: "FFT", place: 10, ..Headline::F32 }],
    benchmarks: &[STOCKHAM, CUFFT],
    ..Family::BLANK
};

const STOCKHAM: Benchmark = Benchmark {
    name: "stockham",
    quick: &[Quick::at(&[Dtype::F32], Extent::Matrix(8192, 4096), &[&[("RADIX", 2.0)], &[("RADIX", 16.0)]])],
    unsupported: |shape| {
        let is_supported = shape.columns().is_power_of_two() && (256..=4096).contains(&shape.columns());
        (!is_supported).then_some("only 256, 512, 1024, 2048 and 4096 points are supported")
    },
    cases: &Cases::pair(&[Dtype::F32], QUICK, ALL, RADICES),
    accepts: &[("RADIX", Accepted::PowerOfTwo(2, 16))],
    of_size: &[("LOG_POINTS", |shape| log_points(shape) as f64)],
    small: Some(Extent::Matrix(64, 256)),
    buffers: |shape, interface| {
        let words = twiddles(shape.columns(), interface.parameter("RADIX").max(2));
        vec![
            Buffer::input("input", 2 * shape.count(), points_of(shape)),
            Buffer::output("output", 2 * shape.count()),
            Buffer::new("twiddles", words.len() as u64, Contents::Words(words)),
            uniform("sizes", &[shape.rows()]),
        ]
    },
    steps: |shape, _| vec![Step::dispatch(shape.count().div_ceil(4096))],
    work: |shape| Work { bytes: 4 * shape.array_bytes(), flops: 5 * shape.count() * log_points(shape) },
    ceiling: Some(Limit::Copy),
    tolerance: Some(|shape, _| allowed(shape)),
    // Roundings of each term of a result: see `error`, for one factor of two.
    bound: Bound::Roundings(|shape, _| 7 * log_points(shape)),
    precise_at: Some(Extent::Matrix(33, 256)),
    check: Check::of("output", |shape, _| 2 * shape.count(), |shape, _| transformed(shape)),
    ..Benchmark::BLANK
};

/// The vendor's library, with the same input, work and check.
const CUFFT: Benchmark = Benchmark {
    name: "cufft",
    quick: &[Quick::at(&[Dtype::F32], Extent::Matrix(8192, 4096), PLAIN)],
    only_cuda: Some("cuFFT needs CUDA"),
    library: Some(Library::CuFft),
    accepts: &[],
    of_size: &[],
    cases: &Cases::pair(&[Dtype::F32], QUICK, ALL, PLAIN),
    buffers: |shape, _| Buffer::of_copy(2 * shape.count(), points_of(shape)),
    steps: |shape, _| {
        let (count, points) = shape.extent.matrix();
        Step::library(Routine::Transform { count, points }, &["input", "output"])
    },
    ..STOCKHAM
};

const RADICES: &[Params] = &sets(&values("RADIX", [2.0, 4.0, 8.0, 16.0]));
const QUICK: &[Extent] = &[Extent::Matrix(1024, 4096)];
const ALL: &[Extent] = &matrices([(1001, 256), (131_072, 256), (32_768, 1024), (1024, 4096), (8192, 4096)]);

fn log_points(shape: &Shape) -> u64 {
    shape.columns().max(1).ilog2().into()
}

/// Real and imaginary parts of points; each transform has its own power of two.
const fn points_of(shape: &Shape) -> Values {
    Values::Scaled(Scaled { most: 127, row: 2 * shape.columns(), first: 0 })
}

/// exp(-2πi `numerator` / `denominator`).
fn root(numerator: u64, denominator: u64) -> [f64; 2] {
    let (sin, cos) = (-TAU * numerator as f64 / denominator as f64).sin_cos();
    [cos, sin]
}

/// The bits of the factors of all passes after the first, in the order in which the kernel reads them.
fn twiddles(points: u64, radix: u64) -> Vec<u32> {
    let mut words = Vec::new();
    let mut done = radix.min(points);
    while done < points {
        let radix = radix.min(points / done);
        let factors = (1..radix).flat_map(|m| (0..done).map(move |k| root(k * m, done * radix)));
        words.extend(factors.flatten().map(|part| (part as f32).to_bits()));
        done *= radix;
    }
    words
}

/// The error allowed for each part of each point. By Higham (*Accuracy and Stability of Numerical Algorithms*, 2nd
/// edition, theorem 24.2), the root mean square of the errors is at most log2(n) η times that of the results, with η =
/// μ + γ4 (√2 + μ), where μ = u is the error of a twiddle factor and γ4 = 4u / (1 - 4u). A higher radix has no more
/// roundings per factor of two: with RADIX=16, factors are products with errors of up to 4.5 u (as a test here shows),
/// but a point is multiplied by only one of them for four factors of two. Single errors stay below this bound of their
/// mean: roundings differ in sign, and the mean is a fraction of its bound (less than a fifth, as a test here shows).
/// So an error is at most 6.7 log2(n) 2^-24 times the root mean square of the results, √n times that of the inputs.
fn error(points: u64) -> f64 {
    const U: f64 = 1.0 / (1 << 24) as f64;
    let eta = U + 4.0 * U / (1.0 - 4.0 * U) * (std::f64::consts::SQRT_2 + U);
    f64::from(points.max(2).ilog2()) * eta
}

/// [`error`] times the root mean square of a transform's results, which is the norm of its inputs.
fn allowed(shape: &Shape) -> Oracle {
    let (input, points) = (shape.input(points_of(shape)), shape.columns());
    Box::new(move |first, slots| {
        by_rows(first, slots, 2 * points, |row, _, slots| slots.fill(error(points) * norm(input, row, points)));
    })
}

/// The Euclidean norm of the points of transform `number`.
fn norm(input: Input, number: u64, points: u64) -> f64 {
    let mut parts = vec![0.0; 2 * points as usize];
    input.elements(Scalar::F32, 2 * number * points, 1, &mut parts);
    parts.into_iter().map(|part| part * part).sum::<f64>().sqrt()
}

fn transformed(shape: &Shape) -> Oracle {
    let points = shape.columns();
    let input = shape.input(points_of(shape));
    let roots: Vec<[f64; 2]> = (0..points).map(|k| root(k, points)).collect();
    let are_magnitudes = shape.significands.are_magnitudes();
    Box::new(move |first, slots| {
        by_rows(first, slots, 2 * points, |row, column, slots| {
            if are_magnitudes {
                slots.fill(magnitudes(input, row, points));
                return;
            }
            let result = transform(input, row, &roots);
            slots.copy_from_slice(&result.as_flattened()[column as usize..][..slots.len()]);
        });
    })
}

/// The sum of the magnitudes of the terms of each result: factors have a magnitude of 1.
fn magnitudes(input: Input, number: u64, points: u64) -> f64 {
    let mut parts = vec![[0.0; 2]; points as usize];
    input.elements(Scalar::F32, 2 * number * points, 1, parts.as_flattened_mut());
    parts.into_iter().map(|[re, im]| f64::hypot(re, im)).sum()
}

/// Transform `number` of the input, by Stockham's algorithm of radix 2.
fn transform(input: Input, number: u64, roots: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let points = roots.len();
    let mut from = vec![[0.0; 2]; points];
    input.elements(Scalar::F32, 2 * number * points as u64, 1, from.as_flattened_mut());
    let mut to = from.clone();
    let mut done = 1;
    while done < points {
        for j in 0..points / 2 {
            let (k, [cos, sin]) = (j % done, roots[j % done * (points / (2 * done))]);
            let ([a, b], [c, d]) = (from[j], from[j + points / 2]);
            let [c, d] = [c * cos - d * sin, c * sin + d * cos];
            let at = (j - k) * 2 + k;
            to[at] = [a + c, b + d];
            to[at + done] = [a - c, b - d];
        }
        std::mem::swap(&mut from, &mut to);
        done *= 2;
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracle_is_the_sum_that_defines_the_transform_from_any_index_on() {
        const POINTS: u64 = 256;
        let shape = Shape { stream: 5, ..Shape::new(Dtype::F32, Extent::Matrix(3, POINTS), Default::default()) };
        let at = |index| shape.input(points_of(&shape)).at(Scalar::F32, index);
        let part = |index: u64| {
            let (number, k, part) = (index / 2 / POINTS, index / 2 % POINTS, index % 2);
            let terms = (0..POINTS).map(|n| {
                let (re, im) = (at(2 * (number * POINTS + n)), at(2 * (number * POINTS + n) + 1));
                let [cos, sin] = root(k * n % POINTS, POINTS);
                if part == 0 { re * cos - im * sin } else { re * sin + im * cos }
            });
            terms.sum::<f64>()
        };
        for (first, length) in [(0, 6 * POINTS), (1, 5), (2 * POINTS - 3, 9), (6 * POINTS - 1, 1)] {
            let mut got = vec![f64::NAN; length as usize];
            transformed(&shape)(first, &mut got);
            for (index, got) in (first..).zip(got) {
                assert!((got - part(index)).abs() < 1e-10, "{index}: {got}");
            }
        }
    }

    /// The same algorithm in f32 has errors below a fifth of what is allowed.
    #[test]
    fn single_errors_are_far_below_the_bound_of_their_mean() {
        for points in [256_usize, 4096] {
            let roots: Vec<[f64; 2]> = (0..points as u64).map(|k| root(k, points as u64)).collect();
            for number in 0..16 {
                let input = Values::Summable.of(3);
                let exact = transform(input, number, &roots);
                let mut from = vec![[0.0_f32; 2]; points];
                for (index, slot) in (2 * number * points as u64..).zip(from.as_flattened_mut()) {
                    *slot = input.at(Scalar::F32, index) as f32;
                }
                let mut to = from.clone();
                let mut done = 1;
                while done < points {
                    for j in 0..points / 2 {
                        let (k, factor) = (j % done, roots[j % done * (points / (2 * done))]);
                        let [cos, sin] = factor.map(|part| part as f32);
                        let ([a, b], [c, d]) = (from[j], from[j + points / 2]);
                        let [c, d] = [c * cos - d * sin, c * sin + d * cos];
                        let at = (j - k) * 2 + k;
                        (to[at], to[at + done]) = ([a + c, b + d], [a - c, b - d]);
                    }
                    std::mem::swap(&mut from, &mut to);
                    done *= 2;
                }
                let errors = from.as_flattened().iter().zip(exact.as_flattened());
                let largest = errors.map(|(got, want)| (f64::from(*got) - want).abs()).fold(0.0, f64::max);
                let allowed = error(points as u64) * norm(input, number, points as u64);
                assert!(largest < 0.2 * allowed, "{points}: {largest}, {allowed}");
            }
        }
    }

    /// The products that the kernel uses as factors of a radix-16 pass.
    #[test]
    fn products_of_factors_are_off_by_at_most_four_and_a_half_units() {
        fn times(a: [f32; 2], b: [f32; 2]) -> [f32; 2] {
            [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
        }
        for done in [16, 256] {
            for k in 0..done {
                let exact = |m: u64| root(k * m, 16 * done);
                let rounded = |m: u64| exact(m).map(|part| part as f32);
                let one = rounded(1);
                let low = [[1.0, 0.0], one, times(one, one), times(times(one, one), one)];
                let four = rounded(4);
                let high = [[1.0, 0.0], four, times(four, four), times(times(four, four), four)];
                for m in 1..16_u64 {
                    let [re, im] = times(high[(m / 4) as usize], low[(m % 4) as usize]).map(f64::from);
                    let off = (re - exact(m)[0]).hypot(im - exact(m)[1]) * f64::from(1 << 24);
                    assert!(off < 4.5, "{done} {k} {m}: {off}");
                }
            }
        }
    }

    #[test]
    fn the_table_has_the_factors_of_every_pass() {
        for (points, radix, factors) in [(256, 2, 254), (256, 16, 240), (2048, 16, 240 + 7 * 256), (512, 8, 56 + 448)] {
            assert_eq!(twiddles(points, radix).len(), 2 * factors, "{points} {radix}");
        }
    }
}
