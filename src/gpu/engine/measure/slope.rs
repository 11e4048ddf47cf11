//! Time that one more launch adds to a submission.

use super::Rules;
use crate::backend::Prepared;
use crate::engine::clock::timer::Timer;
use record::error::Result;
use record::stats;

/// Launches in the samples, as multiples of the smallest number.
const LENGTHS: [u32; 3] = [1, 2, 4];

/// Samples of each length.
const REPEATS: usize = 3;

/// Duration of the longest sample, in nanoseconds. All samples together take about five times as long.
const LONGEST_NS: f64 = 600_000.0;

/// Launches that take longer are not short: the cost of a submission is below the noise of their median.
const SHORT_NS: f64 = 100_000.0;

/// Launches of the smallest sample: one launch may take another path to the device than several.
const FEWEST: u32 = 2;

/// Minimum difference of the longest and the shortest sample, in ticks, so that a tick is 1 % of the slope.
const TICKS: f64 = 100.0;

/// Time that one more launch adds to a submission, in nanoseconds. A sample's time divided by its launches also holds
/// a part of what the submission costs once.
///
/// The slope is Theil and Sen's: the median of the slopes between each two samples of different lengths (Sen, *Journal
/// of the American Statistical Association* 63, 1968). Up to 29 % of the samples may be wrong by any amount. Samples of
/// k, 2k and 4k launches alternate, so that a drift of the device's clock affects all lengths alike. All samples
/// together take about 3 ms.
///
/// `launches` is the number in a sample of the case's series. `None` if the host's clock times the job, if the series
/// has one launch in a sample, if a launch takes 100 µs or longer, and if the clock is too coarse or `rules` allow too
/// few launches. The job has no untimed steps between its launches ([`crate::job::Job::has_untimed_steps`]): these
/// have their own timestamps, and their submission costs nothing that a slope could remove.
///
/// # Errors
/// Errors of the device.
pub async fn slope(prepared: &mut dyn Prepared, timer: &Timer, rules: &Rules, launches: u32) -> Result<Option<f64>> {
    if !timer.is_device || launches < FEWEST {
        return Ok(None);
    }
    let each_ns = timer.read(&timer.sample(prepared, launches).await?) / f64::from(launches);
    let Some(fewest) = fewest_launches(each_ns, timer, rules) else { return Ok(None) };
    let mut points = Vec::with_capacity(REPEATS * LENGTHS.len());
    for launches in [LENGTHS; REPEATS].concat().into_iter().map(|length| length * fewest) {
        points.push((f64::from(launches), timer.read(&timer.sample(prepared, launches).await?)));
    }
    Ok(theil_sen(&points).filter(|slope| *slope > 0.0))
}

/// k for launches of `each_ns`; `None` where no number of launches fits.
fn fewest_launches(each_ns: f64, timer: &Timer, rules: &Rules) -> Option<u32> {
    if !(each_ns > 0.0 && each_ns < SHORT_NS) {
        return None;
    }
    let by_time = LONGEST_NS.min(rules.longest_sample_ns) / each_ns;
    let most = by_time.min(f64::from(rules.max_launches));
    let fewest = ((most / 4.0) as u32).max(FEWEST);
    let longest = fewest * 4;
    let is_allowed = longest <= rules.max_launches && f64::from(longest) * each_ns <= rules.longest_sample_ns;
    let is_resolved = f64::from(longest - fewest) * each_ns >= TICKS * timer.tick_ns;
    (is_allowed && is_resolved).then_some(fewest)
}

