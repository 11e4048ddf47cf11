//! Expected outputs: sums of products, exact in f64.

use std::sync::OnceLock;

use record::suite::each_on_all_cores;
use record::suite::input::{Input, Scaled};
use record::suite::prelude::*;
use record::suite::vectors::{vectorised, words_of};

/// Whole numbers up to `most` times a power of two that no kernel knows.
const fn scaled(most: u32, first: u64) -> Values {
    Values::Scaled(Scaled { most, row: Scaled::ONE_ROW, first })
}

/// Products of two elements are multiples of a power of two, the unit. A sum of K of them is exact in f32 below 2^24
/// units. Its standard deviation is 5400 √K units: 2^21.3 at K = 65536.
pub(super) const WEIGHTS: Values = scaled(127, 0);
pub(super) const X: Values = scaled(127, 1 << 40);

/// Weights of blocks are random bits, and scales ±k times a power of two with k in 1..=9. With x of up to 127, the
/// standard deviation of sums of 4-bit weights is 1,900 √K units, 2^18.9 at K = 65536. Sums of 8-bit weights would
/// reach 2^24, so x is up to 7 there, which also gives 1,900 √K units.
pub(super) const WORDS: Values = Values::Wide;
pub(super) const SCALES: Values = scaled(9, 1 << 41);
pub(super) const fn x_of_blocks(bits: u64) -> Values {
    if bits == 8 { scaled(7, 1 << 40) } else { X }
}

pub(super) const fn blocks_of_row(shape: &Shape) -> u64 {
    shape.columns().div_ceil(32)
}

fn table(input: Input, scalar: Scalar, length: u64) -> Vec<f64> {
    let mut values = vec![0.0; length as usize];
    input.elements(scalar, 0, 1, &mut values);
    values
}

/// Weights read at a time; they fit in the L1 of a CPU core.
const PIECE: usize = 512;

pub(super) fn of_floats(shape: &Shape) -> Oracle {
    let (columns, scalar) = (shape.columns(), shape.dtype.scalar());
    let (weights, x) = (shape.input(WEIGHTS), shape.input(X));
    let known = OnceLock::new();
    each_on_all_cores(move |row| {
        let x = known.get_or_init(|| table(x, scalar, columns));
        let (mut drawn, mut sum) = ([0.0; PIECE], 0.0);
        for (number, x) in x.chunks(PIECE).enumerate() {
            let piece = &mut drawn[..x.len()];
            weights.elements(scalar, row * columns + (number * PIECE) as u64, 1, piece);
            sum += dot(piece, x);
        }
        sum
    })
}

/// Eight sums, since each addition waits for the previous one of its sum.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for (a, b) in a.chunks(sums.len()).zip(b.chunks(sums.len())) {
        sums.iter_mut().zip(a).zip(b).for_each(|((sum, a), b)| *sum += a * b);
    }
    sums.iter().sum()
}

pub(super) fn of_blocks(shape: &Shape, bits: u64) -> Oracle {
    if !shape.significands.are_few() {
        return of_blocks_by_element(shape, bits);
    }
    let (columns, blocks) = (shape.columns(), blocks_of_row(shape));
    let (words, scales, x) = (shape.input(WORDS), shape.input(SCALES), shape.input(x_of_blocks(bits)));
    let known = OnceLock::new();
    // In units of x, all numbers are whole: a product is exact in i32, and a sum of them in f64.
    let unit = x.scale(Scalar::F32, 0);
    let in_units = move || -> Vec<i32> {
        table(x, Scalar::F32, columns).into_iter().map(|element| (element / unit) as i32).collect()
    };
    each_on_all_cores(move |row| {
        let x = known.get_or_init(in_units);
        let (mut drawn, mut of_words, mut of_scales, mut products) =
            ([0.0; PIECE], [0; PIECE], [0.0; PIECE], [0; PIECE]);
        let (at_once, mut sum) = (PIECE / bits as usize, 0.0);
        for (number, x) in x.chunks(32 * at_once).enumerate() {
            let (block, count) = (row * blocks + (number * at_once) as u64, x.len().div_ceil(32));
            let (scales_of, products) = (&mut of_scales[..count], &mut products[..count]);
            let length = count * bits as usize;
            scales.elements(Scalar::F16, block, 1, scales_of);
            words.elements(Scalar::U32, block * bits, 1, &mut drawn[..length]);
            words_of(&drawn[..length], &mut of_words[..length]);
            products_of(&of_words[..length], bits as usize, x, products);
            sum += scales_of.iter().zip(products).map(|(scale, product)| scale * f64::from(*product)).sum::<f64>();
        }
        sum * unit
    })
}

/// [`of_blocks`] in f64, for x and scales with full significands.
fn of_blocks_by_element(shape: &Shape, bits: u64) -> Oracle {
    let (columns, blocks, are_magnitudes) =
        (shape.columns(), blocks_of_row(shape), shape.significands.are_magnitudes());
    let (words, scales, x) = (shape.input(WORDS), shape.input(SCALES), shape.input(x_of_blocks(bits)));
    each_on_all_cores(move |row| {
        let of_block = |number: u64| {
            let block = row * blocks + number;
            let word = |k: usize| words.at(Scalar::U32, block * bits + k as u64) as u32;
            let product = |k: usize| {
                let weight = match bits {
                    8 => weight::<8>(&std::array::from_fn(word), k),
                    _ => weight::<4>(&std::array::from_fn(word), k),
                };
                let weight = if are_magnitudes { weight.abs() } else { weight };
                f64::from(weight) * x.at(Scalar::F32, 32 * number + k as u64)
            };
            let length = (columns - 32 * number).min(32) as usize;
            scales.at(Scalar::F16, block) * (0..length).map(product).sum::<f64>()
        };
        (0..blocks).map(of_block).sum()
    })
}

