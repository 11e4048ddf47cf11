//! `cache_curve`: latency and bandwidth of reading over growing working sets, and the caches that their steps betray.
//!
//! A working set is the largest power of two, or for latencies three times one, that the case's size holds. One launch walks at most
//! `MOST_STEPS` lines, 32 MiB of them, since no launch may take too long; the next goes on where it stopped, so that a larger set is
//! covered by several launches and no launch finds in a cache what the one before it left there. A set is covered once within the harness's warm-up up to some
//! 128 MiB; in a larger one some lines are touched for the first time in a sample, which a device whose caches hold such a set would
//! show as a latency too high, never as one too low.
//!
//! A load by a 32-bit index waits for the arithmetic that makes an address of it, too. In L1 of an H200, at 1980 MHz, a step takes 32
//! cycles by stored addresses (`memory_spaces/pointer_latency`; 34 by gpu-benches), 40 by index in the CUDA twin, and 48 through Vulkan.

use std::sync::OnceLock;

use crate::results::Record;
use crate::suite::Interface;
use crate::suite::cycle::Cycle;
use crate::suite::input::Values;
use crate::suite::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Oracle, Params, Profile, Shape, Step, Work,
    binary_size, each, gb_per_s, uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "cache_curve",
    summary: "latency and bandwidth of reading, by working set, and the caches inferred from them",
    model_text: "A staircase: latency is flat as long as the working set fits a level, and climbs to the next where \
        it does not. Plateaus within 15 % over a doubling of the set are levels; sets between two plateaus lie \
        partly in each.",
    is_by_kernel: true,
    tuned: &[],
    benchmarks: &[
        Benchmark {
            name: "latency",
            summary: "one invocation follows a random cycle through all 128-byte lines of the set",
            look_for: "The plateaus and where they end: cache sizes and their latencies, as the finding names them. \
                A rising end past the last cache is the address translation's.",
            limited_by: "By design nothing but the time of one load; above the largest cache, memory's row \
                activation and translation misses.",
            sources: &["B1"],
            wgsl: include_str!("../../shaders/cache_curve/latency.wgsl"),
            cuda: include_str!("../../shaders/cache_curve/latency.cu"),
            cases: &[
                Cases { from: Profile::Quick, dtypes: &[Dtype::U32], extents: QUICK, params: PLAIN },
                Cases { from: Profile::Standard, dtypes: &[Dtype::U32], extents: LATENCY_SETS, params: PLAIN },
            ],
            buffers: |shape, _| {
                let cycle = cycle(shape.count());
                vec![
                    Buffer { name: "cycle", scalars: cycle.words(), contents: Contents::Cycle(cycle) },
                    Buffer { name: "place", scalars: 4, contents: Contents::Words(vec![0; 4]) },
                    Buffer { name: "output", scalars: 4, contents: Contents::Poison },
                    uniform("sizes", &[cycle.places(), steps(cycle)]),
                ]
            },
            steps: |_, _| vec![Step::dispatch(1)],
            work: |shape| Work { bytes: 4 * steps(cycle(shape.count())), flops: 0 },
            check: Check {
                buffer: "output",
                scalars: |_, _| 1,
                // From whichever place a launch set out: the ranks of the last and the first differ by the steps between them.
                oracle: |shape, _| {
                    let cycle = cycle(shape.count());
                    each(move |_| (steps(cycle) % cycle.places()) as f64)
                },
            },
            ..BASE
        },
        Benchmark {
            name: "bandwidth",
            summary: "many invocations read the set over and over by fours",
            look_for: "Three levels again, in bytes a second: the ratio of neighbours says how often data must be \
                reused in the upper one. The knee lies earlier than latency's where each processor's cache holds a \
                copy of the whole set.",
            limited_by: "The level's own port: each processor's load unit, the crossbar to the shared cache, \
                memory's pins.",
            sources: &["B1"],
            wgsl: include_str!("../../shaders/cache_curve/bandwidth.wgsl"),
            cuda: include_str!("../../shaders/cache_curve/bandwidth.cu"),
            cases: &[
                Cases { from: Profile::Quick, dtypes: &[Dtype::Vec4F32], extents: QUICK, params: PLAIN },
                Cases { from: Profile::Standard, dtypes: &[Dtype::Vec4F32], extents: BANDWIDTH_SETS, params: PLAIN },
            ],
            buffers: |shape, interface| {
                let (elements, sums) = (elements(shape), sums(shape, interface));
                vec![
                    Buffer { name: "input", scalars: 4 * elements, contents: Contents::Input(Values::Summable) },
                    Buffer { name: "output", scalars: sums, contents: Contents::Poison },
                    uniform("sizes", &[elements - 1, sums]),
                ]
            },
            steps: |shape, interface| vec![Step::dispatch(groups(shape, u64::from(interface.invocations())))],
            // Of the declared workgroup of 256; another one reads as much but for the last workgroup.
            work: |shape| Work { bytes: groups(shape, 256) * 256 * ROUNDS * 16, flops: 0 },
            check: Check { buffer: "output", scalars: sums, oracle: sums_read },
            ..BASE
        },
    ],
    finding,
};

