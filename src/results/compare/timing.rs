//! The time of a case on one side, from one or more runs, and ratios of times.

use crate::backend::DeviceType;
use crate::results::stats::{self, Estimate, student};
use crate::results::{Clock, Record};

/// If the canary drifts by more than this fraction, the clock has not settled. The interval is then widened by the
/// drift.
const DRIFT: f64 = 0.05;

/// Possible launch times in nanoseconds: 1 fs to 30 years. Other values are errors in the report, and would overflow or
/// underflow later.
const POSSIBLE: std::ops::RangeInclusive<f64> = 1e-6..=1e18;

/// Variance of the median ÷ variance of the mean for many normal values: π/2.
const MEDIAN_OVER_MEAN: f64 = std::f64::consts::FRAC_PI_2;

/// Run-to-run variation, as a relative standard deviation. A single run cannot measure it. Device clock: [`LEVEL`],
/// combined with [`START_NS`] per launch (the host submits faster or slower). Host clock: [`HOST`]. Software devices:
/// [`SOFTWARE`], because they share the host's cores with other programs. Values are from three standard runs on an
/// H200 and six quick runs on llvmpipe (`docs/trust.md`). With them, at most about 1 % of rows differ between two
/// single runs.
const LEVEL: f64 = 0.0085;
const START_NS: f64 = 280.0;
const HOST: f64 = 0.08;
const SOFTWARE: f64 = 0.3;

/// The normal quantile for two-sided 95 %.
const NORMAL: f64 = 1.96;

/// The time of one launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// Median in nanoseconds, above zero. For several runs, the median of their medians.
    pub median_ns: f64,
    /// 95 % confidence interval of the median in nanoseconds; `None` if unknown, for example with a single sample.
    pub interval: Option<(f64, f64)>,
    /// Number of runs.
    pub runs: usize,
    /// Run-to-run variation of a single run: the half width of its 95 % interval on a log scale. 0 for several runs.
    pub between: f64,
}

impl Timing {
    /// The time of one run: from its samples if the record has them, else from its median and interval.
    ///
    /// Without samples in the record, and with fewer than six measured, the interval is at least Student's: m · exp(± t
    /// · s/m · √(π/2n)). Reports older than [`stats::median_interval`] state the range of the samples instead, which
    /// covers less than 95 %. If the canary drifts by more than 5 %, the interval is widened by the drift. `None` if
    /// the record has no median or an impossible one.
    #[must_use]
    pub fn of_run(record: &Record) -> Option<Self> {
        let own = stats::summarize(&record.all_samples_ns).filter(|own| own.interval.is_some());
        let (median_ns, interval, few) = match own {
            Some(own) => (own.median, own.interval, 0.0),
            None => {
                let median_ns = record.median_ns?;
                let deviation = record.stddev_ns.map(|stddev| stddev / median_ns);
                (median_ns, record.ci_low_ns.zip(record.ci_high_ns), reach_of_few(record.samples, deviation))
            }
        };
        if !POSSIBLE.contains(&median_ns) {
            return None;
        }
        let is_sound =
            |(low, high): &(f64, f64)| *low <= median_ns && median_ns <= *high && is_possible(&(*low, *high));
        let drift = record.drift.map_or(0.0, f64::abs);
        let further = if drift > DRIFT { 1.0 + drift } else { 1.0 };
        let interval = interval
            .filter(is_sound)
            .map(|(low, high)| (low.min(median_ns / few.exp()) / further, high.max(median_ns * few.exp()) * further));
        Some(Self { median_ns, interval: interval.filter(is_possible), runs: 1, between: between(record, median_ns) })
    }

    /// Pools several runs of one device: the median of their medians, with an interval that includes run-to-run
    /// variation. `None` without runs.
    ///
    /// All terms are on a log scale. For k runs whose medians have the variance s² (noise within runs and differences
    /// between runs), the half width is t(k − 1) · √(e · s²/k), with Student's t. It is at least √(e · Σh²)/k, the
    /// runs' own half widths h combined in quadrature. This is the interval of Hartung & Knapp (*Statistics in
    /// Medicine* 20, 2001) with the lower limit of Röver, Knapp & Friede (*BMC Medical Research Methodology* 15, 2015).
    /// e = π/2 is the variance of a median relative to a mean; for two runs, median and mean are equal and e = 1.
    #[must_use]
    pub fn pooled(runs: &[Self]) -> Option<Self> {
        let [first, _, ..] = runs else { return runs.first().copied() };
        let count = runs.len() as f64;
        let logs: Vec<f64> = runs.iter().map(|run| run.median_ns.ln()).collect();
        let efficiency = if runs.len() == 2 { 1.0 } else { MEDIAN_OVER_MEAN };
        let stddev = stats::summarize(&logs)?.stddev?;
        let between = student(runs.len() as f64 - 1.0) * (efficiency / count).sqrt() * stddev;
        let within = |reach: fn(&Self) -> f64| {
            let squares: f64 = runs.iter().map(|run| reach(run).powi(2)).sum();
            (efficiency * squares).sqrt() / count
        };
        let below = within(|run| run.interval.map_or(0.0, |(low, _)| (run.median_ns / low).ln()));
        let above = within(|run| run.interval.map_or(0.0, |(_, high)| (high / run.median_ns).ln()));
        let median_ns =
            if logs.iter().all(|log| *log == logs[0]) { first.median_ns } else { stats::median(&logs)?.exp() };
        let interval = (median_ns / below.max(between).exp(), median_ns * above.max(between).exp());
        Some(Self { median_ns, interval: Some(interval).filter(is_possible), runs: runs.len(), between: 0.0 })
    }

