//! Comparison of reports: matches rows and computes ratios of times with confidence intervals.
//!
//! Rows match by family, benchmark, type, size and parameters. Run-time checks that a case asks for are parameters;
//! other differences in checks get a [`Mark`]. A *side* is one device, API, driver and version of the tool. Several
//! runs of a side are pooled; for each case, only runs with the kernel, checks and clock of the newest run are used.

mod sides;
mod timing;
mod verdict;

use std::borrow::Cow;
use std::collections::HashMap;

pub use sides::{Match, Report, Side};
pub use timing::{Ratio, Timing};
pub use verdict::{MARGIN, Verdict};

use crate::backend::Api;
use crate::results::{Clock, Record, Status};

/// A difference between the two rows of a pair other than time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Kernel source or constants. Ignored between CUDA and other APIs, because their sources always differ.
    Shader,
    /// The run-time checks.
    Checks,
    /// The clock of the measurement.
    Timer,
}

impl Mark {
    /// All marks.
    pub const ALL: [Self; 3] = [Self::Shader, Self::Checks, Self::Timer];

    /// The name of the difference.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shader => "shader",
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
}

/// The rows of a case on one side.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<'a> {
    /// At least one row, one per run. All rows have the same kernel, checks and clock, as far as they state these.
    pub records: Vec<&'a Record>,
    /// Pooled time; `None` if any run has a fault or no run has a time.
    pub timing: Option<Timing>,
    /// Share of the side's own ceiling, 1 = the ceiling; the median over runs.
    pub share: Option<f64>,
}

/// Valid shares of a ceiling. Plausible rows end at 1.05; values beyond this range are errors in the report.
const SHARES: std::ops::RangeInclusive<f64> = 0.0..=10.0;

impl<'a> Entry<'a> {
    fn new(mut records: Vec<&'a Record>) -> Self {
        // Runs with another kernel, checks or clock are not comparable: keep those that match the newest run.
        for mark in Mark::ALL {
            let stated = records.iter().filter(|record| !mark.of(record).is_empty());
            if let Some(newest) = stated.max_by(|a, b| a.date.cmp(&b.date)).map(|record| mark.of(record)) {
                let newest = newest.into_owned();
                records.retain(|record| mark.of(record).is_empty() || mark.of(record) == newest);
            }
        }
        let mut entry = Self { records, timing: None, share: None };
        if entry.status() == Status::Ok {
            let ok = || entry.records.iter().filter(|record| record.status == Status::Ok);
            let shares: Vec<f64> =
                ok().filter_map(|record| record.share).filter(|share| SHARES.contains(share)).collect();
            entry.timing = Timing::pooled(&ok().filter_map(|record| Timing::of_run(record)).collect::<Vec<_>>());
            entry.share = crate::results::stats::median(&shares).filter(|_| entry.timing.is_some());
        }
        entry
    }

    /// The representative row: the first fault, else the first `ok` row, else the first row.
    #[must_use]
    pub fn row(&self) -> &'a Record {
        let first = |is_it: fn(&Record) -> bool| self.records.iter().copied().find(|record| is_it(record));
        first(|record| record.status.is_fault())
            .or_else(|| first(|record| record.status == Status::Ok))
            .unwrap_or(self.records[0])
    }

    /// Status of the case on this side. A fault in any run counts.
    #[must_use]
    pub fn status(&self) -> Status {
        self.row().status
    }

    /// Whether both entries have the same measurements, for example in a report and its copy.
    fn is_copy_of(&self, other: &Self) -> bool {
        let all_in = |a: &Self, b: &Self| a.records.iter().all(|row| b.records.iter().any(|other| is_copy(row, other)));
        all_in(self, other) && all_in(other, self)
    }
}

fn is_copy(a: &Record, b: &Record) -> bool {
    fn origin(row: &Record) -> [&str; 5] {
        [&row.date, &row.device, &row.driver, row.api_name(), &row.tool_version]
    }
    let counts = |row: &Record| (row.status, row.samples, row.launches);
    let figures = |row: &Record| {
        [row.median_ns, row.min_ns, row.mean_ns, row.stddev_ns, row.ci_low_ns, row.ci_high_ns, row.drift]
    };
    counts(a) == counts(b) && figures(a) == figures(b) && origin(a) == origin(b)
}

/// The times of a case on two sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Time of the baseline ÷ time of the side.
    pub ratio: Ratio,
    /// The verdict on the ratio.
    pub verdict: Verdict,
    /// Differences other than time.
    pub marks: Vec<Mark>,
}

