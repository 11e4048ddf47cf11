//! Numbers for the page, with no more digits than needed.

use serde::{Serialize, Serializer};

/// A finite number, serialized without a needless fraction: 2.18, or 2 instead of 2.0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Figure(f64);

/// 2^53: integers up to this value are exact in an f64.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Figure {
    /// Rounds to `digits` digits so that the page, which rounds once more to one digit less, shows the same as for
    /// `value`. `None` if it is not finite.
    pub(super) fn new(value: f64, digits: usize) -> Option<Self> {
        let round = |value: f64, digits: usize| -> Option<f64> {
            format!("{value:.*e}", digits.saturating_sub(1)).parse().ok().filter(|rounded: &f64| rounded.is_finite())
        };
        let near = round(value, digits)?;
        if digits < 2 || round(near, digits - 1) == round(value, digits - 1) {
            return Some(Self(near));
        }
        let unit = 10_f64.powi(value.abs().log10().floor() as i32 + 1 - digits as i32);
        Some(Self(round(if near > value { near - unit } else { near + unit }, digits)?))
    }

    pub(super) const fn whole(value: u64) -> Self {
        Self(value as f64)
    }

    /// Relative distance of `end` from `value`, in units of 1/10,000.
    pub(super) fn distance(value: f64, end: f64) -> Option<Self> {
        Self::new(((end - value).abs() / value * 1e4).round(), 5)
    }
}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let text = |value: f64, digits| serde_json::to_string(&Figure::new(value, digits)).expect("a number");
        assert_eq!(text(2179.692, 5), "2179.7");
        assert_eq!(text(123_456_789.0, 5), "123460000");
        assert_eq!(text(3.0, 5), "3");
        assert_eq!(text(0.000_123_456, 3), "0.000123");
        assert_eq!(text(f64::NAN, 3), "null");
        // The page shows three digits: 3.01 and 3.02, as for the unrounded values.
        assert_eq!((text(3014.9, 4), text(3015.2, 4)), ("3014".to_owned(), "3015".to_owned()));
        assert_eq!(Figure::distance(200.0, 199.0), Some(Figure(50.0)));
    }
}
