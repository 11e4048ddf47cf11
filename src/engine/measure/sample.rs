//! Sampling: selects the number of launches in a sample, and when to stop.
//!
//! Nothing here reads a clock. All times come from the samples, so that tests can use synthetic ones.

use super::Timer;
use crate::backend::Prepared;
use crate::error::Result;
use crate::record::stats;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Minimum number of samples within the budget.
    pub min_samples: usize,
    /// Minimum time spent on samples, in nanoseconds: run-to-run variation is larger than ten consecutive samples show.
    pub min_sampling_ns: f64,
    /// Minimum duration of a sample, in nanoseconds by device timestamps. Commands reach a device in pieces, and their
    /// boundaries shift a submission's time by about 2 µs. The shift varies between runs, not between samples: on an
    /// H200 it is 4 % of 50 µs.
    pub shortest_sample_ns: f64,
    /// Maximum number of samples.
    pub max_samples: usize,
    /// Sampling stops when the relative standard error of the mean is below this.
    pub target_error: f64,
    /// Time budget of a case, warm-up included, in nanoseconds.
    pub budget_ns: f64,
    /// Maximum duration of a submission, in nanoseconds: operating systems reset a GPU that hangs for two seconds.
    pub longest_sample_ns: f64,
    /// Maximum number of launches in a submission.
    pub max_launches: u32,
    /// Number of launches in the first trial sample: that of an earlier epoch, or 1. With [`Self::known_ns`], no trial
    /// samples are needed if these launches take long enough.
    pub first_launches: u32,
    /// Time of one launch in an earlier epoch, in nanoseconds: the warm-up ends when it is reached.
    pub known_ns: Option<f64>,
}

impl Rules {
    /// The default rules with a time budget per case: at least ten samples of at least 50 µs.
    #[must_use]
    pub const fn with_budget(budget_ns: f64) -> Self {
        Self {
            min_samples: 10,
            min_sampling_ns: 0.0,
            shortest_sample_ns: 50_000.0,
            max_samples: 2000,
            target_error: 0.005,
            budget_ns,
            longest_sample_ns: 400e6,
            max_launches: 1000,
            first_launches: 1,
            known_ns: None,
        }
    }
}

/// Number of samples to take even past the budget: fewer say nothing about noise.
const MIN_SAMPLES: usize = 3;
/// The same in later epochs, whose medians are compared with that of the first.
const MIN_LATER_SAMPLES: usize = 2;

/// Number of samples of which the warm-up compares the medians.
pub const GROUP: usize = 2;

/// Maximum difference between the medians of a group and the one before it at which the warm-up ends, as a fraction.
const WARM: f64 = 0.02;

/// Maximum duration of samples that are submitted together, in nanoseconds. Of longer ones, waiting is a small part.
const TOGETHER_NS: f64 = 10e6;

/// Duration of a sample, in nanoseconds, from which on one alone is compared with an earlier epoch, not a group.
pub const LONG_NS: f64 = 5e6;

/// A series of samples of one case.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Time of one launch, in nanoseconds, for each sample.
    pub samples_ns: Vec<f64>,
    /// Launches in each sample.
    pub launches: u32,
}

