//! What is kept of a run to compare others with it: its headline figures and their settings.

use serde::{Deserialize, Serialize};

use crate::summary::figures::{best_of, peak_rows, rated, spaces};
use kernels::headlines;
use kernels::memory_spaces::claims as memory_spaces;
use record::claim::{byte_rate, flop_rate, is_software, time};
use record::stats::{Estimate, round_to_seven_digits};
use record::suite::hash;
use record::suite::{Headline, Limit, Scalar, Toolchain};
use record::{Clock, Record, Status, format};

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// 10^9 bytes per second.
    #[serde(rename = "GB/s")]
    Bytes,
    /// 10^9 floating-point operations per second.
    #[serde(rename = "GFLOP/s")]
    Flops,
    /// 10^9 integer operations per second.
    #[serde(rename = "GOP/s")]
    Operations,
    /// Nanoseconds; less is faster.
    #[serde(rename = "ns")]
    Time,
}

impl Unit {
    pub(crate) fn value(self, log_speed: f64) -> f64 {
        if self == Self::Time { (-log_speed).exp() } else { log_speed.exp() }
    }

    pub(crate) fn text(self, value: f64) -> String {
        match self {
            Self::Bytes => format::byte_rate(value),
            Self::Flops => format::operation_rate(value, true),
            Self::Operations => format::operation_rate(value, false),
            Self::Time => format::time(value),
        }
    }
}

/// A headline figure of a run, or the figure of another kernel that may be the fastest on another card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Name in the summary: `DRAM read`, `FMA f32`, `sum`.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// Its value.
    pub value: f64,
    /// Half width of the 95 % interval of the logarithm; `None` (unknown) for one epoch or a software device.
    pub reach: Option<f64>,
    /// The case that was measured, or the family.
    pub case: String,
    /// Kernel hash, run-time checks and clock. Figures with different settings are not compared.
    pub settings: String,
}

impl Figure {
    /// Logarithm of the speed: the larger, the faster.
    #[must_use]
    pub fn log_speed(&self) -> f64 {
        if self.unit == Unit::Time { -self.value.ln() } else { self.value.ln() }
    }
}

/// One run on one card through one API.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Reference {
    /// The device's name: the model.
    pub device: String,
    /// The API's name in the CSV.
    pub api: String,
    /// The WGSL compiler, if it is not wgpu's own.
    pub compiler: String,
    /// The card: its UUID, or its PCI address with host and CPU. Reports without any of these count as one card.
    pub card: String,
    /// Start of the run.
    pub date: String,
    /// The profile's name; empty in reports that lack it.
    pub profile: String,
    /// The headline figures in the order of the summary. Of several with one name, the first is the one in the summary.
    pub figures: Vec<Figure>,
}

/// Kernels with at least this fraction of the fastest rate are also kept: on another card, they may be the fastest.
const NEARLY_AS_FAST: f64 = 0.9;

impl Reference {
    /// The runs in a report: one for each card, API, compiler and start.
    #[must_use]
    pub fn of_report(records: &[Record]) -> Vec<Self> {
        let mut runs: Vec<Vec<&Record>> = Vec::new();
        for record in records {
            let is_of = |run: &&mut Vec<&Record>| {
                run.first().is_some_and(|first| {
                    first.toolchain() == record.toolchain()
                        && (&first.device, &first.date, &first.card) == (&record.device, &record.date, &record.card)
                })
            };
            match runs.iter_mut().find(is_of) {
                Some(run) => run.push(record),
                None => runs.push(vec![record]),
            }
        }
        runs.into_iter().filter_map(Self::of_run).filter(|run| !run.figures.is_empty()).collect()
    }

    fn of_run(rows: Vec<&Record>) -> Option<Self> {
        let first = *rows.first()?;
        Some(Self {
            device: first.device.trim().to_owned(),
            api: first.api_name().to_owned(),
            compiler: first.toolchain().as_ref().map_or("", Toolchain::foreign).to_owned(),
            card: card(first),
            date: first.date.clone(),
            profile: first.profile.map_or("", |profile| profile.name()).to_owned(),
            figures: figures(&rows),
        })
    }

