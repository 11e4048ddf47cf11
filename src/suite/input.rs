//! Inputs as pure functions of the index: random, the same on every machine, and never stored. A gigabyte of input
//! needs no host memory, and an oracle can read any element.

use half::f16;
use rayon::prelude::*;

use super::rows::by_rows;
use super::shape::{Scalar, Shape};
use super::vectors::vectorised;

/// A family of random inputs. [`Input`] is one of them, drawn from one stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Values {
    /// The whole range of the type without zero: almost any two elements differ, so that a misplaced one is found.
    /// Floats lie in (0, 1).
    Wide,
    /// Floats ±k/128 with k in 1..=127 (integers as [`Values::Wide`]): every partial sum of up to 2^28 of them is an
    /// exact multiple of 1/128 below 2^17 in any order, so that sums compare exactly and one missing element is found.
    /// (The standard deviation of a random walk of 2^28 steps of 0.58 is 9500. The hash is not quite as random: over
    /// 2^28 elements in order, partial sums of streams 0 to 63 reach 43,000, a third of the limit.) In f16 the elements
    /// are exact, and sums up to 16.
    Summable,
    /// ±1, independent of [`Values::Summable`]: a second operand that keeps sums and products with the first exact
    /// (integers as [`Values::Wide`]).
    Signs,
    /// Decimal digits, 0 to 9, of any type.
    Digits,
    /// Whole numbers ±k with k in 1..=127 as floats: exponents whose differences are exact, and whose exponentials
    /// exceed f32 unless the largest is subtracted first.
    Logits,
    /// [`Values::Summable`] from this element of its stream on: a second input, independent of the first.
    SummableFrom(u64),
    /// [`Values::Wide`] from this element of its stream on: a second input, independent of the first.
    WideFrom(u64),
    /// [`Values::Signs`] from this element of its stream on.
    SignsFrom(u64),
    /// [`Values::Digits`] from this element of its stream on.
    DigitsFrom(u64),
    /// 0, 1, 2, …, from 0 again after as many elements as the type counts exactly: 2^11 for f16, 2^24 for f32, 2^32 for
    /// others.
    Ramp,
    /// Pixels (red, green, blue, opacity) of a picture of this width. Red: a gradient from left to right. Green: rings,
    /// inverted in the upper left, which show the orientation. Blue: noise, which makes neighbouring pixels differ.
    Picture(u64),
    /// The rings and the noise of [`Values::Picture`] of this width, mixed in one channel: levels below 256 for integers, 1/256 of
    /// them for floats.
    Grey(u64),
    /// Queries of attention, in rows of this length: [`Values::Summable`] times 4, every 61st row times 32. Products
    /// with keys of [`Values::Summable`], over the square root of the length, have a standard deviation of 1.3, so that
    /// many keys count; in those rows of 11, so that few keys decide, and larger maxima follow smaller ones. The sum of
    /// up to 128 products is exact in f32: a multiple of 2^-12 below 2^9, in those rows of 2^-9 below 2^12.
    Queries(u64),
    /// The same number everywhere, as in source article A5 (0.5).
    Constant(f64),
}

/// Values drawn from one random stream: the input of one epoch of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Input {
    /// What is drawn.
    pub values: Values,
    /// Number of the stream. Streams 0 to 2^32 - 1 differ from each other, except in [`Values::Constant`].
    pub stream: u64,
}

impl Values {
    /// The values drawn from stream `stream`.
    #[must_use]
    pub const fn of(self, stream: u64) -> Input {
        Input { values: self, stream }
    }

