//! The time of a case on one side, from one or more runs, and ratios of times.

use super::series::Series;
use record::stats::{Estimate, LogValue, Variance, reach};
use record::times::POSSIBLE;

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

    /// Its logarithm.
    pub(super) fn log(&self) -> LogValue {
        LogValue { log: self.median_ns.ln(), variance: self.variance }
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

    /// The ratio with its interval.
    pub(super) fn new(log: LogValue) -> Self {
        let interval = log.estimate().map(|estimate| (estimate.low, estimate.high));
        Self { value: log.log.exp(), interval, variance: log.variance.filter(|_| interval.is_some()) }
    }

    /// The ratio of two independent times.
    pub(super) fn of(baseline: &Timing, side: &Timing) -> Self {
        Self::new(baseline.log().over(side.log()))
    }

    /// Its logarithm.
    pub(super) fn log(&self) -> LogValue {
        LogValue { log: self.value.ln(), variance: self.variance }
    }

    /// The ratio with its interval; `None` without one.
    #[must_use]
    pub fn estimate(&self) -> Option<Estimate> {
        self.interval.map(|(low, high)| Estimate { value: self.value, low, high })
    }

    /// The inverse ratio.
    #[must_use]
    pub fn recip(self) -> Self {
        let interval = self.interval.map(|(low, high)| (high.recip(), low.recip()));
        Self { value: self.value.recip(), interval, ..self }
    }
}
