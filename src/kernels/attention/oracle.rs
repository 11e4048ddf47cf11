//! Expected outputs of `attention`, and the errors allowed to its kernels.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use record::suite::by_rows;
use record::suite::input::{BLOCK, Input};
use record::suite::prelude::*;
use record::suite::vectors::vectorised;

/// Values, independent of keys and queries; exact in f16.
pub(super) const VALUES: Values = Values::SummableFrom(1 << 41);

/// d: the elements of a query, key, value or output.
pub(super) fn width(shape: &Shape) -> u64 {
    shape.param("D", 128.0) as u64
}

pub(super) fn is_causal(shape: &Shape) -> bool {
    shape.param("CAUSAL", 0.0) == 1.0
}

struct Head {
    keys: Vec<f32>,
    values: Vec<f32>,
}

impl Head {
    fn new(shape: &Shape, number: u64) -> Self {
        let scalars = shape.columns() * width(shape);
        let drawn = |input: Input| -> Vec<f32> {
            let (mut narrow, mut wide) = (vec![0.0; scalars as usize], [0.0; BLOCK]);
            for (first, narrow) in (number * scalars..).step_by(BLOCK).zip(narrow.chunks_mut(BLOCK)) {
                let wide = &mut wide[..narrow.len()];
                input.elements(Scalar::F32, first, 1, wide);
                narrow.iter_mut().zip(wide).for_each(|(narrow, wide)| *narrow = *wide as f32);
            }
            narrow
        };
        Self { keys: drawn(shape.input(Values::AttentionKeys(width(shape)))), values: drawn(shape.input(VALUES)) }
    }
}

/// The heads drawn last, at most one per core: outputs are checked in small pieces, and those of a head share it.
#[derive(Default)]
struct Heads(Mutex<VecDeque<(u64, Arc<OnceLock<Head>>)>>);

impl Heads {
    /// A slot for head `number`, which its first user fills.
    fn head(&self, number: u64) -> Arc<OnceLock<Head>> {
        let mut heads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, head)) = heads.iter().find(|(known, _)| *known == number) {
            return Arc::clone(head);
        }
        if heads.len() >= rayon::current_num_threads() {
            heads.pop_front();
        }
        let head = Arc::default();
        heads.push_back((number, Arc::clone(&head)));
        head
    }
}

pub(super) fn attended(shape: &Shape) -> Oracle {
    let are_exact = shape.significands.are_few();
    let scale = 1.0 / (width(shape) as f64).sqrt();
    by_queries(shape, move |query, keys, values, weights, slots| {
        if are_exact {
            scores(query, keys, weights);
        } else {
            scores_in_f64(query, keys, weights, |a, b| a * b);
        }
        let top = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        weights.iter_mut().for_each(|score| *score = ((*score - top) * scale).exp());
        let sum: f64 = weights.iter().sum();
        slots.fill(0.0);
        add_values(slots, weights, values, query.len());
        slots.iter_mut().for_each(|slot| *slot /= sum);
    })
}

/// Calls `fill` for each output row that a slice covers: with the query, its keys, values from the slice's first
/// column, a slot for each key, and the slice.
fn by_queries(
    shape: &Shape,
    fill: impl Fn(&[f32], &[f32], &[f32], &mut Vec<f64>, &mut [f64]) + Send + Sync + 'static,
) -> Oracle {
    let (shape, heads) = (shape.clone(), Heads::default());
    Box::new(move |first, slots| {
        let (length, width) = (shape.columns(), width(&shape));
        let queries = shape.input(Values::Queries(width));
        let (mut query, mut weights) = (vec![0.0; width as usize], Vec::new());
        by_rows(first, slots, width, |row, column, slots| {
            let head = heads.head(row / length);
            let head = head.get_or_init(|| Head::new(&shape, row / length));
            queries.elements(Scalar::F32, row * width, 1, &mut query);
            let narrow: Vec<f32> = query.iter().map(|element| *element as f32).collect();
            let end = if is_causal(&shape) { row % length + 1 } else { length };
            weights.resize(end as usize, 0.0);
            fill(&narrow, &head.keys, &head.values[column as usize..], &mut weights, slots);
        });
    })
}