/// What the benchmarks here share. No measured limit binds them: they measure one.
const BASE: Benchmark = Benchmark {
    name: "",
    summary: "",
    look_for: "",
    limited_by: "",
    work_text: "",
    sources: &[],
    wgsl: "",
    cuda: "",
    only_cuda: None,
    small: None,
    cases: &[],
    buffers: |_, _| Vec::new(),
    steps: |_, _| Vec::new(),
    end_to_end: None,
    work: |_| Work { bytes: 0, flops: 0 },
    ceiling: None,
    sets_ceiling: false,
    tolerance: None,
    model: None,
    check: Check { buffer: "", scalars: |_, _| 0, oracle: |_, _| each(|_| f64::NAN) },
};

const PLAIN: &[Params] = &[&[]];

/// 4 KiB to 16 MiB.
const QUICK: &[Extent] = &powers::<7>(10, 2);
/// 4 KiB to 512 MiB: past the last cache of every device that has one worth the name.
const BANDWIDTH_SETS: &[Extent] = &powers::<18>(10, 1);
/// Up to 256 MiB, with the middles between them, so that a knee is found within a factor of 1.5.
const LATENCY_SETS: &[Extent] = &with_middles::<33>(10);

/// Sizes of 2^first words and on, each 2^step times the one before.
const fn powers<const N: usize>(first: u32, step: u32) -> [Extent; N] {
    let mut extents = [Extent::Linear(0); N];
    let mut place = 0;
    while place < N {
        extents[place] = Extent::Linear(1 << (first + step * place as u32));
        place += 1;
    }
    extents
}

/// Sizes of 2^first words and on, by turns 3/2 and 4/3 of the one before.
const fn with_middles<const N: usize>(first: u32) -> [Extent; N] {
    let mut extents = [Extent::Linear(0); N];
    let mut place = 0;
    while place < N {
        let power = 1 << (first + place as u32 / 2);
        extents[place] = Extent::Linear(if place % 2 == 0 { power } else { power / 2 * 3 });
        place += 1;
    }
    extents
}

/// Words of a line: 128 bytes, two lines of most CPUs, and what GPUs fetch for a whole subgroup.
const LINE: u64 = 32;
/// Enough to drown what launching costs.
const LEAST_STEPS: u64 = 1 << 16;
/// A quarter of a second at 1 µs each: more than one launch may take, were it not for this.
const MOST_STEPS: u64 = 1 << 18;
/// No whole round leads where it began: a walk that never set out would look like one that came round.
const SURPLUS: u64 = 16;

fn cycle(words: u64) -> Cycle {
    Cycle::new(words / LINE, LINE)
}

fn steps(cycle: Cycle) -> u64 {
    cycle.places().clamp(LEAST_STEPS, MOST_STEPS) + SURPLUS
}

/// Elements that an invocation of `bandwidth` reads, as its shader has it.
const ROUNDS: u64 = 64;
/// Enough invocations for every processor: 512 workgroups of 256.
const LEAST_INVOCATIONS: u64 = 1 << 17;