    /// The element for 32 random bits. Through i32 where it fits: CPUs convert several of these at a time.
    #[inline(always)]
    fn drawn(self, scalar: Scalar, random: u32) -> f64 {
        match (self, scalar) {
            (_, Scalar::Unorm8) => f64::from(random & 0xff),
            (Self::Digits, _) => f64::from(((random >> 16) * 10) >> 16),
            (Self::Logits, Scalar::F16 | Scalar::F32 | Scalar::F64) => f64::from(summable(random)),
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

    /// These values without their first element.
    const fn kind(self) -> Self {
        match self {
            Self::WideFrom(_) => Self::Wide,
            Self::SignsFrom(_) => Self::Signs,
            Self::DigitsFrom(_) => Self::Digits,
            other => other,
        }
    }

    /// Element `index` of [`Values::Ramp`].
    fn ramp(scalar: Scalar, index: u64) -> f64 {
        let bits = match scalar {
            Scalar::Unorm8 => 8,
            Scalar::F16 => 11,
            Scalar::F32 => 24,
            Scalar::U32 | Scalar::F64 => 32,
        };
        (index & ((1 << bits) - 1)) as f64
    }

    /// Position of element `index` in the random stream.
    const fn position(self, index: u64) -> u64 {
        match self {
            Self::SummableFrom(first) | Self::WideFrom(first) | Self::SignsFrom(first) | Self::DigitsFrom(first) => {
                first.wrapping_add(index)
            }
            _ => index,
        }
    }
}

impl Shape {
    /// These values, drawn from the stream of this shape.
    #[must_use]
    pub const fn input(&self, values: Values) -> Input {
        values.of(self.stream)
    }
}

/// What a device needs to draw the elements of an input itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Draw {
    /// Position of the input's first element in the random stream.
    pub(crate) position: u64,
    /// The stream's key.
    pub(crate) key: u32,
    /// How an element follows from its random bits.
    pub(crate) kind: DrawKind,
}

/// How an element follows from its 32 random bits, as `fill.wgsl` numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum DrawKind {
    /// The bits, without zero.
    Whole,
    /// [`Values::Wide`] of f32.
    Fraction,
    /// [`Values::Wide`] of f16.
    Half,
    /// [`Values::Summable`].
    Summable,
    /// [`Values::Signs`].
    Sign,
    /// [`Values::Digits`].
    Digit,
    /// [`Values::Logits`].
    Logit,
}

impl Input {
    /// How to draw elements of this type; `None` for inputs and types that only the host writes.
    pub(crate) fn draw(self, scalar: Scalar) -> Option<Draw> {
        if !matches!(scalar, Scalar::U32 | Scalar::F32 | Scalar::F16) {
            return None;
        }
        // In the order of `Values::drawn`.
        let kind = match (self.values.kind(), scalar) {
            (Values::Digits, _) => DrawKind::Digit,
            (Values::Logits, Scalar::F16 | Scalar::F32) => DrawKind::Logit,
            (
                Values::Wide | Values::Summable | Values::SummableFrom(_) | Values::Signs | Values::Logits,
                Scalar::U32,
            ) => DrawKind::Whole,
            (Values::Wide, Scalar::F32) => DrawKind::Fraction,
            (Values::Wide, Scalar::F16) => DrawKind::Half,
            (Values::Signs, _) => DrawKind::Sign,
            (Values::Summable | Values::SummableFrom(_), _) => DrawKind::Summable,
            _ => return None,
        };
        Some(Draw { position: self.values.position(0), key: key(self.stream), kind })
    }

