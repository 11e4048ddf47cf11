//! Comparison of reports: matches rows, and computes ratios of times with confidence intervals and verdicts.
//!
//! Rows match by family, benchmark, type, size, parameters and source ([`comparable`](record::comparable)). Run-time
//! checks that a case asks for are parameters; other differences in checks get a [`Mark`]. A *side* is one card (or all
//! cards of a model), API, driver and version of the tool, measured together with the same other APIs. Several runs of
//! a side are pooled; for each case, only runs with the kernel, checks and clock of the newest run are used.
//!
//! A time is the mean over runs of the mean over epochs of logarithms. Its variance is moderated by the rows of its
//! class ([`moderate`](record::stats::moderate)). Run-to-run variation is estimated from the epochs of each run, never
//! from a built-in figure. The variances of two sides add up (Welch's test). APIs that took turns in the same runs are
//! compared by the differences between their epochs.

mod case;
mod entry;
mod inflation;
mod judge;
mod kernel;
mod mean;
mod pair;
mod rules;
mod series;
mod sides;
mod sparse;
pub mod text;
mod timing;
mod verdict;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

pub use case::CaseComparison;
pub use entry::{Entry, Mark};
pub use judge::ratios_in_turns;
pub use kernel::ChangedKernel;
pub use pair::Pair;
pub use rules::Rules;
pub use sides::{Match, Report, Side};
pub use sparse::Sparse;
pub use timing::{Ratio, Timing};
pub use verdict::{FALSE_DISCOVERIES, Verdict};

use entry::Copies;
use kernels::work_kind;
use record::stats::{Errors, LogValue, Null, adjusted_p_values};
use record::suite::WorkKind;
use record::{Record, Unlike};
use series::{Series, variances};
use sides::Sides;

/// Summary of the cases of a match, for all or one family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// Geometric mean of the ratios of `kind`; `None` if there are none.
    pub mean: Option<Ratio>,
    /// The first kind of work that the cases have.
    pub kind: WorkKind,
    /// Number of cases in the mean: those of this kind that have the same clock on both sides.
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
    /// Baseline time ÷ side time.
    pub ratio: Ratio,
    /// Whether the slow-down is certain, see [`Comparison::regressions`].
    pub is_certain: bool,
}

/// How many pairs of a comparison can show a regression, see [`Comparison::evidence`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Evidence {
    /// Pairs with a time on both sides.
    pub pairs: usize,
    /// Pairs that the device's clock timed on both sides.
    pub device_timed: usize,
    /// Device-timed pairs with an interval: only these can be certain regressions.
    pub deciding: usize,
}

/// A comparison of reports.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison<'a> {
    /// The sides; the baseline is first.
    pub sides: Vec<Side<'a>>,
    /// The pairs of sides to compare.
    pub matches: Vec<Match>,
    /// The cases, grouped by family, in the order of the reports.
    pub cases: Vec<CaseComparison<'a>>,
    /// Times that differ by less than this fraction are equal.
    pub margin: f64,
    by_family: HashMap<&'a str, Range<usize>>,
    on_side: Vec<Vec<usize>>,
    in_match: Vec<Vec<usize>>,
}

