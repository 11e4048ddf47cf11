//! What is kept of a run to compare others with it: its headline figures, and under which settings they were measured.

use serde::{Deserialize, Serialize};

use crate::answers::summary::figures::{best_of, peak_rows, rated, spaces};
use crate::claim::{byte_rate, flop_rate, is_software, time};
use crate::families::headlines;
use crate::families::memory_spaces::claims as memory_spaces;
use crate::record::stats::{Estimate, Variance, median, round_to_seven_digits, student};
use crate::record::{Cause, Clock, Record, Status, times::degrees};
use crate::suite::hash;
use crate::suite::{Headline, Limit, Scalar, Toolchain};

/// The unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// 10^9 bytes per second.
    Bytes,
    /// 10^9 floating-point operations per second.
    Flops,
    /// 10^9 integer operations per second.
    Operations,
    /// Nanoseconds: less is faster.
    Time,
}

/// A headline figure of a run, or that of another kernel which may be the fastest of another card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// As `summary` calls it: `DRAM read`, `FMA f32`, `sum`.
    pub name: String,
    /// Its unit.
    pub unit: Unit,
    /// Its value.
    pub value: f64,
    /// Standard error of its logarithm for another run of the same build, and the degrees of freedom behind it; `None`
    /// where the run does not show how much runs differ: one epoch, a software device.
    pub error: Option<(f64, f64)>,
    /// The case that it follows from, or the family.
    pub case: String,
    /// Hash of the kernel, run-time checks, and clock. Figures with other settings are not compared.
    pub settings: String,
}

impl Figure {
    /// Logarithm of the speed: the larger, the faster.
    #[must_use]
    pub fn log_speed(&self) -> f64 {
        if self.unit == Unit::Time { -self.value.ln() } else { self.value.ln() }
    }

    /// Variance of the logarithm.
    #[must_use]
    pub fn variance(&self) -> Option<Variance> {
        self.error.map(|(error, degrees)| Variance { value: error * error, degrees })
    }
}

/// One run on one card through one API.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Reference {
    /// The device's name: the model.
    pub device: String,
    /// The API's name in the CSV.
    pub api: String,
    /// The compiler of WGSL, if it is not wgpu's own.
    pub compiler: String,
    /// The card: its UUID, or its PCI address with host and CPU. Reports without any of these count as one card.
    pub card: String,
    /// The driver and its version.
    pub driver: String,
    /// Start of the run.
    pub date: String,
    /// The profile's name; empty in reports that lack it.
    pub profile: String,
    /// All APIs of the run.
    pub apis: String,
    /// The driver's figure of the L2 size, in bytes.
    pub l2_bytes: Option<u64>,
    /// Median of the canary's times in nanoseconds.
    pub canary_ns: Option<f64>,
    /// Rows with a time, and those of them during which the device's speed changed.
    pub rows: (usize, usize),
    /// The headline figures, in the order of `summary`; of one name, the one that `summary` shows is the first.
    pub figures: Vec<Figure>,
    /// The fastest copy from the host to the device.
    pub copy_in: Option<Figure>,
}

/// Kernels whose rate is at least this part of the fastest one's are kept, too: another card may have another order.
const NEARLY_AS_FAST: f64 = 0.9;

/// Transfers from the host to the device.
const COPIES_IN: [&str; 4] = ["pinned_to_device", "staging_to_device", "write_buffer", "mapped_staging"];

impl Reference {
    /// The runs in a report: one for each card, API, compiler and start.
    #[must_use]
    pub fn of_report(records: &[Record]) -> Vec<Self> {
        let degrees = degrees(records);
        let mut runs: Vec<Vec<(&Record, Option<f64>)>> = Vec::new();
        for (record, degrees) in records.iter().zip(degrees) {
            let is_of = |run: &&mut Vec<(&Record, Option<f64>)>| {
                run.first().is_some_and(|(first, _)| {
                    first.toolchain() == record.toolchain()
                        && (&first.device, &first.date, &first.card) == (&record.device, &record.date, &record.card)
                })
            };
            match runs.iter_mut().find(is_of) {
                Some(run) => run.push((record, degrees)),
                None => runs.push(vec![(record, degrees)]),
            }
        }
        runs.iter().filter_map(|run| Self::of_run(run)).filter(|run| !run.figures.is_empty()).collect()
    }

