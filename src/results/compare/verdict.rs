//! Verdicts on ratios.

use super::timing::Ratio;

/// Times that differ by less than this fraction count as equal. A sample lasts at least 100 clock ticks, so the clock
/// may have a resolution of 1 %; and two runs of one build place their buffers differently.
pub const MARGIN: f64 = 0.0125;

/// Factor from a 95 % to a 99 % interval on a log scale: the ratio of the normal quantiles. Differences need 99 %
/// confidence because a report has hundreds of rows.
const WIDER: f64 = 2.5758 / 1.9600;

/// Ratios with a wider tolerance than this are never `same`.
const WIDEST: f64 = 1.05;

/// The verdict on a ratio of times.
///
/// The tests in this file simulate two cases. Two runs of one build, with a standard deviation of 0.85 % between runs
/// and 0.05 % to 10 % within runs, are `faster` or `slower` in at most 1 % of rows. With three runs per side and a
/// noise below 0.5 % on both sides, a slow-down of 3 % is found in at least 95 % of rows. For real devices see
/// `docs/trust.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The side takes less time than the baseline by more than [`MARGIN`], at 99 % confidence.
    Faster,
    /// The side takes more time than the baseline by more than [`MARGIN`], at 99 % confidence.
    Slower,
    /// The 95 % interval lies within [`MARGIN`] of 1. For single runs, run-to-run variation widens the margin, up to 5
    /// %.
    Same,
    /// No other verdict is certain.
    Unclear,
}

impl Verdict {
    /// All verdicts, in the order of the counts.
    pub const ALL: [Self; 4] = [Self::Faster, Self::Slower, Self::Same, Self::Unclear];

    /// The name of the verdict.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::Unclear => "unclear",
        }
    }
}

impl Ratio {
    /// The verdict on the ratio.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let Some((low, high)) = self.interval else { return Verdict::Unclear };
        if is_past(self, MARGIN) {
            return Verdict::Slower;
        }
        if is_past(&self.recip(), MARGIN) {
            return Verdict::Faster;
        }
        // A single run cannot separate a difference from run-to-run variation. If this variation is large, the verdict
        // is unclear.
        let margin = (1.0 + MARGIN) * (WIDER * self.between).exp();
        if margin < WIDEST && 1.0 / margin <= low && high <= margin { Verdict::Same } else { Verdict::Unclear }
    }
}

/// Whether the side certainly takes more than 1 + `slowdown` times the baseline's time: the whole interval lies beyond
/// that limit, after widening to 99 % and by the run-to-run variation of single runs.
pub(super) fn is_past(ratio: &Ratio, slowdown: f64) -> bool {
    let upper = ratio.interval.map(|(_, high)| {
        let reach = (high / ratio.value).ln().hypot(ratio.between);
        ratio.value * (WIDER * reach).exp()
    });
    upper.is_some_and(|upper| upper < 1.0 / (1.0 + slowdown))
}

/// Whether the side possibly takes more than 1 + `slowdown` times the baseline's time: it appears slower, and part of
/// the 95 % interval lies beyond that limit, after widening by the run-to-run variation of single runs. Without a
/// visible slow-down, wide intervals are not reported.
pub(super) fn may_be_past(ratio: &Ratio, slowdown: f64) -> bool {
    let seems_slower = ratio.value < 1.0 / (1.0 + MARGIN.min(slowdown));
    let lower = ratio.interval.map(|(low, _)| ratio.value / (ratio.value / low).ln().hypot(ratio.between).exp());
    seems_slower && lower.is_none_or(|lower| lower < 1.0 / (1.0 + slowdown))
}

#[cfg(test)]
mod tests {
    use super::super::timing::Timing;
    use super::*;
    use crate::results::Record;

    fn verdict(low: f64, value: f64, high: f64) -> Verdict {
        Ratio { value, interval: Some((low, high)), between: 0.0 }.verdict()
    }

    #[test]
    fn verdicts_follow_from_the_interval() {
        assert_eq!(verdict(0.999, 1.0, 1.001), Verdict::Same);
        assert_eq!(verdict(1.05, 1.06, 1.07), Verdict::Faster);
        assert_eq!(verdict(0.90, 0.91, 0.92), Verdict::Slower);
        assert_eq!(verdict(0.98, 1.0, 1.02), Verdict::Unclear, "too noisy to be the same");
        assert_eq!(verdict(1.001, 1.005, 1.009), Verdict::Same, "a difference, and too small to matter");
        assert_eq!(verdict(1.014, 1.03, 1.046), Verdict::Unclear, "past the margin at 95 %, not at 99 %");
        assert_eq!(Ratio { value: 5.0, interval: None, between: 0.0 }.verdict(), Verdict::Unclear);
        assert_eq!(Ratio::ONE.verdict(), Verdict::Same);
    }

    #[test]
    fn single_runs_differ_by_chance() {
        let of = |value: f64, between: f64| {
            Ratio { value, interval: Some((value * 0.999, value * 1.001)), between }.verdict()
        };
        assert_eq!((of(1.03, 0.0), of(1.03, 0.025)), (Verdict::Faster, Verdict::Same));
        assert_eq!((of(1.06, 0.025), of(0.94, 0.025)), (Verdict::Faster, Verdict::Slower));
        assert_eq!((of(1.6, 0.9), of(1.001, 0.9)), (Verdict::Unclear, Verdict::Unclear), "too noisy to tell");
    }

