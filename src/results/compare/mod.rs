//! Comparison of reports: matching rows, ratios of their times, and how certain these are.
//!
//! Rows match by family, benchmark, type, size and parameters. The parameters name the run-time checks that a case asks
//! for; matching rows that ran with different checks have a [`Mark`]. A *side* is one device, API, driver and version
//! of the tool. Several runs of a side are pooled: of each case those with the kernel, checks and clock of the newest.

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

/// A difference between the two rows of a pair besides time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The kernel's source or constants; between CUDA and other APIs, whose languages differ, nothing to tell.
    Shader,
    /// The run-time checks.
    Checks,
    /// The clock that timed them.
    Timer,
}

impl Mark {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Shader, Self::Checks, Self::Timer];

    /// The word for the difference.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shader => "shader",
            Self::Checks => "checks",
            Self::Timer => "timer",
        }
    }

    /// What the record has of it, as text; empty where it does not have it.
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
    /// Its rows, one a run; at least one. All of one kernel, with the same checks, timed by one clock, where they tell
    /// these.
    pub records: Vec<&'a Record>,
    /// Its time; `None` unless every run that took place was right and plausible.
    pub timing: Option<Timing>,
    /// Fraction of the side's own ceiling, 1 = the ceiling; of several runs their median.
    pub share: Option<f64>,
}

/// Shares of a ceiling that a row can have: plausible ones end at 1.05, and what is far beyond is a fault in the
/// report.
const SHARES: std::ops::RangeInclusive<f64> = 0.0..=10.0;

impl<'a> Entry<'a> {
    fn new(mut records: Vec<&'a Record>) -> Self {
        // Other kernels, checks or clocks measure something else: the newest run decides which to use.
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

    /// The row that represents the entry: the first fault, else the first that is `ok`, else the first.
    #[must_use]
    pub fn row(&self) -> &'a Record {
        let first = |is_it: fn(&Record) -> bool| self.records.iter().copied().find(|record| is_it(record));
        first(|record| record.status.is_fault())
            .or_else(|| first(|record| record.status == Status::Ok))
            .unwrap_or(self.records[0])
    }

    /// How the case ended on this side: a fault in any run is one.
    #[must_use]
    pub fn status(&self) -> Status {
        self.row().status
    }

    /// Whether both are the very same measurements, as where a report is compared with its copy.
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
    /// Its verdict.
    pub verdict: Verdict,
    /// Differences besides time.
    pub marks: Vec<Mark>,
}

impl Pair {
    fn new(baseline: &Entry, side: &Entry) -> Option<Self> {
        let (a, b) = (baseline.timing?, side.timing?);
        let ratio = if baseline.is_copy_of(side) { Ratio::ONE } else { Ratio::of(&a, &b) };
        Some(Self { ratio, verdict: ratio.verdict(), marks: marks(baseline, side) })
    }

    /// Whether the two were timed by one clock: else their ratio is shown and counts in no mean and no verdict on
    /// regressions.
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

/// One case on every side.
#[derive(Debug, Clone, PartialEq)]
pub struct Case<'a> {
    /// A row of it: the first that was read.
    pub row: &'a Record,
    /// Its rows on each side; `None` where the side has no such row.
    pub entries: Vec<Option<Entry<'a>>>,
    /// For each match the two times, where both are right and plausible.
    pub pairs: Vec<Option<Pair>>,
}

impl Case<'_> {
    /// The time on a side.
    #[must_use]
    pub fn timing(&self, side: usize) -> Option<Timing> {
        self.entries[side].as_ref()?.timing
    }

    /// The share of its own ceiling that a side reaches.
    #[must_use]
    pub fn share(&self, side: usize) -> Option<f64> {
        self.entries[side].as_ref()?.share
    }

    /// The sides whose time is the shortest or not certainly longer than it; none where only one side has a time.
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

    /// The sides that come nearest to their own ceilings, to within [`MARGIN`]; none where only one side has a ceiling.
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

/// A summary of some cases of a match.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// Geometric mean of the ratios; `None` where there are none.
    pub mean: Option<Ratio>,
    /// Cases in the mean: those that both sides timed by one clock.
    pub cases: usize,
    /// Cases of each verdict, in the order of [`Verdict::ALL`].
    pub verdicts: [usize; 4],
}

/// A case that is slower than the baseline by more than the limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regression<'a, 'b> {
    /// The case.
    pub case: &'b Case<'a>,
    /// Index of the match.
    pub of: usize,
    /// Time of the baseline ÷ time of the side.
    pub ratio: Ratio,
    /// Whether the whole interval says so, or only a part of it.
    pub is_certain: bool,
}

/// Compared reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison<'a> {
    /// The sides, the baseline's first.
    pub sides: Vec<Side<'a>>,
    /// The pairs that are compared.
    pub matches: Vec<Match>,
    /// The cases, in the order of the reports, family by family.
    pub cases: Vec<Case<'a>>,
}

impl<'a> Comparison<'a> {
    /// The families, in order.
    #[must_use]
    pub fn families(&self) -> Vec<&'a str> {
        let mut families: Vec<&str> = self.cases.iter().map(|case| case.row.family.as_str()).collect();
        families.dedup();
        families
    }

    /// Geometric mean and verdicts of the match at index `of`, of one family or of all.
    #[must_use]
    pub fn tally(&self, of: usize, family: Option<&str>) -> Tally {
        let cases = self.cases.iter().filter(|case| family.is_none_or(|family| case.row.family == family));
        let pairs: Vec<&Pair> = cases.filter_map(|case| case.pairs[of].as_ref()).collect();
        let ratios: Vec<Ratio> = pairs.iter().filter(|pair| pair.has_one_clock()).map(|pair| pair.ratio).collect();
        let count = |verdict| pairs.iter().filter(|pair| pair.verdict == verdict).count();
        Tally { mean: Ratio::geometric_mean(&ratios), cases: ratios.len(), verdicts: Verdict::ALL.map(count) }
    }

    /// Cases that take more than 1 + `slowdown` times as long as the baseline's, certainly or possibly. A case that is
    /// not certainly slower at all, or was timed by another clock, is no certain regression.
    #[must_use]
    pub fn regressions(&self, slowdown: f64) -> Vec<Regression<'a, '_>> {
        let of_case = |case: &'_ Case<'a>, of: usize| {
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
/// Runs of one device, API, driver and version are pooled into a side, those of the baseline among themselves. Each
/// side is compared with the baseline's side of its device and API, else of its API, else with the baseline's first. A
/// side of the baseline without a partner is compared with the first, so that one report of several APIs can be
/// compared.
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
            // The same run in two files is one run.
            if !rows[side].iter().any(|row| is_copy(row, record)) {
                rows[side].push(record);
            }
        }
    }
    let matches = sides::matches(&sides);
    let mut cases: Vec<Case> = cases.into_iter().filter_map(|rows| case(rows, sides.len(), &matches)).collect();
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

fn case<'a>(rows: Vec<Vec<&'a Record>>, sides: usize, matches: &[Match]) -> Option<Case<'a>> {
    let row = *rows.iter().flatten().next()?;
    let mut entries: Vec<Option<Entry>> =
        rows.into_iter().map(|rows| (!rows.is_empty()).then(|| Entry::new(rows))).collect();
    entries.resize(sides, None);
    let pair = |of: &Match| Pair::new(entries[of.baseline].as_ref()?, entries[of.side].as_ref()?);
    let pairs = matches.iter().map(pair).collect();
    Some(Case { row, entries, pairs })
}

#[cfg(test)]
mod tests;