    /// Half width of the interval ÷ median: the ± of the table.
    #[must_use]
    pub fn noise(&self) -> Option<f64> {
        self.interval.map(|(low, high)| (high - low) / 2.0 / self.median_ns)
    }

    fn estimate(&self) -> Option<Estimate> {
        self.interval.map(|(low, high)| Estimate { value: self.median_ns, low, high })
    }
}

fn between(record: &Record, median_ns: f64) -> f64 {
    let device = if record.timer == Some(Clock::Wall) { HOST } else { LEVEL.hypot(START_NS / median_ns) };
    NORMAL * if record.device_type == Some(DeviceType::Software) { SOFTWARE } else { device }
}

fn is_possible((low, high): &(f64, f64)) -> bool {
    POSSIBLE.contains(low) && POSSIBLE.contains(high)
}

/// Minimum half width of the interval on a log scale for two to five samples, from their relative standard deviation; 0
/// otherwise.
fn reach_of_few(samples: Option<u64>, deviation: Option<f64>) -> f64 {
    match (samples, deviation) {
        (Some(samples @ 2..=5), Some(deviation)) => {
            student(samples as f64 - 1.0) * deviation * (MEDIAN_OVER_MEAN / samples as f64).sqrt()
        }
        _ => 0.0,
    }
}

/// Time of the baseline ÷ time of the other side: above 1 the other side is faster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The ratio.
    pub value: f64,
    /// 95 % confidence interval; `None` if either time has none.
    pub interval: Option<(f64, f64)>,
    /// [`Timing::between`] of both sides, combined in quadrature. Verdicts use it; the interval does not contain it.
    pub between: f64,
}

impl Ratio {
    /// The ratio of a measurement to itself.
    pub const ONE: Self = Self { value: 1.0, interval: Some((1.0, 1.0)), between: 0.0 };

    /// The ratio of two independent times, with the interval of [`stats::ratio`].
    #[must_use]
    pub fn of(baseline: &Timing, side: &Timing) -> Self {
        let estimates = baseline.estimate().zip(side.estimate());
        let interval = estimates.and_then(|(a, b)| stats::ratio(a, b)).map(|ratio| (ratio.low, ratio.high));
        let value = baseline.median_ns / side.median_ns;
        Self { value, interval, between: baseline.between.hypot(side.between) }
    }

    /// Geometric mean of independent ratios; `None` if there are none.
    ///
    /// The interval covers the noise of these cases; the cases are not treated as a random sample. On a log scale, the
    /// distances to the interval ends are combined in quadrature, separately for each end, as in [`stats::ratio`], and
    /// divided by the number of ratios. The interval does not cover shifts of all rows of a run, such as another clock
    /// rate. There is no interval if any ratio has none.
    #[must_use]
    pub fn geometric_mean(ratios: &[Self]) -> Option<Self> {
        let value = stats::geometric_mean(&ratios.iter().map(|ratio| ratio.value).collect::<Vec<_>>())?;
        let squares = ratios.iter().try_fold((0.0, 0.0), |(below, above), ratio| {
            let (low, high) = ratio.interval?;
            Some((below + (ratio.value / low).ln().powi(2), above + (high / ratio.value).ln().powi(2)))
        });
        let reach = |squares: f64| (squares.sqrt() / ratios.len() as f64).exp();
        let interval = squares.map(|(below, above)| (value / reach(below), value * reach(above)));
        let between = ratios.iter().map(|ratio| ratio.between.powi(2)).sum::<f64>().sqrt() / ratios.len() as f64;
        Some(Self { value, interval, between })
    }

