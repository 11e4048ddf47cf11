//! The version in a series at which a case became slower, or wrong, from measurements that vary from run to run.
//!
//! The search is a Bayesian one for a change point: of all places of a single step the probability is computed from all
//! measurements so far, and the next measurement goes to the version that halves this probability (probabilistic
//! bisection: Horstein, *IEEE Transactions on Information Theory* 9, 1963; Waeber, Frazier & Henderson, *SIAM Journal on
//! Control and Optimization* 51, 2013). The step's size and the variation between runs are unknown: sums over grids
//! integrate them out.

use crate::record::stats::{self, Estimate};

/// What one measurement of a version says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome {
    /// The case's time.
    Time {
        /// Logarithm of the time in nanoseconds.
        log_ns: f64,
        /// Variance of this logarithm, from the row's interval.
        variance: f64,
    },
    /// Whether the result is wrong, in a search for a wrong result.
    Verdict {
        /// Whether it is wrong.
        is_wrong: bool,
    },
}

/// Probability that a verdict is not the version's own: a fault that shows only sometimes.
const FLAKY: f64 = 0.02;

/// Deviations of a version's time from run to run, besides what a row's interval shows: 0.02 to 30 %.
const BETWEEN_RUNS: (f64, f64, usize) = (2e-4, 0.3, 28);

/// Largest step: a factor of 20.
const LARGEST: f64 = 3.0;

/// Number of sizes of a step above the limit, and below it.
const SIZES: (usize, usize) = (48, 12);

/// The search for a step in a series of versions.
#[derive(Debug, Clone)]
pub struct Search {
    versions: usize,
    /// Least size of the step, as a logarithm.
    least: f64,
    measured: Vec<(usize, Outcome)>,
    /// Versions that cannot be measured.
    skipped: Vec<bool>,
}

/// Where the step lies.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The last version before the step, and the first one after it; `None` if there is no step. They are neighbours
    /// among the versions that can be measured.
    pub step: Option<(usize, usize)>,
    /// Its probability.
    pub probability: f64,
}

impl Search {
    /// A search among `versions` (at least 2) for a step of more than `limit`, as a fraction of the time.
    #[must_use]
    pub fn new(versions: usize, limit: f64) -> Self {
        Self { versions, least: limit.ln_1p(), measured: Vec::new(), skipped: vec![false; versions] }
    }

    /// Adds a measurement of a version.
    pub fn add(&mut self, version: usize, outcome: Outcome) {
        self.measured.push((version, outcome));
    }

    /// Notes that a version cannot be measured: it does not build, or does not have the case.
    pub fn skip(&mut self, version: usize) {
        self.skipped[version] = true;
    }

    /// Number of measurements of a version.
    #[must_use]
    pub fn count(&self, version: usize) -> usize {
        self.measured.iter().filter(|(measured, _)| *measured == version).count()
    }

    /// The versions that can be measured, in order.
    fn able(&self) -> Vec<usize> {
        (0..self.versions).filter(|version| !self.skipped[*version]).collect()
    }

