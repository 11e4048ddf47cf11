//! Verdicts on ratios.

use super::timing::Ratio;

/// Expected fraction of false discoveries among the verdicts `faster` and `slower`, and among certain regressions.
pub const FALSE_DISCOVERIES: f64 = 0.05;

/// The verdict on a ratio of times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The side takes less time than the baseline: the 95 % interval lies beyond the margin, and the p-value, adjusted
    /// for all rows of the comparison, is at most [`FALSE_DISCOVERIES`].
    Faster,
    /// The side takes more time than the baseline, by the same test.
    Slower,
    /// The 95 % interval lies within the margin.
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

    /// The verdict on `ratio` with the adjusted p-value of [`adjusted_p_values`](record::stats::adjusted_p_values).
    pub(super) fn new(ratio: &Ratio, margin: f64, adjusted: Option<f64>) -> Self {
        let Some((low, high)) = ratio.interval else { return Self::Unclear };
        let (least, most) = (1.0 / (1.0 + margin), 1.0 + margin);
        let is_certain = adjusted.is_some_and(|p| p <= FALSE_DISCOVERIES);
        if is_certain && low > most {
            Self::Faster
        } else if is_certain && high < least {
            Self::Slower
        } else if least <= low && high <= most {
            Self::Same
        } else {
            Self::Unclear
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::MARGIN;
    use record::stats::{LogValue, Variance};

    /// A ratio whose interval reaches from ÷ `reach` to × `reach`, with nearly normal noise.
    fn ratio(value: f64, reach: f64) -> Ratio {
        let value_of = (reach.ln() / 1.959_964).powi(2);
        Ratio::new(LogValue { log: value.ln(), variance: Some(Variance { value: value_of, degrees: 1e6 }) })
    }

    fn alone(ratio: Ratio) -> Verdict {
        Verdict::new(&ratio, MARGIN, ratio.log().p_within(MARGIN.ln_1p()))
    }

    #[test]
    fn verdicts_follow_from_the_interval() {
        assert_eq!(alone(ratio(1.0, 1.001)), Verdict::Same);
        assert_eq!(alone(ratio(1.06, 1.01)), Verdict::Faster);
        assert_eq!(alone(ratio(0.91, 1.01)), Verdict::Slower);
        assert_eq!(alone(ratio(1.0, 1.02)), Verdict::Unclear, "too noisy to be the same");
        assert_eq!(alone(ratio(1.005, 1.004)), Verdict::Same, "a difference, and too small to matter");
        assert_eq!(alone(ratio(1.02, 1.005)), Verdict::Faster);
        assert_eq!(alone(ratio(1.02, 1.01)), Verdict::Unclear, "the interval holds the margin");
        assert_eq!(
            alone(Ratio::new(LogValue { log: 5.0_f64.ln(), variance: None })),
            Verdict::Unclear,
            "nothing is known about other runs"
        );
        assert_eq!(alone(Ratio::ONE), Verdict::Same);
    }

    #[test]
    fn a_p_value_that_many_rows_make_likely_decides_nothing() {
        let ratio = ratio(1.06, 1.03);
        let p = ratio.log().p_within(MARGIN.ln_1p()).expect("noise is known");
        assert!((0.001..0.01).contains(&p), "{p}");
        assert_eq!(Verdict::new(&ratio, MARGIN, Some(p)), Verdict::Faster);
        assert_eq!(Verdict::new(&ratio, MARGIN, Some(60.0 * p)), Verdict::Unclear);
    }

    #[test]
    fn p_values_have_known_answers() {
        // 1.959964 standard errors from the margin: 2.5 % on the near side, and almost nothing on the far side.
        let at = ratio((1.0 + MARGIN) * 1.01, 1.01);
        assert!((at.log().p_within(MARGIN.ln_1p()).expect("known") - 0.025).abs() < 1e-5);
        assert!((at.recip().log().p_within(MARGIN.ln_1p()).expect("known") - 0.025).abs() < 1e-5);
        // Without a margin, both tails count.
        assert!((ratio(1.01, 1.01).log().p_within(0.0).expect("known") - 0.05).abs() < 1e-5);
        // A slow-down of 5 %, and a limit one interval half-width away.
        let slower = ratio(1.0 / 1.05, 1.01);
        assert!((slower.recip().log().p_at_most((1.05_f64 / 1.01).ln()).expect("known") - 0.025).abs() < 1e-5);
        assert!((slower.recip().log().p_at_most(0.05_f64.ln_1p()).expect("known") - 0.5).abs() < 1e-9);
        assert!(slower.log().p_at_most(0.0).expect("known") > 0.999);
        assert_eq!(Ratio::ONE.log().p_within(MARGIN.ln_1p()), None);
    }

    #[test]
    fn faster_and_slower_mirror_each_other() {
        for (value, reach) in [(1.06, 1.01), (1.02, 1.02), (1.03, 1.005), (1.0, 1.01), (1.005, 1.001)] {
            let there = alone(ratio(value, reach));
            let mirrored = match there {
                Verdict::Faster => Verdict::Slower,
                Verdict::Slower => Verdict::Faster,
                other => other,
            };
            assert_eq!(alone(ratio(value, reach).recip()), mirrored, "{value} {reach}");
        }
    }
}
