use half::f16;

use crate::suite::scalar::Scalar;

/// A family of random inputs; an `Input` is one of them, drawn from one stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Values {
    /// The whole range without zero, floats in (0, 1): almost any two elements differ, so a misplaced one is found.
    Wide,
    /// [`Values::Wide`] with both signs, floats in (-1, 1), so that a copy is no absolute value.
    Signed,
    /// Floats ±k/128 with k in 1..=127 (integers as [`Values::Wide`]): every partial sum of up to 2^28 of them, in any
    /// order, is an exact multiple of 1/128 below 2^17, so sums compare exactly and one missing element is found. (A
    /// random walk of 2^28 steps of 0.58 has a standard deviation of 9500. The hash is less random: partial sums in
    /// streams 0 to 63 reach 43,000, a third of the limit.) In f16, elements are exact, and sums up to 16.
    Summable,
    /// ±1, independent of [`Values::Summable`]: products and sums with it stay exact (integers as [`Values::Wide`]).
    Signs,
    /// Decimal digits, 1 to 9, of any type: a sum reveals each that is left out.
    Digits,
    /// Floats ±k with k in 1..=127, used as exponents: differences are exact, and exponentials exceed f32 unless the
    /// largest is subtracted first.
    Logits,
    /// [`Values::Summable`], starting at this element of its stream: a second input, independent of the first.
    SummableFrom(u64),
    /// [`Values::Wide`], starting at this element of its stream: a second input, independent of the first.
    WideFrom(u64),
    /// [`Values::Signed`], starting at this element of its stream.
    SignedFrom(u64),
    /// [`Values::Logits`], starting at this element of its stream.
    LogitsFrom(u64),
    /// ±k/8 with k in 1..=7, starting at this element of its stream: a factor of fp8. Hopper's tensor cores keep 14
    /// bits of a sum of fp8 (DeepSeek-AI, *DeepSeek-V3 Technical Report*, 2024, section 3.3.2): products of two are
    /// multiples of 2^-6, exact below 2^8, and the standard deviation of a sum of K of them is 0.31 √K, 20 at K = 4096.
    EighthsFrom(u64),
    /// [`Values::Signs`], starting at this element of its stream.
    SignsFrom(u64),
    /// [`Values::Digits`], starting at this element of its stream.
    DigitsFrom(u64),
    /// Words as in real data, starting at this element: random with repeats, runs up and down, zeros and extremes.
    MixedFrom(u64),
    /// 0, 1, 2, …, restarting at the end of exact integers: 2^11 for f16, 2^24 for f32, 2^32 for u32 and f64.
    Ramp,
    /// Pixels (red, green, blue, opacity) of a picture of this width. Red: a gradient from left to right. Green: rings,
    /// inverted in the upper left, to show the orientation. Blue: noise, to make neighbouring pixels differ.
    Picture(u64),
    /// Rings and noise of [`Values::Picture`], mixed in one channel: levels below 256; for floats, 1/256 of them.
    Grey(u64),
    /// Any normal number of a float type, of both signs; integers as [`Values::Wide`]. For kernels that move values.
    Any,
    /// Whole numbers times an unpredictable power of two; integers as [`Values::Wide`].
    Scaled(Scaled),
    /// [`Values::Logits`] in rows of this length, each with an offset of ±8k with k in 1..=127: in most rows, all
    /// exponentials exceed f32 or are too small for it unless the row's own largest is subtracted.
    LogitRows(u64),
    /// This many keys to sort, then [`Values::Wide`]: random with repeats, constant or ascending runs, zeros and
    /// maxima.
    SortKeys(u64),
    /// Queries of attention, in rows of this length: [`Values::Summable`] times 4, every 61st row times 32. Products
    /// with [`Values::AttentionKeys`], over the square root of the length, have a standard deviation of 1.3, so many
    /// keys count; in every 61st row 11, so few keys decide, and larger maxima follow smaller ones. The first element,
    /// ±2k with k in 1..=127, shifts a row's scores by up to 180 (length 128) or 254 (64). The sum of up to 128
    /// products is exact in f32: a multiple of 2^-12 below 2^12; in every 61st row, of 2^-9 below 2^13.
    Queries(u64),
    /// Keys of attention, in rows of this length: [`Values::SummableFrom`], with 8 as the first element of each row.
    AttentionKeys(u64),
    /// The same number everywhere, as in source article A5 (0.5).
    Constant(f64),
}

