//! Sampling: selects the number of launches in a sample, and when to stop.
//!
//! Nothing here reads a clock. All times come from the samples, so that tests can use synthetic ones.

use super::Timer;
use super::before::Before;
use crate::backend::Prepared;
use record::error::Result;
use record::stats;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
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

/// Number of samples to take even past the budget: fewer show nothing of the noise.
const MIN_SAMPLES: usize = 3;
/// The same in later epochs, whose medians are compared with that of the first.
const MIN_LATER_SAMPLES: usize = 2;

/// Samples in a group; the warm-up compares medians of groups.
pub const GROUP: usize = 2;

/// Maximum relative difference between the medians of two successive groups at which the warm-up ends.
const WARM: f64 = 0.02;

/// Maximum duration of samples that are submitted together, in nanoseconds. For longer ones, waiting costs little.
const TOGETHER_NS: f64 = 10e6;

/// Minimum duration of a sample, in nanoseconds, that is compared with an earlier epoch alone, not in a group.
pub const LONG_NS: f64 = 5e6;

/// A series of samples of one case.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Time of one launch, in nanoseconds, for each sample.
    pub samples_ns: Vec<f64>,
    /// Launches in each sample.
    pub launches: u32,
    /// How launches into poisoned outputs compare with the others.
    pub poisoned: Poisoned,
}

/// The times of launches into poisoned outputs in a series, and of others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Poisoned {
    /// The last sample, whose first launch finds poisoned outputs, and the median of those before it, in nanoseconds.
    pub last: Pair,
    /// Single launches: one into poisoned outputs, and one before it, where the series was interrupted for them.
    pub single: Option<Pair>,
}

impl Poisoned {
    /// Launches of the series before its last sample.
    pub fn launches(self) -> u32 {
        self.last.before + self.single.map_or(0, |single| single.before)
    }
}

/// Two times of as many launches. One begins with a launch into poisoned outputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Launches in each.
    pub launches: u32,
    /// The time after poisoning, in nanoseconds.
    pub poisoned_ns: f64,
    /// The other time, in nanoseconds.
    pub complete_ns: f64,
    /// Launches of the series since poisoning, before the other time: a kernel can have counted them.
    pub before: u32,
}

/// A series in progress: finds the number of launches in a sample, warms up, and samples until the error is below the
/// target or the budget is used up. Outputs are poisoned before the last sample, which verification checks.
///
/// A series whose samples turn out too short is measured again with more launches in a sample: the trial samples that
/// set the number were slow, for example because another program used the CPU.
pub struct Sampling<'a> {
    meter: Meter<'a>,
    rules: &'a Rules,
    launches: u32,
    each_ns: f64,
    samples_ns: Vec<f64>,
    before_ns: f64,
    single: Option<Pair>,
}

impl<'a> Sampling<'a> {
    /// Finds the number of launches, and warms up.
    ///
    /// # Errors
    /// Errors of the device.
    pub async fn start(prepared: &'a mut dyn Prepared, timer: &'a Timer, rules: &'a Rules) -> Result<Self> {
        let mut meter = Meter { prepared, timer, spent_ns: 0.0, wall_ns: 0.0, launched: 0 };
        let (launches, last_ns) = meter.batch(rules).await?;
        let each_ns = meter.warm_up(launches, last_ns, rules).await?;
        // If warm-up uses up the budget, its last time counts: repeating a slow launch gains nothing.
        let samples_ns = if meter.spent_ns < rules.budget_ns { Vec::new() } else { vec![each_ns] };
        let before_ns = meter.spent_ns;
        Ok(Self { meter, rules, launches, each_ns, samples_ns, before_ns, single: None })
    }

