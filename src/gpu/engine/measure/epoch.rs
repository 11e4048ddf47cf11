//! Epochs: what one adds to a row, which rows need another, and in which order the cases run.

use std::ops::RangeInclusive;

use super::{GROUP, LONG_NS, Series, Timer};
use crate::engine::run::settings::Epochs;
use record::stats::{self, round_to_seven_digits};
use record::{Clock, Conditions, Record, Status};

/// Maximum number of epochs of a row that the host's clock times: such rows vary by several percent.
const MOST_BY_HOST: usize = 4;

/// Epochs after which a row ends if its interval would exceed [`HOPELESS`] times the target even after the maximum
/// number: rows at the edge of a cache vary by several percent with the position of their buffers.
const ENOUGH: usize = 8;
const HOPELESS: f64 = 1.5;

/// Number of samples in an epoch after the first.
const SAMPLES: RangeInclusive<usize> = 5..=120;
/// Minimum number of samples in an epoch if they take [`LONG_NS`] or longer: they vary far less than epochs.
const LEAST_OF_LONG: usize = 3;

/// Time of an epoch besides its samples, in nanoseconds: allocation, clock and verification. Measured on an H200.
const EPOCH_NS: f64 = 16e6;

pub(in crate::engine) struct Epoch {
    pub(in crate::engine) series: Series,
    /// Relative change of the canary's time across the series.
    pub(in crate::engine) drift: f64,
    /// The canary's time before the series, in nanoseconds.
    pub(in crate::engine) canary_ns: f64,
    pub(in crate::engine) conditions: Option<Conditions>,
}

impl Epoch {
    /// Adds the epoch to the row's figures. The median and its interval are those of this series if it is the first;
    /// else [`record::times::estimate`] sets them once the pass is complete.
    pub(in crate::engine) fn add_to(self, record: &mut Record, timer: &Timer) {
        let samples_ns = &self.series.samples_ns;
        let Some(summary) = stats::summarize(samples_ns) else { return };
        let figure = |value: f64| Some(round_to_seven_digits(value));
        let (before, own) = (record.samples.unwrap_or(0) as f64, samples_ns.len() as f64);
        let count = before + own;
        let old_mean = record.mean_ns.unwrap_or(0.0);
        let mean = (before * old_mean + own * summary.mean) / count;
        // Squared distances from the common mean (Chan, Golub & LeVeque, 1979).
        let old_squares = record.stddev_ns.map_or(0.0, |stddev| stddev * stddev * (before - 1.0));
        let own_squares = summary.stddev.map_or(0.0, |stddev| stddev * stddev * (own - 1.0));
        let squares = old_squares + own_squares + before * own / count * (summary.mean - old_mean).powi(2);
        if record.epochs_ns.is_empty() {
            record.median_ns = figure(summary.median);
            record.ci_low_ns = summary.interval.and_then(|(low, _)| figure(low));
            record.ci_high_ns = summary.interval.and_then(|(_, high)| figure(high));
            record.gb_per_s = record.bytes.and_then(|bytes| figure(bytes as f64 / summary.median));
            record.gflop_per_s = record.flops.and_then(|flops| figure(flops as f64 / summary.median));
        }
        let epochs = record.epochs_ns.len() as f64;
        let mean_of = |old: Option<f64>, new: f64| (old.unwrap_or(0.0) * epochs + new) / (epochs + 1.0);
        if let Some((low, high)) = summary.interval {
            let error = (high - low) / 2.0 / NORMAL / summary.median;
            let squared = mean_of(record.noise_within.map(|noise| noise * noise), error * error);
            record.noise_within = figure(squared.sqrt());
        }
        record.canary_ns = figure(mean_of(record.canary_ns, self.canary_ns));
        if record.drift.is_none_or(|drift| drift.abs() <= self.drift.abs()) {
            record.drift = figure(self.drift);
        }
        record.timer = Some(timer.clock());
        record.tick_ns = figure(timer.tick_ns);
        record.samples = Some(count as u64);
        record.launches = Some(u64::from(self.series.launches));
        record.min_ns = figure(summary.min.min(record.min_ns.unwrap_or(f64::INFINITY)));
        record.mean_ns = figure(mean);
        record.stddev_ns = (count > 1.0).then(|| (squares / (count - 1.0)).sqrt()).and_then(figure);
        record.epochs_ns.push(round_to_seven_digits(summary.median));
        record.epoch_samples.push(samples_ns.len() as u64);
        record.all_samples_ns.extend(samples_ns.iter().map(|ns| round_to_seven_digits(*ns)));
        if let Some(conditions) = self.conditions {
            record.sm_mhz = conditions.after.sm_mhz.map(u64::from);
            record.conditions = Some(conditions);
        }
    }
}