    /// Probability of each place of the step: element i is for the step just before the i-th version that can be
    /// measured; element 0 is for no step of more than the limit. All are equally probable at first.
    #[must_use]
    pub fn probabilities(&self) -> Vec<f64> {
        let able = self.able();
        let logs: Vec<f64> =
            (0..able.len()).map(|place| self.log_likelihood(able.get(place).copied(), place)).collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// Logarithm of the likelihood of a step just before the version `first`, at `place` among the versions; of no step
    /// if `place` is 0.
    fn log_likelihood(&self, first: Option<usize>, place: usize) -> f64 {
        let first = first.unwrap_or(0);
        if self.measured.iter().any(|(_, outcome)| matches!(outcome, Outcome::Verdict { .. })) {
            let of = |(version, outcome): &(usize, Outcome)| {
                let Outcome::Verdict { is_wrong } = outcome else { return 0.0 };
                let is_expected = (place > 0 && *version >= first) == *is_wrong;
                if is_expected { (1.0 - FLAKY).ln() } else { FLAKY.ln() }
            };
            return self.measured.iter().map(of).sum();
        }
        if place > 0 {
            // Large steps are as probable as small ones on a logarithmic scale.
            let (low, high) = (self.least.max(1e-6).ln(), LARGEST.max(2.0 * self.least).ln());
            return self.mean_over(first, (0..SIZES.0).map(|at| (low + (high - low) * middle(at, SIZES.0)).exp()));
        }
        // No step of more than the limit: none at all, half of the time, or a smaller one, at any place.
        let none = self.mean_over(0, std::iter::once(0.0));
        let able = self.able();
        let small = |first: &usize| {
            let sizes = (0..SIZES.1).map(|at| self.least * (2.0 * middle(at, SIZES.1) - 1.0));
            self.mean_over(*first, sizes)
        };
        let others: Vec<f64> = able[1..].iter().map(small).collect();
        log_mean(&[none, log_mean(&others)])
    }

    /// Logarithm of the mean likelihood of steps of these sizes before the version `first`, over all deviations between
    /// runs.
    fn mean_over(&self, first: usize, sizes: impl Iterator<Item = f64>) -> f64 {
        let (low, high, count) = BETWEEN_RUNS;
        let logs: Vec<f64> = sizes
            .flat_map(|size| {
                let deviations = (0..count).map(move |at| low * (high / low).powf(middle(at, count)));
                deviations.map(move |between| (size, between))
            })
            .map(|(size, between)| self.of_step(first, size, between))
            .collect();
        log_mean(&logs)
    }

    /// Logarithm of the likelihood of a step of `size` before `first`, with the deviation `between` runs. The time before
    /// the step is unknown: a flat prior is integrated in closed form.
    fn of_step(&self, first: usize, size: f64, between: f64) -> f64 {
        let points = self.measured.iter().filter_map(|(version, outcome)| match outcome {
            Outcome::Time { log_ns, variance } => {
                let shifted = log_ns - if *version >= first { size } else { 0.0 };
                Some((shifted, (variance + between * between).recip()))
            }
            Outcome::Verdict { .. } => None,
        });
        let (mut weights, mut sum, mut logs) = (0.0, 0.0, 0.0);
        for (value, weight) in points.clone() {
            weights += weight;
            sum += weight * value;
            logs += weight.ln();
        }
        if weights == 0.0 {
            return 0.0;
        }
        let mean = sum / weights;
        let squares: f64 = points.map(|(value, weight)| weight * (value - mean).powi(2)).sum();
        0.5 * (logs - weights.ln() - squares)
    }

    /// The version to measure next: the one whose verdict halves the probability of all places, of two alike the one with
    /// fewer measurements. If that side of the step has more than twice as many measurements as the other, the nearest
    /// version of the other side. The first and the last version come first. `None` if fewer than two can be measured.
    #[must_use]
    pub fn next(&self) -> Option<usize> {
        let able = self.able();
        let (first, last) = (*able.first()?, *able.last()?);
        if first == last {
            return None;
        }
        for end in [first, last] {
            if self.count(end) == 0 {
                return Some(end);
            }
        }
        let probabilities = self.probabilities();
        // A measurement of the version at `place` asks whether the step lies at this place or before it.
        let mut before = 0.0;
        let mut best: Option<(f64, usize, usize)> = None;
        for (place, version) in able.iter().enumerate() {
            before += if place > 0 { probabilities[place] } else { 0.0 };
            // Where places are as good as decided, the neighbours of the step take turns.
            let distance = ((before - 0.5).abs() * 20.0).round();
            let candidate = (distance, self.count(*version), *version);
            let is_better = best.is_none_or(|best| candidate.partial_cmp(&best).is_some_and(std::cmp::Ordering::is_lt));
            if is_better {
                best = Some(candidate);
            }
        }
        let (_, _, version) = best?;
        let counts = |is_after: bool| -> usize {
            able.iter().filter(|other| (**other >= version) == is_after).map(|other| self.count(*other)).sum()
        };
        let other_side = able.iter().rfind(|other| **other < version).filter(|_| counts(true) > 2 * counts(false));
        Some(other_side.copied().unwrap_or(version))
    }

    /// The most probable place of the step.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let (able, probabilities) = (self.able(), self.probabilities());
        let most = probabilities.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        let (place, probability) = most.map_or((0, 0.0), |(place, probability)| (place, *probability));
        let step = place.checked_sub(1).map(|before| (able[before], able[place]));
        Answer { step, probability }
    }

    /// Time of the versions from `after` on, divided by the time of those before, from all measurements, with its 95 %
    /// interval (Student's, on the log scale). `None` without times on both sides, or with fewer than three.
    #[must_use]
    pub fn ratio(&self, after: usize) -> Option<Estimate> {
        let side = |is_after: bool| -> Vec<f64> {
            let times = self.measured.iter().filter(|(version, _)| (*version >= after) == is_after);
            times
                .filter_map(
                    |(_, outcome)| if let Outcome::Time { log_ns, .. } = outcome { Some(*log_ns) } else { None },
                )
                .collect()
        };
        let (slow, fast) = (side(true), side(false));
        let count = slow.len() + fast.len();
        if slow.is_empty() || fast.is_empty() || count < 3 {
            return None;
        }
        let mean = |logs: &[f64]| logs.iter().sum::<f64>() / logs.len() as f64;
        let squares = |logs: &[f64]| logs.iter().map(|log| (log - mean(logs)).powi(2)).sum::<f64>();
        let degrees = (count - 2) as f64;
        let variance = (squares(&slow) + squares(&fast)) / degrees;
        let error = (variance * ((slow.len() as f64).recip() + (fast.len() as f64).recip())).sqrt();
        let (log, reach) = (mean(&slow) - mean(&fast), stats::student(degrees) * error);
        Some(Estimate { value: log.exp(), low: (log - reach).exp(), high: (log + reach).exp() })
    }
}

