//! Levels of the memory hierarchy, from the latency of dependent loads by working set.

use super::finding::{Draft, Finding};
use super::query::of;
use crate::families::cache_curve::{cycle, steps};
use crate::results::Record;
use crate::suite::{Extent, binary_size};

/// A level of the memory hierarchy, as inferred from a latency curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The smallest working set that lies in this level alone, in bytes.
    pub least_bytes: u64,
    /// The largest working set that lies in this level, in bytes.
    pub bytes: u64,
    /// Latency of a dependent load there.
    pub latency_ns: f64,
}

/// The largest relative distance of a level's latencies from their median.
const FLAT: f64 = 0.15;

/// The levels of a curve of (working set in bytes, latency in ns).
///
/// A plateau is a run of working sets within 15 % of their median, the last at least twice the first. Sets between two
/// plateaus lie partly in both caches and belong to neither. Later plateaus and single sets with a level's latency
/// belong to that level. A drop belongs to the level before, since a larger set is not faster except by chance.
#[must_use]
pub fn knees(curve: &[(u64, f64)]) -> Vec<Level> {
    let mut curve = curve.to_vec();
    curve.sort_by_key(|point| point.0);
    let median = |run: &[(u64, f64)]| {
        let mut latencies: Vec<f64> = run.iter().map(|point| point.1).collect();
        latencies.sort_by(f64::total_cmp);
        (latencies[(latencies.len() - 1) / 2] + latencies[latencies.len() / 2]) / 2.0
    };
    let is_flat = |run: &[(u64, f64)]| {
        let middle = median(run);
        run.iter().all(|point| (point.1 / middle - 1.0).abs() <= FLAT)
    };
    let mut levels: Vec<Level> = Vec::new();
    let mut first = 0;
    while first < curve.len() {
        let mut end = first + 1;
        while end < curve.len() && is_flat(&curve[first..=end]) {
            end += 1;
        }
        let run = &curve[first..end];
        let (least_bytes, bytes) = (run[0].0, run[run.len() - 1].0);
        if bytes < 2 * least_bytes {
            // Either as fast as the level before, whose plateau ended because its first sets were faster than its last;
            // or between two levels, and the next set may start one.
            if let Some(level) = levels.last_mut().filter(|level| (run[0].1 / level.latency_ns - 1.0).abs() <= FLAT) {
                level.bytes = run[0].0;
            }
            first += 1;
            continue;
        }
        let latency_ns = median(run);
        match levels.last_mut() {
            Some(level) if latency_ns <= level.latency_ns * (1.0 + FLAT) => level.bytes = bytes,
            _ => levels.push(Level { least_bytes, bytes, latency_ns }),
        }
        first = end;
    }
    levels
}

/// From this working set on the last level is memory: no device has a cache as large.
const SURELY_MEMORY: u64 = 1 << 28;

/// Rows of a benchmark with their sizes.
fn sized<'a>(rows: &[&'a Record], benchmark: &str) -> impl Iterator<Item = (u64, &'a Record)> {
    of(rows, benchmark).filter_map(|row| Some((row.n.map(Extent::count)?, row)))
}

/// Working sets in bytes and the latency of a load from each, in ns.
#[must_use]
pub fn curve(rows: &[&Record]) -> Vec<(u64, f64)> {
    sized(rows, "latency")
        .filter_map(|(n, row)| Some((4 * cycle(n).words(), row.median_ns? / steps(cycle(n)) as f64)))
        .collect()
}

