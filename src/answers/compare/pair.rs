//! The times of a case on two sides.

use super::entry::{Entry, Mark};
use super::mean::{Member, Origin};
use super::series::Series;
use super::sides::Match;
use super::sparse::Sparse;
use super::timing::Ratio;
use super::verdict::Verdict;

/// The times of a case on two sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair<'a> {
    /// Baseline time ÷ side time.
    pub ratio: Ratio,
    /// The verdict on the ratio.
    pub verdict: Verdict,
    /// P-value of the hypothesis that the times differ by no more than the margin, adjusted for all pairs
    /// ([`benjamini_hochberg`](record::stats::benjamini_hochberg)). `None` if run-to-run variation is unknown.
    pub adjusted_p: Option<f64>,
    /// Differences other than time.
    pub marks: Vec<Mark>,
    /// Whether the device's clock timed both sides. Only such pairs decide an exit code.
    pub is_device_timed: bool,
    /// Whether the two sides are APIs that took turns in the same runs; the interval is then that of their differences.
    pub has_turns: bool,
    pub(super) is_copy: bool,
    pub(super) turns: Option<Series<'a>>,
}

impl<'a> Pair<'a> {
    pub(super) fn new(baseline: &Entry<'a>, side: &Entry<'a>) -> Option<Self> {
        let (a, b) = (baseline.timing?, side.timing?);
        let is_copy = baseline.is_copy_of(side);
        let turns = baseline.series.as_ref().zip(side.series.as_ref()).filter(|_| !is_copy);
        let turns = turns.and_then(|(a, b)| Series::of_turns(a, b));
        Some(Self {
            ratio: if is_copy { Ratio::ONE } else { Ratio::of(&a, &b) },
            verdict: Verdict::Unclear,
            adjusted_p: None,
            marks: Mark::between(baseline, side),
            is_device_timed: baseline.is_device_timed() && side.is_device_timed(),
            has_turns: turns.is_some(),
            is_copy,
            turns,
        })
    }

    /// Whether one clock timed both sides. If not, the ratio is shown, but excluded from means and certain regressions.
    #[must_use]
    pub fn has_one_clock(&self) -> bool {
        !self.marks.contains(&Mark::Timer)
    }

    /// Whether one device clock timed both sides, so that the pair may decide an exit code.
    #[must_use]
    pub fn has_device_clock(&self) -> bool {
        self.is_device_timed && self.has_one_clock()
    }

    pub(super) fn member<'s>(&'s self, entries: &'s Sparse<Entry<'a>>, of: Match) -> Member<'s, 'a> {
        let side = |side: usize| {
            let entry = entries.get(side)?;
            Some((entry.series.as_ref()?, entry.timing?.variance))
        };
        let origin = match (&self.turns, side(of.baseline), side(of.side)) {
            (Some(turns), ..) => Origin::Turns(turns),
            (None, Some(a), Some(b)) if !self.is_copy => Origin::Sides([a, b]),
            _ => Origin::Copy,
        };
        Member { ratio: self.ratio, origin }
    }
}