vectorised! {
    /// Writes the dot product of each block (`bits` words) with its up to 32 elements of x.
    fn products_of(words: &[u32], bits: usize, x: &[i32], products: &mut [i32]) {
        if bits == 8 {
            let blocks = words.as_chunks::<8>().0.iter().zip(x.chunks(32));
            products.iter_mut().zip(blocks).for_each(|(product, (words, x))| *product = product_of(words, x));
        } else {
            let blocks = words.as_chunks::<4>().0.iter().zip(x.chunks(32));
            products.iter_mut().zip(blocks).for_each(|(product, (words, x))| *product = product_of(words, x));
        }
    }
}

#[inline(always)]
fn product_of<const BITS: usize>(words: &[u32; BITS], x: &[i32]) -> i32 {
    let weights: [i32; 32] = std::array::from_fn(|k| weight(words, k));
    // With a constant length if possible.
    match x.as_array::<32>() {
        Some(x) => weights.iter().zip(x).map(|(weight, x)| weight * x).sum(),
        None => weights.iter().zip(x).map(|(weight, x)| weight * x).sum(),
    }
}

/// Weight `k` of a block of these words, without its scale. Weights have as many bits as blocks have words.
#[inline(always)]
fn weight<const BITS: usize>(words: &[u32; BITS], k: usize) -> i32 {
    if BITS == 8 {
        return (words[k / 4] >> (8 * (k % 4))) as u8 as i8 as i32;
    }
    // A byte holds weight b in its low half and weight b + 16 in its high half.
    (words[k % 16 / 4] >> (8 * (k % 4) + 4 * (k / 16)) & 15) as i32 - 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::{Dtype, Extent};

    /// Partial sums are exact in f32, so kernels may add in any order.
    #[test]
    fn sums_are_exact_in_f32_at_the_longest_rows() {
        for (bits, columns) in [32, 8, 4].into_iter().flat_map(|bits| [(bits, 65_536), (bits, 3003)]) {
            for stream in 0..4 {
                let shape = Shape {
                    stream,
                    ..Shape::new(Dtype::F32, Extent::Matrix(16, columns), std::collections::BTreeMap::new())
                };
                let mut want = [0.0; 16];
                let oracle = if bits == 32 { of_floats(&shape) } else { of_blocks(&shape, bits) };
                oracle(0, &mut want);
                for (row, want) in (0..16).zip(want) {
                    let term = |column: u64| -> f64 {
                        let x = shape.input(if bits == 32 { X } else { x_of_blocks(bits) }).at(Scalar::F32, column);
                        if bits == 32 {
                            return shape.input(WEIGHTS).at(Scalar::F32, row * columns + column) * x;
                        }
                        let block = row * blocks_of_row(&shape) + column / 32;
                        let word = |k| shape.input(WORDS).at(Scalar::U32, block * bits + k as u64) as u32;
                        let scale = shape.input(SCALES).at(Scalar::F16, block);
                        let k = (column % 32) as usize;
                        let weight = match bits {
                            8 => weight::<8>(&std::array::from_fn(word), k),
                            _ => weight::<4>(&std::array::from_fn(word), k),
                        };
                        scale * f64::from(weight) * x
                    };
                    let (mut narrow, mut most) = (0.0_f32, 0.0_f64);
                    for column in 0..columns {
                        narrow += term(column) as f32;
                        most = most.max(f64::from(narrow).abs());
                    }
                    let unit = if bits == 32 {
                        shape.input(WEIGHTS).scale(Scalar::F32, 0) * shape.input(X).scale(Scalar::F32, 0)
                    } else {
                        shape.input(SCALES).scale(Scalar::F16, 0) * shape.input(x_of_blocks(bits)).scale(Scalar::F32, 0)
                    };
                    assert_eq!(f64::from(narrow), want, "{bits} bits, stream {stream}, row {row}");
                    assert!(most < f64::from(1 << 23) * unit, "{bits} bits: {most}");
                }
            }
        }
    }

    #[test]
    fn weights_of_blocks_lie_as_in_q8_0_and_q4_0() {
        let words: [u32; 8] = std::array::from_fn(|word| u32::from_le_bytes([0, 1, 2, 3].map(|k| 4 * word as u8 + k)));
        assert!((0..32).all(|k| weight(&words, k) == k as i32));
        let half: &[u32; 4] = words.first_chunk().expect("four words");
        assert!((0..16).all(|k| weight(half, k) == k as i32 - 8 && weight(half, k + 16) == -8));
        assert_eq!(weight(&[0xff80_7f01; 8], 2), -128);
        assert_eq!(weight(&[0x0000_00f0; 4], 16), 7);
    }
}
