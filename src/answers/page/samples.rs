//! The spread of samples, for reports that contain samples (JSON).

use std::collections::HashMap;

use serde::Serialize;

use super::figure::Figure;
use crate::answers::compare::{CaseComparison, Comparison, Entry, Report};
use crate::record::{Record, times::POSSIBLE};

/// Maximum number of series per side; those with the largest spread are chosen.
const MOST_SERIES: usize = 16;
/// Maximum number of samples per series. They are evenly spaced in sorted order and include the first and the last.
const MOST_SAMPLES: usize = 61;

/// Copies samples to rows that have none, from the same row in another report: the CSV of a run has no samples, its
/// JSON report has them.
pub fn share_samples(reports: &mut [Report]) {
    let mut known: HashMap<(Vec<String>, Option<u64>), Vec<f64>> = HashMap::new();
    let key = |record: &Record| (record.identity(), record.median_ns.map(f64::to_bits));
    for record in reports.iter().flat_map(|report| &report.records).filter(|record| !record.all_samples_ns.is_empty()) {
        known.insert(key(record), record.all_samples_ns.clone());
    }
    if known.is_empty() {
        return;
    }
    for record in
        reports.iter_mut().flat_map(|report| &mut report.records).filter(|record| record.all_samples_ns.is_empty())
    {
        if let Some(samples) = known.get(&key(record)) {
            record.all_samples_ns.clone_from(samples);
        }
    }
}

/// A series of samples.
#[derive(Serialize)]
pub(super) struct Series {
    /// Index of the case.
    case: usize,
    /// Number of samples taken.
    count: usize,
    /// Samples ÷ median, sorted.
    relative: Vec<Option<Figure>>,
}

/// The series of a side with the largest spread, largest first.
pub(super) fn widest(comparison: &Comparison, side: usize) -> Vec<Series> {
    let of_case = |(index, _, entry): (usize, &CaseComparison, &Entry)| {
        let possible = |record: &&Record| -> Vec<f64> {
            record.all_samples_ns.iter().copied().filter(|ns| POSSIBLE.contains(ns)).collect()
        };
        let mut sorted = entry.records.iter().map(possible).find(|samples| samples.len() > 1)?;
        sorted.sort_by(f64::total_cmp);
        entry.timing.map(|_| (index, sorted))
    };
    let mut all: Vec<(usize, Vec<f64>)> = comparison.on_side(side).filter_map(of_case).collect();
    all.sort_by(|a, b| spread(&b.1).total_cmp(&spread(&a.1)));
    all.truncate(MOST_SERIES);
    all.into_iter().map(|(case, sorted)| series(case, &sorted)).collect()
}

/// Width of the middle 80 % of the sorted samples, relative to the median.
fn spread(sorted: &[f64]) -> f64 {
    let at = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
    (at(0.9) - at(0.1)) / at(0.5)
}

fn series(case: usize, sorted: &[f64]) -> Series {
    let median = crate::record::stats::median(sorted).unwrap_or(1.0);
    let shown = sorted.len().min(MOST_SAMPLES);
    let at = |number: usize| (number * (sorted.len() - 1)) / (shown - 1).max(1);
    let relative = (0..shown).map(|number| Figure::new(sorted[at(number)] / median, 5)).collect();
    Series { case, count: sorted.len(), relative }
}
