//! How scalar types store the numbers of a file or an expression.

use super::expression::Value;
use record::suite::Scalar;

/// 2^53: an f64 cannot hold every 64-bit integer beyond.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Numbers {
    Reals(Vec<f64>),
    Wholes(Vec<i64>),
    Naturals(Vec<u64>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Real(f64),
    Whole(i128),
}

impl Numbers {
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Reals(all) => all.len() as u64,
            Self::Wholes(all) => all.len() as u64,
            Self::Naturals(all) => all.len() as u64,
        }
    }

    pub(super) fn at(&self, index: u64) -> Option<Number> {
        match self {
            Self::Reals(all) => all.get(index as usize).copied().map(Number::Real),
            Self::Wholes(all) => all.get(index as usize).map(|value| Number::Whole((*value).into())),
            Self::Naturals(all) => all.get(index as usize).map(|value| Number::Whole((*value).into())),
        }
    }
}

impl From<Value> for Number {
    fn from(value: Value) -> Self {
        match value {
            Value::Whole(value) => Self::Whole(value.into()),
            Value::Real(value) => Self::Real(value),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Real(value) => value.fmt(f),
            Self::Whole(value) => value.fmt(f),
        }
    }
}

impl Number {
    #[expect(clippy::cast_precision_loss, reason = "the nearest f64")]
    pub(super) const fn real(self) -> f64 {
        match self {
            Self::Real(value) => value,
            Self::Whole(value) => value as f64,
        }
    }

    /// Decodes a scalar of a buffer.
    pub(super) fn of_bytes(scalar: Scalar, bytes: &[u8]) -> Value {
        match (scalar, bytes.first_chunk()) {
            (Scalar::I64, Some(bytes)) => return Value::Whole(i64::from_le_bytes(*bytes)),
            (Scalar::U64, Some(bytes)) => {
                let value = u64::from_le_bytes(*bytes);
                return i64::try_from(value).map_or(Value::Real(value as f64), Value::Whole);
            }
            _ => {}
        }
        let mut value = [f64::NAN];
        scalar.decode(bytes, &mut value);
        // Shaders read Unorm8 as a fraction.
        let is_real = scalar.is_float() || scalar == Scalar::Unorm8;
        if is_real { Value::Real(value[0]) } else { Value::Whole(value[0] as i64) }
    }

    /// The bits of the number as an integer of type `scalar`: modulo 2^bits if `wraps`, else an error out of range.
    pub(super) fn bits(self, scalar: Scalar, wraps: bool) -> Result<u64, String> {
        let refused = || Err(format!("{self}, which {} cannot hold", scalar.name()));
        let whole = match self {
            Self::Whole(value) => value,
            Self::Real(value) if value.is_finite() && (wraps || value.fract() == 0.0) => {
                if scalar.bytes() == 8 && value.abs() >= EXACT {
                    return Err(format!("{value}, but integers are exact only below 2^53"));
                }
                value as i128
            }
            Self::Real(_) => return refused(),
        };
        let bits = 8 * scalar.bytes() as u32;
        let is_signed = matches!(scalar, Scalar::I8 | Scalar::I32 | Scalar::I64);
        let least = if is_signed { -(1 << (bits - 1)) } else { 0 };
        let range = least..least + (1_i128 << bits);
        if !wraps && !range.contains(&whole) {
            return refused();
        }
        Ok(whole as u64 & (u64::MAX >> (64 - bits)))
    }
}

/// Words per element in comparisons: two for 64-bit integers, which an f64 cannot hold.
pub(super) const fn words_each(scalar: Scalar) -> u64 {
    if matches!(scalar, Scalar::I64 | Scalar::U64) { 2 } else { 1 }
}

/// How expected values are converted to what an output stores.
#[derive(Clone, Copy)]
pub(super) struct Rule {
    pub scalar: Scalar,
    /// Whether values must be equal, so that expected values are rounded as the buffer stores them.
    pub is_exact: bool,
    /// Whether integers are taken modulo the range of their type.
    pub wraps: bool,
    /// Types of an element's words, if they differ.
    pub fields: &'static [Option<Scalar>],
}

/// Whether the word at `index` is a float in a struct of several types.
pub(super) fn float_at(fields: &[Option<Scalar>], index: u64) -> bool {
    !fields.is_empty() && fields[(index % fields.len() as u64) as usize] == Some(Scalar::F32)
}

