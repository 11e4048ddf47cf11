//! Inputs as pure functions of the index: random, the same on every machine, and never stored. A gigabyte of input
//! needs no host memory, and an oracle can read any element.

mod mixture;
mod picture;
mod random;
#[cfg(test)]
mod tests;

use half::f16;
use rayon::prelude::*;

use super::rows::by_rows;
use super::scalar::Scalar;
use super::shape::Shape;
use super::significands::Significands;
use super::vectors::vectorised;
use mixture::mixture;
use picture::{grey, pixel};
pub(super) use random::{hash, key};
use random::{mixed, salt};

/// A family of random inputs. [`Input`] is one of them, drawn from one stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Values {
    /// The whole range of the type without zero: almost any two elements differ, so that a misplaced one is found.
    /// Floats lie in (0, 1).
    Wide,
    /// [`Values::Wide`] with both signs: floats lie in (-1, 1), so that a copy is no absolute value.
    Signed,
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
    /// [`Values::Signed`] from this element of its stream on.
    SignedFrom(u64),
    /// [`Values::Logits`] from this element of its stream on.
    LogitsFrom(u64),
    /// ±k/8 with k in 1..=7, from this element of its stream on: a factor of fp8. Hopper's tensor cores keep 14 bits of a
    /// sum of fp8 (DeepSeek-AI, *DeepSeek-V3 Technical Report*, 2024, section 3.3.2): products of two are multiples of
    /// 2^-6, exact below 2^8, and the standard deviation of a sum of K of them is 0.31 √K, 20 at K = 4096.
    EighthsFrom(u64),
    /// [`Values::Signs`] from this element of its stream on.
    SignsFrom(u64),
    /// [`Values::Digits`] from this element of its stream on.
    DigitsFrom(u64),
    /// Words from this element of their stream on as real integers are: random ones, and among them equal ones, ascending and
    /// descending runs, zeros and extremes.
    MixedFrom(u64),
    /// 0, 1, 2, …, from 0 again after as many elements as the type counts exactly: 2^11 for f16, 2^24 for f32, 2^32 for
    /// u32 and f64.
    Ramp,
    /// Pixels (red, green, blue, opacity) of a picture of this width. Red: a gradient from left to right. Green: rings,
    /// inverted in the upper left, which show the orientation. Blue: noise, which makes neighbouring pixels differ.
    Picture(u64),
    /// The rings and the noise of [`Values::Picture`] of this width, mixed in one channel: levels below 256 for integers, 1/256 of
    /// them for floats.
    Grey(u64),
    /// Any normal number of a float type, of both signs; integers as [`Values::Wide`]. For kernels that move values.
    Any,
    /// Whole numbers times a power of two that no kernel knows; integers as [`Values::Wide`].
    Scaled(Scaled),
    /// [`Values::Logits`] in rows of this length, each row with an offset of ±8k with k in 1..=127: in most rows, exponentials
    /// of all elements exceed f32 or are too small for it, unless the row's own largest is subtracted.
    LogitRows(u64),
    /// Keys to sort, as many as this: random words, and among them equal keys, constant and ascending runs, zeros and the
    /// largest words. [`Values::Wide`] behind them.
    SortKeys(u64),
    /// Queries of attention, in rows of this length: [`Values::Summable`] times 4, every 61st row times 32. Products
    /// with [`Values::AttentionKeys`], over the square root of the length, have a standard deviation of 1.3, so that
    /// many keys count; in those rows of 11, so that few keys decide, and larger maxima follow smaller ones. The first
    /// element is ±2k with k in 1..=127, which shifts all scores of a row by up to 180 (length 128) or 254 (64). The sum of
    /// up to 128 products is exact in f32: a multiple of 2^-12 below 2^12, in those rows of 2^-9 below 2^13.
    Queries(u64),
    /// Keys of attention, in rows of this length: [`Values::SummableFrom`], with 8 in the first place of each.
    AttentionKeys(u64),
    /// The same number everywhere, as in source article A5 (0.5).
    Constant(f64),
}