/// Dot products of a query with the first `scores.len()` keys; `term` makes each term from two elements.
fn scores_in_f64(query: &[f32], keys: &[f32], scores: &mut [f64], term: fn(f64, f64) -> f64) {
    for (score, key) in scores.iter_mut().zip(keys.chunks_exact(query.len())) {
        *score = query.iter().zip(key).map(|(a, b)| term((*a).into(), (*b).into())).sum();
    }
}

vectorised! {
    /// [`scores_in_f64`] in f32, where sums are exact: see [`Values::Queries`].
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
    /// Adds `weights[j]` times the elements that start at `width` · j.
    fn add_values(sums: &mut [f64], weights: &[f64], values: &[f32], width: usize) {
        for (number, weight) in weights.iter().enumerate() {
            for (sum, value) in sums.iter_mut().zip(&values[number * width..]) {
                *sum += weight * f64::from(*value);
            }
        }
    }
}

/// A kernel's errors besides its exponentials'; relative, in units of 2^-24 (the most that rounding to f32 changes).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Errors {
    /// Of each addend of the sum of values.
    addend: f64,
    /// Of each addend of the sum of exponentials.
    weight: f64,
    /// Of exponentials too small for their type, as a part of the largest.
    lost: f64,
    /// Absolute, of storing an output.
    stored: f64,
    /// Of each term of a score.
    term: f64,
    /// The most that may be added to the argument of an exponential to base 2.
    offset: f64,
}

/// Of each term of a product on tensor cores, which may truncate the term and its sum: see `matmul`.
const TRUNCATED: f64 = 3.0;

/// Errors of `naive`. Each invocation adds up the exponentials of a part of a row, and a tree adds the sums of the
/// invocations. For an output element, one invocation adds the products of all keys; before, each exponential is
/// multiplied by the inverse of the sum (2.5 units of 2^-23, and a rounding).
pub(super) fn in_memory(shape: &Shape, interface: &Interface) -> Errors {
    let (length, invocations) = (shape.columns() as f64, interface.invocations() as f64);
    Errors {
        addend: length + 1.0 + 6.0,
        weight: (length / invocations).ceil() + invocations.log2(),
        lost: 0.0,
        stored: 0.0,
        term: 1.0,
        offset: 0.0,
    }
}

/// Errors of `tiled`, with tiles of 16 keys. Each tile adds four times to each sum, after multiplying it by an
/// exponential (3 units of 2^-23, and a rounding). The arguments of these exponentials and of an addend's own add up to
/// the addend's difference from the maximum, whose error [`tolerance`] counts. An addend is a sum of four products, and
/// the quotient has 6 units as above.
pub(super) fn in_tiles(shape: &Shape) -> Errors {
    let tiles = (shape.columns() as f64 / 16.0).ceil();
    let of_tiles = (4.0 + 6.0 + 1.0) * tiles;
    Errors { addend: of_tiles + 4.0 + 6.0, weight: of_tiles + 2.0, lost: 0.0, stored: 0.0, term: 1.0, offset: 0.0 }
}

/// Errors of the kernels on tensor cores, by 16 keys. For the sum of values, an exponential is rounded to f16, by
/// 2^-11. Tensor cores may truncate the sum of 16 products and its addition to the total (Fasi et al., *Numerical
/// behavior of NVIDIA tensor cores*, 2021): 2 units of 2^-23. The sum of exponentials has at most four additions. CUDA
/// multiplies both sums by an exponential every 64 keys: at most 7 units. WGSL does so when a maximum grows by 2^8:
/// with scores up to ±60, at most 22 times. The largest exponential is 2^6 or more; f16 rounds the smallest by 2^-31 of
/// it.
pub(super) fn in_halves(shape: &Shape) -> Errors {
    let sixteens = (shape.columns() as f64 / 16.0).ceil();
    let of_factors = 2.0 * sixteens + 7.0 * 22.0;
    Errors {
        addend: f64::powi(2.0, 24 - 11) + 4.0 * sixteens + of_factors + 6.0,
        weight: 4.0 * sixteens + of_factors,
        lost: f64::powi(2.0, -31),
        stored: 0.0,
        term: TRUNCATED,
        offset: 6.0,
    }
}