impl Rule {
    /// The expected value of word `slot`; `number` gives that of an element.
    pub(super) fn slot(self, slot: u64, number: impl FnOnce(u64) -> Result<Number, String>) -> Result<f64, String> {
        let Self { scalar, is_exact, wraps, fields } = self;
        let words = words_each(scalar);
        let index = slot / words;
        let number = number(index)?;
        if scalar == Scalar::U32 && float_at(fields, slot) {
            // Integers are the bits of a float, as from `bits(x)`.
            return Ok(match number {
                Number::Whole(bits) => f32::from_bits(bits as u32).into(),
                Number::Real(value) => f64::from(value as f32),
            });
        }
        if scalar.is_float() {
            // An overflow is infinite, whatever error is allowed.
            let value = number.real();
            let rounded = match scalar {
                Scalar::F32 => f64::from(value as f32),
                Scalar::F16 => f64::from(half::f16::from_f64(value)),
                _ => value,
            };
            return Ok(if is_exact || rounded.is_infinite() { rounded } else { value });
        }
        let fault = |why: String| {
            let remedy = match number {
                Number::Real(value) if !value.is_finite() || value.abs() >= EXACT => "",
                Number::Real(value) if is_exact && value.fract() != 0.0 => {
                    "; round it, allow a tolerance, or set wrap = true"
                }
                _ => "; set wrap = true",
            };
            format!("[verify]: the expected value of element {index} is {why}{remedy}")
        };
        if !is_exact && !wraps {
            // With an allowed error, a fraction between two integers is a valid expected value.
            let rounded = Number::Real(number.real().round());
            rounded.bits(scalar, false).map_err(|_| fault(format!("{number}, which {} cannot hold", scalar.name())))?;
            return Ok(number.real());
        }
        let bits = number.bits(scalar, wraps).map_err(fault)?;
        if words == 2 {
            return Ok(f64::from((bits >> (32 * (slot % 2))) as u32));
        }
        let mut value = [0.0];
        scalar.decode(&bits.to_le_bytes()[..scalar.bytes()], &mut value);
        Ok(value[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_holds_a_number_or_refuses_it() {
        use Number::{Real, Whole};
        const ALL: u64 = 0xffff_ffff;
        for (number, scalar, exact, wrapped) in [
            (Real(5.0), Scalar::U32, Some(5), 5),
            (Real(5.7), Scalar::U32, None, 5),
            (Whole((1 << 32) + 5), Scalar::U32, None, 5),
            (Whole(-1), Scalar::U32, None, ALL),
            (Whole(-1), Scalar::I32, Some(ALL), ALL),
            (Whole(1 << 31), Scalar::I32, None, 1 << 31),
            (Whole(256), Scalar::Unorm8, None, 0),
            (Whole(-1), Scalar::I64, Some(u64::MAX), u64::MAX),
            (Whole(i64::MAX.into()), Scalar::I64, Some(i64::MAX as u64), i64::MAX as u64),
            (Whole(-1), Scalar::U64, None, u64::MAX),
            (Whole(u64::MAX.into()), Scalar::U64, Some(u64::MAX), u64::MAX),
        ] {
            assert_eq!(number.bits(scalar, false).ok(), exact, "{number} {scalar:?}");
            assert_eq!(number.bits(scalar, true), Ok(wrapped), "{number} {scalar:?}");
        }
        assert!(Real(1e19).bits(Scalar::U64, true).is_err() && Real(f64::NAN).bits(Scalar::U32, true).is_err());
    }

    #[test]
    fn a_right_value_is_what_the_output_can_have() {
        let slot = |scalar, is_exact, number| {
            Rule { scalar, is_exact, wraps: false, fields: &[] }.slot(3, |_| Ok(Number::Real(number)))
        };
        assert_eq!(slot(Scalar::U32, false, 5.7), Ok(5.7));
        assert_eq!(slot(Scalar::F32, false, 0.1), Ok(0.1));
        assert_eq!(slot(Scalar::F32, true, 0.1), Ok(f64::from(0.1_f32)));
        assert_eq!(slot(Scalar::F32, false, 1e300), Ok(f64::INFINITY));
        let fault = "[verify]: the expected value of element 3 is 5.7, which u32 cannot hold; round it, allow a \
                     tolerance, or set wrap = true";
        assert_eq!(slot(Scalar::U32, true, 5.7), Err(fault.to_owned()));
        let fault = "[verify]: the expected value of element 3 is 5000000000, which u32 cannot hold; set wrap = true";
        assert_eq!(slot(Scalar::U32, false, 5e9), Err(fault.to_owned()));
        let words = |slot| {
            Rule { scalar: Scalar::I64, is_exact: true, wraps: false, fields: &[] }
                .slot(slot, |_| Ok(Number::Whole(-2)))
        };
        assert_eq!([6, 7].map(words), [Ok(4_294_967_294.0), Ok(4_294_967_295.0)]);
    }
}