/// ±k times a power of two, with k in 1..=`most`. The power is drawn from the stream, for each row anew: from 2^-26 to 2^5,
/// in f16 from 2^-12 to 2^-5. With `most` = 127 sums are exact as those of [`Values::Summable`] are, whose powers are all
/// 2^-7.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaled {
    /// The largest k.
    pub most: u32,
    /// Elements of a row; [`Scaled::ONE_ROW`] for the same power everywhere.
    pub row: u64,
    /// The first element's position in the stream.
    pub first: u64,
}

impl Scaled {
    /// All elements have the same power of two.
    pub const ONE_ROW: u64 = u64::MAX;
}

/// Values drawn from one random stream: the input of one epoch of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Input {
    /// What is drawn.
    pub values: Values,
    /// Number of the stream. Streams 0 to 2^32 - 1 differ from each other, except in [`Values::Constant`].
    pub stream: u64,
    /// The significands of floats.
    pub significands: Significands,
}

impl Values {
    /// The values drawn from stream `stream`.
    #[must_use]
    pub const fn of(self, stream: u64) -> Input {
        Input { values: self, stream, significands: Significands::Few }
    }

    /// The element for 32 random bits. Through i32 where it fits: CPUs convert several of these at a time.
    #[inline(always)]
    fn drawn(self, scalar: Scalar, random: u32) -> f64 {
        match (self, scalar) {
            (_, Scalar::Unorm8) => f64::from(random & 0xff),
            (Self::Digits, _) => f64::from(((random >> 16) * 10) >> 16),
            (Self::Logits, Scalar::F16 | Scalar::F32 | Scalar::F64 | Scalar::I8) => f64::from(summable(random)),
            (_, Scalar::U32) => f64::from(random.max(1)),
            (Self::Any, Scalar::F32) => f32::from_bits(any(random)).into(),
            (Self::Any, Scalar::F16) => f16::from_bits(any_half(random)).into(),
            (Self::Any, Scalar::F64) => any_double(random),
            (Self::Any, _) => Self::Signed.drawn(scalar, random),
            (Self::Scaled(Scaled { most, .. }), _) => f64::from(signed(random, most)),
            (Self::Wide, Scalar::F32) => f64::from((random >> 8 | 1) as i32) / f64::from(1 << 24),
            // Any of the 14,336 normal numbers below 1: some devices treat subnormal ones as zero.
            (Self::Wide, Scalar::F16) => f16::from_bits(0x0400 + ((u64::from(random) * 0x3800) >> 32) as u16).into(),
            (Self::Wide, Scalar::F64) => (f64::from(random) + 0.5) / 4_294_967_296.0,
            // A bit that the magnitude of f32 does not use.
            (Self::Signed, _) if random & 1 == 1 => -Self::Wide.drawn(scalar, random),
            (Self::Signed, _) => Self::Wide.drawn(scalar, random),
            (Self::EighthsFrom(_), _) => f64::from(signed(random, 7)) / 8.0,
            // A bit that `summable` does not use.
            (Self::Signs, _) => f64::from((random & 2) as i32 - 1),
            _ => f64::from(summable(random)) / 128.0,
        }
    }

    /// These values without their first element.
    const fn kind(self) -> Self {
        match self {
            Self::WideFrom(_) => Self::Wide,
            Self::SignedFrom(_) => Self::Signed,
            Self::SignsFrom(_) => Self::Signs,
            Self::DigitsFrom(_) => Self::Digits,
            Self::LogitsFrom(_) => Self::Logits,
            other => other,
        }
    }

    /// Element `index` of [`Values::Ramp`].
    fn ramp(scalar: Scalar, index: u64) -> f64 {
        let bits = match scalar {
            Scalar::E4m3 => 4,
            Scalar::I8 => 7,
            Scalar::Unorm8 | Scalar::Bf16 => 8,
            Scalar::F16 => 11,
            Scalar::F32 => 24,
            Scalar::I32 => 31,
            Scalar::U32 | Scalar::F64 | Scalar::U64 | Scalar::I64 => 32,
        };
        (index & ((1 << bits) - 1)) as f64
    }

