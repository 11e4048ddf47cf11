//! How far a run is and how long it still takes, from the epochs that its cases are expected to need and from the times
//! of those that ran.

use std::time::Duration;

use crate::engine::Expected;

/// Time of a further epoch relative to the first one, which also compiles, verifies and tests the kernel. Used until
/// [`FEW`] cases have had both.
const FURTHER: f64 = 0.4;
const FEW: usize = 10;

/// Minimum number of epochs that ran before there is an estimate.
const LEAST: usize = 3;

/// What is known of a case. Times are in seconds.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    expected: Expected,
    /// Time of the epoch that gave the case its row, and of the last one after it.
    first: Option<f64>,
    further: Option<f64>,
}

/// Estimates from the events of a run. Times are counted from its first case.
#[derive(Debug, Default)]
pub(super) struct TimeLeft {
    limit: Option<Duration>,
    cases: Vec<Known>,
    /// The case that runs, and when it started.
    running: Option<(usize, Duration)>,
    /// Number of epochs that ran.
    done: usize,
    /// The highest percentage so far.
    percent: u64,
}

/// Mean times of epochs, in seconds.
struct Means {
    first: Option<f64>,
    further: Option<f64>,
    /// Time of a further epoch relative to the first.
    ratio: f64,
}

impl TimeLeft {
    pub(super) fn new(limit: Option<Duration>) -> Self {
        Self { limit, ..Self::default() }
    }

    /// What each case needs from now on.
    pub(super) fn plan(&mut self, expected: &[Expected]) {
        self.cases.resize(expected.len(), Known::default());
        for (case, expected) in self.cases.iter_mut().zip(expected) {
            case.expected = *expected;
        }
    }

    /// An epoch of the case at `index` starts. Returns whether it did not run before: it starts once through each API.
    pub(super) fn start(&mut self, index: usize, now: Duration) -> bool {
        let is_fresh = self.running.is_none_or(|(running, _)| running != index);
        if is_fresh {
            self.running = Some((index, now));
        }
        is_fresh
    }

    /// The epoch that runs ends. Returns whether there is one.
    pub(super) fn finish(&mut self, now: Duration) -> bool {
        let Some((index, start)) = self.running.take() else { return false };
        let Some(case) = self.cases.get_mut(index) else { return false };
        let Expected { is_new, epochs } = case.expected;
        // A small size that runs in place of another is not expected.
        let time = if is_new || epochs == 0 { &mut case.first } else { &mut case.further };
        *time = Some(now.saturating_sub(start).as_secs_f64());
        case.expected = Expected { is_new: false, epochs: epochs.saturating_sub(1) };
        self.done += 1;
        true
    }

    /// Number of cases that still need their row.
    pub(super) fn new_cases(&self) -> usize {
        self.cases.iter().filter(|case| case.expected.is_new && case.expected.epochs > 0).count()
    }

    /// Whether the case at `index` is expected to run.
    pub(super) fn is_expected(&self, index: usize) -> bool {
        self.cases.get(index).is_some_and(|case| case.expected.epochs > 0)
    }

    /// The case at `index` does not run.
    pub(super) fn leave_out(&mut self, index: usize) {
        self.running = None;
        if let Some(case) = self.cases.get_mut(index) {
            case.expected = Expected::default();
        }
    }

    fn means(&self) -> Means {
        let mean = |times: &mut dyn Iterator<Item = f64>| {
            let (sum, count) = times.fold((0.0, 0), |(sum, count), time| (sum + time, count + 1));
            (count > 0).then(|| sum / f64::from(count))
        };
        let both = || self.cases.iter().filter_map(|case| case.first.zip(case.further));
        let sums = both().fold((0.0, 0.0), |sums, (first, further)| (sums.0 + first, sums.1 + further));
        Means {
            first: mean(&mut self.cases.iter().filter_map(|case| case.first)),
            further: mean(&mut self.cases.iter().filter_map(|case| case.further)),
            ratio: if both().count() >= FEW && sums.0 > 0.0 { sums.1 / sums.0 } else { FURTHER },
        }
    }

    /// The time of all epochs of a case, and of its next one, in seconds.
    fn time_of(&self, case: &Known, means: &Means) -> Option<(f64, f64)> {
        let further = || means.further.or(means.first.map(|first| first * means.ratio));
        let further = case.further.or(case.first.map(|first| first * means.ratio)).or_else(further)?;
        let Expected { is_new, epochs } = case.expected;
        let next = if is_new { means.first.unwrap_or(further / means.ratio) } else { further };
        Some(if epochs == 0 { (0.0, 0.0) } else { (next + further * (epochs - 1) as f64, next) })
    }