impl<'a> Comparison<'a> {
    /// The families, in the order of the reports.
    #[must_use]
    pub fn families(&self) -> Vec<&'a str> {
        let mut families: Vec<&str> = self.cases.iter().map(|case| case.row.family.as_str()).collect();
        families.dedup();
        families
    }

    /// The cases of a family.
    #[must_use]
    pub fn cases_of(&self, family: &str) -> &[CaseComparison<'a>] {
        self.by_family.get(family).and_then(|range| self.cases.get(range.clone())).unwrap_or_default()
    }

    /// The cases on a side: index, case and entry.
    pub fn on_side(&self, side: usize) -> impl Iterator<Item = (usize, &CaseComparison<'a>, &Entry<'a>)> {
        let indices = self.on_side.get(side).map_or(&[][..], Vec::as_slice);
        indices
            .iter()
            .filter_map(move |index| Some((*index, &self.cases[*index], self.cases[*index].entries.get(side)?)))
    }

    /// Number of cases that both sides have.
    #[must_use]
    pub fn common_cases(&self, a: usize, b: usize) -> usize {
        let [a, b] = [a, b].map(|side| self.on_side.get(side).map_or(&[][..], Vec::as_slice));
        let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
        few.iter().filter(|index| many.binary_search(index).is_ok()).count()
    }

    /// Geometric mean and verdicts of the match with index `of`, for one family or (`None`) for all.
    #[must_use]
    pub fn tally(&self, of: usize, family: Option<&str>) -> Tally {
        let range = match family {
            None => 0..self.cases.len(),
            Some(family) => self.by_family.get(family).cloned().unwrap_or(0..0),
        };
        let compared = &self.in_match[of];
        let until = |end: usize| compared.partition_point(|index| *index < end);
        let cases = compared[until(range.start)..until(range.end)].iter().map(|index| &self.cases[*index]);
        let pairs = cases.filter_map(|case| Some((case, case.pairs.get(of)?)));
        self.tally_of(self.matches[of], pairs)
    }

    /// The tally of each kind of work in the match.
    #[must_use]
    pub fn tallies_by_kind(&self, of: usize) -> Vec<Tally> {
        let tally = |kind: WorkKind| {
            let pairs = self.pairs_in(of).filter(|(case, _)| case.kind == kind).collect::<Vec<_>>();
            (!pairs.is_empty()).then(|| self.tally_of(self.matches[of], pairs.into_iter()))
        };
        WorkKind::ALL.into_iter().filter_map(tally).collect()
    }

    /// The cases that the match with index `of` compares, with their pairs.
    pub fn pairs_in(&self, of: usize) -> impl Iterator<Item = (&CaseComparison<'a>, &Pair<'a>)> {
        let cases = self.in_match[of].iter().map(|index| &self.cases[*index]);
        cases.filter_map(move |case| Some((case, case.pairs.get(of)?)))
    }

    /// The cases with times on both sides that the match `of` does not compare because their sources differ, and why.
    pub fn unlike(&self, of: usize) -> impl Iterator<Item = (&CaseComparison<'a>, Unlike)> {
        let Match { baseline, side } = self.matches[of];
        self.on_side(baseline).filter(move |(_, case, _)| case.pairs.get(of).is_none()).filter_map(
            move |(_, case, entry)| {
                let other = case.entries.get(side)?;
                entry.timing.and(other.timing)?;
                Some((case, entry.unlike(other)?))
            },
        )
    }

    /// The tally of any `pairs` of the match `of`.
    pub fn tally_of<'s>(&self, of: Match, pairs: impl Iterator<Item = (&'s CaseComparison<'a>, &'s Pair<'a>)>) -> Tally
    where
        'a: 's,
    {
        let (mut members, mut verdicts) = (Vec::new(), [0; 4]);
        let pairs: Vec<_> = pairs.collect();
        let kind = pairs.iter().map(|(case, _)| case.kind).min().unwrap_or_default();
        for (case, pair) in pairs {
            let verdict = Verdict::ALL.iter().position(|verdict| *verdict == pair.verdict);
            verdict.into_iter().for_each(|index| verdicts[index] += 1);
            members.extend((pair.has_one_clock() && case.kind == kind).then(|| pair.member(&case.entries, of)));
        }
        Tally { mean: mean::geometric_mean(&members), kind, cases: members.len(), verdicts }
    }

    /// The pairs of other `matches` of the same sides, with case indices. Verdicts are corrected for their number.
    #[must_use]
    pub fn pairs_of(&self, matches: &[Match]) -> Vec<Vec<(usize, Pair<'a>)>> {
        judge::pairs(
            [&self.cases, &[]],
            &self.sides,
            &self.on_side,
            matches,
            &Rules { margin: self.margin, ..Rules::default() },
        )
    }

    /// The number of pairs that can show a regression.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        let mut found = Evidence::default();
        for pair in self.cases.iter().flat_map(|case| case.pairs.values()) {
            found.pairs += 1;
            found.device_timed += usize::from(pair.has_device_clock());
            // A copy of a report has no variance, and no regression.
            let is_known = pair.ratio.interval.is_some();
            found.deciding += usize::from(pair.has_device_clock() && is_known);
        }
        found
    }

    /// Cases that certainly or possibly take more than 1 + `slowdown` times the baseline's time.
    ///
    /// A regression is certain if the whole 95 % interval lies beyond the limit, and the p-value of a smaller
    /// slow-down, adjusted for all pairs that one device clock timed, is at most [`FALSE_DISCOVERIES`]. Pairs timed by
    /// the host or by two clocks are never certain. A regression is possible if the case seems slower and its interval,
    /// or without an interval its ratio, reaches beyond the limit.
    #[must_use]
    pub fn regressions(&self, slowdown: f64) -> Vec<Regression<'a, '_>> {
        let of_case = |case| -> Vec<(&CaseComparison, usize, &Pair)> {
            let case: &CaseComparison = case;
            case.pairs.iter().map(|(of, pair)| (case, of, pair)).collect()
        };
        let pairs: Vec<_> = self.cases.iter().flat_map(of_case).collect();
        let slower = |pair: &Pair| {
            let log = pair.ratio.recip().log();
            if pair.has_device_clock() { log } else { LogValue { variance: None, ..log } }
        };
        let slower: Vec<LogValue> = pairs.iter().map(|(_, _, pair)| slower(pair)).collect();
        let adjusted = adjusted_p_values(&slower, Null::AtMost(slowdown.ln_1p()), Errors::Discoveries);
        let limit = 1.0 / (1.0 + slowdown);
        let seems = 1.0 / (1.0 + slowdown.min(self.margin));
        let mut found = Vec::new();
        for ((case, of, pair), p) in pairs.into_iter().zip(adjusted) {
            let ratio = pair.ratio;
            let (low, high) = ratio.interval.unwrap_or((ratio.value, ratio.value));
            let is_certain = high < limit && p.is_some_and(|p| p <= FALSE_DISCOVERIES);
            let is_possible = pair.verdict != Verdict::Same && ratio.value < seems && low < limit;
            if is_certain || is_possible {
                found.push(Regression { case, of, ratio, is_certain });
            }
        }
        found
    }
}