/// The median of the slopes between each two points with different abscissas; `None` if there are no such two.
fn theil_sen(points: &[(f64, f64)]) -> Option<f64> {
    let pairs = points.iter().enumerate().flat_map(|(index, a)| points[..index].iter().map(move |b| (a, b)));
    let slopes: Vec<f64> = pairs.filter(|(a, b)| a.0 != b.0).map(|(a, b)| (a.1 - b.1) / (a.0 - b.0)).collect();
    stats::median(&slopes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Sample, Task};

    /// A job whose samples last `once_ns`, `each_ns` per launch, and `late_ns` by the index of the sample.
    struct Scripted {
        once_ns: f64,
        each_ns: f64,
        late_ns: fn(usize) -> f64,
        samples: Vec<u32>,
    }

    impl Prepared for Scripted {
        fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
            let ns = self.once_ns + self.each_ns * f64::from(launches) + (self.late_ns)(self.samples.len());
            self.samples.push(launches);
            Box::pin(async move { Ok(Sample { device_ns: Some(ns), wall_ns: 2.0 * ns + 10_000.0 }) })
        }
        fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
            Box::pin(async { Ok((0.0, None)) })
        }
        fn poison(&mut self) -> Task<'_, ()> {
            Box::pin(async { Ok(()) })
        }
        fn read<'a>(&'a mut self, _: usize, _: u64, _: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
            Box::pin(async { Ok(()) })
        }
    }

    const TIMER: Timer = Timer { is_device: true, tick_ns: 32.0, note: None };

    const fn job(once_ns: f64, each_ns: f64) -> Scripted {
        Scripted { once_ns, each_ns, late_ns: |_| 0.0, samples: Vec::new() }
    }

    fn rules() -> Rules {
        Rules::with_budget(1e9)
    }

    fn slope_of(job: &mut Scripted, timer: &Timer, rules: &Rules, launches: u32) -> Option<f64> {
        pollster::block_on(slope(job, timer, rules, launches)).expect("nothing fails")
    }

    fn assert_near(got: Option<f64>, want: f64) {
        assert!(got.is_some_and(|got| (got / want - 1.0).abs() < 1e-9), "{got:?}, must be {want}");
    }

    #[test]
    fn the_slope_leaves_out_what_a_submission_costs_once() {
        for (once_ns, each_ns) in [(0.0, 1_000.0), (8_000.0, 1_000.0), (8_000.0, 250.0), (20_000.0, 90_000.0)] {
            let mut job = job(once_ns, each_ns);
            assert_near(slope_of(&mut job, &TIMER, &rules(), 60), each_ns);
        }
    }

    #[test]
    fn lengths_take_turns_within_five_milliseconds() {
        let mut job = job(0.0, 10_000.0);
        assert_near(slope_of(&mut job, &TIMER, &rules(), 6), 10_000.0);
        assert_eq!(job.samples[0], 6);
        assert_eq!(job.samples[1..], [15, 30, 60].repeat(REPEATS));
        let spent_ns: f64 = job.samples.iter().map(|launches| f64::from(*launches) * 10_000.0).sum();
        assert!(spent_ns < 5.5e6, "{spent_ns}");
    }

    #[test]
    fn late_samples_do_not_move_the_slope() {
        // One of five samples is 50 µs late, each time of another length.
        let late_ns = |index: usize| if index.is_multiple_of(5) { 50_000.0 } else { 0.0 };
        let mut job = Scripted { late_ns, ..job(3_000.0, 2_000.0) };
        assert_near(slope_of(&mut job, &TIMER, &rules(), 30), 2_000.0);
    }

    #[test]
    fn a_steady_drift_hardly_moves_the_slope() {
        // 1 % of the longest sample from the first to the last one.
        let late_ns = |index: usize| index as f64 * 400.0;
        let mut job = Scripted { late_ns, ..job(0.0, 2_000.0) };
        let got = slope_of(&mut job, &TIMER, &rules(), 30).expect("short");
        assert!((got / 2_000.0 - 1.0).abs() < 0.01, "{got}");
    }

    #[test]
    fn no_sample_has_more_launches_or_time_than_the_rules_allow() {
        let few = Rules { max_launches: 50, ..rules() };
        let mut short = job(0.0, 500.0);
        assert_near(slope_of(&mut short, &TIMER, &few, 50), 500.0);
        assert_eq!(short.samples[1..4], [12, 24, 48]);
        let brief = Rules { longest_sample_ns: 100_000.0, ..rules() };
        let mut long = job(0.0, 10_000.0);
        assert_near(slope_of(&mut long, &TIMER, &brief, 6), 10_000.0);
        assert_eq!(long.samples[1..4], [2, 4, 8]);
    }

    #[test]
    fn there_is_no_slope_without_timestamps_or_short_launches() {
        assert_eq!(slope_of(&mut job(0.0, 1_000.0), &Timer::wall(), &rules(), 60), None);
        // A single launch may be of any length: none is sampled.
        let mut single = job(0.0, 1e8);
        assert_eq!((slope_of(&mut single, &TIMER, &rules(), 1), single.samples.len()), (None, 0));
        let mut long = job(0.0, 150_000.0);
        assert_eq!((slope_of(&mut long, &TIMER, &rules(), 4), long.samples.len()), (None, 1));
    }

    #[test]
    fn there_is_no_slope_where_the_rules_or_the_clock_leave_no_room() {
        let few = Rules { max_launches: 7, ..rules() };
        assert_eq!(slope_of(&mut job(0.0, 1_000.0), &TIMER, &few, 7), None);
        let brief = Rules { longest_sample_ns: 50_000.0, ..rules() };
        assert_eq!(slope_of(&mut job(0.0, 10_000.0), &TIMER, &brief, 5), None);
        let coarse = Timer { tick_ns: 100_000.0, ..TIMER };
        assert_eq!(slope_of(&mut job(0.0, 1_000.0), &coarse, &rules(), 1000), None);
    }

    #[test]
    fn there_is_no_slope_below_zero() {
        // Every longer sample is shorter.
        let late_ns = |index: usize| if index == 0 { 0.0 } else { [9e6, 6e6, 0.0][(index - 1) % 3] };
        assert_eq!(slope_of(&mut Scripted { late_ns, ..job(0.0, 1_000.0) }, &TIMER, &rules(), 60), None);
    }
}