    /// The time that the run still takes, at most until its limit; `None` before enough is known.
    pub(super) fn left(&self, now: Duration) -> Option<Duration> {
        if self.done < LEAST {
            return None;
        }
        let means = self.means();
        let mut left = 0.0;
        for case in &self.cases {
            left += self.time_of(case, &means)?.0;
        }
        if let Some((index, start)) = self.running {
            let next = self.cases.get(index).and_then(|case| self.time_of(case, &means)).map_or(0.0, |(_, next)| next);
            let spent = now.saturating_sub(start).as_secs_f64();
            // A case that takes longer than expected takes about as long again.
            left += (next - spent).abs() - next;
        }
        let left = Duration::from_secs_f64(left.max(0.0));
        Some(self.limit.map_or(left, |limit| left.min(limit.saturating_sub(now))))
    }

    /// Whether the time limit has passed: the run ends after the case in progress.
    pub(super) fn is_over(&self, now: Duration) -> bool {
        self.limit.is_some_and(|limit| now >= limit)
    }

    /// The part of the run's time that is over, in percent. It never falls, and is below 100 as long as the run goes on.
    pub(super) fn percent(&mut self, now: Duration) -> u64 {
        if let Some(left) = self.left(now) {
            let (now, left) = (now.as_secs_f64(), left.as_secs_f64());
            let percent = if now + left > 0.0 { (100.0 * now / (now + left)) as u64 } else { 0 };
            self.percent = self.percent.max(percent.min(99));
        }
        self.percent
    }
}

