//! The time of each row of a run, estimated from its epochs.

use super::stats::{self, Observation, Variance, moderate, round_to_seven_digits};
use crate::suite::Api;
use crate::{Clock, Record};

/// Possible launch times in nanoseconds: 1 fs to 30 years. Others are errors in the report and would overflow later.
pub const POSSIBLE: std::ops::RangeInclusive<f64> = 1e-6..=1e18;

/// Upper ends, in nanoseconds, of the ranges of times whose rows share a class.
const RANGES: [f64; 5] = [3e3, 10e3, 30e3, 100e3, 1e6];

/// Rows with comparable variance between epochs: of one API and clock, with similar times or with any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Class {
    api: Option<Api>,
    clock: Option<Clock>,
    /// Index of the range of times; `None` for any.
    range: Option<usize>,
}

/// The classes of a row with the time `ns`, finest first.
pub fn classes(record: &Record, ns: f64) -> Vec<Class> {
    let range = RANGES.iter().filter(|end| ns >= **end).count();
    [Some(range), None].map(|range| Class { api: record.backend, clock: record.timer, range }).to_vec()
}

/// Logarithms of the epochs in nanoseconds; of the median if there are fewer than two, or if one is impossible.
pub fn log_epochs(record: &Record) -> Vec<f64> {
    let is_possible = |ns: &f64| POSSIBLE.contains(ns);
    let epochs = Some(&record.epochs_ns).filter(|epochs| epochs.len() > 1 && epochs.iter().all(is_possible));
    let times = epochs.map_or_else(|| record.median_ns.into_iter().filter(is_possible).collect(), Clone::clone);
    times.into_iter().map(f64::ln).collect()
}

/// Minimum variance of an epoch's log median: step² / 12, since the rounding error is uniform over a clock step of tick
/// ÷ launches. Figures of seven digits have a step of 10⁻⁶ or less.
pub fn least_variance(record: &Record, ns: f64) -> f64 {
    const FIGURE: f64 = 1e-6;
    let step = record.tick_ns.zip(record.launches).map_or(0.0, |(tick, launches)| tick / (launches.max(1) as f64 * ns));
    let step = if step.is_finite() { step.clamp(FIGURE, 1.0) } else { FIGURE };
    step * step / 12.0
}

/// Mean of `logs`, and the sum of squared distances from it.
pub fn mean_and_squares(logs: &[f64]) -> (f64, f64) {
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    (mean, logs.iter().map(|log| (log - mean).powi(2)).sum())
}

/// Estimates the times of one run's rows, of every API, from their epochs: `median_ns`, its 95 % interval,
/// `noise_between` and the rates. The estimate is the exponential of the mean of the E epochs' log medians. Its
/// interval is Student's on the log scale, ± t(0.975, d₀ + d) · √(s̃² / E), with the variance between epochs moderated
/// by rows of the same API, clock and range of times ([`stats::moderate`]) and at least that of the clock's rounding.
/// Rows with fewer than two epochs keep the interval of their one series, which is not valid for other runs.
pub fn estimate(records: &mut [Record]) {
    let estimated = moderated(records);
    for Moderated { index, mean, epochs, own, variance } in estimated {
        let (record, ns) = (&mut records[index], mean.exp());
        record.noise_between = Some(round_to_seven_digits(own.sqrt()));
        let reach = (stats::student(variance.degrees) * (variance.value / epochs as f64).sqrt()).exp();
        let figure = |value: f64| Some(round_to_seven_digits(value));
        record.median_ns = figure(ns);
        record.ci_low_ns = figure(ns / reach);
        record.ci_high_ns = figure(ns * reach).filter(|ns| ns.is_finite());
        record.gb_per_s = record.bytes.and_then(|bytes| figure(bytes as f64 / ns));
        record.gflop_per_s = record.flops.and_then(|flops| figure(flops as f64 / ns));
    }
}

/// A row with two epochs or more.
struct Moderated {
    index: usize,
    /// Mean of the epochs' logarithms.
    mean: f64,
    epochs: usize,
    /// Variance between the row's own epochs.
    own: f64,
    /// Variance between epochs, moderated by the rows of its class.
    variance: Variance,
}