/// The levels that the rows of one device show, by name: `L1`, `L2` …, `memory`, and `L3 or memory` for a last one
/// whose end was not measured.
#[must_use]
pub fn levels(rows: &[&Record]) -> Vec<(String, Level)> {
    let curve = curve(rows);
    let largest = curve.iter().map(|point| point.0).max().unwrap_or(0);
    let name = |(index, level): (usize, Level)| {
        let name = match level.bytes {
            bytes if bytes < largest => format!("L{}", index + 1),
            bytes if bytes >= SURELY_MEMORY => "memory".to_owned(),
            _ => format!("L{} or memory", index + 1),
        };
        (name, level)
    };
    knees(&curve).into_iter().enumerate().map(name).collect()
}

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let curve = curve(rows);
    let levels = levels(rows);
    let largest = curve.iter().map(|point| point.0).max()?;
    let mut draft = Draft::default();
    let mut parts = Vec::new();
    let mut above = 0;
    for (name, level) in &levels {
        // Working sets within this level alone: those between two levels belong to neither.
        let fastest = sized(rows, "bandwidth")
            .filter(|(n, _)| (level.least_bytes..=level.bytes).contains(&(4 * n)))
            .filter_map(|(_, row)| row.gb_per_s)
            .max_by(f64::total_cmp);
        let latency = draft.latency(format!("{name} latency"), level.latency_ns);
        let bandwidth = fastest.map_or_else(String::new, |rate| {
            format!(" and up to {}", draft.gb_per_s(format!("{name} bandwidth"), rate))
        });
        let bytes = draft.bytes(format!("{name} size"), level.bytes);
        parts.push(match level.bytes {
            size if size < largest => format!("{name} up to {bytes} at {latency}{bandwidth}"),
            size if size >= SURELY_MEMORY => format!("{name} at {latency}{bandwidth}"),
            _ => format!("{name} at {latency}{bandwidth} (still the same at {bytes}, the largest measured)"),
        });
        above = level.bytes;
    }
    if parts.is_empty() {
        return None;
    }
    // A single last set is no plateau, but shows that another level follows.
    let last = curve.iter().find(|point| point.0 == largest && point.0 > above);
    parts.extend(last.map(|(bytes, ns)| format!("then {ns:.1} ns at {}", binary_size(*bytes))));
    draft.finish(&[format!("Dependent loads and bulk reads show {}.", parts.join(", "))])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets of 4 KiB and on, each twice the one before, with these latencies.
    fn curve(latencies: &[f64]) -> Vec<(u64, f64)> {
        latencies.iter().enumerate().map(|(power, &latency)| (4096 << power, latency)).collect()
    }

    fn level(least_bytes: u64, bytes: u64, latency_ns: f64) -> Level {
        Level { least_bytes, bytes, latency_ns }
    }

    #[test]
    fn two_levels_are_seen() {
        let knees = knees(&curve(&[20.0, 20.0, 20.0, 20.0, 300.0, 300.0, 300.0]));
        assert_eq!(knees, [level(4 << 10, 32 << 10, 20.0), level(64 << 10, 256 << 10, 300.0)]);
    }

    #[test]
    fn three_levels_with_noise_and_sets_between_them_are_seen() {
        let noisy = [17.0, 17.4, 16.8, 17.2, 60.0, 140.0, 149.0, 137.0, 143.0, 230.0, 410.0, 560.0, 541.0, 590.0];
        let mut backwards = curve(&noisy);
        backwards.reverse();
        for curve in [curve(&noisy), backwards] {
            let knees = knees(&curve);
            assert_eq!(
                knees,
                [level(4 << 10, 32 << 10, 17.1), level(128 << 10, 1 << 20, 141.5), level(8 << 20, 32 << 20, 560.0)]
            );
        }
    }

    #[test]
    fn an_outlier_parts_no_level_and_a_drop_starts_none() {
        // Like the DRAM of an H200: the first sets, some of whose lines are still cached, end the plateau early; the
        // last ones are as slow.
        let rising = knees(&curve(&[20.0, 20.0, 20.0, 77.0, 88.0, 99.0, 98.0]));
        assert_eq!(rising.len(), 2, "{rising:?}");
        assert_eq!(rising[1].bytes, 256 << 10);
        let with_outlier = knees(&curve(&[20.0, 20.5, 31.0, 20.0, 20.2, 300.0, 310.0]));
        assert_eq!(with_outlier.len(), 2);
        assert_eq!(with_outlier[0].bytes, 64 << 10);
        assert_eq!(knees(&curve(&[20.0, 20.0, 15.0, 15.0])), [level(4 << 10, 32 << 10, 20.0)]);
    }

    /// Half steps through a cache that fills up are similar to their neighbours but no level. From an H200, from 8 MiB
    /// on.
    #[test]
    fn a_slope_is_no_level() {
        let latencies = [149.5, 151.0, 152.0, 174.0, 222.0, 271.0, 321.0, 345.0, 345.2, 345.4, 345.4];
        let sets = (0..11).map(|step: u32| (if step.is_multiple_of(2) { 2 << 22 } else { 3 << 22 }) << (step / 2));
        let knees = knees(&sets.zip(latencies).collect::<Vec<(u64, f64)>>());
        assert_eq!(knees, [level(8 << 20, 24 << 20, 151.5), level(64 << 20, 256 << 20, 345.2)]);
    }

    #[test]
    fn few_points_show_nothing() {
        assert_eq!(knees(&[]), []);
        assert_eq!(knees(&curve(&[20.0])), []);
        assert_eq!(knees(&curve(&[20.0, 40.0, 80.0])), []);
    }

    #[test]
    fn the_finding_names_the_levels() {
        let row = |benchmark: &str, n: u64, ns: f64, gb_per_s: f64| Record {
            benchmark: benchmark.to_owned(),
            n: Some(Extent::Linear(n)),
            median_ns: Some(ns),
            gb_per_s: Some(gb_per_s),
            ..Record::default()
        };
        let sets =
            [(1 << 10, 20.0), (1 << 12, 20.0), (1 << 14, 200.0), (1 << 16, 200.0), (1 << 26, 600.0), (1 << 27, 600.0)];
        let mut rows: Vec<Record> =
            sets.iter().map(|&(n, ns)| row("latency", n, ns * steps(cycle(n)) as f64, 0.1)).collect();
        rows.push(row("bandwidth", 1 << 12, 1.0, 9000.0));
        let rows: Vec<&Record> = rows.iter().collect();
        assert_eq!(
            find(&rows).expect("levels").text,
            "Dependent loads and bulk reads show L1 up to 16 KiB at 20.0 ns and up to 9.000 TB/s, L2 up to 256 KiB at \
             200.0 ns, memory at 600.0 ns."
        );
    }
}