/// Compares `others` with `baseline` by the default rules, see [`compare_by`].
#[must_use]
pub fn compare<'a>(baseline: &'a [Report], others: &'a [Report]) -> Comparison<'a> {
    compare_by(&Rules::default(), baseline, others)
}

/// Compares `others` with `baseline`. Runs of one side are pooled, separately for the baseline and the others. Each
/// side is compared with the baseline side of the same device and API, else of the same API, else with the first one.
/// Unpaired baseline sides are compared with the first, so that one report with several APIs can be compared.
#[must_use]
pub fn compare_by<'a>(rules: &Rules, baseline: &'a [Report], others: &'a [Report]) -> Comparison<'a> {
    let mut sides = Sides::new(rules.is_by_model);
    let mut indices: HashMap<[String; 5], usize> = HashMap::new();
    let mut cases: Vec<BTreeMap<usize, Vec<&Record>>> = Vec::new();
    let mut known = Copies::default();
    let reports = baseline.iter().map(|report| (report, true)).chain(others.iter().map(|report| (report, false)));
    // In a run with --against, the rows of its command are the baseline.
    let has_turns = others.is_empty() && baseline.iter().flat_map(|report| &report.records).any(Record::is_against);
    for (report, is_baseline) in reports {
        for record in &report.records {
            let is_baseline = if has_turns { record.is_against() } else { is_baseline };
            let side = sides.index_of(report, record, is_baseline);
            let index = *indices.entry(key(record)).or_insert(cases.len());
            if index == cases.len() {
                cases.push(BTreeMap::new());
            }
            // Skip copies of a run in other files.
            if known.is_new((index, side), record) {
                cases[index].entry(side).or_default().push(record);
            }
        }
    }
    let sides = sides.sides;
    let mut cases: Vec<CaseComparison> = cases.into_iter().filter_map(|rows| case(rows, rules.is_named)).collect();
    for (side, indices) in on_sides(&cases, sides.len()).iter().enumerate() {
        let series: Vec<Option<&Series>> =
            indices.iter().map(|index| cases[*index].entries.get(side)?.series.as_ref()).collect();
        for (index, variance) in indices.iter().zip(variances(&series)) {
            cases[*index].entries.get_mut(side).into_iter().for_each(|entry| entry.set_timing(variance));
        }
    }
    // Rows that are not compared still show how their classes vary.
    let (mut cases, mut rest): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| (rules.is_compared)(case.row));
    let is_used: Vec<bool> = on_sides(&cases, sides.len()).iter().map(|cases| !cases.is_empty()).collect();
    let numbers: Vec<usize> = is_used
        .iter()
        .scan(0, |next, is_used| {
            let number = *next;
            *next += usize::from(*is_used);
            Some(number)
        })
        .collect();
    let sides = sides::used(sides, &is_used);
    rest.iter_mut().for_each(|case| case.entries.retain(|side| is_used[side]));
    cases.iter_mut().chain(&mut rest).for_each(|case| case.entries.renumber(|side| numbers[side]));
    let by_family = sort_by_family(&mut cases);
    let on_side = on_sides(&cases, sides.len());
    let matches = if rules.has_matches { sides::matches(&sides) } else { Vec::new() };
    let pairs = judge::pairs([&cases, &rest], &sides, &on_side, &matches, rules);
    let in_match = pairs.iter().map(|pairs| pairs.iter().map(|(index, _)| *index).collect()).collect();
    for (of, pairs) in pairs.into_iter().enumerate() {
        pairs.into_iter().for_each(|(index, pair)| cases[index].pairs.push(of, pair));
    }
    for case in &mut cases {
        if case.is_named || !case.has_other_source() {
            case.fastest = case.find_fastest(&matches, rules.margin);
        }
    }
    Comparison { sides, matches, cases, margin: rules.margin, by_family, on_side, in_match }
}