/// `about 35 s left`.
pub(super) fn about(left: Duration) -> String {
    match left.as_secs_f64() {
        seconds if seconds < 99.5 => format!("about {:.0} s left", seconds.max(1.0)),
        seconds => format!("about {:.0} min left", seconds / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of cases whose first epoch takes 1 s and the others 0.5 s.
    struct Run {
        left: TimeLeft,
        now: Duration,
        percents: Vec<u64>,
    }

    const FIRST: f64 = 1.0;
    const LATER: f64 = 0.5;

    impl Run {
        fn new(limit: Option<u64>, expected: &[Expected]) -> Self {
            let mut left = TimeLeft::new(limit.map(Duration::from_secs));
            left.plan(expected);
            Self { left, now: Duration::ZERO, percents: Vec::new() }
        }

        fn measure(&mut self, index: usize, seconds: f64) {
            self.left.start(index, self.now);
            self.percents.push(self.left.percent(self.now));
            self.now += Duration::from_secs_f64(seconds);
            self.percents.push(self.left.percent(self.now));
            self.left.finish(self.now);
            self.percents.push(self.left.percent(self.now));
        }

        fn pass(&mut self, count: usize, seconds: f64) {
            (0..count).for_each(|index| self.measure(index, seconds));
        }

        fn seconds(&self) -> f64 {
            self.left.left(self.now).expect("known").as_secs_f64()
        }

        fn assert_monotone(&self) {
            assert!(self.percents.is_sorted() && self.percents.iter().all(|percent| *percent < 100));
        }
    }

    const fn new(epochs: usize) -> Expected {
        Expected { is_new: true, epochs }
    }

    const fn again(epochs: usize) -> Expected {
        Expected { is_new: false, epochs }
    }

    fn near(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-6, "{value}, not {expected}");
    }

    #[test]
    fn two_epochs_are_both_counted() {
        let mut run = Run::new(None, &[new(2); 20]);
        assert_eq!((run.left.left(run.now), run.left.percent(run.now)), (None, 0), "nothing is known");
        run.pass(10, FIRST);
        near(run.seconds(), 10.0 * (FIRST + FURTHER) + 10.0 * FURTHER);
        (10..20).for_each(|index| run.measure(index, FIRST));
        // The first pass is done: not the end.
        near(run.seconds(), 20.0 * FURTHER);
        run.left.plan(&[again(1); 20]);
        run.pass(10, LATER);
        near(run.seconds(), 10.0 * LATER);
        assert!((83..86).contains(&run.left.percent(run.now)), "5 s of 30 s are left");
        (10..20).for_each(|index| run.measure(index, LATER));
        assert_eq!((run.left.left(run.now), run.left.percent(run.now)), (Some(Duration::ZERO), 99));
        run.assert_monotone();
    }

    #[test]
    fn rows_that_settle_early_shorten_the_rest_and_noisy_ones_lengthen_it() {
        let mut run = Run::new(None, &[new(6); 20]);
        run.pass(20, FIRST);
        near(run.seconds(), 20.0 * 5.0 * FURTHER);
        run.left.plan(&[again(5); 20]);
        run.pass(20, LATER);
        near(run.seconds(), 20.0 * 4.0 * LATER);
        // Most rows are precise; one needs all of its 16 epochs.
        let mut expected = [again(0); 20];
        expected[3] = again(14);
        run.left.plan(&expected);
        near(run.seconds(), 14.0 * LATER);
        let before = run.left.percent(run.now);
        run.measure(3, LATER);
        // More rows than expected need an epoch: the percentage stays.
        run.left.plan(&[again(9); 20]);
        assert!(run.seconds() > 80.0 && run.left.percent(run.now) >= before);
        run.assert_monotone();
    }

    #[test]
    fn a_case_in_progress_counts_until_it_ends() {
        let mut run = Run::new(None, &[new(1); 4]);
        run.pass(3, FIRST);
        run.left.start(3, run.now);
        // Once more through another API.
        run.left.start(3, run.now + Duration::from_millis(300));
        let after =
            |seconds: f64| run.left.left(run.now + Duration::from_secs_f64(seconds)).expect("known").as_secs_f64();
        near(after(0.25), 0.75);
        near(after(3.0), 2.0);
    }

    #[test]
    fn an_interrupted_run_is_not_at_its_end() {
        let mut run = Run::new(None, &[new(2); 10]);
        run.pass(5, FIRST);
        assert!(run.seconds() > 5.0 && run.left.percent(run.now) < 50);
        run.assert_monotone();
    }

    #[test]
    fn a_resumed_run_counts_what_is_missing() {
        // Six cases have rows, two of which lack an epoch.
        let mut expected = [again(0); 10];
        expected[..2].fill(again(1));
        expected[6..].fill(new(2));
        let mut run = Run::new(None, &expected);
        (6..10).for_each(|index| run.measure(index, FIRST));
        near(run.seconds(), 6.0 * FURTHER);
        assert_eq!(run.left.percent(run.now), 62);
        // Only epochs are missing.
        let mut run = Run::new(None, &[again(2); 5]);
        run.pass(5, LATER);
        near(run.seconds(), 5.0 * LATER);
        run.assert_monotone();
    }

    #[test]
    fn no_more_time_is_left_than_the_limit_leaves() {
        let mut run = Run::new(Some(20), &[new(2); 100]);
        run.pass(10, FIRST);
        near(run.seconds(), 10.0);
        assert_eq!(run.left.percent(run.now), 50);
        assert!(!run.left.is_over(run.now));
        run.now = Duration::from_secs(21);
        assert!(run.left.is_over(run.now));
        assert_eq!((run.left.left(run.now), run.left.percent(run.now)), (Some(Duration::ZERO), 99));
        // A few cases end long before the limit.
        let mut run = Run::new(Some(600), &[new(1); 5]);
        run.pass(4, FIRST);
        near(run.seconds(), FIRST);
        run.assert_monotone();
    }

    #[test]
    fn cases_that_are_left_out_take_no_time() {
        let mut run = Run::new(Some(60), &[new(2), new(2), new(2), new(2), again(0), new(2)]);
        run.pass(3, FIRST);
        // One is found to be too long, and its small size runs instead.
        run.left.start(3, run.now);
        run.left.leave_out(3);
        run.measure(4, FIRST);
        run.left.leave_out(5);
        assert!(!run.left.finish(run.now) && run.left.new_cases() == 0);
        near(run.seconds(), 3.0 * FURTHER);
        run.assert_monotone();
    }

    #[test]
    fn the_time_left_is_never_zero_seconds() {
        let texts = [0.0, 34.6, 99.4, 100.0, 700.0].map(|seconds| about(Duration::from_secs_f64(seconds)));
        let expected =
            ["about 1 s left", "about 35 s left", "about 99 s left", "about 2 min left", "about 12 min left"];
        assert_eq!(texts, expected);
    }
}
