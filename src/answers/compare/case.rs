//! A case on every side of a comparison.

use super::entry::Entry;
use super::pair::Pair;
use super::sides::Match;
use super::sparse::Sparse;
use super::timing::{Ratio, Timing};
use record::stats::Estimate;
use record::suite::WorkKind;
use record::{Record, ranking_by};

/// A case with its rows on every side.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseComparison<'a> {
    /// The first row read.
    pub row: &'a Record,
    /// What it times.
    pub kind: WorkKind,
    /// Whether the user named the benchmark: its rows are then compared although their sources differ.
    pub is_named: bool,
    /// The rows on each side that has some.
    pub entries: Sparse<Entry<'a>>,
    /// The ratio of each match whose sides both have a time.
    pub pairs: Sparse<Pair<'a>>,
    /// The fastest side and its ties ([`ranking_by`]; times within the margin if run-to-run variation is unknown).
    /// Empty if fewer than two sides have a time.
    pub fastest: Vec<usize>,
}

impl CaseComparison<'_> {
    /// The time on a side.
    #[must_use]
    pub fn timing(&self, side: usize) -> Option<Timing> {
        self.entries.get(side)?.timing
    }

    pub(super) fn has_other_source(&self) -> bool {
        let mut entries = self.entries.values();
        entries.next().is_some_and(|first| entries.any(|entry| first.unlike(entry).is_some()))
    }

    pub(super) fn find_fastest(&self, matches: &[Match], margin: f64) -> Vec<usize> {
        let timed: Vec<(usize, f64)> =
            self.entries.iter().filter_map(|(side, entry)| Some((side, entry.timing?.median_ns))).collect();
        let ratio = |side: usize, best: usize| {
            let known = self.pairs.iter().find_map(|(index, pair)| {
                let sides = matches[index];
                let is_inverse = (sides.side, sides.baseline) == (side, best);
                let ratio = if is_inverse { pair.ratio.recip() } else { pair.ratio };
                (is_inverse || (sides.baseline, sides.side) == (side, best)).then_some(ratio)
            });
            let ratio = known.or_else(|| Some(Ratio::of(&self.timing(side)?, &self.timing(best)?)))?;
            Some(ratio.estimate().unwrap_or(Estimate { value: ratio.value, low: ratio.value, high: ratio.value }))
        };
        let Some(ranking) = ranking_by(timed, margin, ratio) else { return Vec::new() };
        let mut fastest: Vec<usize> = [ranking.best].into_iter().chain(ranking.ties.iter().map(|tie| tie.0)).collect();
        fastest.sort_unstable();
        if fastest.len() > 1 || ranking.next.is_some() { fastest } else { Vec::new() }
    }
}
