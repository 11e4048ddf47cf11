//! Measured peaks of a device.

use record::claim::{byte_rate, flop_rate, time};
use record::stats::Estimate;
use record::suite::{Limit, Scalar};
use record::{Bound, Record, Status, times::POSSIBLE};

/// A measured peak.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// The limited resource.
    pub limit: Limit,
    /// Scalar type of the arithmetic, if the limit depends on it.
    pub scalar: Option<Scalar>,
    /// Working set of the measurement in bytes; for memory limits, the largest one.
    pub bytes: Option<u64>,
    /// 10^9 bytes per second.
    pub gb_per_s: Option<Estimate>,
    /// 10^9 operations per second.
    pub gflop_per_s: Option<Estimate>,
    /// 10^9 operations per second of the card's fastest kernel through any API: this rate or a higher one.
    pub roof: Option<f64>,
    /// Time of an empty launch in nanoseconds.
    pub ns: Option<Estimate>,
}

/// Possible rates in GB/s and GFLOP/s; others are errors in the report.
const RATES: std::ops::RangeInclusive<f64> = 1e-9..=1e12;

/// The peaks in rows of the family `ceiling`: of memory at the largest working set, where caches help least.
#[must_use]
pub fn peaks(rows: &[&Record]) -> Vec<Peak> {
    peak_rows(rows).into_iter().map(|(peak, _)| peak).collect()
}

/// The peaks, each with its row.
pub(crate) fn peak_rows<'a>(rows: &[&'a Record]) -> Vec<(Peak, &'a Record)> {
    let mut best: Vec<(Bound, &Record, f64)> = Vec::new();
    for row in rows.iter().copied().filter(|row| row.family == "ceiling" && row.status == Status::Ok) {
        let Some(share) = row.share.filter(|share| *share > 0.0) else { continue };
        let Some(bound) = row.ceiling else { continue };
        // Memory limits at different working sets are one limit.
        let bound = Bound { working_set: None, is_cached: false, ..bound };
        let size = if bound.limit.is_memory() { row.bytes.unwrap_or(0) as f64 } else { 0.0 };
        match best.iter_mut().find(|(known, ..)| *known == bound) {
            // The row with the largest share set the ceiling: by its rate or, in schema 1, by its fastest sample.
            Some(known) if (size, share) > (known.2, known.1.share.unwrap_or(0.0)) => *known = (bound, row, size),
            Some(_) => {}
            None => best.push((bound, row, size)),
        }
    }
    let peak = |(bound, row, size): (Bound, &'a Record, f64)| {
        // A row without an interval, from an older report, counts as exact.
        let exact = |value: f64| Estimate { value, low: value, high: value };
        let possible = |rate: Option<f64>, noisy: Option<Estimate>| {
            rate.filter(|rate| RATES.contains(rate)).map(|rate| noisy.unwrap_or_else(|| exact(rate)))
        };
        let peak = Peak {
            limit: bound.limit,
            scalar: bound.scalar,
            bytes: (size > 0.0).then_some(size as u64),
            gb_per_s: possible(row.gb_per_s, byte_rate(row)),
            gflop_per_s: possible(row.gflop_per_s, flop_rate(row)),
            roof: row.gflop_per_s.zip(row.share).map(|(rate, share)| rate / share).filter(|rate| RATES.contains(rate)),
            ns: row
                .median_ns
                .filter(|ns| bound.limit == Limit::Launch && POSSIBLE.contains(ns))
                .map(|ns| time(row).unwrap_or_else(|| exact(ns))),
        };
        (peak, row)
    };
    best.into_iter().map(peak).collect()
}
