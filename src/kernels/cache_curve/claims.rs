//! Caches and DRAM: latency, size, bandwidth, and the bytes of one fetch.

use super::granule::{self, Granule};
use super::levels::{Bracket, Point, bracket, latency, plateaus};
use super::{MOST_SLICES, cycle, steps};
use record::claim::*;
use record::stats::{self, Estimate};
use record::suite::binary_size;
use record::suite::prelude::*;
use record::{IMPLAUSIBLE, Record, Status, format};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "latency of each level", state: latencies }),
    Claim::Measured(Measured { name: "cache sizes", state: sizes }),
    Claim::Measured(Measured { name: "latency rise that is not a cache size", state: rise }),
    Claim::Measured(Measured { name: "cache of each SM or compute unit", state: private_cache }),
    Claim::Measured(Measured { name: "bandwidth of each level", state: bandwidths }),
    Claim::Measured(Measured {
        name: "bytes fetched by an L1 miss",
        state: |rows, facts| {
            let levels = levels(rows);
            let [first, second, ..] = levels.as_slice() else { return None };
            let (beyond, inside) = (first.1.bracket?.at_most, second.1.largest_inside());
            let set = 4 * SMALL_SET;
            let size = granule(rows, facts, "fill of the first level", SMALL_SET)?;
            (beyond < set && set <= inside).then(|| format!("A miss in {} fetches {size}.", first.0))
        },
    }),
    Claim::Measured(Measured {
        name: "bytes fetched from DRAM",
        state: |rows, facts| {
            let levels = levels(rows);
            let (_, dram) = levels.iter().find(|(name, _)| name == DRAM)?;
            let size = granule(rows, facts, "fetch from DRAM", LARGE_SET)?;
            (4 * LARGE_SET >= dram.least_bytes).then(|| format!("A load from DRAM fetches {size}."))
        },
    }),
    Claim::Article(ArticleClaim {
        id: "B11",
        title: "caches of global and local memory",
        claim: "Global and local memory have no cache.",
        kernels: &["cache_curve/latency"],
        terms: &["global memory", "local memory"],
        prediction: "Without a cache, the latency is the same at every size; with caches, each level has its own \
            latency. Since compute capability 2.x, L1 and L2 cache both kinds of memory.",
        judge: Judge::Claim(no_cache),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "C6",
        title: "the latency of global memory",
        claim: "A load from global memory takes hundreds of cycles.",
        kernels: &["cache_curve/latency"],
        terms: &["global memory"],
        prediction: "The latency is 100 cycles or more. The verdict must hold at every clock from 1 GHz, where a cycle \
            takes 1 ns, to 3.5 GHz, which no current GPU exceeds.",
        judge: Judge::Claim(hundreds_of_cycles),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "C7",
        title: "many threads hide the latency",
        claim: "Many threads hide the latency of global memory.",
        kernels: &["cache_curve/chains"],
        terms: &["thread", "warp", "global memory"],
        prediction: "Each thread follows its own chain through 512 MiB. Loads per second grow with the number of \
            threads until the memory is saturated.",
        judge: Judge::Claim(hidden),
        ..ArticleClaim::BLANK
    }),
];

fn no_cache(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    let measured = rows.family("cache_curve");
    let sheet = DeviceRows::new(&measured);
    if let Some(text) = latencies(&sheet, facts) {
        return Ok(Answer::new(false, text));
    }
    let curve = curve(&sheet);
    let largest = curve.last().filter(|last| last.bytes >= surely_dram(&sheet) && plateaus(&curve).len() == 1);
    let largest = largest.ok_or_else(|| rows.missing(&["cache_curve/latency"]))?;
    let same = largest.ns.value / curve[0].ns.value < 1.0 + 0.1;
    let text =
        format!("A dependent load takes the same time with every working set up to {}.", binary_size(largest.bytes));
    if same { Ok(Answer::new(true, text)) } else { Err(Why::new("the latencies show no cache levels")) }
}

fn hundreds_of_cycles(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    /// Clocks of GPUs, in GHz.
    const CLOCKS: (f64, f64) = (1.0, 3.5);
    let missing = || rows.missing(&["cache_curve/latency"]);
    let levels = levels(&rows.family("cache_curve"));
    let (_, dram) = levels.into_iter().find(|(name, _)| name == DRAM).ok_or_else(missing)?;
    let latency = dram.latency.ok_or_else(missing)?;
    let text = facts.time("latency of DRAM", latency).ok_or_else(|| Why::new("the latency is too noisy to quote"))?;
    let (least, most) = (latency.low * CLOCKS.0, latency.high * CLOCKS.1);
    if least < 100.0 && most >= 100.0 {
        return Err(Why::new(format!(
            "a load from DRAM takes {text}, which is fewer or more than 100 cycles, depending on the clock"
        )));
    }
    let cycles = |ns: f64| format::significant(ns, 3);
    Ok(Answer::new(
        least >= 100.0,
        format!(
            "A load from DRAM takes {text}: {} cycles at 1 GHz, {} at 2 GHz.",
            cycles(latency.value),
            cycles(2.0 * latency.value)
        ),
    ))
}

