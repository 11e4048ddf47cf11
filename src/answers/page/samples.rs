//! Epochs and samples in time order. Only JSON reports have samples.

use std::collections::HashMap;

use serde::Serialize;

use super::cases::Ranges;
use super::figure::Figure;
use crate::answers::compare::{Comparison, Report};
use crate::record::{Record, times::POSSIBLE};

/// Maximum number of rows with epochs on the page. Those of one report fit.
const MOST_ROWS: usize = 4000;
/// Maximum number of rows with samples per side.
const MOST_SERIES: usize = 16;
/// Maximum number of samples of a row.
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

/// Epochs and samples of a side's rows, in time order.
#[derive(Default, Serialize)]
pub(super) struct Epochs {
    /// Indices of the cases.
    case: Ranges,
    /// Distance of each epoch's median from the row's, in units of 1/10,000.
    distance: Vec<Vec<Option<Figure>>>,
    /// Rows with samples: row, number of samples taken, samples ÷ median.
    samples: Vec<(usize, usize, Vec<Option<Figure>>)>,
}

impl Epochs {
    /// The epochs of a side: of every row if the page has the room, else of those that vary the most.
    pub(super) fn of(comparison: &Comparison, side: usize) -> Self {
        let mut all: Vec<(usize, f64, &Record)> = comparison
            .on_side(side)
            .filter_map(|(index, _, entry)| {
                let record = entry.records.iter().copied().find(|record| has_epochs(record))?;
                Some((index, entry.timing?.median_ns, record))
            })
            .collect();
        let widest_first = |a: &(usize, f64, &Record), b: &(usize, f64, &Record)| spread(b.2).total_cmp(&spread(a.2));
        all.sort_by(widest_first);
        all.truncate(MOST_ROWS / comparison.sides.len().max(1));
        let sampled = all.iter().filter(|(.., record)| samples(record).len() > 1);
        let sampled: Vec<usize> = sampled.map(|(index, ..)| *index).take(MOST_SERIES).collect();
        all.sort_by_key(|(index, ..)| *index);
        let mut epochs = Self::default();
        for (row, (index, median, record)) in all.into_iter().enumerate() {
            epochs.case.push(index);
            epochs.distance.push(record.epochs_ns.iter().map(|ns| distance(*ns, median)).collect());
            if sampled.contains(&index) {
                let samples = samples(record);
                let relative = evenly(&samples).map(|ns| Figure::new(ns / median, 5)).collect();
                epochs.samples.push((row, samples.len(), relative));
            }
        }
        epochs
    }
}

fn has_epochs(record: &Record) -> bool {
    record.epochs_ns.len() > 1 && record.epochs_ns.iter().all(|ns| POSSIBLE.contains(ns))
}

/// Signed distance of an epoch from the median, in units of 1/10,000.
fn distance(ns: f64, median: f64) -> Option<Figure> {
    Figure::new(((ns / median - 1.0) * 1e4).round(), 5)
}

/// Possible samples in time order.
fn samples(record: &Record) -> Vec<f64> {
    record.all_samples_ns.iter().copied().filter(|ns| POSSIBLE.contains(ns)).collect()
}

/// The slowest epoch ÷ the fastest.
fn spread(record: &Record) -> f64 {
    let (low, high) =
        record.epochs_ns.iter().fold((f64::MAX, 0.0_f64), |(low, high), ns| (low.min(*ns), high.max(*ns)));
    high / low
}

/// At most [`MOST_SAMPLES`] of the samples, evenly spaced, with the first and the last.
fn evenly(samples: &[f64]) -> impl Iterator<Item = f64> {
    let shown = samples.len().min(MOST_SAMPLES);
    (0..shown).map(move |number| samples[(number * (samples.len() - 1)) / (shown - 1).max(1)])
}
