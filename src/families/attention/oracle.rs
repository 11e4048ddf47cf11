//! The right outputs of `attention`, and the errors that its kernels may make.

use super::{is_causal, width};
use crate::suite::input::{Input, Values};
use crate::suite::vectors::vectorised;
use crate::suite::{Interface, Oracle, Scalar, Shape, by_rows, each};

/// Keys and values, independent of each other and of the queries; exact in f16.
pub(super) const KEYS: Values = Values::SummableFrom(1 << 40);
pub(super) const VALUES: Values = Values::SummableFrom(1 << 41);

/// Keys and values of one head.
struct Head {
    number: u64,
    keys: Vec<f32>,
    values: Vec<f32>,
}

impl Head {
    /// Head `number`, each key and value of `width` elements.
    fn new(shape: &Shape, number: u64) -> Self {
        let scalars = shape.extent.matrix().1 * width(shape);
        let drawn = |input: Input| -> Vec<f32> {
            let mut wide = vec![0.0; scalars as usize];
            input.elements(Scalar::F32, number * scalars, 1, &mut wide);
            wide.into_iter().map(|value| value as f32).collect()
        };
        Self { number, keys: drawn(shape.input(KEYS)), values: drawn(shape.input(VALUES)) }
    }
}

/// Output row by output row, each in three steps: the scores of its keys, their exponentials, and the sum of values. Keys
/// and values of a head are drawn once for all rows of a slice.
pub(super) fn attended(shape: &Shape) -> Oracle {
    let shape = shape.clone();
    Box::new(move |first, slots| {
        let (length, width) = (shape.extent.matrix().1, width(&shape));
        let queries = shape.input(Values::Queries(width));
        let mut head: Option<Head> = None;
        let (mut query, mut weights) = (vec![0.0; width as usize], Vec::new());
        by_rows(first, slots, width, |row, column, slots| {
            let head = match &mut head {
                Some(head) if head.number == row / length => head,
                head => head.insert(Head::new(&shape, row / length)),
            };
            queries.elements(Scalar::F32, row * width, 1, &mut query);
            let own: Vec<f32> = query.iter().map(|element| *element as f32).collect();
            let end = if is_causal(&shape) { row % length + 1 } else { length };
            weights.resize(end as usize, 0.0);
            scores(&own, &head.keys, &mut weights);
            let scale = 1.0 / (width as f64).sqrt();
            let top = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            weights.iter_mut().for_each(|score| *score = ((*score - top) * scale).exp());
            let sum: f64 = weights.iter().sum();
            slots.fill(0.0);
            add_values(slots, &weights, &head.values[column as usize..], width as usize);
            slots.iter_mut().for_each(|slot| *slot /= sum);
        });
    })
}

vectorised! {
    /// Writes the product of a query with each of the first keys. Sums are exact in f32: see [`Values::Queries`].
    fn scores(query: &[f32], keys: &[f32], scores: &mut [f64]) {
        const LANES: usize = 16;
        for (score, key) in scores.iter_mut().zip(keys.chunks_exact(query.len())) {
            let mut sums = [0.0_f32; LANES];
            for (a, b) in query.as_chunks::<LANES>().0.iter().zip(key.as_chunks::<LANES>().0) {
                for lane in 0..LANES {
                    sums[lane] += a[lane] * b[lane];
                }
            }
            *score = sums.iter().sum::<f32>().into();
        }
    }
}

vectorised! {
    /// Adds `weights[j]` times the elements from `width` · j on.
    fn add_values(sums: &mut [f64], weights: &[f64], values: &[f32], width: usize) {
        for (number, weight) in weights.iter().enumerate() {
            for (sum, value) in sums.iter_mut().zip(&values[number * width..]) {
                *sum += weight * f64::from(*value);
            }
        }
    }
}

/// The relative errors that a kernel makes, in units of 2^-24.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Errors {
    /// Of an addend of the sum of values, besides those of its exponential.
    addend: f64,
    /// Of an addend of the sum of exponentials, besides the same.
    weight: f64,
    /// Of an exponential that is too small for its type, as a part of the largest.
    lost: f64,
}

/// The kernel that keeps scores in memory: each invocation adds up the exponentials of a part of a row, a tree those of
/// the invocations, and one invocation the values of all keys; two roundings for the quotient before it.
pub(super) fn in_memory(shape: &Shape, interface: &Interface) -> Errors {
    let (length, invocations) = (shape.extent.matrix().1 as f64, f64::from(interface.invocations()));
    Errors { addend: length + 3.0, weight: (length / invocations).ceil() + invocations.log2(), lost: 0.0 }
}

/// The kernel with tiles of 16 keys: four additions or two per tile, a product with a rescaling factor per tile, which has the
/// error of an exponential, and the quotient at the end. The arguments of the factors add up to that of one exponential
/// (see the softmax family), so that only their constant part counts each time.
pub(super) fn in_tiles(shape: &Shape) -> Errors {
    let tiles = (shape.extent.matrix().1 as f64 / 16.0).ceil();
    let of_factors = (1.0 + 2.0 * 3.0) * tiles;
    Errors { addend: 6.0 * tiles + of_factors + 3.0, weight: 6.0 * tiles + of_factors, lost: 0.0 }
}

/// The kernel on tensor cores. An exponential is rounded to f16 for the sum of values: half a unit of 2^-10. Tensor cores
/// may truncate each sum of 16 products and its addition: 4 units (Fasi et al., *Numerical behavior of NVIDIA tensor
/// cores*, 2021). The sum of exponentials is one of f32, of at most as many additions. Maxima are replaced rarely; each
/// time costs an exponential and a product, and no more than one is possible per 16 keys. The exponential of
/// the largest score is 2^6 or more, so that one below the normal numbers of f16, 2^-14, is below 2^-20 of it; its error is
/// at most all of it where a device replaces it by 0.
pub(super) fn in_halves(shape: &Shape) -> Errors {
    let sixteens = (shape.extent.matrix().1 as f64 / 16.0).ceil();
    let of_factors = f64::from(1 << 3);
    Errors {
        addend: f64::from(1 << 13) + 4.0 * sixteens + of_factors * 8.0,
        weight: shape.extent.matrix().1 as f64 / 2.0 + of_factors * 8.0,
        lost: f64::powi(2.0, -31),
    }
}

/// The error of an output, the same for all, since |v| < 1.
///
/// An output is Σ p v / Σ p with p = e^-x for the difference x of a score from the largest of its row, so that an error
/// e of an addend of either sum changes it by the mean of |e| at most, weighted by p. WGSL allows an exponential
/// 3 + 2x units of 2^-23. The mean of x is ln n - (the entropy that is missing to ln n) - ln Σ p ≤ ln n for n keys. Scores are
/// exact up to the factor 1/√d: its error, that of the product and, where exponentials have base 2, that of log2 e change
/// a score of up to 60 (five standard deviations in the sharpest rows) by 3 · 60 units of 2^-24. Both sums have all of these
/// errors.
pub(super) fn tolerance(shape: &Shape, errors: Errors) -> Oracle {
    let length = shape.extent.matrix().1 as f64;
    let of_exponential = 2.0 * (3.0 + 2.0 * length.ln()) + 3.0 * 60.0;
    let units = 2.0 * of_exponential + errors.addend + errors.weight;
    let allowed = units * f64::powi(2.0, -24) * (1.0 + f64::powi(2.0, -8)) + errors.lost * length;
    each(move |_| allowed)
}
