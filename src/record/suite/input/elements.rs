use rayon::prelude::*;

use super::mixture::mixture;
use super::picture::{grey, pixel};
use super::random::{hash, hashes, key, mixed, salt};
use super::values::{Scaled, Values, signed, summable};
use crate::suite::rows::by_rows;
use crate::suite::scalar::Scalar;
use crate::suite::shape::Shape;
use crate::suite::significands::Significands;
use crate::suite::vectors::vectorised;

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
}

impl Shape {
    /// These values, drawn from the stream of this shape.
    #[must_use]
    pub const fn input(&self, values: Values) -> Input {
        Input { values, stream: self.stream, significands: self.significands }
    }
}

impl Input {
    /// The key of what the elements of a row have in common: independent of the elements and of other inputs.
    pub(super) const fn row_key(self) -> u32 {
        key(self.values.position(0) ^ 0x726f_7773) ^ key(self.stream)
    }

    /// The power of two of a row of [`Values::Scaled`].
    #[inline(always)]
    pub fn scale(self, scalar: Scalar, row: u64) -> f64 {
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

    /// Element `index` of [`Values::SortKeys`]. Of 32 pieces of 256 keys on average (1024 from 2^20 keys, since equal
    /// digits slow a sort), one has equal keys, one ascending, one few distinct, and one many zeros and largest words.
    /// An eighth of the keys in the other pieces are repeated.
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
            _ => common_key(random, self.row_key()),
        }
    }

    /// The kind of a piece of [`Values::SortKeys`]: special ones from 0 to 3, ordinary ones above.
    const fn sort_kind(self, keys: u64, piece: u64) -> u32 {
        hash(piece, self.row_key()) & if keys < 1 << 20 { 31 } else { 1023 }
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

    /// Whether elements of this type have other significands than [`Values`] describes.
    pub const fn is_general(self, scalar: Scalar) -> bool {
        let is_drawn = !matches!(self.values, Values::Constant(_) | Values::Ramp | Values::Picture(_));
        scalar.is_float() && is_drawn && !self.significands.are_few()
    }

    /// Element `index` with other significands; exponents of [`Values::Logits`] and [`Values::Queries`] stay as large.
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

    /// Writes the elements at these indices into `slots`.
    pub fn elements_at(self, scalar: Scalar, indices: &[u32], slots: &mut [f64]) {
        elements_at(self, scalar, indices, slots);
    }

    /// Writes the elements from index `first` into `bytes`, little-endian, on all cores.
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

    /// Sum of up to 2^16 elements, exact except for [`Values::Wide`] floats. Eight sums hide the latency of additions.
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

const SORT_PIECE: u64 = 256;

/// A key of an ordinary piece of [`Values::SortKeys`]: one in eight is one of 4096 repeated keys. Loops must inline it.
#[inline(always)]
const fn common_key(own: u32, row_key: u32) -> u32 {
    let again = mixed(own >> 16 & 4095 ^ salt(0, row_key), row_key);
    if own & 7 == 5 { again } else { own }
}

/// Elements of an intermediate block: they stay in the L1 of a CPU core.
pub const BLOCK: usize = 512;

vectorised! {
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
            (
                Values::Wide
                | Values::Signed
                | Values::Scaled(_)
                | Values::Summable
                | Values::SummableFrom(_)
                | Values::Signs,
                Scalar::U32,
            ) => draw(position, stride, key, slots, |random| Values::Wide.drawn(Scalar::U32, random)),
            (Values::Scaled(Scaled { row, most, .. }), Scalar::F32 | Scalar::F64 | Scalar::F16)
                if stride == 1 || row == Scaled::ONE_ROW =>
            {
                draw(position, stride, key, slots, |random| f64::from(signed(random, most)));
                // A single row has no end, whatever the stride.
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
                let row_key = input.row_key();
                by_rows(first, slots, SORT_PIECE, |piece, start, slots| {
                    let first = piece * SORT_PIECE + start;
                    if input.sort_kind(keys, piece) > 3 {
                        draw(first, 1, key, slots, |random| common_key(random, row_key).into());
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
            (Values::Any, Scalar::F64) => {
                draw(position, stride, key, slots, |random| Values::Any.drawn(Scalar::F64, random));
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
            (kind, _) => draw(position, stride, key, slots, |random| kind.drawn(scalar, random)),
        }
    }
}

vectorised! {
    fn elements_at(input: Input, scalar: Scalar, indices: &[u32], slots: &mut [f64]) {
        let indices = indices.iter().map(|index| u64::from(*index));
        match input.values {
            Values::Scaled(Scaled { row: Scaled::ONE_ROW, most, first })
                if scalar == Scalar::F32 && !input.is_general(scalar) =>
            {
                let (key, scale) = (key(input.stream), input.scale(scalar, 0));
                let drawn = indices.map(|index| f64::from(signed(hash(first.wrapping_add(index), key), most)) * scale);
                slots.iter_mut().zip(drawn).for_each(|(slot, value)| *slot = value);
            }
            _ => indices.zip(slots).for_each(|(index, slot)| *slot = input.at(scalar, index)),
        }
    }
}

/// Draws elements `stride` apart, starting at `position` of the stream with this key.
#[inline(always)]
fn draw(position: u64, stride: u64, key: u32, slots: &mut [f64], drawn: impl Fn(u32) -> f64) {
    let mut block = [0; BLOCK];
    for (number, slots) in slots.chunks_mut(BLOCK).enumerate() {
        let position = position + (number * BLOCK) as u64 * stride;
        let randoms = &mut block[..slots.len()];
        hashes(position, stride, key, randoms);
        slots.iter_mut().zip(randoms).for_each(|(slot, random)| *slot = drawn(*random));
    }
}

/// A number of at most `bits` significant bits, ±[2^-6, 1), from 32 random bits. Seven of eight are positive, and after
/// 8, 11 and 24 bits, where narrower types end, the next bits are 01: rounding and truncation both take away a quarter
/// to a half of such a type's last bit. Errors of one sign add up, so every sum of many terms reveals the type.
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

#[inline(always)]
const fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The factor of a row of [`Values::Queries`].
const fn sharpness(row: u64) -> f64 {
    if row % 61 == 7 { 32.0 } else { 4.0 }
}