/// Finds the number of launches in a sample, warms up, and samples until the error is below the target or the budget is
/// used up. Outputs are poisoned before the last sample, so that verification checks this sample.
///
/// A series whose samples turn out too short is dropped and measured again with more launches in a sample: the trial
/// samples that set the number were slow, for example because another program used the CPU.
///
/// # Errors
/// Errors of the device.
pub async fn measure(prepared: &mut dyn Prepared, timer: &Timer, rules: &Rules) -> Result<Series> {
    let mut meter = Meter { prepared, timer, spent_ns: 0.0, wall_ns: 0.0 };
    let (mut launches, last_ns) = meter.batch(rules).await?;
    let mut each_ns = meter.warm_up(launches, last_ns, rules).await?;
    // If the budget is used up before sampling starts, the last trial sample or warm-up counts: repeating a slow launch
    // gains nothing.
    let mut samples_ns = if meter.spent_ns < rules.budget_ns { Vec::new() } else { vec![each_ns] };
    loop {
        // The loop stops one sample short: the last one follows after poisoning.
        let before_ns = meter.spent_ns;
        while !is_enough(&samples_ns, meter.spent_ns, meter.spent_ns - before_ns, rules) {
            // One more follows after poisoning. A noisy series grows by a quarter at a time.
            let missing = rules.min_samples.min(rules.max_samples).saturating_sub(samples_ns.len() + 1);
            samples_ns.extend(meter.samples_ns(launches, each_ns, missing.max(samples_ns.len() / 4)).await?);
        }
        each_ns = stats::median(&samples_ns).unwrap_or(each_ns);
        let more = meter.launches_for(each_ns, launches, rules);
        let is_short = each_ns * f64::from(launches) < timer.shortest_sample_ns(rules.shortest_sample_ns);
        if !is_short || more <= launches || meter.spent_ns >= rules.budget_ns {
            break;
        }
        launches = more;
        samples_ns.clear();
    }
    meter.prepared.poison().await?;
    samples_ns.push(meter.sample_ns(launches).await?);
    // A launch takes time: among others, a time of exactly zero is a timestamp that failed.
    if samples_ns.iter().any(|ns| *ns > 0.0) {
        samples_ns.retain(|ns| *ns > 0.0);
    }
    Ok(Series { samples_ns, launches })
}

/// Whether one more sample completes the series. `spent_ns` is all time of the case, `sampling_ns` the part spent on
/// samples.
fn is_enough(samples_ns: &[f64], spent_ns: f64, sampling_ns: f64, rules: &Rules) -> bool {
    let next = samples_ns.len() + 1;
    if next >= rules.max_samples {
        return true;
    }
    if spent_ns >= rules.budget_ns {
        return next >= if rules.known_ns.is_some() { MIN_LATER_SAMPLES } else { MIN_SAMPLES };
    }
    let is_precise = stats::relative_standard_error(samples_ns).is_some_and(|error| error < rules.target_error);
    next >= rules.min_samples && sampling_ns >= rules.min_sampling_ns && is_precise
}

struct Meter<'a> {
    prepared: &'a mut dyn Prepared,
    timer: &'a Timer,
    spent_ns: f64,
    /// Time of one launch in the last samples by the host's clock, with its part of the submission.
    wall_ns: f64,
}