    /// Position of element `index` in the random stream.
    const fn position(self, index: u64) -> u64 {
        match self {
            Self::SummableFrom(first)
            | Self::WideFrom(first)
            | Self::SignedFrom(first)
            | Self::SignsFrom(first)
            | Self::DigitsFrom(first)
            | Self::LogitsFrom(first)
            | Self::MixedFrom(first)
            | Self::Scaled(Scaled { first, .. })
            | Self::EighthsFrom(first) => first.wrapping_add(index),
            Self::AttentionKeys(_) => (1 << 40) + index,
            _ => index,
        }
    }
}

impl Shape {
    /// These values, drawn from the stream of this shape.
    #[must_use]
    pub const fn input(&self, values: Values) -> Input {
        Input { values, stream: self.stream, significands: self.significands }
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
    /// Elements of a row, or keys; 0 if all are in one row.
    pub(crate) row: u64,
    /// The key of what rows have in common.
    pub(crate) row_key: u32,
    /// The largest k of [`Values::Scaled`].
    pub(crate) most: u32,
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
    /// [`Values::Signed`] of f32.
    SignedFraction,
    /// [`Values::Signed`] of f16.
    SignedHalf,
    /// [`Values::Summable`].
    Summable,
    /// [`Values::Signs`].
    Sign,
    /// [`Values::Digits`].
    Digit,
    /// [`Values::Any`].
    Any,
    /// [`Values::Scaled`].
    Scaled,
    /// [`Values::LogitRows`].
    LogitRow,
    /// [`Values::SortKeys`].
    SortKey,
}

impl Input {
    /// How to draw elements of this type; `None` for inputs and types that only the host writes.
    pub(crate) fn draw(self, scalar: Scalar) -> Option<Draw> {
        if !matches!(scalar, Scalar::U32 | Scalar::F32 | Scalar::F16) || self.is_general(scalar) {
            return None;
        }
        // In the order of `Values::drawn`.
        let kind = match (self.values.kind(), scalar) {
            (Values::Digits, _) => DrawKind::Digit,
            (Values::LogitRows(_), Scalar::F32) => DrawKind::LogitRow,
            (Values::SortKeys(_), Scalar::U32) => DrawKind::SortKey,
            (
                Values::Wide
                | Values::Signed
                | Values::Any
                | Values::Scaled(_)
                | Values::Summable
                | Values::SummableFrom(_)
                | Values::Signs
                | Values::Logits,
                Scalar::U32,
            ) => DrawKind::Whole,
            (Values::Any, _) => DrawKind::Any,
            (Values::Scaled(_), _) => DrawKind::Scaled,
            (Values::Wide, Scalar::F32) => DrawKind::Fraction,
            (Values::Wide, Scalar::F16) => DrawKind::Half,
            (Values::Signed, Scalar::F32) => DrawKind::SignedFraction,
            (Values::Signed, Scalar::F16) => DrawKind::SignedHalf,
            (Values::Signs, _) => DrawKind::Sign,
            (Values::Summable | Values::SummableFrom(_), _) => DrawKind::Summable,
            _ => return None,
        };
        let (row, most) = match self.values {
            Values::LogitRows(row) | Values::SortKeys(row) => (row, 0),
            Values::Scaled(Scaled { row: Scaled::ONE_ROW, most, .. }) => (0, most),
            Values::Scaled(Scaled { row, most, .. }) => (row, most),
            _ => (0, 0),
        };
        let (position, key) = (self.values.position(0), key(self.stream));
        Some(Draw { position, key, kind, row, row_key: self.row_key(), most })
    }

    /// The key of what the elements of a row have in common: independent of the elements and of other inputs.
    const fn row_key(self) -> u32 {
        key(self.values.position(0) ^ 0x726f_7773) ^ key(self.stream)
    }

    /// The power of two of a row of [`Values::Scaled`].
    #[inline(always)]
    pub(crate) fn scale(self, scalar: Scalar, row: u64) -> f64 {
        let random = hash(row, self.row_key());
        match scalar {
            Scalar::U32 | Scalar::Unorm8 => 1.0,
            Scalar::F16 => power_of_two((random >> 29) as i32 - 12),
            _ => power_of_two((random >> 27) as i32 - 26),
        }
    }

