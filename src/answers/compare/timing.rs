//! The time of a case on one side, from one or more runs, and ratios of times.

use super::series::{Series, reach, sum};
use crate::record::stats::{Variance, student_above};
use crate::record::times::POSSIBLE;

/// The time of one launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// The time in nanoseconds, above zero: mean over runs of the mean over epochs, on a log scale.
    pub median_ns: f64,
    /// 95 % confidence interval in nanoseconds, for other runs of the same build. For a single run with fewer than two
    /// epochs, the interval of its one series, which decides nothing. `None` if unknown.
    pub interval: Option<(f64, f64)>,
    /// Number of runs.
    pub runs: usize,
    /// Variance of the logarithm; `None` if nothing is known about run-to-run variation.
    pub(super) variance: Option<Variance>,
}

impl Timing {
    pub(super) fn new(series: &Series, variance: Option<Variance>) -> Self {
        let median_ns = series.mean().exp();
        let interval = match (variance, series.runs.as_slice()) {
            (Some(variance), _) => Some((median_ns / reach(variance).exp(), median_ns * reach(variance).exp())),
            (None, [run]) => run.record.ci_low_ns.zip(run.record.ci_high_ns),
            _ => None,
        };
        // The logarithm of the median is rounded.
        let is_around =
            |(low, high): &(f64, f64)| *low <= median_ns * (1.0 + 1e-9) && median_ns <= *high * (1.0 + 1e-9);
        let is_sound = |ends: &(f64, f64)| POSSIBLE.contains(&ends.0) && POSSIBLE.contains(&ends.1) && is_around(ends);
        Self { median_ns, interval: interval.filter(is_sound), runs: series.runs.len(), variance }
    }

    /// Whether run-to-run variation is known: of several runs, or of one with epochs.
    #[must_use]
    pub const fn shows_variation(&self) -> bool {
        self.variance.is_some()
    }

    /// Half width of the interval ÷ time: the ± of the table.
    #[must_use]
    pub fn noise(&self) -> Option<f64> {
        self.interval.map(|(low, high)| (high - low) / 2.0 / self.median_ns)
    }
}

/// Time of the baseline ÷ time of the other side: above 1 the other side is faster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The ratio.
    pub value: f64,
    /// 95 % confidence interval for other runs of the same builds: the interval that is printed, and the one that
    /// decides. `None` if nothing is known about the run-to-run variation of a side.
    pub interval: Option<(f64, f64)>,
    /// Variance of the logarithm.
    pub(super) variance: Option<Variance>,
}

impl Ratio {
    /// The ratio of a measurement to itself.
    pub const ONE: Self = Self { value: 1.0, interval: Some((1.0, 1.0)), variance: None };

    /// The ratio with the logarithm `log` and its variance.
    pub(super) fn new(log: f64, variance: Option<Variance>) -> Self {
        let value = log.exp();
        let interval = variance.map(|variance| (value / reach(variance).exp(), value * reach(variance).exp()));
        let interval = interval.filter(|(low, high)| *low > 0.0 && high.is_finite());
        Self { value, interval, variance: variance.filter(|_| interval.is_some()) }
    }

    /// The ratio of two independent times. The variances of their logarithms add up (Welch's test).
    pub(super) fn of(baseline: &Timing, side: &Timing) -> Self {
        let both = baseline.variance.zip(side.variance);
        Self::new((baseline.median_ns / side.median_ns).ln(), both.map(|(a, b)| sum([a, b].into_iter())))
    }

    /// The p-value of the hypothesis that the true times differ by no more than 1 + `margin`, in either direction:
    /// Student's tails beyond the ratio at the margin's near end. `None` if nothing is known about run-to-run
    /// variation.
    pub(super) fn p_of_equivalence(&self, margin: f64) -> Option<f64> {
        let (distance, margin) = (self.value.ln().abs(), margin.ln_1p());
        let near = self.tail(distance - margin)?;
        Some((near + self.tail(distance + margin)?).min(1.0))
    }

    /// The p-value of the hypothesis that the side takes at most 1 + `slowdown` times the baseline's time.
    pub(super) fn p_of_at_most(&self, slowdown: f64) -> Option<f64> {
        self.tail(-self.value.ln() - slowdown.ln_1p())
    }

    fn tail(&self, distance: f64) -> Option<f64> {
        self.variance.map(|variance| student_above(distance / variance.value.sqrt(), variance.degrees))
    }

    /// The inverse ratio.
    #[must_use]
    pub fn recip(self) -> Self {
        let interval = self.interval.map(|(low, high)| (high.recip(), low.recip()));
        Self { value: self.value.recip(), interval, ..self }
    }
}