impl Pair {
    fn new(baseline: &Entry, side: &Entry) -> Option<Self> {
        let (a, b) = (baseline.timing?, side.timing?);
        let ratio = if baseline.is_copy_of(side) { Ratio::ONE } else { Ratio::of(&a, &b) };
        Some(Self { ratio, verdict: ratio.verdict(), marks: marks(baseline, side) })
    }

    /// Whether one clock timed both sides. If not, the ratio is shown, but excluded from means and certain regressions.
    #[must_use]
    pub fn has_one_clock(&self) -> bool {
        !self.marks.contains(&Mark::Timer)
    }
}

fn marks(baseline: &Entry, side: &Entry) -> Vec<Mark> {
    let rows = || baseline.records.iter().chain(&side.records);
    let is_cuda = |entry: &Entry| entry.row().backend == Some(Api::Cuda);
    let is_twin = is_cuda(baseline) != is_cuda(side);
    let differs = |mark: &Mark| rows().any(|row| mark.of(row) != mark.of(baseline.row()));
    Mark::ALL.into_iter().filter(|mark| !(is_twin && *mark == Mark::Shader)).filter(differs).collect()
}

/// A case with its rows on every side.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseComparison<'a> {
    /// The first row that was read.
    pub row: &'a Record,
    /// The rows on each side; `None` if the side has no row.
    pub entries: Vec<Option<Entry<'a>>>,
    /// For each match, the ratio; `None` unless both sides have a time.
    pub pairs: Vec<Option<Pair>>,
}

impl CaseComparison<'_> {
    /// The time on a side.
    #[must_use]
    pub fn timing(&self, side: usize) -> Option<Timing> {
        self.entries[side].as_ref()?.timing
    }

    /// The side's share of its own ceiling.
    #[must_use]
    pub fn share(&self, side: usize) -> Option<f64> {
        self.entries[side].as_ref()?.share
    }

    /// The fastest sides: the shortest time, and times that are not certainly longer. Empty if fewer than two sides
    /// have a time.
    #[must_use]
    pub fn fastest(&self) -> Vec<usize> {
        let timed: Vec<(usize, Timing)> = self.sides().filter_map(|side| Some((side, self.timing(side)?))).collect();
        let best = timed.iter().map(|(_, timing)| timing).min_by(|a, b| a.median_ns.total_cmp(&b.median_ns));
        let is_best = |timing: &Timing| best.is_some_and(|best| Ratio::of(best, timing).verdict() != Verdict::Slower);
        if timed.len() < 2 {
            return Vec::new();
        }
        timed.iter().filter(|(_, timing)| is_best(timing)).map(|(side, _)| *side).collect()
    }

    /// The sides with the largest share of their own ceiling, or within [`MARGIN`] of it. Empty if fewer than two sides
    /// have a share.
    #[must_use]
    pub fn nearest_to_ceiling(&self) -> Vec<usize> {
        let shares: Vec<(usize, f64)> = self.sides().filter_map(|side| Some((side, self.share(side)?))).collect();
        let best = shares.iter().map(|(_, share)| *share).fold(0.0, f64::max);
        if shares.len() < 2 {
            return Vec::new();
        }
        shares.iter().filter(|(_, share)| *share >= best / (1.0 + MARGIN)).map(|(side, _)| *side).collect()
    }

    fn sides(&self) -> std::ops::Range<usize> {
        0..self.entries.len()
    }
}

/// Summary of the cases of a match, for all or one family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// Geometric mean of the ratios; `None` if there are none.
    pub mean: Option<Ratio>,
    /// Number of cases in the mean: those with one clock for both sides.
    pub cases: usize,
    /// Number of cases per verdict, in the order of [`Verdict::ALL`].
    pub verdicts: [usize; 4],
}

/// A case that is slower than the baseline by more than the limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regression<'a, 'b> {
    /// The case.
    pub case: &'b CaseComparison<'a>,
    /// Index of the match.
    pub of: usize,
    /// Time of the baseline ÷ time of the side.
    pub ratio: Ratio,
    /// Whether the slow-down is certain: the whole interval is beyond the limit, not only part of it.
    pub is_certain: bool,
}

/// A comparison of reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison<'a> {
    /// The sides, baseline first.
    pub sides: Vec<Side<'a>>,
    /// The pairs of sides to compare.
    pub matches: Vec<Match>,
    /// The cases, grouped by family, in the order of the reports.
    pub cases: Vec<CaseComparison<'a>>,
}