    /// Takes samples until there are `most`, or one more completes the series.
    ///
    /// # Errors
    /// Errors of the device.
    pub async fn take(&mut self, most: usize) -> Result<()> {
        loop {
            // The loop stops one sample short: the last one follows after poisoning.
            while self.samples_ns.len() < most && !self.is_enough() {
                // A noisy series grows by a quarter at a time.
                let (rules, taken) = (self.rules, self.samples_ns.len());
                let missing = rules.min_samples.min(rules.max_samples).saturating_sub(taken + 1);
                let count = missing.max(taken / 4).min(most - taken);
                self.samples_ns.extend(self.meter.samples_ns(self.launches, self.each_ns, count).await?);
            }
            self.each_ns = stats::median(&self.samples_ns).unwrap_or(self.each_ns);
            let more = self.meter.launches_for(self.each_ns, self.launches, self.rules);
            let shortest_ns = self.meter.timer.shortest_sample_ns(self.rules.shortest_sample_ns);
            let is_short = self.each_ns * f64::from(self.launches) < shortest_ns;
            if !is_short || more <= self.launches || self.meter.spent_ns >= self.rules.budget_ns {
                return Ok(());
            }
            self.launches = more;
            self.samples_ns.clear();
            self.before_ns = self.meter.spent_ns;
        }
    }

    fn is_enough(&self) -> bool {
        let spent_ns = self.meter.spent_ns;
        is_enough(&self.samples_ns, spent_ns, spent_ns - self.before_ns, self.rules)
    }

    /// Times a launch that finds the outputs complete, and one that finds them poisoned, each after `before` brought
    /// the device into one state. The series then continues after a sample that does not count.
    ///
    /// # Errors
    /// Errors of the device.
    pub async fn interrupt(&mut self, before: &mut Before<'_>) -> Result<()> {
        let launched = self.meter.launched;
        let complete_ns = before.launches(self.meter.prepared, self.meter.timer, 1, true).await?.0;
        self.meter.prepared.poison().await?;
        let poisoned_ns = before.launches(self.meter.prepared, self.meter.timer, 1, false).await?.0;
        self.single = Some(Pair { launches: 1, poisoned_ns, complete_ns, before: launched });
        self.meter.launched = 1;
        if !self.is_enough() {
            self.meter.sample_ns(self.launches).await?;
        }
        Ok(())
    }

    /// Completes the series.
    ///
    /// # Errors
    /// Errors of the device.
    pub async fn finish(mut self) -> Result<Series> {
        self.take(usize::MAX).await?;
        let Self { mut meter, launches, each_ns, mut samples_ns, single, .. } = self;
        let before = meter.launched;
        meter.prepared.poison().await?;
        let last_ns = meter.sample_ns(launches).await?;
        samples_ns.push(last_ns);
        // A launch takes time: among others, a time of exactly zero is a timestamp that failed.
        if samples_ns.iter().any(|ns| *ns > 0.0) {
            samples_ns.retain(|ns| *ns > 0.0);
        }
        let whole = |each_ns: f64| each_ns * f64::from(launches);
        let last = Pair { launches, poisoned_ns: whole(last_ns), complete_ns: whole(each_ns), before };
        Ok(Series { samples_ns, launches, poisoned: Poisoned { last, single } })
    }
}

/// A whole [`Sampling`], without interruption.
///
/// # Errors
/// Errors of the device.
pub async fn measure(prepared: &mut dyn Prepared, timer: &Timer, rules: &Rules) -> Result<Series> {
    Sampling::start(prepared, timer, rules).await?.finish().await
}

/// Whether one more sample completes the series, after `spent_ns` in all and `sampling_ns` of samples.
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
    /// Time of one launch in the last samples by the host's clock, with its share of the submission.
    wall_ns: f64,
    /// Launches since outputs were poisoned.
    launched: u32,
}