/// Elements of four scalars in the working set.
const fn elements(shape: &Shape) -> u64 {
    let elements = shape.count() / 4;
    if elements == 0 { 1 } else { 1 << elements.ilog2() }
}

fn groups(shape: &Shape, workgroup: u64) -> u64 {
    LEAST_INVOCATIONS.max(elements(shape) / ROUNDS).div_ceil(workgroup)
}

fn sums(shape: &Shape, interface: &Interface) -> u64 {
    let workgroup = u64::from(interface.invocations());
    groups(shape, workgroup) * workgroup
}

fn sums_read(shape: &Shape, interface: &Interface) -> Oracle {
    /// Elements up to which the sums of all invocations that differ are worth a table, which one thread fills.
    const FEW: u64 = 1 << 20;
    let (elements, workgroup) = (elements(shape), u64::from(interface.invocations()));
    let (scalar, span) = (shape.dtype.scalar(), ROUNDS * workgroup);
    let sum = move |i: u64| -> f64 {
        let first = i / workgroup * span + i % workgroup;
        let read = (0..ROUNDS).map(|k| (first + k * workgroup) % elements);
        read.flat_map(|at| 4 * at..4 * at + 4).map(|at| Values::Summable.at(scalar, at)).sum()
    };
    // Workgroups so far apart begin at the same element: elements / gcd(elements, span), the former a power of two.
    let period = workgroup * (elements >> elements.trailing_zeros().min(span.trailing_zeros()));
    let table = OnceLock::new();
    each(move |i| {
        if elements > FEW {
            return sum(i);
        }
        table.get_or_init(|| (0..period).map(sum).collect::<Vec<f64>>())[(i % period) as usize]
    })
}

/// A level of the memory hierarchy, as a curve of latencies shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The smallest working set that it alone held, in bytes.
    pub least_bytes: u64,
    /// The largest working set that it held, in bytes.
    pub bytes: u64,
    /// Latency of a dependent load there.
    pub latency_ns: f64,
}

/// How far the latencies of one level lie from their median at most.
const FLAT: f64 = 0.15;

/// The levels of a curve of (working set in bytes, latency in ns): plateaus, which are runs of working sets, the last at least twice the
/// first, that stay within 15 % of their median. Sets between two plateaus, which lie in part in the one cache and in part in the next, belong to
/// neither; plateaus and single sets of a level's latency behind it belong to it; a drop belongs to the level before, since a larger set cannot
/// be faster but by chance.
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
            // As fast as the level before, whose plateau ended because its first sets were faster than its last; or between two levels, and
            // the next set may begin one.
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

/// From this working set on the last level is memory: no device today has a cache as large.
const SURELY_MEMORY: u64 = 1 << 28;

/// Rows of a benchmark with their sizes.
fn sized<'a>(rows: &[&'a Record], benchmark: &'static str) -> impl Iterator<Item = (u64, &'a Record)> {
    rows.iter().filter(move |row| row.benchmark == benchmark).filter_map(|row| Some((row.n.parse::<u64>().ok()?, *row)))
}

/// Working sets in bytes and the latency of a load from each, in ns.
fn curve(rows: &[&Record]) -> Vec<(u64, f64)> {
    sized(rows, "latency")
        .filter_map(|(n, row)| Some((4 * cycle(n).words(), row.median_ns? / steps(cycle(n)) as f64)))
        .collect()
}

/// The levels that the rows of one device show, by name: `L1`, `L2` …, `memory`, and `L3 or memory` for a last one whose end was not seen.
#[must_use]
pub fn levels(rows: &[&Record]) -> Vec<(String, Level)> {
    let curve = curve(rows);
    let largest = curve.iter().map(|point| point.0).max().unwrap_or(0);
    let name = |(place, level): (usize, Level)| {
        let name = match level.bytes {
            bytes if bytes < largest => format!("L{}", place + 1),
            bytes if bytes >= SURELY_MEMORY => "memory".to_owned(),
            _ => format!("L{} or memory", place + 1),
        };
        (name, level)
    };
    knees(&curve).into_iter().enumerate().map(name).collect()
}