/// Errors of a library's fused kernel on tensor cores, of which only the types are known: scores, exponentials and both
/// sums are f32; the factors of values and the output are f16. Exponentials are rounded as in [`in_halves`], but the
/// largest may be 1, and f16 rounds the smallest by 2^-25; dividing weights by the sum first loses no more. Tensor
/// cores add at least 8 products at a time since compute capability 8.0, the oldest that cuDNN supports. Each sum is
/// multiplied by an exponential at most once per 16 keys, 7 units, and exponentials may be added one by one. An output
/// is below 1, and f16 rounds it by at most 2^-12.
pub(super) fn in_library(shape: &Shape) -> Errors {
    let length = shape.columns() as f64;
    let of_factors = 7.0 * (length / 16.0).ceil();
    Errors {
        addend: f64::powi(2.0, 24 - 11) + 4.0 * (length / 8.0).ceil() + of_factors + 6.0,
        weight: length + of_factors,
        lost: f64::powi(2.0, -25),
        stored: f64::powi(2.0, -12),
        term: TRUNCATED,
        offset: 6.0,
    }
}

/// The error allowed for each output of a row.
///
/// An output is Σ p v / Σ p with p = e^-x, for the difference x of a score from the largest of its row. Since |v| < 1,
/// an error of the addends of either sum changes it by no more than the mean of that error, weighted by p.
///
/// WGSL allows an exponential of y, also to base 2, an error of 3 + 2|y| units of 2^-23; y is at most 1.45 x, plus 6 if
/// kernels shift it. The mean of x is at most ln n for n keys: the entropy of the weights (the mean of x plus the
/// logarithm of their sum) is at most ln n, and the sum is at least 1. Scores are exact except for the factor 1/√d (see
/// [`Values::Queries`]): the errors of the factor, of the product and, for base 2, of the logarithm of e change a score
/// of up to 60, more than five standard deviations in the sharpest rows, by three units. A row's scores share a shift,
/// which cancels out except for the roundings of two products with 1/√d, a unit each: a score's and the maximum's.
pub(super) fn tolerance(shape: &Shape, errors: Errors) -> Oracle {
    if !shape.significands.are_few() {
        return bound(shape, errors);
    }
    let length = shape.columns() as f64;
    let of_exponential = 2.0 * (3.0 + 2.0 * (1.45 * length.ln() + errors.offset)) + 3.0 * 60.0;
    let (width, queries) = (width(shape), shape.input(Values::Queries(width(shape))));
    let factor = 8.0 / (width as f64).sqrt();
    Box::new(move |first, slots| {
        by_rows(first, slots, width, |row, _, slots| {
            let shift = factor * queries.at(Scalar::F32, row * width).abs();
            let units = 2.0 * (of_exponential + 2.0 * shift) + errors.addend + errors.weight;
            // Second-order terms are less than a hundredth.
            slots.fill(1.01 * units * f64::powi(2.0, -24) + errors.lost * length + errors.stored);
        });
    })
}