    /// The inverse ratio.
    #[must_use]
    pub fn recip(self) -> Self {
        let interval = self.interval.map(|(low, high)| (high.recip(), low.recip()));
        Self { value: self.value.recip(), interval, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Clock;

    fn timing(median_ns: f64, low: f64, high: f64) -> Timing {
        Timing { median_ns, interval: Some((low, high)), runs: 1, between: 0.0 }
    }

    fn record(samples: u64, drift: f64) -> Record {
        Record {
            samples: Some(samples),
            median_ns: Some(100.0),
            ci_low_ns: Some(99.0),
            ci_high_ns: Some(102.0),
            stddev_ns: Some(1.0),
            drift: Some(drift),
            ..Record::default()
        }
    }

    #[test]
    fn a_run_s_time_is_its_median_with_its_interval() {
        let got = Timing::of_run(&record(10, 0.04)).expect("a time");
        assert_eq!((got.median_ns, got.interval, got.runs), (100.0, Some((99.0, 102.0)), 1));
    }

    #[test]
    fn a_single_run_does_not_know_how_the_next_one_differs() {
        let long = Record { median_ns: Some(1e6), ci_low_ns: Some(1e6), ci_high_ns: Some(1e6), ..record(10, 0.0) };
        let short = Record { median_ns: Some(1e3), ci_low_ns: Some(1e3), ci_high_ns: Some(1e3), ..long.clone() };
        let by_host = Record { timer: Some(Clock::Wall), ..long.clone() };
        let between = |record: &Record| Timing::of_run(record).expect("a time").between;
        assert!(between(&long) < between(&by_host) && between(&by_host) < between(&short));
        let timing = Timing::of_run(&long).expect("a time");
        let pooled = Timing::pooled(&[timing, timing]).expect("runs");
        assert_eq!(pooled.between, 0.0, "several tell it themselves");
        assert!(Ratio::of(&timing, &pooled).between < Ratio::of(&timing, &timing).between);
    }

    #[test]
    fn samples_come_before_the_figures_made_of_them() {
        let mut record = record(10, 0.0);
        record.all_samples_ns = (1..=6).map(f64::from).collect();
        let got = Timing::of_run(&record).expect("a time");
        assert_eq!(
            (got.median_ns, got.interval),
            (3.5, stats::summarize(&record.all_samples_ns).expect("samples").interval)
        );
    }

    #[test]
    fn a_few_samples_are_trusted_no_further_than_student_allows() {
        let (low, high) = Timing::of_run(&record(3, 0.0)).and_then(|t| t.interval).expect("an interval");
        // 4.303 · 1 % · √(π/6)
        let reach = 0.031_137;
        assert!(
            ((100.0 / low).ln() - reach).abs() < 1e-5 && ((high / 100.0).ln() - reach).abs() < 1e-5,
            "{low} {high}"
        );
    }

    #[test]
    fn a_clock_that_did_not_settle_makes_the_time_as_uncertain() {
        let got = Timing::of_run(&record(10, -0.1)).and_then(|t| t.interval);
        assert_eq!(got, Some((99.0 / 1.1, 102.0 * 1.1)));
    }

    #[test]
    fn times_that_cannot_be_are_none() {
        for median_ns in [0.0, -5.0, 1e-300, 1e300, f64::NAN] {
            assert_eq!(Timing::of_run(&Record { median_ns: Some(median_ns), ..record(10, 0.0) }), None);
        }
        let inverted = Record { ci_low_ns: Some(101.0), ..record(10, 0.0) };
        assert_eq!(Timing::of_run(&inverted).expect("a time").interval, None);
    }

    #[test]
    fn runs_that_differ_by_more_than_their_noise_widen_the_interval() {
        let quiet = |median: f64| timing(median, median * 0.9999, median * 1.0001);
        let pooled = Timing::pooled(&[quiet(100.0), quiet(102.0), quiet(101.0)]).expect("runs");
        assert!((pooled.median_ns - 101.0).abs() < 1e-9 && pooled.runs == 3);
        // Student's t for two degrees of freedom, standard deviation 0.0099, three runs.
        let reach = 4.303 * 0.009_901_5 * (std::f64::consts::FRAC_PI_2 / 3.0).sqrt();
        let (low, high) = pooled.interval.expect("an interval");
        assert!(
            ((101.0 / low).ln() - reach).abs() < 1e-5 && ((high / 101.0).ln() - reach).abs() < 1e-5,
            "{low} {high}"
        );
    }

    #[test]
    fn runs_that_agree_by_luck_keep_the_noise_that_each_had() {
        let run = timing(100.0, 98.0, 103.0);
        let pooled = Timing::pooled(&[run, run]).expect("runs");
        let (low, high) = pooled.interval.expect("an interval");
        assert_eq!(pooled.median_ns, 100.0);
        assert!(((100.0_f64 / low).ln() - (100.0_f64 / 98.0).ln() / 2.0_f64.sqrt()).abs() < 1e-12, "{low}");
        assert!(((high / 100.0).ln() - 1.03_f64.ln() / 2.0_f64.sqrt()).abs() < 1e-12, "{high}");
        assert_eq!(Timing::pooled(&[run]), Some(run));
        assert_eq!(Timing::pooled(&[]), None);
    }

    #[test]
    fn a_mean_of_many_ratios_is_surer_than_each() {
        let one = Ratio { value: 2.0, interval: Some((1.9, 2.2)), between: 0.0 };
        let mean = Ratio::geometric_mean(&[one; 4]).expect("ratios");
        let (low, high) = mean.interval.expect("an interval");
        assert!((mean.value - 2.0).abs() < 1e-12);
        assert!(((2.0 / low).ln() - (2.0_f64 / 1.9).ln() / 2.0).abs() < 1e-12, "{low}");
        assert!(((high / 2.0).ln() - 1.1_f64.ln() / 2.0).abs() < 1e-12, "{high}");
        assert_eq!(Ratio::geometric_mean(&[]), None);
        assert_eq!(
            Ratio::geometric_mean(&[one, Ratio { value: 1.0, interval: None, between: 0.0 }])
                .and_then(|mean| mean.interval),
            None
        );
    }
}
