//! Whether two means differ, by how much and with what certainty: logarithms with their variances.

use super::many::Errors;
use super::{Estimate, Variance, student, student_above};

/// The mean logarithm of a time, a speed, or a ratio of two, as other runs of the same build would measure it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogValue {
    /// The natural logarithm.
    pub log: f64,
    /// Its variance; `None` if nothing is known about run-to-run variation.
    pub variance: Option<Variance>,
}

impl LogValue {
    /// The ratio of two independent values, `self` ÷ `other`: the variances of their logarithms add up (Welch's test).
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        let variance = self.variance.zip(other.variance).map(|(a, b)| sum([a, b].into_iter()));
        Self { log: self.log - other.log, variance }
    }

    /// The value with its 95 % interval; `None` if the variance is unknown or the interval has no ends.
    #[must_use]
    pub fn estimate(self) -> Option<Estimate> {
        let (value, reach) = (self.log.exp(), reach(self.variance?).exp());
        let (low, high) = (value / reach, value * reach);
        (low > 0.0 && high.is_finite()).then_some(Estimate { value, low, high })
    }

    /// P-value of the hypothesis that the true logarithm is at most `bound`: Student's tail. `None` without a variance.
    #[must_use]
    pub fn p_at_most(self, bound: f64) -> Option<f64> {
        self.variance.map(|variance| student_above((self.log - bound) / variance.value.sqrt(), variance.degrees))
    }

    /// P-value of the hypothesis that the true logarithm is within `bound` of zero: both tails beyond its near end.
    #[must_use]
    pub fn p_within(self, bound: f64) -> Option<f64> {
        let far = Self { log: self.log.abs(), ..self };
        Some((far.p_at_most(bound)? + far.p_at_most(-bound)?).min(1.0))
    }
}

/// The null hypothesis of [`adjusted_p_values`] about each true logarithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Null {
    /// At most this far from zero, on either side.
    Within(f64),
    /// At most this large.
    AtMost(f64),
}

/// P-values of the hypothesis `null` for each of `ratios`, adjusted for the number of tests; a ratio without a variance
/// is no test and has `None`. They only withhold a verdict: whether two figures differ is decided by their intervals.
#[must_use]
pub fn adjusted_p_values(ratios: &[LogValue], null: Null, errors: Errors) -> Vec<Option<f64>> {
    let p_value = |ratio: &LogValue| match null {
        Null::Within(bound) => ratio.p_within(bound),
        Null::AtMost(bound) => ratio.p_at_most(bound),
    };
    let p_values: Vec<Option<f64>> = ratios.iter().map(p_value).collect();
    let mut adjusted = errors.adjusted(&p_values.iter().copied().flatten().collect::<Vec<_>>()).into_iter();
    p_values.into_iter().map(|p| p.and_then(|_| adjusted.next())).collect()
}

/// Half width of the 95 % interval of a mean with this variance.
#[must_use]
pub fn reach(variance: Variance) -> f64 {
    student(variance.degrees) * variance.value.sqrt()
}

/// The variance of a sum of independent means, with Welch and Satterthwaite's degrees (*Biometrics Bulletin* 2, 1946).
#[must_use]
pub fn sum(variances: impl Iterator<Item = Variance>) -> Variance {
    let (mut value, mut squares) = (0.0, 0.0);
    for variance in variances.filter(|variance| variance.value > 0.0) {
        value += variance.value;
        squares += variance.value * variance.value / variance.degrees;
    }
    let degrees = if squares > 0.0 { value * value / squares } else { 1.0 };
    Variance { value: value.max(f64::MIN_POSITIVE), degrees }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(log: f64, error: f64) -> LogValue {
        LogValue { log, variance: Some(Variance { value: error * error, degrees: 1e6 }) }
    }

    #[test]
    fn variances_of_two_sides_add_up() {
        let ratio = value(1.0, 0.3).over(value(0.5, 0.4));
        let variance = ratio.variance.expect("known");
        assert!((ratio.log - 0.5).abs() < 1e-12 && (variance.value - 0.25).abs() < 1e-12);
        assert_eq!(value(1.0, 0.1).over(LogValue { log: 0.0, variance: None }).variance, None);
        // Welch's degrees: 9² / (1² / 12 + 8² / 10⁶).
        let variances = [Variance { value: 1e-4, degrees: 12.0 }, Variance { value: 8e-4, degrees: 1e6 }];
        assert!((sum(variances.into_iter()).degrees / 971.0 - 1.0).abs() < 2e-3);
    }

    #[test]
    fn a_ratio_of_which_nothing_is_known_is_no_test() {
        let ratios = [value(0.1, 0.01), LogValue { log: 9.0, variance: None }, value(0.0, 0.01)];
        let [first, none, last] = adjusted_p_values(&ratios, Null::AtMost(0.02), Errors::Any)[..] else {
            panic!("three")
        };
        assert!(first.is_some_and(|p| p < 1e-9) && none.is_none() && last.is_some_and(|p| p > 0.9));
        let both = adjusted_p_values(&[value(-0.1, 0.01)], Null::Within(0.02), Errors::Discoveries)[0];
        assert!(both.is_some_and(|p| p < 1e-9));
    }
}
