//! Measured limits and cache levels of a device.

use serde::Serialize;

use super::figure::Figure;
use crate::summary::figures::{Peak, peaks};
use crate::summary::{operations, quoted_rate, quoted_time};
use kernels::cache_curve::claims as cache_curve;
use kernels::cache_curve::claims::Level;
use record::suite::Scalar;
use record::{Record, stats::Estimate};

#[derive(Serialize)]
pub(super) struct Ceiling {
    /// `copy`, `read`, `fill`, `fma`, `tensor`, `workgroup`, `launch`.
    limit: &'static str,
    /// Scalar type, for arithmetic limits.
    scalar: Option<&'static str>,
    /// Working set of the measurement in bytes; for memory limits, the largest one.
    bytes: Option<u64>,
    gb_per_s: Option<Figure>,
    gflop_per_s: Option<Figure>,
    /// The rate of the card's fastest kernel, as a number and as the summary quotes it.
    roof: Option<(Figure, String)>,
    /// Time of an empty launch.
    ns: Option<Figure>,
    /// The rate or time as the summary quotes it; `null` if it is too noisy.
    text: Option<String>,
}

pub(super) fn ceilings(rows: &[&Record]) -> Vec<Ceiling> {
    let figure = |peak: Option<Estimate>| Figure::new(peak?.value, 5);
    let text = |peak: &Peak| match (peak.gb_per_s, peak.gflop_per_s, peak.ns) {
        (Some(rate), ..) => quoted_rate(rate),
        (_, Some(rate), _) => operations(peak, rate),
        (.., ns) => ns.and_then(quoted_time),
    };
    let roof = |peak: &Peak| {
        let value = peak.roof?;
        Some((Figure::new(value, 5)?, operations(peak, Estimate { value, low: value, high: value })?))
    };
    let ceiling = |peak: Peak| Ceiling {
        roof: roof(&peak),
        text: text(&peak),
        limit: peak.limit.name(),
        scalar: peak.scalar.map(Scalar::name),
        bytes: peak.bytes,
        gb_per_s: figure(peak.gb_per_s),
        gflop_per_s: figure(peak.gflop_per_s),
        ns: figure(peak.ns),
    };
    peaks(rows).into_iter().map(ceiling).collect()
}

/// A cache level, or DRAM.
#[derive(Serialize)]
pub(super) struct Plateau {
    /// `L1`, `DRAM`, or `level 2 or DRAM` if the curve is too short to decide.
    name: String,
    /// The largest working set that certainly fits, in bytes; `None` for the last level.
    at_least: Option<u64>,
    /// The smallest working set that certainly does not fit, in bytes.
    at_most: Option<u64>,
    latency_ns: Option<Figure>,
    /// The smallest and the largest working set well inside the level; `None` if none certainly is.
    inside: Option<[u64; 2]>,
    /// The read rate.
    gb_per_s: Option<Figure>,
    /// The read rate as the summary quotes it; `null` if it is too noisy.
    text: Option<String>,
}

pub(super) fn levels(rows: &[&Record]) -> Vec<Plateau> {
    let family: Vec<&Record> = rows.iter().copied().filter(|row| row.family == "cache_curve").collect();
    let rates = cache_curve::level_bandwidths(&family);
    let rate_of = |name: &str| rates.iter().find(|(of, _)| of == name).map(|(_, rate)| *rate);
    let plateau = |(name, level): (String, Level)| Plateau {
        gb_per_s: rate_of(&name).and_then(|rate| Figure::new(rate.value, 5)),
        text: rate_of(&name).and_then(quoted_rate),
        inside: level.inside(),
        name,
        at_least: level.size().map(|(at_least, _)| at_least),
        at_most: level.size().map(|(_, at_most)| at_most),
        latency_ns: level.latency_ns().and_then(|ns| Figure::new(ns, 6)),
    };
    cache_curve::levels(&family).into_iter().map(plateau).collect()
}
