//! The rows of a case on one side, and how rows of two sides differ besides their times.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::series::Series;
use super::timing::Timing;
use record::stats::{Variance, median};
use record::suite::Api;
use record::{Clock, Record, Status, Unlike, comparable};

/// A difference other than time between the two rows of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Kernel source or constants. Ignored between CUDA and other APIs, because their sources always differ.
    Shader,
    /// Run-time checks.
    Checks,
    /// The clock used.
    Timer,
}

impl Mark {
    /// All marks.
    pub const ALL: [Self; 3] = [Self::Shader, Self::Checks, Self::Timer];

    /// The name of the difference.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shader => "source",
            Self::Checks => "checks",
            Self::Timer => "timer",
        }
    }

    /// The compared property of a record as text; empty if the record lacks it.
    fn of(self, record: &Record) -> Cow<'_, str> {
        match self {
            Self::Shader => Cow::Borrowed(&record.shader_hash),
            Self::Checks => record.checks.map_or(Cow::Borrowed(""), |checks| Cow::Owned(checks.name())),
            Self::Timer => Cow::Borrowed(record.timer.map_or("", Clock::name)),
        }
    }

    pub(super) fn between(baseline: &Entry, side: &Entry) -> Vec<Self> {
        let rows = || baseline.records.iter().chain(&side.records);
        let is_cuda = |entry: &Entry| entry.row().backend == Some(Api::Cuda);
        let is_twin = is_cuda(baseline) != is_cuda(side);
        let differs = |mark: &Self| rows().any(|row| mark.of(row) != mark.of(baseline.row()));
        Self::ALL.into_iter().filter(|mark| !(is_twin && *mark == Self::Shader)).filter(differs).collect()
    }
}

/// The rows of a case on one side.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'a> {
    /// At least one row, one per run. All have the same kernel, checks and clock, if they state these.
    pub records: Vec<&'a Record>,
    /// Time over all runs; `None` if any run has a fault or no run has a time.
    pub timing: Option<Timing>,
    /// Share of the side's own ceiling, 1 = the ceiling; the median over runs.
    pub share: Option<f64>,
    pub(super) series: Option<Series<'a>>,
}

/// Valid shares of a ceiling. Plausible rows reach at most 1.05; values beyond this range are errors in the report.
const SHARES: std::ops::RangeInclusive<f64> = 0.0..=10.0;

impl<'a> Entry<'a> {
    pub(super) fn new(mut records: Vec<&'a Record>) -> Self {
        // Runs with another kernel, checks or clock are not comparable: keep those that match the newest run.
        for mark in Mark::ALL {
            let stated = records.iter().filter(|record| !mark.of(record).is_empty());
            if let Some(newest) = stated.max_by(|a, b| a.date.cmp(&b.date)).map(|record| mark.of(record)) {
                let newest = newest.into_owned();
                records.retain(|record| mark.of(record).is_empty() || mark.of(record) == newest);
            }
        }
        let mut entry = Self { records, timing: None, share: None, series: None };
        if entry.status().is_timed() {
            entry.series = Series::new(&entry.records);
            let ok = entry.records.iter().filter(|record| record.status.is_timed());
            let shares: Vec<f64> =
                ok.filter_map(|record| record.share).filter(|share| SHARES.contains(share)).collect();
            entry.share = median(&shares).filter(|_| entry.series.is_some());
        }
        entry
    }

    pub(super) fn set_timing(&mut self, variance: Option<Variance>) {
        self.timing = self.series.as_ref().map(|series| Timing::new(series, variance));
    }

    /// The representative row: the first fault, else the first `ok` row, else the first row.
    #[must_use]
    pub fn row(&self) -> &'a Record {
        let first = |is_it: fn(&Record) -> bool| self.records.iter().copied().find(|record| is_it(record));
        first(|record| record.status.is_fault())
            .or_else(|| first(|record| record.status.is_timed()))
            .unwrap_or(self.records[0])
    }

    /// Status of the case on this side: the fault, if any run has one.
    #[must_use]
    pub fn status(&self) -> Status {
        self.row().status
    }

    /// Why the entry is not compared with `other`, another entry of the same case; `None` if it is.
    #[must_use]
    pub fn unlike(&self, other: &Self) -> Option<Unlike> {
        comparable(self.row(), other.row()).err()
    }

    pub(super) fn is_device_timed(&self) -> bool {
        self.records.iter().all(|record| record.timer == Some(Clock::Timestamp))
    }

    pub(super) fn is_copy_of(&self, other: &Self) -> bool {
        let all_in = |a: &Self, b: &Self| a.records.iter().all(|row| b.records.iter().any(|other| is_copy(row, other)));
        all_in(self, other) && all_in(other, self)
    }
}

/// Identifies where and when a row was measured.
fn origin(row: &Record) -> [&str; 7] {
    [&row.date, &row.device, &row.card, &row.driver, row.api_name(), &row.compiler, &row.tool_version]
}

fn figures(row: &Record) -> [Option<f64>; 7] {
    [row.median_ns, row.min_ns, row.mean_ns, row.stddev_ns, row.ci_low_ns, row.ci_high_ns, row.drift]
}

pub(super) fn is_copy(a: &Record, b: &Record) -> bool {
    let counts = |row: &Record| (row.status, row.samples, row.launches);
    counts(a) == counts(b) && figures(a) == figures(b) && origin(a) == origin(b) && a.epochs_ns == b.epochs_ns
}

/// A row with its case and side.
type Known<'a> = ((usize, usize), &'a Record);

/// The rows so far. Finds copies of a row without comparing it with every other row.
#[derive(Default)]
pub(super) struct Copies<'a> {
    rows: HashMap<u64, Vec<Known<'a>>>,
    hasher: RandomState,
}

impl<'a> Copies<'a> {
    /// Whether no earlier row of this case and side is a copy of `record`; if so, adds it.
    pub(super) fn is_new(&mut self, at: (usize, usize), record: &'a Record) -> bool {
        // +0 and −0 are equal: hash them alike.
        let bits = figures(record).map(|figure| figure.map(|figure| (figure + 0.0).to_bits()));
        let known = self.rows.entry(self.hasher.hash_one((at, bits, origin(record)))).or_default();
        let is_new = !known.iter().any(|(of, row)| *of == at && is_copy(row, record));
        if is_new {
            known.push((at, record));
        }
        is_new
    }
}
