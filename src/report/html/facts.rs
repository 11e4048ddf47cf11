//! Measured limits and cache levels of a device.

use serde::Serialize;

use super::figure::Figure;
use crate::results::estimate::POSSIBLE;
use crate::results::findings::cache_curve::{self, Level};
use crate::results::{Bound, Record, Status};
use crate::suite::{Limit, Scalar};

/// A measured limit of a side.
#[derive(Serialize)]
pub(super) struct Ceiling {
    /// `copy`, `read`, `fill`, `fma`, `tensor`, `workgroup`, `launch`.
    limit: &'static str,
    /// Scalar type, for arithmetic limits.
    scalar: Option<&'static str>,
    /// Working set of the measurement in bytes; for memory limits the largest one.
    bytes: Option<u64>,
    gb_per_s: Option<Figure>,
    gflop_per_s: Option<Figure>,
    /// Time of an empty launch.
    ns: Option<Figure>,
}

/// Possible rates in GB/s and GFLOP/s; others are errors in the report.
const RATES: std::ops::RangeInclusive<f64> = 1e-9..=1e12;

/// Limits from the rows of family `ceiling`. Memory limits are taken at the largest working set, where caches help
/// least.
pub(super) fn ceilings(rows: &[&Record]) -> Vec<Ceiling> {
    let mut best: Vec<(Bound, &Record, f64)> = Vec::new();
    for row in rows.iter().filter(|row| row.family == "ceiling" && row.status == Status::Ok) {
        let Some(share) = row.share.filter(|share| *share > 0.0) else { continue };
        let Some(bound) = row.ceiling else { continue };
        // Memory limits at different working sets count as one limit.
        let bound = Bound { working_set: None, is_cached: false, ..bound };
        let size = if bound.limit.is_memory() { row.bytes.unwrap_or(0) as f64 } else { 0.0 };
        match best.iter_mut().find(|(known, ..)| *known == bound) {
            // Rows of one ceiling agree up to rounding. The row with the largest share has the smallest rounding error.
            Some(known) if (size, share) > (known.2, known.1.share.unwrap_or(0.0)) => *known = (bound, row, size),
            Some(_) => {}
            None => best.push((bound, row, size)),
        }
    }
    let ceiling = |(bound, row, size): (Bound, &Record, f64)| {
        let at_ceiling =
            |rate: Option<f64>| Figure::new(Some(rate? / row.share?).filter(|rate| RATES.contains(rate))?, 4);
        let is_launch = bound.limit == Limit::Launch;
        Ceiling {
            bytes: (size > 0.0).then_some(size as u64),
            gb_per_s: at_ceiling(row.gb_per_s),
            gflop_per_s: at_ceiling(row.gflop_per_s),
            ns: row
                .median_ns
                .zip(row.share)
                .filter(|_| is_launch)
                .and_then(|(ns, share)| Figure::new(Some(ns * share).filter(|ns| POSSIBLE.contains(ns))?, 4)),
            limit: bound.limit.name(),
            scalar: bound.scalar.map(Scalar::name),
        }
    };
    best.into_iter().map(ceiling).collect()
}

/// A cache level, or DRAM.
#[derive(Serialize)]
pub(super) struct Plateau {
    /// `L1`, `DRAM`, or `level 2 or DRAM` if the curve is too short to tell.
    name: String,
    /// The largest working set that surely fits, in bytes; `None` for the last level.
    at_least: Option<u64>,
    /// The smallest working set that surely does not fit, in bytes.
    at_most: Option<u64>,
    latency_ns: Option<Figure>,
}

/// The side's cache levels and DRAM.
pub(super) fn levels(rows: &[&Record]) -> Vec<Plateau> {
    let family: Vec<&Record> = rows.iter().copied().filter(|row| row.family == "cache_curve").collect();
    let plateau = |(name, level): (String, Level)| Plateau {
        name,
        at_least: level.size().map(|(at_least, _)| at_least),
        at_most: level.size().map(|(_, at_most)| at_most),
        latency_ns: level.latency_ns().and_then(|ns| Figure::new(ns, 6)),
    };
    cache_curve::levels(&family).into_iter().map(plateau).collect()
}
