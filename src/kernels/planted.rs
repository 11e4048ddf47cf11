//! Rows of simulated devices with known caches, and noise, for tests.

use super::claims::finding;
use record::claim::{Finding, Quantity};
use std::collections::BTreeMap;

use super::cache_curve::{blocks, cycle, pairs, steps};
use record::Record;
use record::suite::DeviceType;
use record::suite::prelude::*;

/// A row of three epochs with an interval of ±0.1 %.
pub(super) fn row(benchmark: &str, params: &[(&str, f64)], n: u64, median_ns: f64) -> Record {
    Record {
        benchmark: benchmark.to_owned(),
        params: params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
        n: Some(Extent::Linear(n)),
        median_ns: Some(median_ns),
        ci_low_ns: Some(median_ns * 0.999),
        ci_high_ns: Some(median_ns * 1.001),
        samples: Some(30),
        epochs_ns: vec![median_ns; 3],
        device_type: Some(DeviceType::Discrete),
        ..Record::default()
    }
}

pub(super) fn found(family: &str, rows: &[Record]) -> Option<Finding> {
    let rows: Vec<Record> = rows.iter().map(|row| Record { family: family.to_owned(), ..row.clone() }).collect();
    finding(family, &rows.iter().collect::<Vec<_>>())
}

/// The rows with times up to `noise` off, and intervals that contain the true times. SplitMix64 draws the noise.
pub(super) fn noisy(rows: &[Record], noise: f64, seed: u64) -> Vec<Record> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut draw = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    let disturb = |row: &Record| {
        let factor = (noise * draw()).exp();
        let scaled = |value: Option<f64>, by: f64| value.map(|value| value * by);
        Record {
            median_ns: scaled(row.median_ns, factor),
            ci_low_ns: scaled(row.median_ns, factor / noise.exp()),
            ci_high_ns: scaled(row.median_ns, factor * noise.exp()),
            gb_per_s: scaled(row.gb_per_s, 1.0 / factor),
            ..row.clone()
        }
    };
    rows.iter().map(disturb).collect()
}

/// A device: caches as (bytes, latency in ns, GB/s), DRAM's latency and rate, bytes per miss in the first and last
/// cache.
struct Planted {
    caches: &'static [(u64, f64, f64)],
    dram: (f64, f64),
    granules: (u64, u64),
    vendor: &'static str,
    l2_bytes: Option<u64>,
}

const H200: Planted = Planted {
    caches: &[(208 << 10, 24.0, 17_000.0), (27 << 20, 149.3, 7000.0)],
    dram: (357.7, 4300.0),
    granules: (32, 64),
    vendor: "NVIDIA",
    l2_bytes: Some(50 << 20),
};

/// Three caches, the last of them shared by all SMs.
const AMD: Planted = Planted {
    caches: &[(32 << 10, 60.0, 9000.0), (6 << 20, 130.0, 4000.0), (96 << 20, 190.0, 2000.0)],
    dram: (330.0, 900.0),
    granules: (128, 128),
    vendor: "AMD",
    l2_bytes: None,
};

impl Planted {
    /// The mean over loads from a set in random order: a cache smaller than the set holds its share of the set.
    fn mean(&self, set: u64, first: usize, pick: fn(&(u64, f64, f64)) -> f64, dram: f64) -> f64 {
        let mut missing = 1.0;
        let mut mean = 0.0;
        for cache in &self.caches[first..] {
            let held = (cache.0 as f64 / set as f64).min(1.0);
            let hit = missing * if held < 1.0 { held.powi(3) } else { 1.0 };
            mean += hit * pick(cache);
            missing -= hit;
        }
        mean + missing * dram
    }

    fn latency(&self, set: u64) -> f64 {
        self.mean(set, 0, |cache| cache.1, self.dram.0)
    }

    /// GB/s with the caches from index `first`.
    fn rate(&self, set: u64, first: usize) -> f64 {
        1.0 / self.mean(set, first, |cache| 1.0 / cache.2, 1.0 / self.dram.1)
    }

