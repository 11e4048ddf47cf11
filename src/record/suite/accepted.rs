use std::fmt;

use super::params::{CHECK_PARAMS, COLD, HOST_PARAMS};

/// The values that a parameter accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accepted {
    /// Numbers of at most this magnitude.
    Number(f64),
    /// Signed 32-bit integers.
    Integer,
    /// Whole numbers from the first to the second.
    Whole(u32, u32),
    /// Powers of two from the first to the second.
    PowerOfTwo(u32, u32),
    /// One of these values.
    OneOf(&'static [f64]),
    /// Multiples of the first up to the second, without 0.
    Multiple(u32, u32),
}

impl Accepted {
    /// 0 and 1.
    pub const SWITCH: Self = Self::Whole(0, 1);

    /// Every value of an override of type u32.
    pub const U32: Self = Self::Whole(0, u32::MAX);

    /// Whether a parameter may have this value.
    #[must_use]
    pub fn has(self, value: f64) -> bool {
        let within = |least: u32, most: u32| (f64::from(least)..=f64::from(most)).contains(&value);
        let is_whole = value.fract() == 0.0;
        match self {
            Self::Number(most) => value.abs() <= most,
            Self::Integer => is_whole && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value),
            Self::Whole(least, most) => is_whole && within(least, most),
            Self::OneOf(values) => values.contains(&value),
            Self::PowerOfTwo(least, most) => is_whole && within(least, most) && (value as u32).is_power_of_two(),
            Self::Multiple(of, most) => is_whole && within(of, most) && (value as u32).is_multiple_of(of),
        }
    }

    pub(super) fn usual(name: &str) -> Self {
        match name {
            // The largest workgroup of any API has 1024 invocations.
            "WG" => Self::Whole(1, 1024),
            // Tests verify every kernel up to here; sums of more rounds may not be exact.
            "ROUNDS" => Self::Whole(1, 1024),
            "PITCHED" | COLD => Self::SWITCH,
            "SHARED_BYTES" => Self::Multiple(4, 1 << 20),
            name if CHECK_PARAMS.contains(&name) => Self::SWITCH,
            name if HOST_PARAMS.contains(&name) => Self::Number(f32::MAX.into()),
            _ => Self::U32,
        }
    }
}

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Number(most) => write!(f, "a number from {:e} to {most:e}", -most),
            Self::Integer => write!(f, "a whole number from {} to {}", i32::MIN, i32::MAX),
            Self::SWITCH => write!(f, "0 or 1"),
            Self::OneOf(values) => {
                let values: Vec<String> = values.iter().map(f64::to_string).collect();
                write!(f, "{}", values.join(" or "))
            }
            Self::Whole(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::PowerOfTwo(least, most) => write!(f, "a power of two from {least} to {most}"),
            Self::Multiple(of, most) => write!(f, "a multiple of {of} up to {most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_values_has_what_its_text_says() {
        for (accepted, inside, outside, text) in [
            (Accepted::Number(1e30), &[-0.5, 1e30][..], &[f64::NAN, 1e31][..], "a number from -1e30 to 1e30"),
            (Accepted::Integer, &[-7.0, 0.0], &[0.5, 1e10], "a whole number from -2147483648 to 2147483647"),
            (Accepted::SWITCH, &[0.0, 1.0], &[0.5, 2.0, -1.0], "0 or 1"),
            (Accepted::Whole(1, 9), &[1.0, 9.0], &[0.0, 10.0, 1.5, 1e99], "a whole number from 1 to 9"),
            (Accepted::PowerOfTwo(2, 64), &[2.0, 64.0], &[1.0, 3.0, 128.0, -2.0], "a power of two from 2 to 64"),
            (Accepted::OneOf(&[0.5, 16.0]), &[0.5, 16.0], &[1.0, f64::NAN], "0.5 or 16"),
            (Accepted::Multiple(4, 32), &[4.0, 28.0], &[0.0, 6.0, 36.0, 4.5], "a multiple of 4 up to 32"),
        ] {
            assert!(inside.iter().all(|value| accepted.has(*value)), "{accepted:?}");
            assert!(!outside.iter().any(|value| accepted.has(*value)), "{accepted:?}");
            assert_eq!(accepted.to_string(), text);
        }
    }
}