/// The normal quantile for two-sided 95 %.
const NORMAL: f64 = 1.96;

impl Epochs {
    /// Samples in the row's next epoch with which it reaches the target soonest: few if epochs vary by more than their
    /// samples, else more (two-stage sampling: Cochran, *Sampling Techniques*, 1977, chapter 10).
    pub(in crate::engine) fn samples(&self, record: &Record) -> usize {
        let (least, epochs) = (*SAMPLES.start(), record.epochs_ns.len() as f64);
        let (Some(between), Some(within)) = (record.noise_between, record.noise_within) else { return least };
        let (Some(median_ns), Some(launches), Some(samples)) = (record.median_ns, record.launches, record.samples)
        else {
            return least;
        };
        let sample_ns = median_ns * launches as f64;
        let least = if sample_ns < LONG_NS { least } else { LEAST_OF_LONG };
        // Variances of an epoch's median without its samples' noise, and of this noise with one sample.
        let of_epoch = (between * between - within * within).max(0.0);
        let of_sample = within * within * samples as f64 / epochs.max(1.0);
        let left_ns = |samples: usize| {
            let needed = (of_epoch + of_sample / samples as f64) * (2.0 / self.target).powi(2);
            let left = (needed.min(self.most as f64) - epochs).max(1.0);
            left * (EPOCH_NS + (GROUP + samples) as f64 * sample_ns)
        };
        (least..=*SAMPLES.end()).min_by(|a, b| left_ns(*a).total_cmp(&left_ns(*b))).unwrap_or(least)
    }

    /// Epochs of a row of which nothing is known: the geometric mean of the limits. Rows of an H100 had 6.1 on average
    /// with 2 to 16 allowed, those of an H200 7.1 with 2 to 32.
    pub(in crate::engine) fn usual(&self) -> usize {
        ((self.least * self.most.max(self.least)) as f64).sqrt().round() as usize
    }

    fn most_of(&self, record: &Record) -> usize {
        if record.timer == Some(Clock::Wall) { self.most.min(MOST_BY_HOST) } else { self.most }
    }

    /// The number of further epochs that the row will probably need.
    pub(in crate::engine) fn expected(&self, record: &Record) -> usize {
        if !self.wants(record) {
            return 0;
        }
        let (epochs, most) = (record.epochs_ns.len(), self.most_of(record).max(self.least));
        // The noise of one epoch shows nothing of that between epochs.
        let all = match record.noise().filter(|_| epochs > 1) {
            Some(noise) => match epochs as f64 * (noise / self.target).powi(2) {
                needed if needed > most as f64 * HOPELESS * HOPELESS => ENOUGH,
                needed => needed.ceil() as usize,
            },
            None => self.usual(),
        };
        all.clamp(self.least.max(epochs + 1), most) - epochs
    }

    pub(in crate::engine) fn wants(&self, record: &Record) -> bool {
        let epochs = record.epochs_ns.len();
        let is_measured = (record.status.is_timed() || record.status == Status::Implausible) && epochs > 0;
        let most = self.most_of(record);
        let is_precise = record.noise().is_some_and(|noise| noise <= self.target);
        // An interval narrows as one over the root of the number of epochs.
        let at_most = |noise: f64| noise * (epochs as f64 / most.max(1) as f64).sqrt();
        let is_hopeless =
            epochs >= ENOUGH && record.noise().is_some_and(|noise| at_most(noise) > HOPELESS * self.target);
        let wants_precision = !is_precise && !is_hopeless;
        is_measured && epochs < most.max(self.least) && (epochs < self.least || wants_precision)
    }
}