fn finding(rows: &[&Record]) -> Option<String> {
    let curve = curve(rows);
    let levels = levels(rows);
    let largest = curve.iter().map(|point| point.0).max()?;
    let mut text = Vec::new();
    let mut above = 0;
    for (name, level) in &levels {
        // The sets of this level alone: those between two levels are of neither.
        let fastest = sized(rows, "bandwidth")
            .filter(|(n, _)| (level.least_bytes..=level.bytes).contains(&(4 * n)))
            .filter_map(|(_, row)| row.gb_per_s)
            .max_by(f64::total_cmp);
        let bandwidth = fastest.map_or_else(String::new, |rate| format!(" and up to {}", gb_per_s(rate)));
        let figures = format!("at {:.1} ns{bandwidth}", level.latency_ns);
        text.push(match level.bytes {
            bytes if bytes < largest => format!("{name} up to {} {figures}", binary_size(bytes)),
            bytes if bytes >= SURELY_MEMORY => format!("{name} {figures}"),
            bytes => format!("{name} {figures} ({} and no end seen)", binary_size(bytes)),
        });
        above = level.bytes;
    }
    // A last set on its own is no plateau, but the reader sees that something follows.
    let last = curve.iter().find(|point| point.0 == largest && point.0 > above);
    text.extend(last.map(|(bytes, ns)| format!("then {ns:.1} ns at {}", binary_size(*bytes))));
    (!levels.is_empty()).then(|| format!("Dependent loads and reading at large show {}.", text.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets of 4 KiB and on, each twice the one before, with these latencies.
    fn curve(latencies: &[f64]) -> Vec<(u64, f64)> {
        latencies.iter().enumerate().map(|(place, &latency)| (4096 << place, latency)).collect()
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
        // As an H200's memory: the first sets, some of whose lines are still cached, end the plateau early; the last are as slow.
        let rising = knees(&curve(&[20.0, 20.0, 20.0, 77.0, 88.0, 99.0, 98.0]));
        assert_eq!(rising.len(), 2, "{rising:?}");
        assert_eq!(rising[1].bytes, 256 << 10);
        let with_outlier = knees(&curve(&[20.0, 20.5, 31.0, 20.0, 20.2, 300.0, 310.0]));
        assert_eq!(with_outlier.len(), 2);
        assert_eq!(with_outlier[0].bytes, 64 << 10);
        assert_eq!(knees(&curve(&[20.0, 20.0, 15.0, 15.0])), [level(4 << 10, 32 << 10, 20.0)]);
    }

    /// Half steps through a cache that fills up: neighbours are alike, and yet no level. As an H200 shows them, from 8 MiB on.
    #[test]
    fn a_slope_is_no_level() {
        let latencies = [149.5, 151.0, 152.0, 174.0, 222.0, 271.0, 321.0, 345.0, 345.2, 345.4, 345.4];
        let sets = (0..11).map(|place: u32| (if place.is_multiple_of(2) { 2 << 22 } else { 3 << 22 }) << (place / 2));
        let knees = knees(&sets.zip(latencies).collect::<Vec<(u64, f64)>>());
        assert_eq!(knees, [level(8 << 20, 24 << 20, 151.5), level(64 << 20, 256 << 20, 345.2)]);
    }

    #[test]
    fn few_points_show_nothing() {
        assert_eq!(knees(&[]), []);
        assert_eq!(knees(&curve(&[20.0])), []);
        assert_eq!(knees(&curve(&[20.0, 40.0, 80.0])), []);
        assert_eq!(finding(&[]), None);
    }

    #[test]
    fn the_finding_names_what_the_rows_show() {
        let row = |benchmark: &str, n: u64, ns: f64, gb_per_s: f64| Record {
            benchmark: benchmark.to_owned(),
            n: n.to_string(),
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
            finding(&rows).as_deref(),
            Some(
                "Dependent loads and reading at large show L1 up to 16 KiB at 20.0 ns and up to 9000 GB/s, L2 up to 256 KiB at \
                 200.0 ns, memory at 600.0 ns."
            )
        );
    }
}