/// [`tolerance`] for inputs with full significands, whose scores round: a separate bound for each output. A score's
/// error, or the rounding of its difference from the maximum, is a relative error of its exponential. Both sums have
/// the same exponentials: their errors are weighted by a value's difference from the output, others by the value.
fn bound(shape: &Shape, errors: Errors) -> Oracle {
    const UNIT: f64 = 1.0 / (1 << 24) as f64;
    let (width, scale) = (width(shape), 1.0 / (width(shape) as f64).sqrt());
    let of_score = (errors.term * width as f64 + 8.0) * scale;
    let unknown = errors.lost * shape.columns() as f64 + errors.stored;
    by_queries(shape, move |query, keys, values, weights, slots| {
        let mut magnitudes = weights.clone();
        scores_in_f64(query, keys, weights, |a, b| a * b);
        scores_in_f64(query, keys, &mut magnitudes, |a, b| (a * b).abs());
        let top = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let each = || {
            let addends = weights.iter().zip(&magnitudes).map(|(score, magnitude)| {
                let difference = (top - score) * scale;
                let units = 2.0 * (3.0 + 2.0 * (1.45 * difference + errors.offset)) + difference + of_score * magnitude;
                ((-difference).exp(), units)
            });
            addends.zip(values.chunks(query.len()))
        };
        let sum: f64 = each().map(|((weight, _), _)| weight).sum();
        for (column, slot) in slots.iter_mut().enumerate() {
            let value = |values: &[f32]| f64::from(values[column]);
            let output = each().map(|((weight, _), values)| weight * value(values)).sum::<f64>() / sum;
            let errors = each().map(|((weight, units), values)| {
                let value = value(values);
                weight * (units * (value - output).abs() + errors.addend * value.abs() + errors.weight * output.abs())
            });
            *slot = 1.01 * UNIT * errors.sum::<f64>() / sum + unknown;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::{Dtype, Extent};

    fn shape(heads: u64, length: u64, width: f64, causal: f64) -> Shape {
        let params = [("D".to_owned(), width), ("CAUSAL".to_owned(), causal)].into();
        Shape { stream: 5, ..Shape::new(Dtype::F32, Extent::Matrix(heads, length), params) }
    }

    fn by_definition(shape: &Shape, index: u64) -> f64 {
        let (length, width) = (shape.columns(), width(shape));
        let (row, column) = (index / width, index % width);
        let at = |values: Values, index| shape.input(values).at(Scalar::F32, index);
        let end = if is_causal(shape) { row % length + 1 } else { length };
        let (mut sum, mut total) = (0.0, 0.0);
        for key in (0..end).map(|key| row / length * length + key) {
            let product =
                |c| at(Values::Queries(width), row * width + c) * at(Values::AttentionKeys(width), key * width + c);
            // Without column 0, the row's shift, which is the same in all scores.
            let weight = ((1..width).map(product).sum::<f64>() / (width as f64).sqrt()).exp();
            sum += weight * at(VALUES, key * width + column);
            total += weight;
        }
        sum / total
    }

    #[test]
    fn the_oracle_follows_the_definition_from_any_index_on() {
        for shape in [shape(2, 21, 64.0, 0.0), shape(2, 21, 128.0, 1.0)] {
            let scalars = 2 * 21 * width(&shape);
            for (first, count) in [(0, scalars), (70, 300), (scalars - 3, 3)] {
                let mut got = vec![0.0; count as usize];
                attended(&shape)(first, &mut got);
                for (index, got) in (first..).zip(got) {
                    let want = by_definition(&shape, index);
                    assert!((got - want).abs() < 1e-12, "{index}: {got}, {want}");
                }
            }
        }
    }

    /// A missing or swapped key changes some output of its head by many times the tolerance.
    #[test]
    fn the_tolerance_is_far_below_the_weight_of_a_key() {
        let shape = shape(1, 257, 128.0, 0.0);
        let mut allowed = [0.0];
        tolerance(&shape, in_tiles(&shape))(0, &mut allowed);
        assert!(allowed[0] < 1e-4, "{allowed:?}");
        for errors in [in_halves(&shape), in_library(&shape)] {
            tolerance(&shape, errors)(0, &mut allowed);
            assert!(allowed[0] < 1e-3, "{allowed:?}");
        }
        let head = Head::new(&shape, 0);
        let mut most = vec![0.0_f64; 257];
        for row in 0..257 {
            let mut query = vec![0.0; 128];
            shape.input(Values::Queries(128)).elements(Scalar::F32, row * 128, 1, &mut query);
            let narrow: Vec<f32> = query.into_iter().map(|element| element as f32).collect();
            let mut weights = vec![0.0; 257];
            scores(&narrow, &head.keys, &mut weights);
            let top = weights.iter().copied().fold(f64::MIN, f64::max);
            weights.iter_mut().for_each(|score| *score = ((*score - top) / 128.0_f64.sqrt()).exp());
            let sum: f64 = weights.iter().sum();
            most.iter_mut().zip(weights).for_each(|(most, weight)| *most = most.max(weight / sum));
        }
        let least = most.into_iter().fold(1.0, f64::min);
        let allowed = allowed[0];
        assert!(least > 10.0 * allowed, "the key that counts least has at most {least} of a row, {allowed} is allowed");
    }

    /// The scores are exact in f32 in any order, as the tensor cores of some devices need.
    #[test]
    fn sums_of_products_stay_below_the_bits_of_f32() {
        for row in (0..61 * 64).filter(|row| row % 61 < 8) {
            for width in [64, 128] {
                let at = |c| Values::Queries(width).of(row).at(Scalar::F16, row % 61 * width + c);
                let unit = if row % 61 == 7 { 512.0 } else { 4096.0 };
                let products = (0..width).map(|c| at(c) * Values::AttentionKeys(width).of(row).at(Scalar::F16, c));
                let most: f64 = products
                    .map(|product| {
                        assert_eq!(product * unit % 1.0, 0.0);
                        product.abs()
                    })
                    .sum();
                assert!(most * unit < f64::from(1 << 24), "{most}");
            }
        }
    }
}
