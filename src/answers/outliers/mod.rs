//! Finds the cards of a fleet that are slower than the others of their model.
//!
//! A *unit* is a card, or all cards of a host. Its time in a case is divided by the median over all units of the model;
//! the median of these ratios over the cases of a family is the unit's ratio in that family. The spread of the units is
//! estimated robustly per model and family, so that outliers do not hide each other. [`Fleet::judge`] has the test.

mod judge;
pub mod text;

use std::collections::{BTreeMap, HashMap};

pub use judge::{Family, LEAST_UNITS, Rules, Slow, SlowFamily, Verdicts};

use crate::report::section::Numbered;
use record::suite::{Api, Checks, Dtype, Extent, Toolchain};
use record::times::{least_variance, log_epochs, mean_and_squares};
use record::{Clock, Record, Status};

/// The units to compare with others of their model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum By {
    /// Each card.
    #[default]
    Card,
    /// All cards of a host together.
    Host,
}

/// A card or a host.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
pub struct Unit {
    /// Name of the device, if the unit is a card.
    pub device: String,
    /// Name of the host; empty if unknown.
    pub host: String,
    /// UUID of the card, its hash, or its PCI address; without any, the start of the run. Empty if the unit is a host.
    pub card: String,
}

/// Rows of one model, API and compiler.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Model {
    /// Name of the device.
    pub device: String,
    /// The API, and the WGSL compiler if it is not wgpu's own.
    pub toolchain: String,
}

impl Model {
    fn of(record: &Record) -> Self {
        let title =
            |toolchain: Toolchain<'_>| [Api::title(toolchain.api), toolchain.foreign()].join(" ").trim_end().to_owned();
        Self { device: record.device.clone(), toolchain: record.toolchain().map_or_else(String::new, title) }
    }
}

/// Identifies a case. Different kernels, checks or clocks make different cases.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    model: usize,
    name: (String, String),
    shape: (Option<Dtype>, Option<Extent>, String),
    kernel: (Option<Checks>, String, Option<Clock>),
}

impl Key {
    fn of(record: &Record, model: usize) -> Self {
        Self {
            model,
            name: (record.family.clone(), record.benchmark.clone()),
            shape: (record.dtype, record.n, record.params_text()),
            kernel: (record.checks, record.shader_hash.clone(), record.timer),
        }
    }
}

struct Case {
    model: usize,
    family: String,
    times: HashMap<usize, Times>,
}

/// Logarithms of times of one case on one unit.
#[derive(Default)]
struct Times {
    runs: f64,
    sum: f64,
    /// Sum of the variances of the runs' means.
    variance: f64,
}

/// The times of many cards, collected row by row.
#[derive(Default)]
pub struct Fleet {
    by: By,
    units: Numbered<Unit>,
    models: Numbered<Model>,
    cases: Vec<Case>,
    indices: HashMap<Key, usize>,
    /// Number of wrong, failed and implausible rows of each unit.
    faults: BTreeMap<usize, BTreeMap<&'static str, usize>>,
    without_host: usize,
}

impl Fleet {
    /// An empty fleet.
    #[must_use]
    pub fn new(by: By) -> Self {
        Self { by, ..Self::default() }
    }

    /// Number of rows left out because they name no host.
    #[must_use]
    pub const fn without_host(&self) -> usize {
        self.without_host
    }

    /// Adds a row. Times from several runs of a unit are averaged.
    pub fn add(&mut self, record: &Record) {
        let Some(unit) = self.unit(record) else {
            self.without_host += 1;
            return;
        };
        let unit = self.units.index(unit);
        if record.status.is_fault() {
            *self.faults.entry(unit).or_default().entry(Status::name(record.status)).or_default() += 1;
        }
        let logs = if record.status.is_timed() { log_epochs(record) } else { Vec::new() };
        if logs.is_empty() {
            return;
        }
        let model = self.models.index(Model::of(record));
        let case = *self.indices.entry(Key::of(record, model)).or_insert_with(|| {
            self.cases.push(Case { model, family: record.family.clone(), times: HashMap::new() });
            self.cases.len() - 1
        });
        let (mean, squares) = mean_and_squares(&logs);
        let count = logs.len() as f64;
        let variance = if logs.len() > 1 { squares / (count - 1.0) } else { 0.0 };
        let times = self.cases[case].times.entry(unit).or_default();
        times.runs += 1.0;
        times.sum += mean;
        times.variance += variance.max(least_variance(record, mean.exp())) / count;
    }

    fn unit(&self, record: &Record) -> Option<Unit> {
        let host = record.host.clone();
        match self.by {
            By::Host if host.is_empty() => None,
            By::Host => Some(Unit { device: String::new(), host, card: String::new() }),
            By::Card => {
                let is_named = !record.card.is_empty() || !host.is_empty();
                let card = if is_named { record.card.clone() } else { record.date.clone() };
                // A UUID identifies a card on any host.
                let host =
                    if record.card_id().host.is_empty() && !record.card.is_empty() { String::new() } else { host };
                Some(Unit { device: record.device.clone(), host, card })
            }
        }
    }
}

#[cfg(test)]
mod tests;
