//! Right answers: sums of products in f64, which are exact.

use std::sync::OnceLock;

use crate::suite::input::{Input, Values};
use crate::suite::{Oracle, Scalar, Shape, each_on_all_cores};

/// Products of two elements are multiples of 2^-14, and a sum of K of them is exact in f32 while it stays below 2^10.
/// Its standard deviation is √K/3: 60 at K = 32768, 85 at K = 65536.
pub(super) const WEIGHTS: Values = Values::Summable;
pub(super) const X: Values = Values::SummableFrom(1 << 40);

/// Weights of blocks are random bits. With whole scales and x of multiples of 1/128, sums of 4-bit weights are multiples
/// of 2^-7, exact below 2^17; their standard deviation is 14 √K, 2,600 at K = 32768. Those of 8-bit weights would reach
/// 2^17: there x is ±1, sums are whole and exact below 2^24, and their standard deviation is 390 √K, 71,000 at K = 32768.
pub(super) const WORDS: Values = Values::Wide;
pub(super) const SCALES: Values = Values::Digits;
pub(super) const fn x_of_blocks(bits: u64) -> Values {
    if bits == 8 { Values::Signs } else { X }
}

pub(super) const fn columns(shape: &Shape) -> u64 {
    shape.extent.matrix().1
}

/// Blocks of a row.
pub(super) const fn blocks_of_row(shape: &Shape) -> u64 {
    columns(shape).div_ceil(32)
}

/// The first elements of an input.
fn table(input: Input, scalar: Scalar, length: u64) -> Vec<f64> {
    let mut values = vec![0.0; length as usize];
    input.elements(scalar, 0, 1, &mut values);
    values
}

/// Weights that are read at a time: they stay in the L1 of a CPU core.
const PIECE: usize = 512;

/// Products of float weights.
pub(super) fn of_floats(shape: &Shape) -> Oracle {
    let (columns, scalar) = (columns(shape), shape.dtype.scalar());
    let (weights, x) = (shape.input(WEIGHTS), shape.input(X));
    let known = OnceLock::new();
    each_on_all_cores(move |row| {
        let x = known.get_or_init(|| table(x, scalar, columns));
        let (mut own, mut sum) = ([0.0; PIECE], 0.0);
        for (number, x) in x.chunks(PIECE).enumerate() {
            let own = &mut own[..x.len()];
            weights.elements(scalar, row * columns + (number * PIECE) as u64, 1, own);
            sum += dot(own, x);
        }
        sum
    })
}

/// Eight sums at a time, since each addition waits for the last one of its sum.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for (a, b) in a.chunks(sums.len()).zip(b.chunks(sums.len())) {
        sums.iter_mut().zip(a).zip(b).for_each(|((sum, a), b)| *sum += a * b);
    }
    sums.iter().sum()
}

/// Products of weights in blocks, of 8 or 4 bits.
pub(super) fn of_blocks(shape: &Shape, bits: u64) -> Oracle {
    let (columns, blocks) = (columns(shape), blocks_of_row(shape));
    let (words, scales, x) = (shape.input(WORDS), shape.input(SCALES), shape.input(x_of_blocks(bits)));
    let known = OnceLock::new();
    each_on_all_cores(move |row| {
        let x = known.get_or_init(|| table(x, Scalar::F32, columns));
        let (mut of_block, mut of_scales) = ([0.0; 8], [0.0; PIECE]);
        let of_block = &mut of_block[..bits as usize];
        let mut sum = 0.0;
        for (number, x) in x.chunks(32).enumerate() {
            let (block, at) = (row * blocks + number as u64, number % PIECE);
            if at == 0 {
                scales.elements(Scalar::F16, block, 1, &mut of_scales);
            }
            words.elements(Scalar::U32, block * bits, 1, of_block);
            let products = x.iter().enumerate().map(|(k, x)| weight(of_block, bits, k) * x);
            sum += of_scales[at] * products.sum::<f64>();
        }
        sum
    })
}

/// Weight `k` of a block of these words, without its scale.
fn weight(words: &[f64], bits: u64, k: usize) -> f64 {
    if bits == 8 {
        let byte = words[k / 4] as u32 >> (8 * (k % 4));
        return f64::from(byte as u8 as i8);
    }
    // A byte holds weight b in its low half and weight b + 16 in its high half.
    let byte = words[k % 16 / 4] as u32 >> (8 * (k % 4));
    f64::from(byte >> (4 * (k / 16)) & 15) - 8.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{Dtype, Extent};

    /// Every partial sum is exact in f32 in its order, so that kernels may add in any.
    #[test]
    fn sums_are_exact_in_f32_at_the_longest_rows() {
        for (bits, columns) in [(32, 65_536), (8, 65_536), (4, 65_536)] {
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
                        let block = (row * columns + column) / 32;
                        let word = |k| shape.input(WORDS).at(Scalar::U32, block * bits + k);
                        let words: Vec<f64> = (0..bits).map(word).collect();
                        let scale = shape.input(SCALES).at(Scalar::F16, block);
                        scale * weight(&words, bits, (column % 32) as usize) * x
                    };
                    let (mut narrow, mut most) = (0.0_f32, 0.0_f64);
                    for column in 0..columns {
                        narrow += term(column) as f32;
                        most = most.max(f64::from(narrow).abs());
                    }
                    let limit = match bits {
                        32 => 1024.0,
                        8 => 16_777_216.0,
                        _ => 131_072.0,
                    };
                    assert_eq!(f64::from(narrow), want, "{bits} bits, stream {stream}, row {row}");
                    assert!(most < limit / 2.0, "{bits} bits: {most}");
                }
            }
        }
    }

    #[test]
    fn weights_of_blocks_lie_as_in_q8_0_and_q4_0() {
        let bytes: Vec<u8> = (0..32).collect();
        let words: Vec<f64> =
            bytes.chunks(4).map(|word| f64::from(u32::from_le_bytes(word.try_into().expect("four")))).collect();
        let all = |bits| (0..32).map(|k| weight(&words, bits, k)).collect::<Vec<f64>>();
        assert_eq!(all(8), (0..32).map(f64::from).collect::<Vec<f64>>());
        let nibbles = (0..16).map(|b| f64::from(b) - 8.0).chain(std::iter::repeat_n(-8.0, 16));
        assert_eq!(all(4), nibbles.collect::<Vec<f64>>());
        assert_eq!(weight(&[f64::from(0xff80_7f01_u32); 8], 8, 2), -128.0);
        assert_eq!(weight(&[f64::from(0x0000_00f0_u32); 4], 4, 16), 7.0);
    }
}