/// The middle of the part `at` of `count` equal parts of 0 to 1.
fn middle(at: usize, count: usize) -> f64 {
    (at as f64 + 0.5) / count as f64
}

/// Logarithm of the mean of the exponentials.
fn log_mean(logs: &[f64]) -> f64 {
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + (logs.iter().map(|log| (log - most).exp()).sum::<f64>() / logs.len() as f64).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::stats::random::Random;

    /// Searches among `versions` with a step of `factor` before the version `first`; runs differ by `between`, of which
    /// the rows' intervals show `within`. Returns the answer and the number of measurements.
    fn search(
        random: &mut Random,
        versions: usize,
        first: usize,
        factor: f64,
        between: f64,
        within: f64,
    ) -> (Answer, usize) {
        let mut search = Search::new(versions, 0.02);
        for measurements in 0..200 {
            let answer = search.answer();
            if measurements >= 6 && answer.probability >= 0.97 {
                return (answer, measurements);
            }
            let version = search.next().expect("several versions");
            let step = if version >= first { factor.ln() } else { 0.0 };
            let log_ns = 9.0 + step + between * random.normal();
            search.add(version, Outcome::Time { log_ns, variance: within * within });
        }
        (search.answer(), 200)
    }

    #[test]
    fn a_slow_down_of_3_percent_among_16_versions_is_found() {
        let mut random = Random(22);
        let (mut found, mut measurements) = (0, 0);
        for trial in 0..60 {
            let first = 1 + trial % 15;
            let (answer, count) = search(&mut random, 16, first, 1.03, 0.004, 0.002);
            found += usize::from(answer.step == Some((first - 1, first)));
            measurements += count;
        }
        assert!(found >= 57, "{found} of 60");
        assert!(measurements < 60 * 30, "{measurements} measurements for 60 searches");
    }

    #[test]
    fn without_a_step_or_with_a_smaller_one_none_is_found() {
        let mut random = Random(7);
        let mut found = 0;
        for trial in 0..16 {
            let (answer, _) = search(&mut random, 16, 8, if trial % 2 == 0 { 1.0 } else { 1.01 }, 0.004, 0.002);
            found += usize::from(answer.step.is_some() && answer.probability >= 0.97);
        }
        assert!(found <= 1, "{found} of 16");
    }

    #[test]
    fn the_probability_is_the_share_of_right_answers() {
        let mut random = Random(3);
        let (mut right, mut claimed) = (0.0, 0.0);
        for trial in 0..100 {
            let first = 1 + trial % 7;
            // Runs that differ by half of the step: answers are uncertain.
            let mut search = Search::new(8, 0.02);
            for version in (0..8).chain(0..8) {
                let step = if version >= first { 0.03 } else { 0.0 };
                let log_ns = 9.0 + step + 0.015 * random.normal();
                search.add(version, Outcome::Time { log_ns, variance: 0.0 });
            }
            let answer = search.answer();
            right += f64::from(u8::from(answer.step == Some((first - 1, first))));
            claimed += answer.probability;
        }
        assert!((right - claimed).abs() < 15.0, "{right} right, {claimed} claimed, of 100");
    }

    #[test]
    fn a_wrong_result_is_found_despite_a_flaky_verdict_and_failed_builds() {
        let mut search = Search::new(9, 0.02);
        [3, 4].into_iter().for_each(|version| search.skip(version));
        let mut is_first = true;
        for _ in 0..40 {
            if search.answer().probability >= 0.99 {
                break;
            }
            let version = search.next().expect("several");
            assert!(![3, 4].contains(&version));
            // Version 5 is the first wrong one, and right once.
            let is_wrong = version >= 5 && !(version == 6 && std::mem::take(&mut is_first));
            search.add(version, Outcome::Verdict { is_wrong });
        }
        assert_eq!(search.answer().step, Some((2, 5)));
    }

    #[test]
    fn ends_are_measured_first_and_one_version_is_no_series() {
        let mut search = Search::new(4, 0.03);
        assert_eq!(search.next(), Some(0));
        search.add(0, Outcome::Time { log_ns: 9.0, variance: 1e-6 });
        assert_eq!(search.next(), Some(3));
        [1, 2, 3].into_iter().for_each(|version| search.skip(version));
        assert_eq!(search.next(), None);
        assert_eq!(search.ratio(2), None);
    }
}