    #[test]
    fn faster_and_slower_mirror_each_other() {
        for (low, value, high) in [(1.05, 1.06, 1.07), (1.0, 1.02, 1.04), (1.02, 1.03, 1.04), (0.99, 1.0, 1.01)] {
            let there = verdict(low, value, high);
            let back = verdict(1.0 / high, 1.0 / value, 1.0 / low);
            let mirrored = match there {
                Verdict::Faster => Verdict::Slower,
                Verdict::Slower => Verdict::Faster,
                other => other,
            };
            assert_eq!(back, mirrored, "{low} {value} {high}");
        }
    }

    #[test]
    fn a_slow_down_is_certain_only_where_the_whole_interval_is_past_it() {
        let slower =
            |low: f64, value: f64, high: f64| Ratio { value, interval: Some((low, high)), between: 0.0 }.recip();
        let certain = slower(1.08, 1.10, 1.12);
        assert!(is_past(&certain, 0.05) && may_be_past(&certain, 0.05) && may_be_past(&certain, 0.11));
        assert!(!is_past(&certain, 0.08) && !may_be_past(&certain, 0.13));
        let unknown = Ratio { value: 0.5, interval: None, between: 0.0 };
        assert!(!is_past(&unknown, 0.05) && may_be_past(&unknown, 0.05));
    }

    /// Normally distributed noise: Knuth's MMIX linear congruential generator with the Box-Muller transform.
    struct Noise(u64);

    impl Noise {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        }

        fn normal(&mut self) -> f64 {
            (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
        }

        /// A run with relative standard deviation `within` for its samples and `between` for its level.
        fn run(&mut self, median_ns: f64, samples: usize, within: f64, between: f64) -> Timing {
            let level = median_ns * (between * self.normal()).exp();
            let all_samples_ns = (0..samples).map(|_| level * (within * self.normal()).exp()).collect();
            Timing::of_run(&Record { all_samples_ns, ..Record::default() }).expect("samples")
        }
    }

    const ROUNDS: usize = 2000;

    #[test]
    fn two_runs_of_one_build_are_called_different_in_one_row_of_a_hundred_at_most() {
        let mut noise = Noise(2026);
        for samples in [3, 5, 10, 30, 300] {
            for within in [0.0005, 0.005, 0.02, 0.1] {
                let mut differs = || {
                    let runs = [(); 2].map(|()| noise.run(1e6, samples, within, 0.0085));
                    matches!(Ratio::of(&runs[0], &runs[1]).verdict(), Verdict::Faster | Verdict::Slower)
                };
                let wrong = (0..ROUNDS).filter(|_| differs()).count();
                assert!(wrong * 100 <= ROUNDS, "{wrong} of {ROUNDS} with {samples} samples of {within}");
            }
        }
    }

    #[test]
    fn a_slow_down_of_three_percent_is_found_in_95_quiet_rows_of_a_hundred() {
        let mut noise = Noise(2027);
        // Standard deviations for which many intervals are just below the limit of 0.5 %.
        for (samples, within) in [(10, 0.0035), (30, 0.006), (100, 0.018), (1000, 0.06)] {
            let (mut quiet, mut found) = (0, 0);
            while quiet < ROUNDS {
                let sides = [1e6, 1.03e6].map(|median| {
                    let runs: Vec<_> = (0..3).map(|_| noise.run(median, samples, within, 0.001)).collect();
                    Timing::pooled(&runs).expect("runs")
                });
                if sides.iter().all(|side| side.noise().is_some_and(|noise| noise < 0.005)) {
                    quiet += 1;
                    found += usize::from(Ratio::of(&sides[0], &sides[1]).verdict() == Verdict::Slower);
                }
            }
            assert!(found * 100 >= 95 * ROUNDS, "{found} of {ROUNDS} with {samples} samples of {within}");
        }
    }

    #[test]
    fn pooled_runs_tell_what_differs_from_run_to_run() {
        let mut noise = Noise(2028);
        let differs = |runs: usize, noise: &mut Noise| {
            let mut side = || {
                let all: Vec<_> = (0..runs).map(|_| noise.run(1e6, 30, 0.001, 0.03)).collect();
                Timing::pooled(&all).expect("runs")
            };
            let (a, b) = (side(), side());
            matches!(Ratio::of(&a, &b).verdict(), Verdict::Faster | Verdict::Slower)
        };
        let wrong = |runs: usize, noise: &mut Noise| (0..ROUNDS).filter(|_| differs(runs, noise)).count();
        assert!(wrong(1, &mut noise) * 100 > 10 * ROUNDS, "a single run cannot know it");
        for runs in [2, 3, 5, 8] {
            let wrong = wrong(runs, &mut noise);
            assert!(wrong * 100 <= ROUNDS, "{wrong} of {ROUNDS} with {runs} runs");
        }
    }
}