fn hidden(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    const KERNEL: &str = "cache_curve/chains";
    let mut chains: Vec<(f64, &Record)> =
        rows.iter().filter(|row| row.name() == KERNEL).filter_map(|row| Some((param(row, "THREADS")?, *row))).collect();
    chains.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ends = chains.first().zip(chains.last()).filter(|(few, many)| few.0 < many.0);
    let (few, many) = ends.ok_or_else(|| rows.missing(&[KERNEL]))?;
    let gain = speed(many.1, few.1)?;
    let holds = is_faster(gain, CLAIM_MARGIN)?;
    let gained = compared(facts, "speed ratio: most threads / fewest threads", gain)?;
    let loads = |(threads, row): &(f64, &Record)| {
        // 4 bytes per load.
        let rate = scaled(byte_rate(row)?, 1.0 / 4.0);
        let rate = facts.operations(format!("loads of {threads} threads"), rate)?;
        Some(format!("{rate} loads/s with {threads} threads"))
    };
    let list: Vec<String> = chains.iter().filter_map(loads).collect();
    Ok(Answer::new(holds, format!("{} threads are {gained} {} threads: {}.", many.0, few.0, list.join(", "))))
}

/// The name of the last level if it is surely DRAM.
pub const DRAM: &str = "DRAM";

/// Words of the sets of `granule`.
const SMALL_SET: u64 = 1 << 18;
const LARGE_SET: u64 = 1 << 26;

/// A level of the memory hierarchy.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The smallest working set well inside, in bytes.
    pub least_bytes: u64,
    last_bytes: u64,
    /// Where the level ends; `None` for the last level, and if the rows contradict each other.
    bracket: Option<Bracket>,
    /// Whether the bracket bounds the cache's size.
    is_size: bool,
    latency: Option<Estimate>,
    is_last: bool,
}

impl Level {
    /// Bounds of the cache's size, in bytes: the largest set surely inside, and the smallest surely beyond. `None` if
    /// the driver reports a size outside them, or no size where one is needed.
    #[must_use]
    pub fn size(&self) -> Option<(u64, u64)> {
        self.bracket.filter(|_| self.is_size).map(|bracket| (bracket.at_least, bracket.at_most))
    }

    /// Latency of a dependent load, in nanoseconds; `None` if no set is well inside the level.
    #[must_use]
    pub const fn latency(&self) -> Option<Estimate> {
        self.latency
    }

    /// [`Self::latency`], unless it is too noisy to quote.
    #[must_use]
    pub fn latency_ns(&self) -> Option<f64> {
        let latency = self.latency?;
        format::quotable(latency).map(|_| latency.value)
    }

    /// The smallest and the largest working set well inside, in bytes; `None` if there is none.
    #[must_use]
    pub fn inside(&self) -> Option<[u64; 2]> {
        Some([self.least_bytes, self.largest_inside()]).filter(|[least, most]| least <= most)
    }

    fn largest_inside(&self) -> u64 {
        match self.bracket {
            Some(bracket) => bracket.at_least / 2,
            None if self.is_last => self.last_bytes,
            None => 0,
        }
    }
}

fn curve(rows: &[&Record]) -> Vec<Point> {
    let point = |row: &Record| {
        let cycle = cycle(row.n.map(Extent::count)?);
        let ns = scaled(time(row)?, 1.0 / steps(cycle, &row.params) as f64);
        Some(Point { bytes: 4 * cycle.words(), ns, has_several_placements: has_several_epochs(row) })
    };
    let mut points: Vec<Point> = of(rows, "latency").filter_map(point).collect();
    points.sort_by_key(|point| point.bytes);
    points
}

/// The L2 size that the driver reports, in bytes.
#[must_use]
pub fn l2_by_driver(rows: &[&Record]) -> Option<u64> {
    rows.iter().find_map(|row| row.l2_bytes)
}

/// Whether the vendor documents exactly two caches, L1 and L2 (NVIDIA, *CUDA C++ Programming Guide*).
fn has_two_caches(rows: &[&Record]) -> bool {
    rows.iter().any(|row| row.vendor == "NVIDIA")
}

/// The smallest set surely larger than every cache, in bytes: on NVIDIA 256 MiB, over twice the largest L2 (126 MiB,
/// B200); otherwise 512 MiB, twice the cache of AMD's MI300X.
fn surely_dram(rows: &[&Record]) -> u64 {
    if has_two_caches(rows) { 1 << 28 } else { 1 << 29 }
}