/// Groups the cases by family, in the order of each family's first case. Returns the range of each family.
fn sort_by_family<'a>(cases: &mut [CaseComparison<'a>]) -> HashMap<&'a str, Range<usize>> {
    let mut order: HashMap<&str, usize> = HashMap::new();
    for case in cases.iter() {
        let next = order.len();
        order.entry(&case.row.family).or_insert(next);
    }
    cases.sort_by_key(|case| order.get(case.row.family.as_str()).copied());
    let mut by_family: HashMap<&'a str, Range<usize>> = HashMap::new();
    for (index, case) in cases.iter().enumerate() {
        by_family.entry(&case.row.family).or_insert(index..index).end = index + 1;
    }
    by_family
}

fn on_sides(cases: &[CaseComparison], sides: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); sides];
    for (index, case) in cases.iter().enumerate() {
        case.entries.iter().for_each(|(side, _)| found[side].push(index));
    }
    found
}

fn key(record: &Record) -> [String; 5] {
    let (family, benchmark) = (record.family.clone(), record.benchmark.clone());
    [family, benchmark, record.dtype_name().to_owned(), record.size(), record.params_text()]
}

/// The case, without timings and pairs, which need the other cases.
fn case<'a>(rows: BTreeMap<usize, Vec<&'a Record>>, is_named: &dyn Fn(&Record) -> bool) -> Option<CaseComparison<'a>> {
    let row = *rows.values().flatten().next()?;
    let entries = rows.into_iter().map(|(side, rows)| (side, Entry::new(rows))).collect();
    Some(CaseComparison {
        row,
        kind: work_kind(row),
        is_named: is_named(row),
        entries,
        pairs: Sparse::default(),
        fastest: Vec::new(),
    })
}

#[cfg(test)]
mod simulated;
#[cfg(test)]
mod tests;
