//! Inputs as pure functions of the index: random, the same on every machine, and never stored. A gigabyte of input
//! needs no host memory, and an oracle can read any element.

use half::f16;
use rayon::prelude::*;

use super::rows::by_rows;
use super::shape::Scalar;
use super::vectors::vectorised;

/// A family of random inputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Values {
    /// The whole range of the type without zero: almost any two elements differ, so that a misplaced one is found.
    /// Floats lie in (0, 1).
    Wide,
    /// Floats ±k/128 with k in 1..=127 (integers as [`Values::Wide`]): every partial sum of up to 2^28 of them is an
    /// exact multiple of 1/128 below 2^17 in any order (a random walk with a step of 0.57 moves at most 10^4), so that
    /// sums compare exactly and one missing element is found. In f16 the elements are exact, and sums up to 16.
    Summable,
    /// ±1, independent of [`Values::Summable`]: a second operand that keeps sums and products with the first exact
    /// (integers as [`Values::Wide`]).
    Signs,
    /// Decimal digits, 0 to 9, of any type.
    Digits,
    /// [`Values::Summable`] from this element of its stream on: a second input, independent of the first.
    SummableFrom(u64),
    /// Pixels (red, green, blue, opacity) of a picture of this width. Red: a gradient from left to right. Green: rings,
    /// inverted in the upper left, which show the orientation. Blue: noise, which makes neighbouring pixels differ.
    Picture(u64),
    /// The same number everywhere, as in source article A5 (0.5).
    Constant(f64),
}

impl Values {
    /// Element `index` of the input. Exact: every value of every type here fits an f64.
    #[must_use]
    #[inline]
    pub fn at(self, scalar: Scalar, index: u64) -> f64 {
        match self {
            Self::Constant(value) => value,
            Self::Picture(width) => pixel(width, index / 4)[(index % 4) as usize].into(),
            _ => self.drawn(scalar, hash(self.position(index))),
        }
    }

    /// The element for 32 random bits. Through i32 where it fits: CPUs convert several of these at a time.
    #[inline(always)]
    fn drawn(self, scalar: Scalar, random: u32) -> f64 {
        match (self, scalar) {
            (_, Scalar::Unorm8) => f64::from(random & 0xff),
            (Self::Digits, _) => f64::from(((random >> 16) * 10) >> 16),
            (_, Scalar::U32) => f64::from(random.max(1)),
            (Self::Wide, Scalar::F32) => f64::from((random >> 8 | 1) as i32) / f64::from(1 << 24),
            // Any of the 14,336 normal numbers below 1: some devices treat subnormal ones as zero.
            (Self::Wide, Scalar::F16) => f16::from_bits(0x0400 + ((u64::from(random) * 0x3800) >> 32) as u16).into(),
            (Self::Wide, Scalar::F64) => (f64::from(random) + 0.5) / 4_294_967_296.0,
            // A bit that `summable` does not use.
            (Self::Signs, _) => f64::from((random & 2) as i32 - 1),
            _ => f64::from(summable(random)) / 128.0,
        }
    }

    /// Position of element `index` in the random stream.
    const fn position(self, index: u64) -> u64 {
        match self {
            Self::SummableFrom(first) => first.wrapping_add(index),
            _ => index,
        }
    }

    /// Writes the elements `first`, `first + stride`, `first + 2 stride`, … into `slots`.
    pub fn elements(self, scalar: Scalar, first: u64, stride: u64, slots: &mut [f64]) {
        elements(self, scalar, first, stride, slots);
    }

    /// Writes the elements from `first` on into `bytes`, little-endian, on all cores.
    pub fn encode(self, scalar: Scalar, first: u64, bytes: &mut [u8]) {
        const PIECE: usize = 1 << 16;
        let size = scalar.bytes();
        bytes.par_chunks_mut(PIECE).enumerate().for_each(|(piece, chunk)| {
            let first = first + (piece * (PIECE / size)) as u64;
            let mut block = [0.0; BLOCK];
            for (number, chunk) in chunk.chunks_mut(BLOCK * size).enumerate() {
                let slots = &mut block[..chunk.len() / size];
                self.elements(scalar, first + (number * BLOCK) as u64, 1, slots);
                scalar.encode(slots.iter().copied(), chunk);
            }
        });
    }

    /// Sum of the elements in `range`: exact for [`Values::Summable`] floats, modulo 2^32 for u32.
    #[must_use]
    pub fn sum(self, scalar: Scalar, range: std::ops::Range<u64>) -> f64 {
        const PIECE: u64 = 1 << 16;
        let pieces = (0..(range.end - range.start).div_ceil(PIECE)).into_par_iter().map(|piece| {
            let first = range.start + piece * PIECE;
            self.sum_of_piece(scalar, first..range.end.min(first + PIECE))
        });
        if scalar == Scalar::U32 {
            // A sum of 2^32 values of 32 bits fits 64; the device's sum wraps at 32.
            return f64::from(pieces.map(|sum| sum as u64).sum::<u64>() as u32);
        }
        pieces.sum()
    }