/// The levels that the rows of one device show, with their names: `L1` and `L2` if the vendor documents exactly two
/// caches and the curve shows both and DRAM. Otherwise the first level is `L1` if rows of `slices` show a cache of each
/// SM or compute unit, and other levels are numbered: `level 2`. The last is `DRAM` if the curve goes surely beyond
/// every cache, otherwise `level 2 or DRAM`. Empty for a software device: other programs share the CPU's caches.
#[must_use]
pub fn levels(rows: &[&Record]) -> Vec<(String, Level)> {
    let rows: Vec<&Record> = rows.iter().copied().filter(|row| row.status == Status::Ok).collect();
    if rows.iter().any(|row| is_software(row)) {
        return Vec::new();
    }
    let curve = curve(&rows);
    let plateaus = plateaus(&curve);
    let count = plateaus.len();
    let mut levels: Vec<Level> = Vec::new();
    for (index, plateau) in plateaus.iter().enumerate() {
        let bracket = plateaus.get(index + 1).and_then(|next| bracket(&curve, plateau, next));
        let is_last = index + 1 == count;
        let beyond = levels.last().map(|before| before.bracket.map(|bracket| bracket.at_most));
        let least_bytes = match beyond {
            None => plateau.sets.0,
            Some(None) => u64::MAX,
            Some(Some(beyond)) if is_last => 4 * beyond.max(l2_by_driver(&rows).unwrap_or(0)),
            Some(Some(beyond)) => 2 * beyond,
        };
        let mut level =
            Level { least_bytes, last_bytes: plateau.sets.1, bracket, is_size: true, latency: None, is_last };
        level.latency = latency(&curve, least_bytes..=level.largest_inside());
        levels.push(level);
    }
    let is_dram =
        levels.last().is_some_and(|last| count > 1 && last.last_bytes >= surely_dram(&rows) && last.latency.is_some());
    let documented = has_two_caches(&rows) && count == 3 && is_dram;
    let is_private = private_gain(&rows).is_some();
    let name = |(index, level): (usize, Level)| {
        let name = match index + 1 {
            last if last == count && is_dram => DRAM.to_owned(),
            last if last == count => format!("level {last} or DRAM"),
            first if documented || first == 1 && is_private => format!("L{first}"),
            other => format!("level {other}"),
        };
        (name, level)
    };
    if count < 2 {
        return Vec::new();
    }
    if let Some(last) = count.checked_sub(2).filter(|_| is_dram)
        && let Some(end) = levels[last].bracket
    {
        levels[last].is_size = is_size(&rows, &curve, end);
    }
    levels.into_iter().enumerate().map(name).collect()
}

fn latencies(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let levels = levels(rows);
    let latency = |(name, level): &(String, Level)| {
        Some(format!("{} in {name}", facts.time(format!("{name} latency"), level.latency?)?))
    };
    Some(format!("A dependent load takes {}.", joined(levels.iter().filter_map(latency), ", ")?))
}

/// Whether the end of the last cache is its size: the L2 size that the driver reports is in the bracket, extended by
/// one set at both ends. Without a reported size, this is unknown on NVIDIA: some cards have an L2 in two parts, and
/// latency rises when the part next to an SM is full.
fn is_size(rows: &[&Record], curve: &[Point], end: Bracket) -> bool {
    let Some(l2) = l2_by_driver(rows) else { return !has_two_caches(rows) };
    let before = curve.iter().rfind(|point| point.bytes < end.at_least).map_or(end.at_least, |set| set.bytes);
    let after = curve.iter().find(|point| point.bytes > end.at_most).map_or(end.at_most, |set| set.bytes);
    (before..=after).contains(&l2)
}

fn sizes(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let levels = levels(rows);
    let mut parts = Vec::new();
    for (name, level) in &levels {
        let Some((at_least, at_most)) = level.size() else { continue };
        let size = facts.bracket(&format!("{name} size"), at_least, at_most);
        let driver = l2_by_driver(rows).filter(|_| name == "L2");
        let driver = driver.map_or_else(String::new, |l2| {
            format!(" (the driver reports {})", facts.bytes("L2 size by the driver", l2))
        });
        parts.push(format!("{name} {size}{driver}"));
    }
    Some(format!("Cache sizes: {}.", joined(parts, ", ")?))
}

fn rise(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let levels = levels(rows);
    let end = levels.iter().find(|(_, level)| !level.is_size)?.1.bracket?;
    let between = facts.bracket("start of latency rise", end.at_least, end.at_most);
    let driver = l2_by_driver(rows).map_or_else(String::new, |l2| {
        format!("; the driver reports an L2 of {}", facts.bytes("L2 size by the driver", l2))
    });
    Some(format!("At working sets of {between}, latency starts to rise towards that of DRAM{driver}."))
}