    fn of_run(run: &[(&Record, Option<f64>)]) -> Option<Self> {
        let (first, _) = *run.first()?;
        let rows = Rows { all: run.iter().map(|(row, _)| *row).collect(), degrees: run };
        let timed = || rows.all.iter().filter(|row| row.status == Status::Ok);
        let canaries: Vec<f64> = timed().filter_map(|row| row.canary_ns).collect();
        let unsteady = timed().filter(|row| row.cause == Some(Cause::Unsteady)).count();
        Some(Self {
            device: first.device.trim().to_owned(),
            api: first.api_name().to_owned(),
            compiler: first.toolchain().as_ref().map_or("", Toolchain::foreign).to_owned(),
            card: card(first),
            driver: first.driver.clone(),
            date: first.date.clone(),
            profile: first.profile.map_or("", |profile| profile.name()).to_owned(),
            apis: first.apis.clone(),
            l2_bytes: first.l2_bytes,
            canary_ns: median(&canaries),
            rows: (timed().count(), unsteady),
            figures: rows.figures(),
            copy_in: rows.copy_in(),
        })
    }

    /// Whether a row is of this run.
    #[must_use]
    pub fn has(&self, row: &Record) -> bool {
        (row.device.trim(), row.api_name(), row.date.as_str()) == (&*self.device, &*self.api, &*self.date)
            && card(row) == self.card
    }

    /// Whether both are one run, for example in a report and its copy.
    #[must_use]
    pub fn is_same_run(&self, other: &Self) -> bool {
        let run =
            |of: &Self| (of.device.clone(), of.api.clone(), of.compiler.clone(), of.date.clone(), of.card.clone());
        run(self) == run(other)
    }

    /// Whether both are of one model, through one API and compiler.
    #[must_use]
    pub fn is_of_model(&self, other: &Self) -> bool {
        self.device.eq_ignore_ascii_case(&other.device) && (&self.api, &self.compiler) == (&other.api, &other.compiler)
    }
}

/// What tells a card from others. A PCI address is that of a slot: hosts have the same ones.
fn card(row: &Record) -> String {
    if row.card.is_empty() || row.card.contains(':') {
        [&*row.card, &row.cell("host"), &row.cpu].join(" ").trim().to_owned()
    } else {
        row.card.clone()
    }
}

/// The rows of one run.
struct Rows<'a> {
    all: Vec<&'a Record>,
    degrees: &'a [(&'a Record, Option<f64>)],
}

