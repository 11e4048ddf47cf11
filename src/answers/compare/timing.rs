//! The time of a case on one side, from one or more runs, and ratios of times.

use super::series::Series;
use record::stats::{Estimate, LogValue, Variance, reach};
use record::times::POSSIBLE;

/// The time of one launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// Time in nanoseconds, above zero: the mean over runs of the mean over epochs, on a log scale.
    pub median_ns: f64,
    /// 95 % confidence interval in nanoseconds, for other runs of the same build. `None` if unknown. For one run of
    /// fewer than two epochs, it covers only its single series and decides nothing.
    pub interval: Option<(f64, f64)>,
    /// Number of runs.
    pub runs: usize,
    /// Variance of the logarithm; `None` if run-to-run variation is unknown.
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
        // Allows for rounding by the logarithm.
        let is_around =
            |(low, high): &(f64, f64)| *low <= median_ns * (1.0 + 1e-9) && median_ns <= *high * (1.0 + 1e-9);
        let is_sound = |ends: &(f64, f64)| POSSIBLE.contains(&ends.0) && POSSIBLE.contains(&ends.1) && is_around(ends);
        Self { median_ns, interval: interval.filter(is_sound), runs: series.runs.len(), variance }
    }

    pub(super) fn log(&self) -> LogValue {
        LogValue { log: self.median_ns.ln(), variance: self.variance }
    }

    /// Whether run-to-run variation is known, from several runs or the epochs of one.
    #[must_use]
    pub const fn shows_variation(&self) -> bool {
        self.variance.is_some()
    }
}

/// Baseline time ÷ side time; above 1, the side is faster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The ratio.
    pub value: f64,
    /// 95 % confidence interval for other runs of the same builds, which decides the verdict. `None` if unknown.
    pub interval: Option<(f64, f64)>,
    pub(super) variance: Option<Variance>,
}

impl Ratio {
    /// The ratio of a measurement to itself.
    pub const ONE: Self = Self { value: 1.0, interval: Some((1.0, 1.0)), variance: None };

    pub(super) fn new(log: LogValue) -> Self {
        let interval = log.estimate().map(|estimate| (estimate.low, estimate.high));
        Self { value: log.log.exp(), interval, variance: log.variance.filter(|_| interval.is_some()) }
    }

    pub(super) fn of(baseline: &Timing, side: &Timing) -> Self {
        Self::new(baseline.log().over(side.log()))
    }

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