    /// Element `index` of the input. Exact: every value of every type here fits an f64.
    #[must_use]
    #[inline]
    pub fn at(self, scalar: Scalar, index: u64) -> f64 {
        match self.values {
            Values::Constant(value) => value,
            Values::Picture(width) => {
                let number = index / 4;
                pixel(width, (number % width, number / width), key(self.stream))[(index % 4) as usize].into()
            }
            Values::Grey(width) => grey(width, (index % width, index / width), key(self.stream), scalar),
            Values::Ramp => Values::ramp(scalar, index),
            Values::Queries(width) => {
                let drawn = Values::Summable.drawn(scalar, hash(index, key(self.stream)));
                sharpness(index / width) * drawn
            }
            values => values.kind().drawn(scalar, hash(values.position(index), key(self.stream))),
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
    /// See [`Input::elements`].
    fn elements(input: Input, scalar: Scalar, first: u64, stride: u64, slots: &mut [f64]) {
        let (values, key) = (input.values, key(input.stream));
        let position = values.position(first);
        // The common kinds separately: the compiler vectorises each of their loops.
        match (values.kind(), scalar) {
            (Values::Constant(value), _) => slots.fill(value),
            (Values::Ramp, _) => {
                let indices = (first..).step_by(stride as usize);
                indices.zip(slots).for_each(|(index, slot)| *slot = Values::ramp(scalar, index));
            }
            (Values::Picture(width), _) if stride == 1 => by_rows(first, slots, 4 * width, |y, start, slots| {
                by_rows(start, slots, 4, |x, channel, slots| {
                    let bytes = &pixel(width, (x, y), key)[channel as usize..];
                    slots.iter_mut().zip(bytes).for_each(|(slot, byte)| *slot = f64::from(*byte));
                });
            }),
            (Values::Grey(width), _) if stride == 1 => by_rows(first, slots, width, |y, start, slots| {
                (start..).zip(slots).for_each(|(x, slot)| *slot = grey(width, (x, y), key, scalar));
            }),
            (Values::Queries(width), Scalar::F16 | Scalar::F32) if stride == 1 => {
                draw(position, stride, key, slots, |random| Values::Summable.drawn(Scalar::F32, random));
                by_rows(first, slots, width, |row, _, slots| {
                    slots.iter_mut().for_each(|slot| *slot *= sharpness(row));
                });
            }
            (Values::Picture(_) | Values::Grey(_) | Values::Queries(_), _) => {
                let indices = (first..).step_by(stride as usize);
                indices.zip(slots).for_each(|(index, slot)| *slot = input.at(scalar, index));
            }
            (Values::Summable | Values::SummableFrom(_), Scalar::F32 | Scalar::F64 | Scalar::F16) => {
                draw(position, stride, key, slots, |random| Values::Summable.drawn(Scalar::F32, random));
            }
            (Values::Signs, Scalar::F32 | Scalar::F64 | Scalar::F16) => {
                draw(position, stride, key, slots, |random| Values::Signs.drawn(Scalar::F32, random));
            }
            (Values::Wide, Scalar::F32) => {
                draw(position, stride, key, slots, |random| Values::Wide.drawn(Scalar::F32, random));
            }
            (Values::Wide, Scalar::F64) => {
                draw(position, stride, key, slots, |random| Values::Wide.drawn(Scalar::F64, random));
            }
            (Values::Wide | Values::Summable | Values::SummableFrom(_) | Values::Signs, Scalar::U32) => {
                draw(position, stride, key, slots, |random| Values::Wide.drawn(Scalar::U32, random));
            }
            (kind, _) => draw(position, stride, key, slots, |random| kind.drawn(scalar, random)),
        }
    }
}

/// Draws elements `stride` apart, from this position of the stream of this key on.
#[inline(always)]
fn draw(position: u64, stride: u64, key: u32, slots: &mut [f64], drawn: impl Fn(u32) -> f64) {
    let mut block = [0; BLOCK];
    for (number, slots) in slots.chunks_mut(BLOCK).enumerate() {
        let position = position + (number * BLOCK) as u64 * stride;
        let (high, randoms) = (position >> 32, &mut block[..slots.len()]);
        if (position + stride * slots.len() as u64) >> 32 == high {
            // Constants stay outside of the loop, and 32 bits suffice inside.
            let (mut low, stride, salt) = (position as u32, stride as u32, salt(high as u32, key));
            for random in &mut *randoms {
                *random = mixed(low ^ salt, key);
                low = low.wrapping_add(stride);
            }
        } else {
            (0..).zip(&mut *randoms).for_each(|(number, random)| *random = hash(position + number * stride, key));
        }
        slots.iter_mut().zip(randoms).for_each(|(slot, random)| *slot = drawn(*random));
    }
}

/// The factor of a row of [`Values::Queries`].
const fn sharpness(row: u64) -> f64 {
    if row % 61 == 7 { 32.0 } else { 4.0 }
}

/// The pixel at a position in [`Values::Picture`], with the noise of the stream of this key.
#[inline]
fn pixel(width: u64, (x, y): (u64, u64), key: u32) -> [u8; 4] {
    let (number, middle) = (y * width + x, width / 2);
    let [dx, dy] = [x, y].map(|at| (at as i64 - middle as i64) as f64);
    // Sixteen rings to the edge. The root of a whole number below 2^52 is never rounded up to the next one.
    let ring = (dx * dx + dy * dy).sqrt() as i64 as u64 * 32 / width.max(1);
    let green = if ring.is_multiple_of(2) == (x < middle && y < middle) { 48 } else { 208 };
    [(255 * x / width) as u8, green, hash(number, key) as u8, 255]
}

/// The pixel at a position in [`Values::Grey`].
#[inline]
fn grey(width: u64, position: (u64, u64), key: u32, scalar: Scalar) -> f64 {
    let [_, rings, noise, _] = pixel(width, position, key);
    let level = f64::from(rings.midpoint(noise));
    if matches!(scalar, Scalar::U32 | Scalar::Unorm8) { level } else { level / 256.0 }
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
/// word mixed in. The key enters it twice. At the start alone, it would only move elements, as a distant position does:
/// two streams would often hold the same values in another order, and have the same sum. After the first multiplication
/// alone, it would leave signs correlated.
const fn hash(index: u64, key: u32) -> u32 {
    mixed(index as u32 ^ salt((index >> 32) as u32, key), key)
}

#[inline(always)]
const fn salt(high: u32, key: u32) -> u32 {
    high.wrapping_mul(0x9e37_79b9) ^ 0x5eed_c0de ^ key
}

/// The key of a stream: another for each of the first 2^32, and 0, which changes nothing, for stream 0.
const fn key(stream: u64) -> u32 {
    mixed(stream as u32 ^ ((stream >> 32) as u32).wrapping_mul(0x9e37_79b9), 0)
}

#[inline(always)]
const fn mixed(mut x: u32, key: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d) ^ key;
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
                let first: Vec<f64> = (0..4096).map(|i| values.of(0).at(scalar, i)).collect();
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
        let pinned = [(0, 0), (0, 1), (0, 1 << 32), (0, (1 << 40) + 5), (1, 0), (63, 5)];
        let words = pinned.map(|(stream, index)| Values::Wide.of(stream).at(Scalar::U32, index) as u32);
        assert_eq!(words, [1_442_009_498, 2_081_514_789, 1_579_041_690, 3_993_059_592, 2_647_576_755, 2_952_554_159]);
    }

    #[test]
    fn digits_and_signs_are_evenly_spread_and_signs_independent() {
        let n = 40_000;
        for digit in 0..10 {
            let hits = (0..n).filter(|&i| Values::Digits.of(0).at(Scalar::U32, i) == f64::from(digit)).count();
            assert!((3700..4300).contains(&hits), "{digit}: {hits}");
        }
        let sign = |i| Values::Signs.of(0).at(Scalar::F32, i);
        assert!((0..n).all(|i| sign(i).abs() == 1.0));
        assert!((0..n).map(sign).sum::<f64>().abs() < 800.0);
        let products = (0..n).map(|i| sign(i) * Values::Summable.of(0).at(Scalar::F32, i).signum()).sum::<f64>();
        assert!(products.abs() < 800.0, "{products}");
    }

    #[test]
    fn encoding_agrees_with_at_across_pieces() {
        let mut bytes = vec![0_u8; 4 * 40_000];
        Values::Wide.of(0).encode(Scalar::F32, 7, &mut bytes);
        for index in [0, 1, 16_383, 16_384, 39_999] {
            let got = f32::from_le_bytes(bytes[4 * index..4 * index + 4].try_into().expect("four bytes"));
            assert_eq!(f64::from(got), Values::Wide.of(0).at(Scalar::F32, 7 + index as u64));
        }
    }

    #[test]
    fn elements_and_sums_agree_with_at_at_any_stride_and_past_32_bits() {
        let kinds =
            [Values::Wide, Values::Summable, Values::Signs, Values::Digits, Values::SummableFrom((1 << 40) - 7)];
        let kinds = kinds.into_iter().chain([
            Values::Picture(37),
            Values::Grey(37),
            Values::Queries(37),
            Values::Constant(2.0),
            Values::Ramp,
            Values::WideFrom(9),
        ]);
        for (values, stream) in kinds.zip([0, 1, 7, 63, 1 << 40].into_iter().cycle()) {
            let input = values.of(stream);
            for scalar in [Scalar::U32, Scalar::F32, Scalar::F64, Scalar::F16, Scalar::Unorm8] {
                for (first, stride) in [(0, 1), (3, 1), ((1 << 32) - 500, 1), (5, 4100), (1 << 31, (1 << 31) - 1)] {
                    let mut slots = [f64::NAN; 1003];
                    input.elements(scalar, first, stride, &mut slots);
                    let at = |k: u64| input.at(scalar, first + k * stride);
                    assert!((0..).zip(slots).all(|(k, slot)| slot == at(k)), "{values:?} {scalar:?} {first} {stride}");
                }
                let range = (1 << 32) - 100_000..(1 << 32) + 5;
                let one_by_one: f64 = range.clone().map(|i| input.at(scalar, i)).sum();
                let sum = input.sum(scalar, range);
                let expected = if scalar == Scalar::U32 { one_by_one % 4_294_967_296.0 } else { one_by_one };
                assert!((sum - expected).abs() <= 1e-7 * expected.abs(), "{values:?} {scalar:?}: {sum} {expected}");
            }
        }
    }

    #[test]
    fn sums_are_exact_in_f32_in_any_order_and_in_every_stream() {
        for stream in 0..64 {
            let n = if stream == 0 { 1 << 22 } else { 1 << 16 };
            let input = Values::Summable.of(stream);
            let exact = input.sum(Scalar::F32, 0..n);
            let forward = (0..n).fold(0.0_f32, |sum, i| sum + input.at(Scalar::F32, i) as f32);
            let backward = (0..n).rev().fold(0.0_f32, |sum, i| sum + input.at(Scalar::F32, i) as f32);
            assert_eq!((f64::from(forward), f64::from(backward)), (exact, exact), "stream {stream}");
        }
    }

    /// The largest partial sum of n elements of variance 1/3 exceeds five times the square root of n/3 with a
    /// probability of 10^-6 (reflection principle: twice that of the last sum).
    #[test]
    fn partial_sums_of_every_stream_are_those_of_a_random_walk() {
        // In standard deviations of the last sum.
        let extreme = |values: Values, stream: u64, n: u64| {
            let (mut block, mut sum, mut extreme) = ([0.0; BLOCK], 0.0_f64, 0.0_f64);
            for first in (0..n).step_by(BLOCK) {
                values.of(stream).elements(Scalar::F32, first, 1, &mut block);
                for element in block {
                    sum += element;
                    extreme = extreme.max(sum.abs());
                }
            }
            extreme / (n as f64 / 3.0).sqrt()
        };
        for values in [Values::Summable, Values::SummableFrom(1 << 40)] {
            let extremes: Vec<f64> = (0..64).into_par_iter().map(|stream| extreme(values, stream, 1 << 19)).collect();
            assert!(extremes.iter().all(|extreme| *extreme < 5.0), "{values:?}: {extremes:?}");
            // Half of all walks go further than 1.15 deviations.
            let far = extremes.iter().filter(|extreme| **extreme > 1.15).count();
            assert!((16..=48).contains(&far), "{values:?}: {far} of 64");
            for stream in [0, 7, 63] {
                let extreme = extreme(values, stream, 1 << 24);
                assert!(extreme < 5.0, "{values:?}, stream {stream}: {extreme}");
            }
        }
    }

    /// A permutation of the same values would have the same sum, and the same histogram.
    #[test]
    fn streams_are_independent_and_none_is_a_permutation_of_another() {
        const N: u64 = 1 << 16;
        let mut sums: Vec<f64> = (0..64).map(|stream| Values::Wide.of(stream).sum(Scalar::U32, 0..N)).collect();
        sums.sort_by(f64::total_cmp);
        sums.dedup();
        assert_eq!(sums.len(), 64);
        let deviation = (N as f64).sqrt();
        for values in [Values::Summable, Values::Signs] {
            let elements = |stream: u64| {
                let mut elements = vec![0.0; N as usize];
                values.of(stream).elements(Scalar::F32, 0, 1, &mut elements);
                elements
            };
            let streams: Vec<Vec<f64>> = (0..24).map(elements).collect();
            for (s, t) in (0..24).flat_map(|t| (0..t).map(move |s| (s, t))) {
                for distance in [0, 1, 2, 1 << 8, 1 << 15] {
                    let pairs = streams[s].iter().zip(&streams[t][distance..]);
                    let products = pairs.map(|(a, b)| a.signum() * b.signum()).sum::<f64>();
                    assert!(products.abs() < 5.0 * deviation, "{values:?}, {s}, {t}, {distance}: {products}");
                }
            }
        }
    }
}
