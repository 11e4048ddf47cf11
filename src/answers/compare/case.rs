//! A case on every side of a comparison.

use super::entry::Entry;
use super::pair::Pair;
use super::sides::Match;
use super::sparse::Sparse;
use super::timing::{Ratio, Timing};
use crate::record::Record;
use crate::suite::WorkKind;

/// A case with its rows on every side.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseComparison<'a> {
    /// The first row that was read.
    pub row: &'a Record,
    /// What it times.
    pub kind: WorkKind,
    /// Whether the user named its benchmark, so that rows of two sources are compared.
    pub is_named: bool,
    /// The rows on each side that has some.
    pub entries: Sparse<Entry<'a>>,
    /// The ratio of each match whose sides both have a time.
    pub pairs: Sparse<Pair<'a>>,
    /// The fastest sides: the shortest time, and times that are not certainly longer by more than the margin. Without a
    /// known run-to-run variation, times within the margin. Empty if fewer than two sides have a time.
    pub fastest: Vec<usize>,
    /// The sides with the largest share of their own ceiling, or within the margin of it. Empty if fewer than two sides
    /// have a share.
    pub nearest_to_ceiling: Vec<usize>,
}

impl CaseComparison<'_> {
    /// The time on a side.
    #[must_use]
    pub fn timing(&self, side: usize) -> Option<Timing> {
        self.entries.get(side)?.timing
    }

    /// The side's share of its own ceiling.
    #[must_use]
    pub fn share(&self, side: usize) -> Option<f64> {
        self.entries.get(side)?.share
    }

    /// Whether two sides with rows differ in the source of the kernel.
    pub(super) fn has_other_source(&self) -> bool {
        let mut entries = self.entries.values();
        entries.next().is_some_and(|first| entries.any(|entry| first.unlike(entry).is_some()))
    }

    pub(super) fn find_fastest(&self, matches: &[Match], margin: f64) -> Vec<usize> {
        let timed: Vec<(usize, Timing)> =
            self.entries.iter().filter_map(|(side, entry)| Some((side, entry.timing?))).collect();
        let Some((best, shortest)) = timed.iter().min_by(|a, b| a.1.median_ns.total_cmp(&b.1.median_ns)) else {
            return Vec::new();
        };
        let ratio = |side: usize, timing: &Timing| {
            let known = self.pairs.iter().find_map(|(index, pair)| {
                let (of, ratio) = (matches[index], pair.ratio);
                if (of.baseline, of.side) == (*best, side) {
                    return Some(ratio);
                }
                ((of.side, of.baseline) == (*best, side)).then(|| ratio.recip())
            });
            known.unwrap_or_else(|| Ratio::of(shortest, timing))
        };
        let is_fastest = |side: usize, timing: &Timing| {
            let ratio = ratio(side, timing);
            let nearest = ratio.interval.map_or(ratio.value, |(_, high)| high);
            side == *best || nearest >= 1.0 / (1.0 + margin)
        };
        if timed.len() < 2 {
            return Vec::new();
        }
        timed.iter().filter(|(side, timing)| is_fastest(*side, timing)).map(|(side, _)| *side).collect()
    }

    pub(super) fn find_nearest_to_ceiling(&self, margin: f64) -> Vec<usize> {
        let shares: Vec<(usize, f64)> =
            self.entries.iter().filter_map(|(side, entry)| Some((side, entry.share?))).collect();
        let best = shares.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        if shares.len() < 2 {
            return Vec::new();
        }
        shares.iter().filter(|(_, share)| *share >= best / (1.0 + margin)).map(|(side, _)| *side).collect()
    }
}
