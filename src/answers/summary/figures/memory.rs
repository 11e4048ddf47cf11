//! DRAM, caches and workgroup memory: bandwidth, latency and size.

use super::peaks::{Peak, peaks};
use kernels::bank_conflict::claims as bank_conflict;
use kernels::cache_curve::claims as cache_curve;
use kernels::memory_spaces::claims as memory_spaces;
use record::suite::Limit;
use record::{Record, stats::Estimate};

/// Names of the level behind all caches: DRAM, or memory if the caches are not distinguished.
pub const MEMORY: &[&str] = &[cache_curve::DRAM, UNTOLD];
const UNTOLD: &str = "memory";

/// A level of the memory hierarchy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Space {
    /// `DRAM`, `L2`, `level 2`, `workgroup`; `memory` if the caches are not distinguished.
    pub name: String,
    /// Read rate in GB/s.
    pub read: Option<Estimate>,
    /// Peak bandwidth in GB/s, from the driver.
    pub driver_peak: Option<f64>,
    /// Copy rate in GB/s, counting bytes read and written.
    pub copy: Option<Estimate>,
    /// Latency of a dependent load in nanoseconds.
    pub latency: Option<Estimate>,
    /// The largest working set that certainly fits and the smallest that certainly does not, in bytes.
    pub size: Option<(u64, u64)>,
    /// Size in bytes, from the driver.
    pub driver_bytes: Option<u64>,
    /// Number of banks.
    pub banks: Option<u64>,
}

impl Space {
    /// Whether any measured figure is known.
    #[must_use]
    pub const fn has_figures(&self) -> bool {
        self.read.is_some() || self.copy.is_some() || self.latency.is_some() || self.size.is_some()
    }
}

/// The levels in the rows of one device through one API, DRAM first.
#[must_use]
pub fn spaces(rows: &[&Record]) -> Vec<Space> {
    let family_rows =
        |family: &str| -> Vec<&Record> { rows.iter().copied().filter(|row| row.family == family).collect() };
    let peaks = peaks(rows);
    let peak = |limit: Limit| peaks.iter().find(|peak| peak.limit == limit).and_then(|peak: &Peak| peak.gb_per_s);
    let curve = family_rows("cache_curve");
    let levels = cache_curve::levels(&curve);
    let rates = cache_curve::level_bandwidths(&curve);
    let mut spaces: Vec<Space> = levels
        .iter()
        .map(|(name, level)| Space {
            name: name.clone(),
            read: rates.iter().find(|(of, _)| of == name).map(|(_, rate)| *rate),
            latency: level.latency(),
            size: level.size(),
            driver_bytes: cache_curve::l2_by_driver(&curve).filter(|_| name == "L2"),
            ..Space::default()
        })
        // Drop levels whose figures are all too noisy.
        .filter(Space::has_figures)
        .collect();
    spaces.reverse();
    // The ceilings have larger sets than any cache, and faster kernels than the curve.
    let is_last_dram = spaces.first().is_some_and(|space| space.name == cache_curve::DRAM);
    let (read, copy) = (peak(Limit::Read), peak(Limit::Copy));
    if is_last_dram {
        spaces[0].read = read.or(spaces[0].read);
        spaces[0].copy = copy;
        spaces[0].driver_peak = rows.iter().find_map(|row| row.dram_peak_gb_per_s);
    } else if read.is_some() || copy.is_some() {
        let memory = Space { name: UNTOLD.to_owned(), read, copy, ..Space::default() };
        spaces.insert(0, memory);
    }
    let workgroup = Space {
        name: "workgroup".to_owned(),
        read: peak(Limit::Workgroup),
        latency: memory_spaces::latency(&family_rows("memory_spaces"), "workgroup"),
        banks: bank_conflict::inferred_banks(&family_rows("bank_conflict")),
        ..Space::default()
    };
    if workgroup.read.is_some() || workgroup.latency.is_some() {
        spaces.push(workgroup);
    }
    spaces
}