    fn rows(&self) -> Vec<Record> {
        let mut rows = Vec::new();
        for words in (10..=27).flat_map(|power| [1_u64 << power, 3 << (power - 1)]).filter(|words| *words <= 1 << 27) {
            let ns = self.latency(4 * words) * steps(cycle(words), &BTreeMap::new()) as f64;
            rows.push(row("latency", &[], words, ns));
        }
        let with_rate = |row: Record, bytes: f64| Record {
            gb_per_s: row.median_ns.map(|ns| bytes / ns),
            bytes: Some(bytes as u64),
            ..row
        };
        for words in (18..=24).map(|power| 1_u64 << power) {
            let bytes = (1_u64 << 29) as f64;
            for rotate in [0.0, 1.0] {
                // The slices of an SM's eight workgroups fit in its cache.
                let rate = if rotate == 0.0 && 8 * 4 * words / 1024 <= self.caches[0].0 {
                    self.caches[0].2
                } else {
                    self.rate(4 * words, 1)
                };
                rows.push(with_rate(row("slices", &[("ROTATE", rotate)], words, bytes / rate), bytes));
            }
        }
        for words in [25, 26, 27].map(|power| 1_u64 << power) {
            let bytes = 4.0 * words as f64;
            rows.push(with_rate(row("read_once", &[], words, bytes / self.rate(4 * words, 1)), bytes));
        }
        for words in [1_u64 << 18, 1 << 26] {
            for apart in [16, 32, 64, 128] {
                let miss = self.latency(4 * words);
                let is_dram = words > 1 << 20;
                let second = match apart {
                    near if near < self.granules.0 => self.caches[0].1,
                    near if is_dram && near < self.granules.1 => self.caches[1].1,
                    _ => miss,
                };
                let ns = (miss + second) * pairs(blocks(words)) as f64;
                rows.push(row("granule", &[("APART", f64::from(apart as u32))], words, ns));
            }
        }
        for row in &mut rows {
            row.vendor = self.vendor.to_owned();
            row.l2_bytes = self.l2_bytes;
        }
        rows
    }
}

fn contradiction(device: &Planted, name: &str, value: Quantity) -> Option<String> {
    let caches = device.caches;
    let wrong = |expected: String| Some(format!("{name}: {value:?}, not {expected}"));
    let index =
        |name: &str| name.chars().rev().find_map(|digit| digit.to_digit(10)).map_or(0, |digit| digit as usize - 1);
    if let Some(level) = name.strip_suffix(" latency") {
        let ns = if level == "DRAM" { device.dram.0 } else { caches[index(level)].1 };
        return match value {
            Quantity::Nanoseconds(found) if (found / ns).ln().abs() < 0.2 => None,
            _ => wrong(format!("{ns}")),
        };
    }
    if let Some(level) = name.strip_suffix(" bandwidth") {
        let rate = if level == "DRAM" { device.dram.1 } else { caches[index(level)].2 };
        return match value {
            Quantity::GbPerS(found) if (found / rate).ln().abs() < 0.2 => None,
            _ => wrong(format!("{rate}")),
        };
    }
    let Quantity::Bytes(bytes) = value else { return None };
    if let Some(level) = name.strip_suffix(" size at least") {
        return (bytes > caches[index(level)].0).then(|| wrong(format!("{}", caches[index(level)].0)))?;
    }
    if let Some(level) = name.strip_suffix(" size at most") {
        return (bytes < caches[index(level)].0).then(|| wrong(format!("{}", caches[index(level)].0)))?;
    }
    match name {
        "start of latency rise at least" => (bytes > caches[1].0).then(|| wrong("the near L2".to_owned()))?,
        "start of latency rise at most" => (bytes < caches[1].0).then(|| wrong("the near L2".to_owned()))?,
        "fill of the first level" => (bytes != device.granules.0).then(|| wrong("the line".to_owned()))?,
        "fetch from DRAM" => (bytes != device.granules.1).then(|| wrong("the granule".to_owned()))?,
        _ => None,
    }
}