    /// Sum of up to 2^16 elements, exact except for [`Values::Wide`] floats: f64 has spare bits. Eight sums at a time,
    /// since each addition waits for the last one of its sum.
    fn sum_of_piece(self, scalar: Scalar, range: std::ops::Range<u64>) -> f64 {
        let (mut block, mut sums) = ([0.0; BLOCK], [0.0; 8]);
        for first in range.clone().step_by(BLOCK) {
            let slots = &mut block[..(range.end - first).min(BLOCK as u64) as usize];
            self.elements(scalar, first, 1, slots);
            for eight in slots.chunks(sums.len()) {
                sums.iter_mut().zip(eight).for_each(|(sum, value)| *sum += value);
            }
        }
        sums.iter().sum()
    }
}

/// Elements of an intermediate block: they stay in the L1 of a CPU core.
pub(crate) const BLOCK: usize = 512;

vectorised! {
    /// See [`Values::elements`].
    fn elements(values: Values, scalar: Scalar, first: u64, stride: u64, slots: &mut [f64]) {
        let position = values.position(first);
        // The common kinds separately: the compiler vectorises each of their loops.
        match (values, scalar) {
            (Values::Constant(value), _) => slots.fill(value),
            (Values::Picture(width), _) if stride == 1 => by_rows(first, slots, 4, |number, channel, slots| {
                let bytes = &pixel(width, number)[channel as usize..];
                slots.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = f64::from(*byte));
            }),
            (Values::Picture(_), _) => {
                let indices = (first..).step_by(stride as usize);
                indices.zip(slots).for_each(|(index, slot)| *slot = values.at(scalar, index));
            }
            (Values::Summable | Values::SummableFrom(_), Scalar::F32 | Scalar::F64 | Scalar::F16) => {
                draw(position, stride, slots, |random| Values::Summable.drawn(Scalar::F32, random));
            }
            (Values::Signs, Scalar::F32 | Scalar::F64 | Scalar::F16) => {
                draw(position, stride, slots, |random| Values::Signs.drawn(Scalar::F32, random));
            }
            (Values::Wide, Scalar::F32) => {
                draw(position, stride, slots, |random| Values::Wide.drawn(Scalar::F32, random));
            }
            (Values::Wide, Scalar::F64) => {
                draw(position, stride, slots, |random| Values::Wide.drawn(Scalar::F64, random));
            }
            (Values::Wide | Values::Summable | Values::SummableFrom(_) | Values::Signs, Scalar::U32) => {
                draw(position, stride, slots, |random| Values::Wide.drawn(Scalar::U32, random));
            }
            _ => draw(position, stride, slots, |random| values.drawn(scalar, random)),
        }
    }
}

/// Draws elements `stride` apart, from this position of the random stream on.
#[inline(always)]
fn draw(position: u64, stride: u64, slots: &mut [f64], drawn: impl Fn(u32) -> f64) {
    let mut block = [0; BLOCK];
    for (number, slots) in slots.chunks_mut(BLOCK).enumerate() {
        let position = position + (number * BLOCK) as u64 * stride;
        let (high, randoms) = (position >> 32, &mut block[..slots.len()]);
        if (position + stride * slots.len() as u64) >> 32 == high {
            // Constants stay outside of the loop, and 32 bits suffice inside.
            let (mut low, stride, salt) = (position as u32, stride as u32, salt(high as u32));
            for random in &mut *randoms {
                *random = mixed(low ^ salt);
                low = low.wrapping_add(stride);
            }
        } else {
            (0..).zip(&mut *randoms).for_each(|(number, random)| *random = hash(position + number * stride));
        }
        slots.iter_mut().zip(randoms).for_each(|(slot, random)| *slot = drawn(*random));
    }
}

/// Pixel `number` of [`Values::Picture`].
fn pixel(width: u64, number: u64) -> [u8; 4] {
    let (x, y, middle) = (number % width, number / width, width / 2);
    let [dx, dy] = [x, y].map(|at| (at as i64 - middle as i64) as f64);
    // Sixteen rings to the edge. The root of a whole number below 2^52 is never rounded up to the next one.
    let ring = (dx * dx + dy * dy).sqrt() as i64 as u64 * 32 / width.max(1);
    let green = if ring.is_multiple_of(2) == (x < middle && y < middle) { 48 } else { 208 };
    [(255 * x / width) as u8, green, hash(number) as u8, 255]
}

/// ±k with k in 1..=127.
#[inline(always)]
const fn summable(random: u32) -> i32 {
    let magnitude = (((random >> 16) * 127) >> 16) as i32 + 1;
    // XOR with all ones gives the negative number, minus one.
    let sign = -((random & 1) as i32);
    (magnitude ^ sign) - sign
}