fn moderated(records: &[Record]) -> Vec<Moderated> {
    let (mut rows, mut observed) = (Vec::new(), Vec::new());
    for (index, record) in records.iter().enumerate() {
        let logs = log_epochs(record);
        let epochs = logs.len();
        if epochs < 2 {
            continue;
        }
        let degrees = (epochs - 1) as f64;
        let (mean, squares) = mean_and_squares(&logs);
        let own = squares / degrees;
        let variance = Variance { value: own.max(least_variance(record, mean.exp())), degrees };
        rows.push(Moderated { index, mean, epochs, own, variance });
        observed.push(Observation { classes: classes(record, mean.exp()), variance });
    }
    rows.iter_mut().zip(moderate(&observed)).for_each(|(row, variance)| row.variance = variance);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::random::Random;

    fn row(epochs_ns: Vec<f64>) -> Record {
        Record { backend: Some(Api::Vulkan), timer: Some(Clock::Timestamp), epochs_ns, ..Record::default() }
    }

    #[test]
    fn a_row_alone_has_student_s_interval_of_its_epochs() {
        let mut records = [Record { bytes: Some(2_000), flops: Some(100), ..row(vec![90.0, 100.0, 1000.0 / 9.0]) }];
        estimate(&mut records);
        let [record] = &records;
        assert_eq!((record.median_ns, record.gb_per_s, record.gflop_per_s), (Some(100.0), Some(20.0), Some(1.0)));
        let deviation = (10.0_f64 / 9.0).ln();
        assert!((record.noise_between.expect("a figure") / deviation - 1.0).abs() < 1e-6, "{record:?}");
        // t with two degrees of freedom.
        let reach = 4.302_653 * deviation / 3.0_f64.sqrt();
        let (low, high) = record.ci_low_ns.zip(record.ci_high_ns).expect("an interval");
        assert!(((100.0 / low).ln() - reach).abs() < 1e-6 && ((high / 100.0).ln() - reach).abs() < 1e-6, "{record:?}");
    }

    #[test]
    fn rows_of_fewer_than_two_epochs_keep_the_figures_of_their_series() {
        for epochs_ns in [vec![], vec![100.0], vec![100.0, 0.0], vec![100.0, f64::MAX]] {
            let before = Record { median_ns: Some(7.0), ci_low_ns: Some(6.0), ci_high_ns: Some(8.0), ..row(epochs_ns) };
            let mut records = [before.clone()];
            estimate(&mut records);
            assert_eq!(records, [before]);
        }
    }

    #[test]
    fn equal_epochs_are_as_uncertain_as_the_clock_s_step() {
        let mut records = [Record { tick_ns: Some(32.0), launches: Some(10), ..row(vec![1_000.0; 4]) }];
        estimate(&mut records);
        let (low, high) = records[0].ci_low_ns.zip(records[0].ci_high_ns).expect("an interval");
        // t with three degrees of freedom, a step of 0.32 %, four epochs.
        let reach = 3.182_446 * 0.0032 / 12.0_f64.sqrt() / 2.0;
        assert!(((high / low).ln() / 2.0 / reach - 1.0).abs() < 1e-3, "{low} {high}");
        assert_eq!(records[0].noise_between, Some(0.0));
        let mut exact = [row(vec![1_000.0; 4])];
        estimate(&mut exact);
        assert!(exact[0].ci_low_ns < Some(1_000.0), "seven digits do not make a row certain");
    }

    #[test]
    fn quiet_and_noisy_classes_do_not_mix() {
        let mut random = Random(3);
        let mut with = |count: usize, ns: f64, noise: f64| -> Vec<Record> {
            (0..count).map(|_| row((0..5).map(|_| ns * (noise * random.normal()).exp()).collect())).collect()
        };
        let mut records = [with(40, 1e3, 0.05), with(40, 1e5, 0.001)].concat();
        estimate(&mut records);
        let noise = |records: &[Record]| {
            let all: Vec<f64> = records.iter().filter_map(Record::noise).collect();
            stats::median(&all).expect("rows")
        };
        assert!((noise(&records[..40]) / (2.0 * 0.05 / 5.0_f64.sqrt()) - 1.0).abs() < 0.1, "{}", noise(&records[..40]));
        assert!(
            (noise(&records[40..]) / (2.0 * 0.001 / 5.0_f64.sqrt()) - 1.0).abs() < 0.1,
            "{}",
            noise(&records[40..])
        );
    }

    /// Rows whose true variances between epochs differ tenfold within a class.
    #[test]
    fn intervals_cover_the_true_time_in_95_percent_of_rows() {
        const TIMES: [f64; 4] = [2e3, 20e3, 200e3, 2e6];
        let mut random = Random(2026);
        let (mut held, mut all) = (0_usize, 0_usize);
        for _ in 0..40 {
            let truths: Vec<f64> = (0..200).map(|row| TIMES[row % 4] * (0.2 * random.normal()).exp()).collect();
            let mut records: Vec<Record> = truths
                .iter()
                .map(|truth| {
                    let noise = 0.003 * (1.0 + 1e4 / truth) * 10_f64.powf(random.uniform() - 0.5);
                    row((0..5).map(|_| truth * (noise * random.normal()).exp()).collect())
                })
                .collect();
            estimate(&mut records);
            for (record, truth) in records.iter().zip(truths) {
                all += 1;
                held += usize::from(record.ci_low_ns <= Some(truth) && Some(truth) <= record.ci_high_ns);
            }
        }
        let coverage = held as f64 / all as f64;
        assert!((0.93..=0.97).contains(&coverage), "{coverage}");
    }
}