    /// The offset of a row of [`Values::LogitRows`].
    #[inline(always)]
    fn offset(self, row: u64) -> f64 {
        f64::from(8 * summable(hash(row, self.row_key())))
    }

    /// The first element of a row of [`Values::Queries`], which shifts its scores.
    #[inline(always)]
    fn shift(self, row: u64) -> f64 {
        f64::from(2 * summable(hash(row, self.row_key())))
    }

    /// Element `index` of [`Values::SortKeys`]: of each 32 pieces of 256 elements on average, one has equal keys, one ascending
    /// ones, one few different ones, and one many zeros and largest words; from 2^20 keys on of each 1024, since equal digits
    /// take a sort longer. An eighth of the others are keys that come again.
    #[inline(always)]
    const fn sort_key(self, keys: u64, index: u64) -> u32 {
        let random = hash(index, key(self.stream));
        if index >= keys {
            return if random == 0 { 1 } else { random };
        }
        let of_piece = hash(index / SORT_PIECE, self.row_key());
        match (self.sort_kind(keys, index / SORT_PIECE), random & 7) {
            (0, _) => of_piece,
            (1, _) => (of_piece & !0xff).wrapping_add(index as u32 & 0xff),
            (2, _) => hash((random >> 16 & 15) as u64, self.row_key()),
            (3, 0 | 1) => 0,
            (3, 2 | 3) => u32::MAX,
            _ => self.common_key(random),
        }
    }

    /// What a piece of [`Values::SortKeys`] has: one of the special ones from 0 to 3, or keys as most pieces have them.
    const fn sort_kind(self, keys: u64, piece: u64) -> u32 {
        hash(piece, self.row_key()) & if keys < 1 << 20 { 31 } else { 1023 }
    }

    /// A key of most pieces, from its random bits.
    #[inline(always)]
    const fn common_key(self, own: u32) -> u32 {
        let again = hash((own >> 16 & 4095) as u64, self.row_key());
        if own & 7 == 5 { again } else { own }
    }

    /// Element `index` of the input. Exact: every value of every type here fits an f64.
    #[must_use]
    #[inline]
    pub fn at(self, scalar: Scalar, index: u64) -> f64 {
        if self.is_general(scalar) {
            return self.general(scalar, index);
        }
        match self.values {
            Values::Constant(value) => value,
            Values::Picture(width) => {
                let number = index / 4;
                pixel(width, (number % width, number / width), key(self.stream))[(index % 4) as usize].into()
            }
            Values::Grey(width) => grey(width, (index % width, index / width), key(self.stream), scalar),
            Values::Ramp => Values::ramp(scalar, index),
            Values::MixedFrom(_) => mixture(self.values.position(index), key(self.stream)).into(),
            Values::Queries(width) if index.is_multiple_of(width) => self.shift(index / width),
            Values::Queries(width) => {
                let drawn = Values::Summable.drawn(scalar, hash(index, key(self.stream)));
                sharpness(index / width) * drawn
            }
            Values::AttentionKeys(width) if index.is_multiple_of(width) => KEY,
            Values::Scaled(Scaled { row, .. }) => {
                let random = hash(self.values.position(index), key(self.stream));
                self.scale(scalar, index / row) * self.values.drawn(scalar, random)
            }
            Values::LogitRows(width) => {
                self.offset(index / width) + Values::Logits.drawn(scalar, hash(index, key(self.stream)))
            }
            Values::SortKeys(keys) => self.sort_key(keys, index).into(),
            values => values.kind().drawn(scalar, hash(values.position(index), key(self.stream))),
        }
    }

    /// Whether elements of this type have other significands than [`Values`] says.
    pub(crate) const fn is_general(self, scalar: Scalar) -> bool {
        let is_drawn = !matches!(self.values, Values::Constant(_) | Values::Ramp | Values::Picture(_));
        scalar.is_float() && is_drawn && !self.significands.are_few()
    }