impl Meter<'_> {
    /// Takes a sample and returns the time of one launch.
    async fn sample_ns(&mut self, launches: u32) -> Result<f64> {
        let sample = self.timer.sample(self.prepared, launches).await?;
        self.spent_ns += sample.wall_ns;
        self.wall_ns = sample.wall_ns / f64::from(launches);
        Ok(self.timer.read(&sample) / f64::from(launches))
    }

    /// Takes up to `count` samples in one submission, but at least one, and returns the times of one launch, which takes
    /// about `each_ns`.
    async fn samples_ns(&mut self, launches: u32, each_ns: f64, count: usize) -> Result<Vec<f64>> {
        let together = (TOGETHER_NS / (each_ns * f64::from(launches)).max(1.0)) as usize;
        let samples = self.timer.samples(self.prepared, launches, count.min(together).max(1)).await?;
        let wall_ns = samples.iter().map(|sample| sample.wall_ns).sum::<f64>();
        self.spent_ns += wall_ns;
        self.wall_ns = wall_ns / (samples.len() as f64 * f64::from(launches));
        Ok(samples.iter().map(|sample| self.timer.read(sample) / f64::from(launches)).collect())
    }

    /// The number of launches in a sample, grown from one until trial samples are long enough but never above the safe
    /// maximum; and the time of one launch in the last trial sample.
    async fn batch(&mut self, rules: &Rules) -> Result<(u32, f64)> {
        let mut launches = rules.first_launches.clamp(1, rules.max_launches);
        if let Some(known_ns) = rules.known_ns
            && known_ns * f64::from(launches) >= self.timer.shortest_sample_ns(rules.shortest_sample_ns)
        {
            // The warm-up follows with this number.
            return Ok((launches, known_ns));
        }
        if launches == 1 {
            // The first launch may include compilation. Where the number is known, the trial sample warms up as well.
            self.sample_ns(1).await?;
        }
        loop {
            let last_ns = self.sample_ns(launches).await?;
            let next = self.launches_for(last_ns, launches, rules);
            if next <= launches {
                return Ok((launches, last_ns));
            }
            launches = next;
        }
    }

    /// The number of launches for a sample of the minimum duration, from the time of one launch in a sample of
    /// `launches`.
    fn launches_for(&self, each_ns: f64, launches: u32, rules: &Rules) -> u32 {
        let each = each_ns.max(1e-3);
        let (wanted, most) =
            (self.timer.shortest_sample_ns(rules.shortest_sample_ns) / each, rules.longest_sample_ns / each);
        // A device time of nearly zero must not make the submission longer than the host may wait.
        let most = most.min(rules.longest_sample_ns / self.wall_ns.max(1e-3));
        // 10 % more than needed, since samples vary; at most eight times as many, since the first trial sample may be
        // wrong.
        let next = (wanted * 1.1).ceil().min(most).min(f64::from(launches) * 8.0) as u32;
        next.clamp(1, rules.max_launches)
    }

    /// Takes groups of two samples until the medians of two successive groups agree within 2 %, or a third of the
    /// budget is used up. An earlier epoch's time stands for the first group, and one long sample for another. Returns the
    /// last median, or else `last_ns`, the time of one launch in the last trial sample.
    async fn warm_up(&mut self, launches: u32, last_ns: f64, rules: &Rules) -> Result<f64> {
        let (mut before, mut each_ns): (Option<f64>, f64) = (rules.known_ns, last_ns);
        while self.spent_ns < rules.budget_ns / 3.0 {
            let is_long = each_ns * f64::from(launches) >= LONG_NS;
            let size = if is_long && rules.known_ns.is_some() { 1 } else { GROUP };
            let mut group = Vec::new();
            while group.len() < size && (group.is_empty() || self.spent_ns < rules.budget_ns / 3.0) {
                group.extend(self.samples_ns(launches, each_ns, size - group.len()).await?);
            }
            each_ns = stats::median(&group).unwrap_or(each_ns);
            if before.is_some_and(|before| (each_ns / before - 1.0).abs() < WARM) {
                break;
            }
            before = Some(each_ns);
        }
        Ok(each_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Sample, Task};

    /// A job whose launch times `cost` gives by the index of the sample. The device's clock shows them times `rate`.
    struct Scripted<F> {
        cost: F,
        rate: f64,
        samples: Vec<u32>,
        poisoned_at: Option<usize>,
    }

    impl<F: Fn(usize) -> f64> Prepared for Scripted<F> {
        fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
            let ns = (self.cost)(self.samples.len()) * f64::from(launches);
            self.samples.push(launches);
            let device_ns = Some(ns * self.rate);
            Box::pin(async move { Ok(Sample { device_ns, wall_ns: ns + 10_000.0 }) })
        }
        fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
            Box::pin(async { Ok((0.0, None)) })
        }
        fn poison(&mut self) -> Task<'_, ()> {
            self.poisoned_at = Some(self.samples.len());
            Box::pin(async { Ok(()) })
        }
        fn read<'a>(&'a mut self, _: usize, _: u64, _: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
            Box::pin(async { Ok(()) })
        }
    }

    const TIMER: Timer = Timer { is_device: true, tick_ns: 32.0, note: None };

    const fn scripted<F: Fn(usize) -> f64>(cost: F) -> Scripted<F> {
        Scripted { cost, rate: 1.0, samples: Vec::new(), poisoned_at: None }
    }

    fn series<F: Fn(usize) -> f64>(cost: F, rules: Rules) -> (Series, Scripted<F>) {
        let mut job = scripted(cost);
        let series = pollster::block_on(measure(&mut job, &TIMER, &rules)).expect("nothing fails");
        (series, job)
    }

    #[test]
    fn a_quiet_series_stops_at_the_minimum_number_of_samples() {
        let (series, _) = series(|i| 1_000.0 + (i % 3) as f64, Rules::with_budget(1e9));
        assert_eq!(series.samples_ns.len(), 10);
        // 50 µs in launches of 1 µs, and 10 % more.
        assert!((55..=56).contains(&series.launches), "{}", series.launches);
    }

    #[test]
    fn a_noisy_series_goes_on_until_its_error_is_below_the_target() {
        let (series, _) = series(|i| if i % 2 == 0 { 90_000.0 } else { 110_000.0 }, Rules::with_budget(1e10));
        // Standard deviation 10 %: the error falls below 0.5 % at about 20² samples.
        assert!((350..450).contains(&series.samples_ns.len()), "{}", series.samples_ns.len());
    }

    #[test]
    fn a_quiet_series_lasts_the_minimum_sampling_time() {
        let (series, _) = series(|_| 100_000.0, Rules { min_sampling_ns: 5e6, ..Rules::with_budget(1e9) });
        // A sample's 110 µs by the host's clock, and one more after poisoning; the last group may be a quarter too many.
        assert!((47..=58).contains(&series.samples_ns.len()), "{}", series.samples_ns.len());
    }

    #[test]
    fn samples_last_the_minimum_duration() {
        let (series, _) = series(|_| 1_000.0, Rules { shortest_sample_ns: 500_000.0, ..Rules::with_budget(1e9) });
        assert!((550..=551).contains(&series.launches), "{}", series.launches);
    }

    #[test]
    fn a_series_of_samples_too_short_is_measured_again_with_more_launches() {
        // The trial samples and the warm-up are five times as slow as the rest.
        let (series, job) = series(|i| if i < 12 { 5_000.0 } else { 1_000.0 }, Rules::with_budget(1e9));
        assert!((55..=56).contains(&series.launches), "{}", series.launches);
        assert_eq!(series.samples_ns, [1_000.0; 10]);
        assert_eq!(job.samples[job.samples.len() - 10..], [series.launches; 10]);
    }

    #[test]
    fn short_samples_stay_if_no_launches_or_no_time_are_left() {
        let (few, _) = series(|_| 1_000.0, Rules { max_launches: 20, ..Rules::with_budget(1e9) });
        assert_eq!((few.launches, few.samples_ns.len()), (20, 10));
        let (late, _) = series(|i| if i < 8 { 5_000.0 } else { 1_000.0 }, Rules::with_budget(300_000.0));
        assert!((11..=12).contains(&late.launches), "{}", late.launches);
    }

    #[test]
    fn the_budget_ends_a_series_that_stays_noisy() {
        let (series, job) = series(|i| if i % 2 == 0 { 5e6 } else { 15e6 }, Rules::with_budget(200e6));
        assert!(series.samples_ns.len() >= 3);
        let spent: f64 = (0..job.samples.len()).map(|i| if i % 2 == 0 { 5e6 } else { 15e6 }).sum();
        assert!(spent < 250e6, "{spent}");
    }

    #[test]
    fn a_slow_case_still_gets_three_samples() {
        let (series, job) = series(|_| 300e6, Rules::with_budget(100e6));
        assert_eq!((series.samples_ns.len(), series.launches, job.samples.len()), (3, 1, 4));
    }

    #[test]
    fn no_sample_has_more_launches_than_allowed() {
        let (_, job) =
            series(|i| if i < 3 { 10.0 } else { 3e6 }, Rules { max_launches: 100, ..Rules::with_budget(1e9) });
        assert!(job.samples.iter().all(|launches| *launches <= 100));
    }

    #[test]
    fn device_times_of_zero_do_not_make_a_submission_longer_than_allowed() {
        let mut job = Scripted { rate: 0.0, ..scripted(|_| 1e6) };
        let rules = Rules { longest_sample_ns: 100e6, ..Rules::with_budget(1e9) };
        pollster::block_on(measure(&mut job, &TIMER, &rules)).expect("nothing fails");
        let most = job.samples.iter().max().expect("samples");
        assert!((50..=100).contains(most), "{most}");
    }

    #[test]
    fn a_time_of_zero_among_others_is_no_sample() {
        let (series, job) = series(|i| if i % 7 == 6 { 0.0 } else { 1e5 }, Rules::with_budget(1e9));
        assert!(job.samples.len() > 14 && series.samples_ns.iter().all(|ns| *ns == 1e5), "{:?}", series.samples_ns);
    }

    #[test]
    fn outputs_are_poisoned_before_the_last_sample_and_only_then() {
        let (_, job) = series(|_| 1e5, Rules::with_budget(1e9));
        assert_eq!(job.poisoned_at, Some(job.samples.len() - 1));
    }

    #[test]
    fn the_first_launch_is_not_a_sample() {
        let (series, _) = series(|i| if i == 0 { 18e6 } else { 1e5 }, Rules::with_budget(1e9));
        assert!(series.samples_ns.iter().all(|ns| *ns == 1e5));
    }
}