#[test]
fn an_h200_is_described_without_contradicting_its_driver() {
    let text = found("cache_curve", &H200.rows()).expect("levels").text();
    assert_eq!(
        text,
        "A dependent load takes 24.0 ns in L1, 149 ns ±3 % in L2, 358 ns in DRAM. Cache sizes: L1 192–256 KiB. At \
        working sets of 24–32 MiB, latency starts to rise towards that of DRAM; the driver reports an L2 of 50 MiB. \
        Workgroups reread their own 1 KiB slice 2.43× as fast as slices of other workgroups: each SM or compute \
        unit has its own cache. The kernels of this family read at 17.0 TB/s from L1, 7.00 TB/s from L2, 4.30 TB/s \
        from DRAM. A miss in L1 fetches 32 bytes (a load 16 bytes away hits, 32 bytes away misses). A load from DRAM \
        fetches 64 bytes (a load 32 bytes away hits, 64 bytes away misses)."
    );
    let agreeing = Planted { l2_bytes: Some(28 << 20), ..H200 };
    let text = found("cache_curve", &agreeing.rows()).expect("levels").text();
    assert!(
        text.contains("L2 24–32 MiB (the driver reports 28 MiB)")
            && !text.contains(
                "latency starts to \
        rise"
            ),
        "{text}"
    );
}

#[test]
fn three_caches_have_numbers_where_no_experiment_names_them() {
    let text = found("cache_curve", &AMD.rows()).expect("levels").text();
    assert!(
        text.contains("60.0 ns in L1, ") && text.contains("in level 2, ") && text.contains("in level 3, "),
        "{text}"
    );
    assert!(text.contains("in DRAM") && text.contains("L1 32–48 KiB"), "{text}");
    let quick: Vec<Record> = AMD.rows().into_iter().filter(|row| row.n <= Some(Extent::Linear(1 << 23))).collect();
    let quick = found("cache_curve", &quick).expect("levels").text();
    assert!(!quick.contains("in DRAM") && quick.contains("or DRAM"), "{quick}");
}

#[test]
fn noise_never_contradicts_the_device_and_removes_every_claim_in_the_end() {
    for (device, name) in [(H200, "H200"), (AMD, "AMD")] {
        let rows = device.rows();
        for (seed, noise) in (0..60).flat_map(|seed| [0.003, 0.01, 0.03, 0.06, 0.1, 0.3].map(|noise| (seed, noise))) {
            let Some(found) = found("cache_curve", &noisy(&rows, noise, seed)) else {
                assert!(noise > 0.06, "{name}: nothing at ±{noise}");
                continue;
            };
            for (value, quantity) in found.values() {
                let contradiction = contradiction(&device, value, *quantity);
                assert_eq!(contradiction, None, "{name} at ±{noise}, seed {seed}: {}", found.text());
            }
        }
        for seed in 0..20 {
            assert_eq!(found("cache_curve", &noisy(&rows, 0.7, seed)), None, "{name}");
        }
    }
}

#[test]
fn nothing_is_inferred_without_knees_or_from_faulty_or_software_rows() {
    let flat: Vec<Record> = H200
        .rows()
        .into_iter()
        .filter(|row| row.benchmark == "latency")
        .map(|own| {
            let words = own.n.map_or(0, Extent::count);
            row("latency", &[], words, 100.0 * steps(cycle(words), &BTreeMap::new()) as f64)
        })
        .collect();
    assert_eq!(found("cache_curve", &flat), None);
    let software = |row: Record| Record { device_type: Some(DeviceType::Software), ..row };
    assert_eq!(found("cache_curve", &H200.rows().into_iter().map(software).collect::<Vec<_>>()), None);
    let faulty = |row: Record| Record { status: record::Status::Implausible, ..row };
    assert_eq!(found("cache_curve", &H200.rows().into_iter().map(faulty).collect::<Vec<_>>()), None);
    let without = |row: Record| Record { ci_low_ns: None, ..row };
    assert_eq!(found("cache_curve", &H200.rows().into_iter().map(without).collect::<Vec<_>>()), None);
}

#[test]
fn a_level_as_fast_as_the_one_before_it_withdraws_the_rates() {
    let mut rows = H200.rows();
    for row in rows.iter_mut().filter(|row| row.benchmark == "read_once") {
        row.gb_per_s = Some(7100.0);
    }
    let text = found("cache_curve", &rows).expect("levels").text();
    assert!(!text.contains("Reads run"), "{text}");
}