/// ±k times a power of two, with k in 1..=`most`. The power is drawn anew for each row, from 2^-26 to 2^5, in f16 from
/// 2^-12 to 2^-5. With `most` = 127, sums are exact like those of [`Values::Summable`], where all powers are 2^-7.
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

impl Values {
    /// The element for 32 random bits, through i32 where it fits: CPUs convert several of these at a time. Must not
    /// call itself: recursion prevents inlining, and with it vectorised loops.
    #[inline(always)]
    pub(super) fn drawn(self, scalar: Scalar, random: u32) -> f64 {
        match (self, scalar) {
            (_, Scalar::Unorm8) => f64::from(random & 0xff),
            (Self::Digits, _) => f64::from(1 + (((random >> 16) * 9) >> 16)),
            (Self::Logits, Scalar::F16 | Scalar::F32 | Scalar::F64 | Scalar::I8) => f64::from(summable(random)),
            (_, Scalar::U32) => f64::from(random.max(1)),
            (Self::Any, Scalar::F32) => f32::from_bits(any(random)).into(),
            (Self::Any, Scalar::F16) => f16::from_bits(any_half(random)).into(),
            (Self::Any, Scalar::F64) => any_double(random),
            (Self::Scaled(Scaled { most, .. }), _) => f64::from(signed(random, most)),
            (Self::Wide, Scalar::F16 | Scalar::F32 | Scalar::F64) => fraction(scalar, random),
            // A bit that the magnitude of f32 does not use.
            (Self::Signed, Scalar::F16 | Scalar::F32 | Scalar::F64) if random & 1 == 1 => -fraction(scalar, random),
            (Self::Signed, Scalar::F16 | Scalar::F32 | Scalar::F64) => fraction(scalar, random),
            (Self::EighthsFrom(_), _) => f64::from(signed(random, 7)) / 8.0,
            // A bit that `summable` does not use.
            (Self::Signs, _) => f64::from((random & 2) as i32 - 1),
            _ => f64::from(summable(random)) / 128.0,
        }
    }

    /// These values without the position of their first element.
    pub(super) const fn kind(self) -> Self {
        match self {
            Self::WideFrom(_) => Self::Wide,
            Self::SignedFrom(_) => Self::Signed,
            Self::SignsFrom(_) => Self::Signs,
            Self::DigitsFrom(_) => Self::Digits,
            Self::LogitsFrom(_) => Self::Logits,
            other => other,
        }
    }

    pub(super) fn ramp(scalar: Scalar, index: u64) -> f64 {
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

    pub(super) const fn position(self, index: u64) -> u64 {
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

/// A number in (0, 1) of a float type of at least 16 bits.
#[inline(always)]
fn fraction(scalar: Scalar, random: u32) -> f64 {
    match scalar {
        Scalar::F32 => f64::from((random >> 8 | 1) as i32) / f64::from(1 << 24),
        // Any of the 14,336 normal numbers below 1: some devices treat subnormal ones as zero.
        Scalar::F16 => f16::from_bits(0x0400 + ((u64::from(random) * 0x3800) >> 32) as u16).into(),
        _ => (f64::from(random) + 0.5) / 4_294_967_296.0,
    }
}

/// The bits of a normal number of f32, of both signs and any exponent.
#[inline(always)]
const fn any(random: u32) -> u32 {
    let exponent = 1 + (((random >> 23 & 0xff) * 254) >> 8);
    random & 0x807f_ffff | exponent << 23
}

#[inline(always)]
const fn any_half(random: u32) -> u16 {
    let exponent = 1 + (((random >> 10 & 31) * 30) >> 5);
    (random & 0x8000 | exponent << 10 | random >> 16 & 0x3ff) as u16
}

#[inline(always)]
const fn any_double(random: u32) -> f64 {
    let exponent = 1 + (((random >> 20 & 0x7ff) * 2046) >> 11);
    let high = random & 0x800f_ffff | exponent << 20;
    f64::from_bits((high as u64) << 32 | random.wrapping_mul(0x9e37_79b9) as u64)
}

/// ±k with k in 1..=127.
#[inline(always)]
pub(super) const fn summable(random: u32) -> i32 {
    signed(random, 127)
}

/// ±k with k in 1..=`most`.
#[inline(always)]
pub(super) const fn signed(random: u32, most: u32) -> i32 {
    let magnitude = (((random >> 16) * most) >> 16) as i32 + 1;
    // XOR with all ones gives the negative number, minus one.
    let sign = -((random & 1) as i32);
    (magnitude ^ sign) - sign
}
