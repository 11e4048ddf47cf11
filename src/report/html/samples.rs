//! How samples scatter, where a JSON report has them.

use std::collections::HashMap;

use serde::Serialize;

use super::figure::Figure;
use crate::results::Record;
use crate::results::compare::{Case, Report};

/// How many series a side shows at most: those that scatter the most.
const MOST_SERIES: usize = 16;
/// How many samples of a series are shown at most: evenly spaced of the sorted ones, the first and the last among them.
const MOST_SAMPLES: usize = 61;

/// Gives rows without samples those of the same row in another report: a run's CSV has none, and its JSON report has.
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
    /// How many samples were taken.
    count: usize,
    /// Samples over their median, sorted.
    relative: Vec<Option<Figure>>,
}

/// The series of a side that scatter the most, the widest first.
pub(super) fn widest(cases: &[Case], side: usize) -> Vec<Series> {
    let of_case = |(index, case): (usize, &Case)| {
        let entry = case.entries[side].as_ref()?;
        let samples = entry.records.iter().map(|record| &record.all_samples_ns).find(|samples| samples.len() > 1)?;
        let mut sorted = samples.clone();
        sorted.sort_by(f64::total_cmp);
        entry.timing.map(|_| (index, sorted))
    };
    let mut all: Vec<(usize, Vec<f64>)> = cases.iter().enumerate().filter_map(of_case).collect();
    all.sort_by(|a, b| spread(&b.1).total_cmp(&spread(&a.1)));
    all.truncate(MOST_SERIES);
    all.into_iter().map(|(case, sorted)| series(case, &sorted)).collect()
}

/// The middle 80 % of sorted samples, relative to their median.
fn spread(sorted: &[f64]) -> f64 {
    let at = |part: f64| sorted[((sorted.len() - 1) as f64 * part).round() as usize];
    (at(0.9) - at(0.1)) / at(0.5)
}

fn series(case: usize, sorted: &[f64]) -> Series {
    let median = crate::results::stats::median(sorted).unwrap_or(1.0);
    let shown = sorted.len().min(MOST_SAMPLES);
    let at = |number: usize| (number * (sorted.len() - 1)) / (shown - 1).max(1);
    let relative = (0..shown).map(|number| Figure::new(sorted[at(number)] / median, 5)).collect();
    Series { case, count: sorted.len(), relative }
}