    /// Whether both are the same run, as in a report and its copy.
    #[must_use]
    pub fn is_same_run(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }

    pub(super) fn identity(&self) -> [&str; 5] {
        [&self.device, &self.api, &self.compiler, &self.date, &self.card]
    }

    /// The figure comparable with `figure`: the same name, case and settings.
    #[must_use]
    pub fn like(&self, figure: &Figure) -> Option<&Figure> {
        let is_like =
            |own: &&Figure| (&own.name, &own.case, &own.settings) == (&figure.name, &figure.case, &figure.settings);
        self.figures.iter().find(is_like)
    }

    /// Whether both have the same model, API and compiler.
    #[must_use]
    pub fn is_of_model(&self, other: &Self) -> bool {
        self.device.eq_ignore_ascii_case(&other.device) && (&self.api, &self.compiler) == (&other.api, &other.compiler)
    }
}

/// Identifies a card. A PCI address identifies only a slot, so host and CPU are added.
fn card(row: &Record) -> String {
    if row.card.is_empty() || row.card.contains(':') {
        [&*row.card, &row.cell("host"), &row.cpu].join(" ").trim().to_owned()
    } else {
        row.card.clone()
    }
}

/// The figures that the summary shows of a run's rows, in its order.
fn figures(rows: &[&Record]) -> Vec<Figure> {
    let peaks = peak_rows(rows);
    let mut figures = Vec::new();
    for space in spaces(rows) {
        let name = |what: &str| format!("{} {what}", space.name);
        let is_workgroup = space.name == "workgroup";
        let limit = if is_workgroup { Limit::Workgroup } else { Limit::Read };
        // DRAM's rates come from the ceilings.
        let is_peak = is_workgroup || space.copy.is_some();
        match space.read {
            Some(_) if is_peak => figures.extend(at_peak(rows, &name("read"), limit, None)),
            Some(read) => figures.push(of_curve(rows, name("read"), Unit::Bytes, read)),
            None => {}
        }
        if space.copy.is_some() {
            figures.extend(at_peak(rows, &name("copy"), Limit::Copy, None));
        }
        match space.latency {
            Some(_) if is_workgroup => figures.extend(workgroup_latency(rows, &name("latency"))),
            Some(latency) => figures.push(of_curve(rows, name("latency"), Unit::Time, latency)),
            None => {}
        }
    }
    for (peak, _) in peaks {
        let scalar = peak.scalar.map_or("", Scalar::name);
        match peak.limit {
            Limit::Fma => figures.extend(at_peak(rows, &format!("FMA {scalar}"), Limit::Fma, peak.scalar)),
            Limit::Tensor => figures.extend(at_peak(rows, "mma f16", Limit::Tensor, None)),
            Limit::Launch => figures.extend(at_peak(rows, "launch", Limit::Launch, None)),
            _ => {}
        }
    }
    figures.extend(headlines().into_iter().flat_map(|(family, job)| of_job(rows, family, job)));
    figures
}

/// The figure of a peak, then those of rows with the same limit and size that are nearly as fast.
fn at_peak(rows: &[&Record], name: &str, limit: Limit, scalar: Option<Scalar>) -> Vec<Figure> {
    let peaks = peak_rows(rows);
    let Some((_, best)) = peaks.into_iter().find(|(peak, _)| (peak.limit, peak.scalar) == (limit, scalar)) else {
        return Vec::new();
    };
    let is_like = |row: &&Record| {
        row.family == "ceiling"
            && row.status == Status::Ok
            && row.ceiling.is_some_and(|bound| (bound.limit, bound.scalar) == (limit, scalar))
            && (!limit.is_memory() || row.bytes == best.bytes)
    };
    let (unit, figure): (Unit, fn(&Record) -> Option<Estimate>) = match (limit, scalar) {
        (Limit::Fma, Some(scalar)) if !scalar.is_float() => (Unit::Operations, flop_rate),
        (Limit::Fma | Limit::Tensor, _) => (Unit::Flops, flop_rate),
        (Limit::Launch, _) => (Unit::Time, time),
        _ => (Unit::Bytes, byte_rate),
    };
    let rows = rows.iter().copied().filter(is_like).filter_map(|row| Some((row, figure(row)?))).collect();
    nearly_as_fast(name, unit, best, rows)
}