    /// Element `index` of an input of other significands. Exponents of [`Values::Logits`] and [`Values::Queries`] are as
    /// large as without.
    fn general(self, scalar: Scalar, index: u64) -> f64 {
        let (Significands::Full(bits) | Significands::Magnitudes(bits)) = self.significands else { return f64::NAN };
        let scale = match self.values.kind() {
            Values::Logits | Values::LogitRows(_) => 128.0,
            Values::Queries(width) => sharpness(index / width),
            _ => 1.0,
        };
        let bits = bits.min(scalar.significant_bits());
        let value = scale * full(hash(self.values.position(index), key(self.stream)), bits);
        if self.significands.are_magnitudes() { value.abs() } else { value }
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
                scalar.encode(slots, chunk);
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

/// Elements of a piece of [`Values::SortKeys`].
const SORT_PIECE: u64 = 256;

/// Elements of an intermediate block: they stay in the L1 of a CPU core.
pub(crate) const BLOCK: usize = 512;

vectorised! {
    /// See [`Input::elements`].
    fn elements(input: Input, scalar: Scalar, first: u64, stride: u64, slots: &mut [f64]) {
        let (values, key) = (input.values, key(input.stream));
        let position = values.position(first);
        // The common kinds separately: the compiler vectorises each of their loops.
        match (values.kind(), scalar) {
            _ if input.is_general(scalar) => {
                let indices = (first..).step_by(stride as usize);
                indices.zip(slots).for_each(|(index, slot)| *slot = input.general(scalar, index));
            }
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
                by_rows(first, slots, width, |row, column, slots| {
                    slots.iter_mut().for_each(|slot| *slot *= sharpness(row));
                    if column == 0 {
                        slots[0] = input.shift(row);
                    }
                });
            }
            (Values::AttentionKeys(width), Scalar::F16 | Scalar::F32) if stride == 1 => {
                draw(position, stride, key, slots, |random| Values::Summable.drawn(Scalar::F32, random));
                by_rows(first, slots, width, |_, column, slots| {
                    if column == 0 {
                        slots[0] = KEY;
                    }
                });
            }
            (Values::Scaled(Scaled { row, most, .. }), Scalar::F32 | Scalar::F64 | Scalar::F16)
                if stride == 1 || row == Scaled::ONE_ROW =>
            {
                draw(position, stride, key, slots, |random| f64::from(signed(random, most)));
                // One row has no end, however far apart its elements are.
                by_rows(first, slots, row, |row, _, slots| {
                    let scale = input.scale(scalar, row);
                    slots.iter_mut().for_each(|slot| *slot *= scale);
                });
            }
            (Values::LogitRows(width), Scalar::F32) if stride == 1 => {
                draw(position, stride, key, slots, |random| Values::Logits.drawn(Scalar::F32, random));
                by_rows(first, slots, width, |row, _, slots| {
                    let offset = input.offset(row);
                    slots.iter_mut().for_each(|slot| *slot += offset);
                });
            }
            (Values::SortKeys(keys), Scalar::U32) if stride == 1 && first + slots.len() as u64 <= keys => {
                by_rows(first, slots, SORT_PIECE, |piece, start, slots| {
                    let first = piece * SORT_PIECE + start;
                    if input.sort_kind(keys, piece) > 3 {
                        draw(first, 1, key, slots, |random| input.common_key(random).into());
                    } else {
                        (first..).zip(slots).for_each(|(index, slot)| *slot = input.sort_key(keys, index).into());
                    }
                });
            }
            (
                Values::Picture(_)
                | Values::Grey(_)
                | Values::Queries(_)
                | Values::AttentionKeys(_)
                | Values::Scaled(_)
                | Values::LogitRows(_)
                | Values::SortKeys(_)
                | Values::MixedFrom(_),
                _,
            ) => {
                let indices = (first..).step_by(stride as usize);
                indices.zip(slots).for_each(|(index, slot)| *slot = input.at(scalar, index));
            }
            (Values::Summable | Values::SummableFrom(_), Scalar::F32 | Scalar::F64 | Scalar::F16) => {
                draw(position, stride, key, slots, |random| Values::Summable.drawn(Scalar::F32, random));
            }
            (Values::Signs, Scalar::F32 | Scalar::F64 | Scalar::F16) => {
                draw(position, stride, key, slots, |random| Values::Signs.drawn(Scalar::F32, random));
            }
            (Values::Any, Scalar::F32) => {
                draw(position, stride, key, slots, |random| Values::Any.drawn(Scalar::F32, random));
            }
            (Values::Wide, Scalar::F32) => {
                draw(position, stride, key, slots, |random| Values::Wide.drawn(Scalar::F32, random));
            }
            (Values::Wide, Scalar::F64) => {
                draw(position, stride, key, slots, |random| Values::Wide.drawn(Scalar::F64, random));
            }
            (Values::Signed, Scalar::F32) => {
                draw(position, stride, key, slots, |random| Values::Signed.drawn(Scalar::F32, random));
            }
            (
                Values::Wide | Values::Signed | Values::Summable | Values::SummableFrom(_) | Values::Signs,
                Scalar::U32,
            ) => {
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

/// A number of at most so many significant bits, ±[2^-6, 1), from 32 random bits.
///
/// Seven of eight are positive, and where a narrower type ends, after 8, 11 or 24 bits, the next bits are 01: rounding to it
/// always takes a quarter to a half of its last bit away, as cutting does. Errors of one sign add up: a narrower type shows
/// in each sum of many terms, not only in a lucky one.
fn full(random: u32, bits: u32) -> f64 {
    const ENDS: [u32; 3] = [8, 11, 24];
    // SplitMix64's finaliser (Steele, Lea & Flood, *OOPSLA* 2014) spreads the bits over 64.
    let mut spread = (u64::from(random) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    spread = (spread ^ spread >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    spread = (spread ^ spread >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    let mut significand = spread >> 12;
    for end in ENDS {
        significand = significand & !(1 << (52 - end)) | 1 << (51 - end);
    }
    significand &= !((1 << (53 - bits)) - 1);
    let exponent = 1023 - 1 - (spread >> 3 & 255) * 6 / 256;
    let sign = u64::from(spread & 7 == 0) << 63;
    f64::from_bits(sign | exponent << 52 | significand)
}

/// The first element of each row of [`Values::AttentionKeys`].
const KEY: f64 = 8.0;

/// 2^`exponent`, for a normal number.
#[inline(always)]
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The bits of a normal number of f32, of both signs and any exponent.
#[inline(always)]
const fn any(random: u32) -> u32 {
    let exponent = 1 + (((random >> 23 & 0xff) * 254) >> 8);
    random & 0x807f_ffff | exponent << 23
}

/// The same of f16.
#[inline(always)]
const fn any_half(random: u32) -> u16 {
    let exponent = 1 + (((random >> 10 & 31) * 30) >> 5);
    (random & 0x8000 | exponent << 10 | random >> 16 & 0x3ff) as u16
}

/// A normal number of f64, of both signs and any exponent.
#[inline(always)]
const fn any_double(random: u32) -> f64 {
    let exponent = 1 + (((random >> 20 & 0x7ff) * 2046) >> 11);
    let high = random & 0x800f_ffff | exponent << 20;
    f64::from_bits((high as u64) << 32 | random.wrapping_mul(0x9e37_79b9) as u64)
}

/// The factor of a row of [`Values::Queries`].
const fn sharpness(row: u64) -> f64 {
    if row % 61 == 7 { 32.0 } else { 4.0 }
}

/// ±k with k in 1..=127.
#[inline(always)]
const fn summable(random: u32) -> i32 {
    signed(random, 127)
}

/// ±k with k in 1..=`most`.
#[inline(always)]
const fn signed(random: u32, most: u32) -> i32 {
    let magnitude = (((random >> 16) * most) >> 16) as i32 + 1;
    // XOR with all ones gives the negative number, minus one.
    let sign = -((random & 1) as i32);
    (magnitude ^ sign) - sign
}