/// A random order: SplitMix64 (Steele, Lea & Flood, *OOPSLA* 2014).
struct Order(u64);

impl Order {
    const fn new(seed: u64, pass: u64) -> Self {
        Self(seed ^ pass.wrapping_mul(0xD1B5_4A32_D192_ED03))
    }

    const fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Fisher and Yates's shuffle.
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, (self.number() % (last as u64 + 1)) as usize);
        }
    }
}

/// Buffer positions in a pass, and the order of all cases, due or not: runs with the same seed stay comparable.
pub(in crate::engine) fn shuffled(cases: usize, seed: u64, pass: u64) -> (u64, Vec<usize>) {
    let mut order = Order::new(seed, pass);
    let place = order.number() | 1;
    let mut all: Vec<usize> = (0..cases).collect();
    order.shuffle(&mut all);
    (place, all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::measure::{Pair, Poisoned};

    const TIMER: Timer = Timer { is_device: true, tick_ns: 32.0, note: None };

    fn epoch(samples_ns: &[f64], drift: f64) -> Epoch {
        let pair = Pair { launches: 5, poisoned_ns: 500.0, complete_ns: 500.0, before: 100 };
        let poisoned = Poisoned { last: pair, single: None };
        let series = Series { samples_ns: samples_ns.to_vec(), launches: 5, poisoned };
        Epoch { series, drift, canary_ns: 300.0, conditions: None }
    }

    #[test]
    fn the_figures_of_two_epochs_are_those_of_all_samples() {
        let (first, second) = ([100.0, 104.0, 98.0, 101.0], [110.0, 112.0, 109.0]);
        let mut record = Record { bytes: Some(1000), ..Record::default() };
        epoch(&first, 0.01).add_to(&mut record, &TIMER);
        assert_eq!((record.median_ns, record.gb_per_s), (Some(100.5), Some(9.950249)));
        epoch(&second, -0.02).add_to(&mut record, &TIMER);
        let all: Vec<f64> = first.iter().chain(&second).copied().collect();
        let summary = stats::summarize(&all).expect("samples");
        let near = |got: Option<f64>, want: f64| assert!((got.expect("a figure") / want - 1.0).abs() < 1e-6, "{got:?}");
        near(record.mean_ns, summary.mean);
        near(record.stddev_ns, summary.stddev.expect("several"));
        near(record.min_ns, 98.0);
        assert_eq!((record.samples, record.drift, record.canary_ns), (Some(7), Some(-0.02), Some(300.0)));
        assert_eq!((&record.epochs_ns[..], &record.epoch_samples[..]), (&[100.5, 110.0][..], &[4, 3][..]));
        assert_eq!(record.all_samples_ns, all);
    }

    #[test]
    fn a_row_needs_epochs_until_its_interval_is_narrow() {
        let epochs = Epochs { least: 3, most: 6, target: 0.005 };
        let row = |count: usize, half: f64| Record {
            median_ns: Some(100.0),
            ci_low_ns: Some(100.0 - half),
            ci_high_ns: Some(100.0 + half),
            epochs_ns: vec![100.0; count],
            timer: Some(Clock::Timestamp),
            ..Record::default()
        };
        assert!(epochs.wants(&row(2, 0.1)), "too few");
        assert!(!epochs.wants(&row(3, 0.4)) && epochs.wants(&row(3, 0.6)) && epochs.wants(&row(5, 0.6)));
        assert!(!epochs.wants(&row(6, 0.6)), "no more than the most");
        assert!(!epochs.wants(&Record { timer: Some(Clock::Wall), ..row(MOST_BY_HOST, 5.0) }));
        assert!(!epochs.wants(&Record { status: Status::Wrong, ..Record::default() }));
        assert!(!epochs.wants(&row(0, 0.6)), "no figures");
        let many = Epochs { least: 2, most: 32, target: 0.005 };
        assert!(many.wants(&row(5, 9.0)), "a few epochs in any case");
        assert!(many.wants(&row(8, 1.4)) && !many.wants(&row(8, 1.6)), "0.75 % after 32 epochs, and more");
    }

    #[test]
    fn a_row_is_expected_to_need_as_many_epochs_as_its_noise_says() {
        let row = |count: usize, half: f64| Record {
            median_ns: Some(100.0),
            ci_low_ns: Some(100.0 - half),
            ci_high_ns: Some(100.0 + half),
            epochs_ns: vec![100.0; count],
            timer: Some(Clock::Timestamp),
            ..Record::default()
        };
        let two = Epochs { least: 2, most: 2, target: 0.0 };
        assert_eq!((two.usual(), two.expected(&row(1, 9.0)), two.expected(&row(2, 9.0))), (2, 1, 0));
        let epochs = Epochs { least: 2, most: 16, target: 0.005 };
        assert_eq!((epochs.usual(), epochs.expected(&row(1, 0.1))), (6, 5), "one epoch says nothing");
        assert_eq!([0.4, 0.6, 1.0].map(|half| epochs.expected(&row(2, half))), [0, 1, 6]);
        assert_eq!([1.9, 9.0].map(|half| epochs.expected(&row(2, half))), [14, 6], "a row without hope ends after 8");
        assert_eq!(epochs.expected(&Record { timer: Some(Clock::Wall), ..row(2, 1.0) }), MOST_BY_HOST - 2);
        for (count, half) in (0..20).flat_map(|count| (1..60).map(move |tenths| (count, f64::from(tenths) / 10.0))) {
            let row = row(count, half);
            assert_eq!(epochs.expected(&row) > 0, epochs.wants(&row), "{count} {half}");
        }
    }

    #[test]
    fn an_epoch_has_more_samples_where_these_vary_by_more_than_epochs() {
        let epochs = Epochs { least: 2, most: 24, target: 0.004 };
        let row = |between: f64, within: f64, sample_ms: f64| Record {
            median_ns: Some(sample_ms * 1e4),
            launches: Some(100),
            samples: Some(20),
            epochs_ns: vec![sample_ms * 1e4; 4],
            noise_between: Some(between),
            noise_within: Some(within),
            ..Record::default()
        };
        assert_eq!(epochs.samples(&row(0.01, 0.001, 0.5)), 5, "epochs vary");
        assert!((80..=120).contains(&epochs.samples(&row(0.02, 0.02, 0.5))), "samples vary");
        assert_eq!(epochs.samples(&row(0.006, 0.005, 0.5)), 14, "both vary, and one more epoch is then enough");
        assert_eq!(epochs.samples(&row(0.003, 0.003, 0.5)), 5, "the next epoch suffices in any case");
        assert!((9..=20).contains(&epochs.samples(&row(0.01, 0.006, 0.5))), "samples cost less than epochs");
        assert_eq!(epochs.samples(&row(0.01, 0.006, 300.0)), 3, "samples cost more than epochs");
        assert_eq!(epochs.samples(&Record { noise_between: None, ..row(0.01, 0.01, 0.5) }), 5, "nothing is known");
        let always_two = Epochs { least: 2, most: 2, target: 0.0 };
        assert_eq!(always_two.samples(&row(0.01, 0.01, 0.5)), 5, "no number of epochs is enough");
    }

    #[test]
    fn orders_differ_by_seed_and_pass_and_are_permutations() {
        let order = |seed, pass| {
            let mut items: Vec<usize> = (0..100).collect();
            Order::new(seed, pass).shuffle(&mut items);
            items
        };
        assert_eq!(order(1, 2), order(1, 2));
        assert!(order(1, 2) != order(1, 3) && order(1, 2) != order(2, 2));
        let mut sorted = order(1, 2);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..100).collect::<Vec<_>>());
    }
}