fn of_job(rows: &[&Record], family: &str, job: &'static Headline) -> Vec<Figure> {
    let Some(best) = best_of(family, job, rows) else { return Vec::new() };
    let unit = if job.is_largest { Unit::Bytes } else { Unit::Flops };
    nearly_as_fast(job.name, unit, best.row, rated(family, job, rows))
}

/// The figure of `best`, then those of `rows` that are nearly as fast.
fn nearly_as_fast(name: &str, unit: Unit, best: &Record, rows: Vec<(&Record, Estimate)>) -> Vec<Figure> {
    let of_row = |(row, estimate): &(&Record, Estimate)| Figure {
        case: case(row),
        settings: settings(row),
        ..figure(name.to_owned(), unit, *estimate, &[row])
    };
    let mut figures: Vec<Figure> = Vec::new();
    let first = rows.iter().find(|(row, _)| std::ptr::eq(*row, best));
    figures.extend(first.map(&of_row));
    let Some(least) = figures.first().map(|first| first.log_speed() + NEARLY_AS_FAST.ln()) else { return figures };
    let others = rows.iter().filter(|(row, _)| !std::ptr::eq(*row, best)).map(of_row);
    figures.extend(others.filter(|other| other.log_speed() >= least));
    figures
}

/// A figure derived from all rows of the family `cache_curve`.
fn of_curve(rows: &[&Record], name: String, unit: Unit, estimate: Estimate) -> Figure {
    let rows: Vec<&Record> =
        rows.iter().copied().filter(|row| row.family == "cache_curve" && row.status == Status::Ok).collect();
    let mut texts: Vec<String> = rows.iter().map(|row| format!("{} {}\n", case(row), settings(row))).collect();
    texts.sort_unstable();
    Figure {
        case: "cache_curve".to_owned(),
        settings: hash(texts.concat().as_bytes()),
        ..figure(name, unit, estimate, &rows)
    }
}

fn workgroup_latency(rows: &[&Record], name: &str) -> Option<Figure> {
    let rows: Vec<&Record> = rows.iter().copied().filter(|row| row.family == "memory_spaces").collect();
    let estimate = memory_spaces::latency(&rows, "workgroup")?;
    let row = rows.into_iter().find(|row| row.benchmark == "workgroup_latency" && row.status == Status::Ok)?;
    let figure = figure(name.to_owned(), Unit::Time, estimate, &[row]);
    Some(Figure { case: case(row), settings: settings(row), ..figure })
}

/// `reduction/atomic f32 1048576 WG=64`.
fn case(row: &Record) -> String {
    [&row.name(), row.dtype_name(), &row.size(), &row.params_text()].join(" ").trim_end().to_owned()
}

fn settings(row: &Record) -> String {
    let checks = row.checks.map_or_else(String::new, |checks| checks.name());
    [&*row.shader_hash, &*checks, row.timer.map_or("", Clock::name)].join(" ")
}

fn figure(name: String, unit: Unit, estimate: Estimate, rows: &[&Record]) -> Figure {
    let shows_variation = |row: &&Record| row.epochs_ns.len() > 1 && !is_software(row);
    let is_known = rows.iter().all(shows_variation) && estimate.low > 0.0;
    let reach = is_known.then(|| round_to_seven_digits((estimate.high / estimate.low).ln() / 2.0));
    let value = round_to_seven_digits(estimate.value);
    Figure { name, unit, value, reach, case: String::new(), settings: String::new() }
}