impl Rows<'_> {
    /// The figures that `summary` shows, in its order.
    fn figures(&self) -> Vec<Figure> {
        let peaks = peak_rows(&self.all);
        let mut figures = Vec::new();
        for space in spaces(&self.all) {
            let name = |what: &str| format!("{} {what}", space.name);
            let is_workgroup = space.name == "workgroup";
            let limit = if is_workgroup { Limit::Workgroup } else { Limit::Read };
            // DRAM's rates are those of the ceilings.
            let is_peak = is_workgroup || space.copy.is_some();
            match space.read {
                Some(_) if is_peak => figures.extend(self.at_peak(&name("read"), limit, None)),
                Some(read) => figures.push(self.of_curve(name("read"), Unit::Bytes, read)),
                None => {}
            }
            if space.copy.is_some() {
                figures.extend(self.at_peak(&name("copy"), Limit::Copy, None));
            }
            match space.latency {
                Some(_) if is_workgroup => figures.extend(self.workgroup_latency(&name("latency"))),
                Some(latency) => figures.push(self.of_curve(name("latency"), Unit::Time, latency)),
                None => {}
            }
        }
        for (peak, _) in peaks {
            let scalar = peak.scalar.map_or("", Scalar::name);
            match peak.limit {
                Limit::Fma => figures.extend(self.at_peak(&format!("FMA {scalar}"), Limit::Fma, peak.scalar)),
                Limit::Tensor => figures.extend(self.at_peak("mma f16", Limit::Tensor, None)),
                Limit::Launch => figures.extend(self.at_peak("launch", Limit::Launch, None)),
                _ => {}
            }
        }
        figures.extend(headlines().into_iter().flat_map(|(family, job)| self.of_job(family, job)));
        figures
    }

    /// The row of a peak, then other rows of the same limit and size that are nearly as fast.
    fn at_peak(&self, name: &str, limit: Limit, scalar: Option<Scalar>) -> Vec<Figure> {
        let peaks = peak_rows(&self.all);
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
        let rows = self.all.iter().copied().filter(is_like).filter_map(|row| Some((row, figure(row)?))).collect();
        self.nearly_as_fast(name, unit, best, rows)
    }

    fn of_job(&self, family: &str, job: &'static Headline) -> Vec<Figure> {
        let Some(best) = best_of(family, job, &self.all) else { return Vec::new() };
        let unit = if job.is_largest { Unit::Bytes } else { Unit::Flops };
        self.nearly_as_fast(job.name, unit, best.row, rated(family, job, &self.all))
    }

    /// The figure of `best`, then those of `rows` that are nearly as fast.
    fn nearly_as_fast(&self, name: &str, unit: Unit, best: &Record, rows: Vec<(&Record, Estimate)>) -> Vec<Figure> {
        let figure = |(row, estimate): &(&Record, Estimate)| Figure {
            case: case(row),
            settings: settings(row),
            ..self.figure(name.to_owned(), unit, *estimate, &[row])
        };
        let mut figures: Vec<Figure> = Vec::new();
        let first = rows.iter().find(|(row, _)| std::ptr::eq(*row, best));
        figures.extend(first.map(&figure));
        let Some(least) = figures.first().map(|first| first.log_speed() + NEARLY_AS_FAST.ln()) else { return figures };
        let others = rows.iter().filter(|(row, _)| !std::ptr::eq(*row, best)).map(figure);
        figures.extend(others.filter(|other| other.log_speed() >= least));
        figures
    }

    /// A figure that all rows of the family `cache_curve` show together.
    fn of_curve(&self, name: String, unit: Unit, estimate: Estimate) -> Figure {
        let rows: Vec<&Record> =
            self.all.iter().copied().filter(|row| row.family == "cache_curve" && row.status == Status::Ok).collect();
        let mut texts: Vec<String> = rows.iter().map(|row| format!("{} {}\n", case(row), settings(row))).collect();
        texts.sort_unstable();
        Figure {
            case: "cache_curve".to_owned(),
            settings: hash(texts.concat().as_bytes()),
            ..self.figure(name, unit, estimate, &rows)
        }
    }

    fn workgroup_latency(&self, name: &str) -> Option<Figure> {
        let rows: Vec<&Record> = self.all.iter().copied().filter(|row| row.family == "memory_spaces").collect();
        let estimate = memory_spaces::latency(&rows, "workgroup")?;
        let row = rows.into_iter().find(|row| row.benchmark == "workgroup_latency" && row.status == Status::Ok)?;
        let figure = self.figure(name.to_owned(), Unit::Time, estimate, &[row]);
        Some(Figure { case: case(row), settings: settings(row), ..figure })
    }

    fn copy_in(&self) -> Option<Figure> {
        let is_copy = |row: &&Record| {
            row.family == "transfer" && row.status == Status::Ok && COPIES_IN.contains(&row.benchmark.as_str())
        };
        let rows: Vec<(&Record, Estimate)> =
            self.all.iter().copied().filter(is_copy).filter_map(|row| Some((row, byte_rate(row)?))).collect();
        let most = rows.iter().filter_map(|(row, _)| row.bytes).max();
        let largest = rows.into_iter().filter(|(row, _)| row.bytes == most);
        let (row, rate) = largest.max_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
        let figure = self.figure("host to device".to_owned(), Unit::Bytes, rate, &[row]);
        Some(Figure { case: case(row), settings: settings(row), ..figure })
    }

    /// A figure without its case and settings.
    fn figure(&self, name: String, unit: Unit, estimate: Estimate, rows: &[&Record]) -> Figure {
        let of = |row: &&Record| self.degrees.iter().find(|(other, _)| std::ptr::eq(*other, *row))?.1;
        let degrees: Option<Vec<f64>> = rows.iter().map(of).collect();
        let degrees = degrees.and_then(|all| all.into_iter().reduce(f64::min));
        let degrees = degrees.filter(|_| !rows.iter().any(|row| is_software(row)) && estimate.low > 0.0);
        let error = degrees.map(|degrees| {
            let error = (estimate.high / estimate.low).ln() / 2.0 / student(degrees);
            (round_to_seven_digits(error), round_to_seven_digits(degrees))
        });
        let value = round_to_seven_digits(estimate.value);
        Figure { name, unit, value, error, case: String::new(), settings: String::new() }
    }
}

/// `reduction/atomic f32 1048576 WG=64`.
fn case(row: &Record) -> String {
    [&row.name(), row.dtype_name(), &row.size(), &row.params_text()].join(" ").trim_end().to_owned()
}

fn settings(row: &Record) -> String {
    let checks = row.checks.map_or_else(String::new, |checks| checks.name());
    [&*row.shader_hash, &*checks, row.timer.map_or("", Clock::name)].join(" ")
}
