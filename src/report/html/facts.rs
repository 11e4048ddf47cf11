//! Measured limits and caches of a device.

use serde::Serialize;

use super::Level;
use super::figure::Figure;
use crate::results::{Record, Status};

/// A measured limit of a side.
#[derive(Serialize)]
pub(super) struct Ceiling {
    /// `copy`, `read`, `fill`, `fma f32`, `tensor`, `workgroup`, `launch`.
    limit: String,
    /// Bytes of the working set that it was measured with; of a memory limit the largest one.
    bytes: Option<u64>,
    gb_per_s: Option<Figure>,
    gflop_per_s: Option<Figure>,
    /// Time of the cheapest launch.
    ns: Option<Figure>,
}

/// The limits that the rows of family `ceiling` give; of memory's the one at the largest working set, where caches help
/// the least.
pub(super) fn ceilings(rows: &[&Record]) -> Vec<Ceiling> {
    let mut best: Vec<(String, &Record, f64)> = Vec::new();
    for row in rows.iter().filter(|row| row.family == "ceiling" && row.status == Status::Ok) {
        let Some(share) = row.share.filter(|share| *share > 0.0) else { continue };
        let limit = limit(&row.ceiling);
        let size = if is_memory(&limit) { row.bytes.unwrap_or(0) as f64 } else { 0.0 };
        match best.iter_mut().find(|(known, ..)| *known == limit) {
            // Rows of one ceiling agree on it, up to rounding: the row nearest to it rounds least.
            Some(known) if (size, share) > (known.2, known.1.share.unwrap_or(0.0)) => *known = (limit, row, size),
            Some(_) => {}
            None => best.push((limit, row, size)),
        }
    }
    let ceiling = |(limit, row, size): (String, &Record, f64)| {
        let at_ceiling = |rate: Option<f64>| Figure::new(rate? / row.share?, 4);
        let is_launch = limit == "launch";
        Ceiling {
            bytes: (size > 0.0).then_some(size as u64),
            gb_per_s: at_ceiling(row.gb_per_s),
            gflop_per_s: at_ceiling(row.gflop_per_s),
            ns: row.median_ns.zip(row.share).filter(|_| is_launch).and_then(|(ns, share)| Figure::new(ns * share, 4)),
            limit,
        }
    };
    best.into_iter().map(ceiling).collect()
}

fn is_memory(limit: &str) -> bool {
    ["copy", "read", "fill"].contains(&limit)
}

/// `copy` for `copy 512 MiB hot`, `fma f32` unchanged.
fn limit(ceiling: &str) -> String {
    let first = ceiling.split(' ').next().unwrap_or_default();
    if is_memory(first) { first.to_owned() } else { ceiling.to_owned() }
}

/// Latency of a dependent load by working set in bytes, from rows of `cache_curve/latency`: words of 4 bytes.
fn latencies(rows: &[&Record]) -> Vec<(u64, f64)> {
    let is_curve = |row: &&&Record| row.family == "cache_curve" && row.benchmark == "latency";
    let point = |row: &&Record| Some((row.n.parse::<u64>().ok()?.checked_mul(4)?, row.load_ns()?));
    rows.iter().filter(is_curve).filter_map(point).collect()
}

/// A level of memory on a side.
#[derive(Serialize)]
pub(super) struct Plateau {
    /// `L1`, `memory`, or `L2 or memory` where the curve ends too early to tell.
    name: String,
    /// The largest working set that fits, in bytes; `None` where the curve ends before it does.
    bytes: Option<u64>,
    latency_ns: Option<Figure>,
}

/// From this working set on the last level is memory: no device today has a cache as large.
const SURELY_MEMORY: u64 = 1 << 28;

/// The side's levels of memory.
pub(super) fn levels(rows: &[&Record], find: fn(&[(u64, f64)]) -> Vec<Level>) -> Vec<Plateau> {
    let curve = latencies(rows);
    let largest = curve.iter().map(|point| point.0).max().unwrap_or(0);
    let plateau = |(index, level): (usize, Level)| Plateau {
        name: match level.bytes {
            bytes if bytes < largest => format!("L{}", index + 1),
            bytes if bytes >= SURELY_MEMORY => "memory".to_owned(),
            _ => format!("L{} or memory", index + 1),
        },
        bytes: (level.bytes < largest).then_some(level.bytes),
        latency_ns: Figure::new((level.latency_ns * 10.0).round() / 10.0, 6),
    };
    find(&curve).into_iter().enumerate().map(plateau).collect()
}