impl<'a> Comparison<'a> {
    /// The families in order.
    #[must_use]
    pub fn families(&self) -> Vec<&'a str> {
        let mut families: Vec<&str> = self.cases.iter().map(|case| case.row.family.as_str()).collect();
        families.dedup();
        families
    }

    /// Geometric mean and verdicts of the match with index `of`, for one family, or all if `None`.
    #[must_use]
    pub fn tally(&self, of: usize, family: Option<&str>) -> Tally {
        let cases = self.cases.iter().filter(|case| family.is_none_or(|family| case.row.family == family));
        let pairs: Vec<&Pair> = cases.filter_map(|case| case.pairs[of].as_ref()).collect();
        let ratios: Vec<Ratio> = pairs.iter().filter(|pair| pair.has_one_clock()).map(|pair| pair.ratio).collect();
        let count = |verdict| pairs.iter().filter(|pair| pair.verdict == verdict).count();
        Tally { mean: Ratio::geometric_mean(&ratios), cases: ratios.len(), verdicts: Verdict::ALL.map(count) }
    }

    /// Cases that certainly or possibly take more than 1 + `slowdown` times the baseline's time. A regression is
    /// certain only if the verdict is `slower` and one clock timed both sides.
    #[must_use]
    pub fn regressions(&self, slowdown: f64) -> Vec<Regression<'a, '_>> {
        let of_case = |case: &'_ CaseComparison<'a>, of: usize| {
            let pair = case.pairs[of].as_ref()?;
            let is_slower = pair.verdict == Verdict::Slower && pair.has_one_clock();
            let is_certain = is_slower && verdict::is_past(&pair.ratio, slowdown);
            let may_be = is_certain || (pair.verdict != Verdict::Same && verdict::may_be_past(&pair.ratio, slowdown));
            may_be.then_some((pair.ratio, is_certain))
        };
        let all = self.cases.iter().flat_map(|case| (0..self.matches.len()).map(move |of| (case, of)));
        all.filter_map(|(case, of)| {
            let (ratio, is_certain) = of_case(case, of)?;
            Some(Regression { case, of, ratio, is_certain })
        })
        .collect()
    }
}

/// Compares `others` with `baseline`.
///
/// Runs with the same device, API, driver and version are pooled into a side, separately for the baseline and the
/// others. Each side is compared with the baseline side of the same device and API, else of the same API, else with the
/// first baseline side. Unpaired baseline sides are compared with the first one, so that one report with several APIs
/// can be compared.
#[must_use]
pub fn compare<'a>(baseline: &'a [Report], others: &'a [Report]) -> Comparison<'a> {
    let mut sides: Vec<Side> = Vec::new();
    let mut indices: HashMap<[String; 5], usize> = HashMap::new();
    let mut cases: Vec<Vec<Vec<&Record>>> = Vec::new();
    let reports = baseline.iter().map(|report| (report, true)).chain(others.iter().map(|report| (report, false)));
    for (report, is_baseline) in reports {
        for record in &report.records {
            let side = sides::index_of(&mut sides, report, record, is_baseline);
            let index = *indices.entry(key(record)).or_insert(cases.len());
            if index == cases.len() {
                cases.push(Vec::new());
            }
            let rows = &mut cases[index];
            rows.resize(rows.len().max(side + 1), Vec::new());
            // Skip copies of a run in other files.
            if !rows[side].iter().any(|row| is_copy(row, record)) {
                rows[side].push(record);
            }
        }
    }
    let matches = sides::matches(&sides);
    let mut cases: Vec<CaseComparison> =
        cases.into_iter().filter_map(|rows| case(rows, sides.len(), &matches)).collect();
    let mut families: Vec<&str> = Vec::new();
    for case in &cases {
        if !families.contains(&case.row.family.as_str()) {
            families.push(&case.row.family);
        }
    }
    cases.sort_by_key(|case| families.iter().position(|family| *family == case.row.family));
    Comparison { sides, matches, cases }
}

fn key(record: &Record) -> [String; 5] {
    let (family, benchmark) = (record.family.clone(), record.benchmark.clone());
    [family, benchmark, record.dtype_name().to_owned(), record.size(), record.params_text()]
}

fn case<'a>(rows: Vec<Vec<&'a Record>>, sides: usize, matches: &[Match]) -> Option<CaseComparison<'a>> {
    let row = *rows.iter().flatten().next()?;
    let mut entries: Vec<Option<Entry>> =
        rows.into_iter().map(|rows| (!rows.is_empty()).then(|| Entry::new(rows))).collect();
    entries.resize(sides, None);
    let pair = |of: &Match| Pair::new(entries[of.baseline].as_ref()?, entries[of.side].as_ref()?);
    let pairs = matches.iter().map(pair).collect();
    Some(CaseComparison { row, entries, pairs })
}

#[cfg(test)]
mod tests;