fn slices<'a>(rows: &[&'a Record], rotate: f64) -> impl Iterator<Item = &'a Record> {
    of(rows, "slices").filter(move |row| has_params(row, &[("ROTATE", rotate)]))
}

/// The set's bytes, and the gain of rereading own slices over others', if each SM or compute unit has its own cache.
fn private_gain(rows: &[&Record]) -> Option<(u64, Estimate)> {
    let timed = slices(rows, 0.0).filter(|row| row.median_ns.is_some());
    let pairs = timed.filter_map(|timed| Some((timed, slices(rows, 1.0).find(|other| other.n == timed.n)?)));
    let (timed, other) = pairs.min_by_key(|(timed, _)| scalars(timed))?;
    let gain = stats::ratio(time(other)?, time(timed)?)?;
    (gain.low > 1.1 && !is_software(timed)).then(|| (4 * scalars(timed), gain))
}

fn private_cache(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let (set, gain) = private_gain(rows)?;
    let slice = binary_size(set / MOST_SLICES);
    let gain = facts.times("speed ratio: own slice / slices of other workgroups", gain)?;
    Some(format!(
        "Workgroups reread their own {slice} slice {gain} as fast as slices of other workgroups: each SM or compute \
        unit has its own cache."
    ))
}

fn bandwidths(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let parts = level_bandwidths(rows).into_iter().filter_map(|(name, rate)| {
        Some(format!("{} from {name}", facts.byte_rate(format!("{name} bandwidth"), rate)?))
    });
    Some(format!("The kernels of this family read at {}.", joined(parts, ", ")?))
}

/// Each level's name and read rate in GB/s; empty on a contradiction. L1: `slices` with ROTATE=0, if 16 slices fit in
/// half the largest set inside L1. L2: `slices` with ROTATE=1, with sets from 16 times the smallest set beyond L1 to half
/// the largest set inside L2. DRAM: `read_once` (in older reports `bandwidth`, if no byte is read twice).
#[must_use]
pub fn level_bandwidths(rows: &[&Record]) -> Vec<(String, Estimate)> {
    /// More workgroups of 256 invocations than run on one SM or compute unit at a time.
    const RESIDENT: u64 = 16;
    let levels = levels(rows);
    let of_rows = |rows: &mut dyn Iterator<Item = &Record>, sets: std::ops::RangeInclusive<u64>| {
        let inside = rows.filter(|row| sets.contains(&(4 * scalars(row))));
        level(&inside.filter_map(byte_rate).collect::<Vec<_>>())
    };
    let mut rates: Vec<(String, Estimate)> = Vec::new();
    let has_once = of(rows, "read_once").any(|row| row.gb_per_s.is_some());
    for (index, (name, level)) in levels.iter().enumerate() {
        let rate = if name == DRAM {
            // Rows of `bandwidth`, of older reports, count only if they read each byte once.
            let is_once = |row: &&Record| row.bytes == Some(4 * scalars(row));
            let is_possible = |row: &&Record| row.share.is_none_or(|share| share <= IMPLAUSIBLE);
            let source = if has_once { "read_once" } else { "bandwidth" };
            of_rows(&mut of(rows, source).filter(is_once).filter(is_possible), level.least_bytes..=u64::MAX)
        } else if index == 0 && name == "L1" {
            of_rows(&mut slices(rows, 0.0), 0..=level.largest_inside() / RESIDENT * MOST_SLICES)
        } else if index == 1 && levels[0].0 == "L1" {
            let beyond = levels[0].1.bracket.map(|bracket| bracket.at_most);
            beyond.and_then(|beyond| of_rows(&mut slices(rows, 1.0), 16 * beyond..=level.largest_inside()))
        } else {
            None
        };
        rates.extend(rate.map(|rate| (name.clone(), rate)));
    }
    // If a level is not surely slower than the previous one, one of the rates is wrong, and it is unknown which.
    if rates.is_sorted_by(|a, b| a.1.low > b.1.high) { rates } else { Vec::new() }
}

/// The bytes that a miss fetches in a set of `words`, as text.
fn granule(rows: &DeviceRows, facts: &mut Facts, name: &str, words: u64) -> Option<String> {
    if rows.iter().any(|row| is_software(row)) {
        return None;
    }
    let miss = curve(rows).into_iter().find(|point| point.bytes == 4 * words)?.ns;
    match granule::infer(granule::times(rows, words)?, miss)? {
        Granule::Bytes(bytes) => {
            facts.bytes(name, bytes);
            let hit = bytes / 2;
            Some(format!("{bytes} bytes (a load {hit} bytes away hits, {bytes} bytes away misses)"))
        }
        Granule::MoreThan(bytes) => {
            facts.bytes(format!("{name} more than"), bytes);
            Some(format!("more than {bytes} bytes (a load {bytes} bytes away hits)"))
        }
    }
}