/// 32 random bits for an index: the "lowbias32" integer hash (Wellons, *Prospecting for Hash Functions*), with the high
/// word mixed in.
const fn hash(index: u64) -> u32 {
    mixed(index as u32 ^ salt((index >> 32) as u32))
}

#[inline(always)]
const fn salt(high: u32) -> u32 {
    high.wrapping_mul(0x9e37_79b9) ^ 0x5eed_c0de
}

#[inline(always)]
const fn mixed(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_random_nonzero_and_the_same_everywhere() {
        for scalar in [Scalar::U32, Scalar::F32, Scalar::F64, Scalar::F16] {
            for values in [Values::Wide, Values::Summable] {
                let first: Vec<f64> = (0..4096).map(|i| values.at(scalar, i)).collect();
                assert!(first.iter().all(|&x| x != 0.0));
                let mut bytes = vec![0; first.len() * scalar.bytes()];
                scalar.encode(first.iter().copied(), &mut bytes);
                let mut decoded = vec![0.0; first.len()];
                scalar.decode(&bytes, &mut decoded);
                assert_eq!(decoded, first, "{scalar:?} {values:?}: the type holds every element");
                let mut distinct = first.clone();
                distinct.sort_by(f64::total_cmp);
                distinct.dedup();
                assert!(distinct.len() > 200, "{scalar:?} {values:?}: {} distinct", distinct.len());
            }
        }
        // Pinned: reports are comparable only while inputs do not change.
        assert_eq!(Values::Wide.at(Scalar::U32, 0), 1_442_009_498.0);
    }

    #[test]
    fn digits_and_signs_are_evenly_spread_and_signs_independent() {
        let n = 40_000;
        for digit in 0..10 {
            let hits = (0..n).filter(|&i| Values::Digits.at(Scalar::U32, i) == f64::from(digit)).count();
            assert!((3700..4300).contains(&hits), "{digit}: {hits}");
        }
        let sign = |i| Values::Signs.at(Scalar::F32, i);
        assert!((0..n).all(|i| sign(i).abs() == 1.0));
        assert!((0..n).map(sign).sum::<f64>().abs() < 800.0);
        let products = (0..n).map(|i| sign(i) * Values::Summable.at(Scalar::F32, i).signum()).sum::<f64>();
        assert!(products.abs() < 800.0, "{products}");
    }

    #[test]
    fn encoding_agrees_with_at_across_pieces() {
        let mut bytes = vec![0_u8; 4 * 40_000];
        Values::Wide.encode(Scalar::F32, 7, &mut bytes);
        for index in [0, 1, 16_383, 16_384, 39_999] {
            let got = f32::from_le_bytes(bytes[4 * index..4 * index + 4].try_into().expect("four bytes"));
            assert_eq!(f64::from(got), Values::Wide.at(Scalar::F32, 7 + index as u64));
        }
    }

    #[test]
    fn elements_and_sums_agree_with_at_at_any_stride_and_past_32_bits() {
        let kinds =
            [Values::Wide, Values::Summable, Values::Signs, Values::Digits, Values::SummableFrom((1 << 40) - 7)];
        for values in kinds.into_iter().chain([Values::Picture(37), Values::Constant(2.0)]) {
            for scalar in [Scalar::U32, Scalar::F32, Scalar::F64, Scalar::F16, Scalar::Unorm8] {
                for (first, stride) in [(0, 1), (3, 1), ((1 << 32) - 500, 1), (5, 4100), (1 << 31, (1 << 31) - 1)] {
                    let mut slots = [f64::NAN; 1003];
                    values.elements(scalar, first, stride, &mut slots);
                    let at = |k: u64| values.at(scalar, first + k * stride);
                    assert!((0..).zip(slots).all(|(k, slot)| slot == at(k)), "{values:?} {scalar:?} {first} {stride}");
                }
                let range = (1 << 32) - 100_000..(1 << 32) + 5;
                let one_by_one: f64 = range.clone().map(|i| values.at(scalar, i)).sum();
                let sum = values.sum(scalar, range);
                let expected = if scalar == Scalar::U32 { one_by_one % 4_294_967_296.0 } else { one_by_one };
                assert!((sum - expected).abs() <= 1e-7 * expected.abs(), "{values:?} {scalar:?}: {sum} {expected}");
            }
        }
    }

    /// f32 addition in any order gives the same bits.
    #[test]
    fn sums_are_exact_in_f32_in_any_order() {
        let n = 1 << 22;
        let exact = Values::Summable.sum(Scalar::F32, 0..n);
        let forward = (0..n).fold(0.0_f32, |sum, i| sum + Values::Summable.at(Scalar::F32, i) as f32);
        let backward = (0..n).rev().fold(0.0_f32, |sum, i| sum + Values::Summable.at(Scalar::F32, i) as f32);
        assert_eq!((f64::from(forward), f64::from(backward)), (exact, exact));
    }
}