impl Meter<'_> {
    async fn sample_ns(&mut self, launches: u32) -> Result<f64> {
        let sample = self.timer.sample(self.prepared, launches).await?;
        self.spent_ns += sample.wall_ns;
        self.launched = self.launched.saturating_add(launches);
        self.wall_ns = sample.wall_ns / f64::from(launches);
        Ok(self.timer.read(&sample) / f64::from(launches))
    }

    /// Takes 1 to `count` samples in one submission; returns the times of one launch, which takes about `each_ns`.
    async fn samples_ns(&mut self, launches: u32, each_ns: f64, count: usize) -> Result<Vec<f64>> {
        let together = (TOGETHER_NS / (each_ns * f64::from(launches)).max(1.0)) as usize;
        let samples = self.timer.samples(self.prepared, launches, count.min(together).max(1)).await?;
        let wall_ns = samples.iter().map(|sample| sample.wall_ns).sum::<f64>();
        self.spent_ns += wall_ns;
        self.launched = self.launched.saturating_add(launches.saturating_mul(samples.len() as u32));
        self.wall_ns = wall_ns / (samples.len() as f64 * f64::from(launches));
        Ok(samples.iter().map(|sample| self.timer.read(sample) / f64::from(launches)).collect())
    }

    /// The number of launches in a sample, grown from one until trial samples are long enough, up to the safe maximum;
    /// and the time of one launch in the last trial sample.
    async fn batch(&mut self, rules: &Rules) -> Result<(u32, f64)> {
        let mut launches = rules.first_launches.clamp(1, rules.max_launches);
        if let Some(known_ns) = rules.known_ns
            && known_ns * f64::from(launches) >= self.timer.shortest_sample_ns(rules.shortest_sample_ns)
        {
            // The warm-up follows with this number.
            return Ok((launches, known_ns));
        }
        if launches == 1 {
            // The first launch may include compilation. If the number is known, the trial sample warms up as well.
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

    /// Launches for a sample of minimum duration, if one launch takes `each_ns` in a sample of `launches`.
    fn launches_for(&self, each_ns: f64, launches: u32, rules: &Rules) -> u32 {
        let each = each_ns.max(1e-3);
        let (wanted, most) =
            (self.timer.shortest_sample_ns(rules.shortest_sample_ns) / each, rules.longest_sample_ns / each);
        // A device time of nearly zero must not make the submission longer than the host may wait.
        let most = most.min(rules.longest_sample_ns / self.wall_ns.max(1e-3));
        // 10 % more than needed, since samples vary; at most eight times as many, since the first trial may be wrong.
        let next = (wanted * 1.1).ceil().min(most).min(f64::from(launches) * 8.0) as u32;
        next.clamp(1, rules.max_launches)
    }

    /// Takes groups of two samples until the medians of two successive groups agree within 2 %, or a third of the
    /// budget is used up. An earlier epoch's time counts as the first group, and one long sample as a later one.
    /// Returns the last median, or else `last_ns`, the time of one launch in the last trial sample.
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

    /// A job whose launch takes `cost`, by the index of the sample. The device's clock shows it times `rate`.
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
        // 110 µs per sample by the host's clock, and one more after poisoning; the last group may add a quarter.
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
    fn an_interrupted_series_has_single_launches_and_as_many_samples() {
        let rules = Rules::with_budget(1e9);
        for at in [1, 4, usize::MAX] {
            let mut job = scripted(|_| 1_000.0);
            let series = pollster::block_on(async {
                let mut sampling = Sampling::start(&mut job, &TIMER, &rules).await?;
                sampling.take(at).await?;
                sampling.interrupt(&mut Before::Nothing).await?;
                sampling.finish().await
            });
            let series = series.expect("nothing fails");
            assert_eq!(series.samples_ns, [1_000.0; 10], "{at}");
            let Poisoned { last, single: Some(single) } = series.poisoned else { panic!("no single launches") };
            assert_eq!((single.launches, single.poisoned_ns, single.complete_ns), (1, 1_000.0, 1_000.0));
            assert_eq!((last.launches, last.complete_ns), (series.launches, 1_000.0 * f64::from(series.launches)));
            // All launches but the last sample are before one or the other.
            let all: u32 = job.samples.iter().sum();
            assert_eq!(single.before + 1 + last.before + series.launches, all, "{at}");
            assert_eq!(job.samples.iter().filter(|launches| **launches == 1).count(), 2 + 2, "two trials, two single");
        }
    }

    #[test]
    fn the_first_launch_is_not_a_sample() {
        let (series, _) = series(|i| if i == 0 { 18e6 } else { 1e5 }, Rules::with_budget(1e9));
        assert!(series.samples_ns.iter().all(|ns| *ns == 1e5));
    }
}
