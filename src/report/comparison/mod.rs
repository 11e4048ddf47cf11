//! Reports against each other, for people (table, Markdown) and for programs (CSV, JSON).

mod columns;
mod data;
mod markdown;
mod table;

use super::table::{Look, digits, label, time};
use super::versus::written;
use crate::results::Status;
use crate::results::compare::{Case, Comparison, Entry, MARGIN, Mark, Ratio, Regression, Side, Tally, Verdict};

/// How a comparison is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum Format {
    /// For a terminal
    #[default]
    Table,
    /// For a pull request
    Markdown,
    /// A row for each case and pair of sides
    Csv,
    /// Everything that the comparison knows
    Json,
}

/// The order of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum Sort {
    /// Family by family, as the reports have them
    #[default]
    Family,
    /// By name
    Name,
    /// The largest slow-down first
    Ratio,
    /// The largest change first, whichever is faster
    Change,
}

/// What is shown of a comparison, and how.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Width and colours, for tables.
    pub look: Look,
    /// The order of the rows.
    pub sort: Sort,
    /// Whether each side's share of its own ceiling is shown instead of times.
    pub is_relative: bool,
    /// Families whose rows are grouped by kernel rather than by type and size.
    pub by_kernel: &'a [&'a str],
    /// The slow-down that was asked about, 0.05 = 5 %.
    pub limit: Option<f64>,
}

/// How many names a line has at most.
const NAMES: usize = 5;

/// Writes `comparison` in `format`. CSV and JSON hold times and shares alike and know no width.
#[must_use]
pub fn write(comparison: &Comparison, view: View, format: Format) -> String {
    match format {
        Format::Table => table::write(comparison, view),
        Format::Markdown => markdown::write(comparison, view),
        Format::Csv => data::csv(comparison, view.sort),
        Format::Json => data::json(comparison, view),
    }
}

/// What is to be said of slow-downs past `limit` (0.05 = 5 %), a line each.
#[must_use]
pub fn regression_lines(comparison: &Comparison, limit: f64) -> Vec<String> {
    let past = format!("{} %", plain(limit * 100.0));
    let (certain, possible): (Vec<_>, Vec<_>) =
        comparison.regressions(limit).into_iter().partition(|regression| regression.is_certain);
    let mut lines = Vec::new();
    if certain.is_empty() {
        lines.push(format!("No case is certainly slower by more than {past}."));
    } else {
        lines.push(format!("Certainly slower by more than {past}: {}:", count(certain.len())));
        lines.extend(certain.iter().map(|regression| format!("  {}", regression_line(comparison, regression))));
    }
    if !possible.is_empty() {
        let all: Vec<_> = possible.iter().map(|regression| name(regression.case)).collect();
        let why = "noise, or another clock, leaves it open";
        lines.push(format!("Possibly slower by more than {past} ({why}): {}.", some(&all)));
    }
    lines
}

fn regression_line(comparison: &Comparison, regression: &Regression) -> String {
    let slower = regression.ratio.recip();
    let percent = |times: f64| format!("{:.1} %", (times - 1.0) * 100.0);
    let interval =
        slower.interval.map_or_else(String::new, |(low, high)| format!(" [{}, {}]", percent(low), percent(high)));
    let [baseline, side] = labels(comparison, regression.of);
    let which = if comparison.matches.len() > 1 { format!(" ({side} against {baseline})") } else { String::new() };
    format!("{}: {}{interval} slower{which}", name(regression.case), percent(slower.value))
}

/// Rows that are shown together: a family, or all.
struct Group<'a, 'b> {
    family: Option<&'a str>,
    cases: Vec<&'b Case<'a>>,
}

fn groups<'a, 'b>(comparison: &'b Comparison<'a>, sort: Sort) -> Vec<Group<'a, 'b>> {
    if sort == Sort::Family {
        let of = |family: &'a str| comparison.cases.iter().filter(move |case| case.row.family == family).collect();
        return comparison
            .families()
            .into_iter()
            .map(|family| Group { family: Some(family), cases: of(family) })
            .collect();
    }
    let mut cases: Vec<&Case> = comparison.cases.iter().collect();
    // What was not compared comes last.
    let ratios = |case: &Case| case.pairs.iter().flatten().map(|pair| pair.ratio.value).collect::<Vec<_>>();
    let lowest = |case: &Case| ratios(case).into_iter().fold(f64::INFINITY, f64::min);
    let change = |case: &Case| ratios(case).into_iter().map(|ratio| -ratio.ln().abs()).fold(f64::INFINITY, f64::min);
    match sort {
        Sort::Family => {}
        Sort::Name => cases.sort_by_cached_key(|case| name(case)),
        Sort::Ratio => cases.sort_by(|a, b| lowest(a).total_cmp(&lowest(b))),
        Sort::Change => cases.sort_by(|a, b| change(a).total_cmp(&change(b))),
    }
    vec![Group { family: None, cases }]
}

/// A case by its full name.
fn name(case: &Case) -> String {
    format!("{}/{}", case.row.family, label(case.row))
}

/// What a side is: `NVIDIA H200, Vulkan`.
#[must_use]
pub fn title(side: &Side) -> String {
    let device = if side.device.is_empty() { "a device without a name" } else { side.device };
    if side.backend.is_empty() { device.to_owned() } else { format!("{device}, {}", written(side.backend)) }
}

/// The days of its runs, and their number where there are several.
#[must_use]
pub fn days(side: &Side) -> String {
    let day = |date: &str| date.chars().take(10).collect::<String>();
    match side.dates.as_slice() {
        [] => String::new(),
        [one] => day(one),
        several => {
            let (first, last) =
                (several.iter().min().map(|date| day(date)), several.iter().max().map(|date| day(date)));
            let span =
                if first == last { first } else { first.zip(last).map(|(first, last)| format!("{first} to {last}")) };
            format!("{} runs, {}", several.len(), span.unwrap_or_default())
        }
    }
}

/// What a match says of some cases, in a sentence.
#[must_use]
pub fn tally_line(comparison: &Comparison, of: usize, tally: &Tally) -> Option<String> {
    let [baseline, side] = labels(comparison, of);
    let counts: Vec<_> = Verdict::ALL
        .iter()
        .zip(tally.verdicts)
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| format!("{count} {}", verdict.name()))
        .collect();
    let mean = tally.mean.map(|mean| {
        let many = count(tally.cases);
        format!("{side} has {} the speed of {baseline} (geometric mean of {many})", with_interval(&mean))
    });
    let parts: Vec<_> = mean.into_iter().chain((!counts.is_empty()).then(|| counts.join(", "))).collect();
    (!parts.is_empty()).then(|| format!("{}.", parts.join(": ")))
}

/// The letters of a match: baseline, other side.
fn labels<'b>(comparison: &'b Comparison, of: usize) -> [&'b str; 2] {
    let of = comparison.matches[of];
    [of.baseline, of.side].map(|side| comparison.sides[side].label.as_str())
}

/// Geometric mean of each side's shares of its own ceilings, over the cases of a family, or of all, for which every side has one; and
/// their number.
fn mean_shares(comparison: &Comparison, family: Option<&str>) -> (usize, Vec<Option<f64>>) {
    let cases = comparison.cases.iter().filter(|case| family.is_none_or(|family| case.row.family == family));
    let shares: Vec<Vec<f64>> = cases
        .filter_map(|case| {
            (0..comparison.sides.len()).map(|side| case.share(side).filter(|share| *share > 0.0)).collect()
        })
        .collect();
    let mean = |side: usize| {
        crate::results::stats::geometric_mean(&shares.iter().map(|of_case| of_case[side]).collect::<Vec<_>>())
    };
    (shares.len(), (0..comparison.sides.len()).map(mean).collect())
}

/// What a match leaves out, a line for each reason: cases of one side alone, and those without a right and plausible time.
#[must_use]
pub fn left_out(comparison: &Comparison, of: usize) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for case in &comparison.cases {
        let Some(why) = why_not(comparison, of, case) else { continue };
        let name = format!("{}{}", name(case), fault(comparison, of, case));
        match groups.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => groups.push((why, vec![name])),
        }
    }
    let [baseline, side] = labels(comparison, of);
    // A single match needs no name.
    let which = if comparison.matches.len() > 1 { format!(" ({baseline}, {side})") } else { String::new() };
    groups.into_iter().map(|(why, names)| format!("Not compared{which}, {why}: {}.", some(&names))).collect()
}

/// What is wrong with a case that should have a time, in brackets.
fn fault(comparison: &Comparison, of: usize, case: &Case) -> String {
    let at = comparison.matches[of];
    let rows = [at.baseline, at.side].into_iter().filter_map(|side| Some(case.entries[side].as_ref()?.row()));
    let reason = rows.filter(|row| row.status.is_fault()).map(|row| &row.reason).find(|reason| !reason.is_empty());
    reason.map_or_else(String::new, |reason| format!(" ({reason})"))
}

/// Why a case of a match is not compared; `None` where it is, or is on neither side.
fn why_not(comparison: &Comparison, of: usize, case: &Case) -> Option<String> {
    if case.pairs[of].is_some() {
        return None;
    }
    let [baseline, side] = labels(comparison, of);
    let at = comparison.matches[of];
    let state = |entry: &Entry| match entry.status() {
        Status::Ok if entry.timing.is_some() => None,
        Status::Ok => Some("without a time"),
        other => Some(other.name()),
    };
    match (&case.entries[at.baseline], &case.entries[at.side]) {
        (None, None) => None,
        (Some(_), None) => Some(format!("only in {baseline}")),
        (None, Some(_)) => Some(format!("only in {side}")),
        (Some(a), Some(b)) => match (state(a), state(b)) {
            (Some(a), Some(b)) if a == b => Some(format!("{a} in {baseline} and {side}")),
            (a, b) => {
                let of = |state: Option<&str>, label: &str| state.map(|state| format!("{state} in {label}"));
                let both: Vec<_> = of(a, baseline).into_iter().chain(of(b, side)).collect();
                Some(both.join(", "))
            }
        },
    }
}

/// What is to be known of a pair beside its ratio: `other shader`.
#[must_use]
pub fn marked(mark: Mark) -> String {
    format!("other {}", mark.name())
}

/// The rule of the verdicts, in a sentence or two.
#[must_use]
pub fn rule(comparison: &Comparison) -> String {
    // A number and its sign stay on one line.
    let margin = format!("{}\u{a0}%", plain(MARGIN * 100.0));
    let rule = format!(
        "faster, slower: by more than {margin} at 99\u{a0}%; same: the 95\u{a0}% interval lies within {margin}; else unclear."
    );
    if comparison.sides.iter().all(|side| side.dates.len() > 1) {
        return rule;
    }
    format!(
        "{rule} A side of one run is allowed what runs differ by besides: 4\u{a0}% and more in all. Several runs a side tell it."
    )
}

/// Their number, and the first of the names.
fn some(names: &[String]) -> String {
    let shown = names[..names.len().min(NAMES)].join(", ");
    let more = names.len().saturating_sub(NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}: {shown}{rest}", count(names.len()))
}

fn count(cases: usize) -> String {
    if cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") }
}

/// `1.07× [1.06, 1.08]`.
#[must_use]
pub fn with_interval(ratio: &Ratio) -> String {
    let interval =
        ratio.interval.map_or_else(String::new, |(low, high)| format!(" [{}, {}]", figure(low), figure(high)));
    format!("{}{interval}", times(ratio))
}

/// `1.07×`.
fn times(ratio: &Ratio) -> String {
    format!("{}×", figure(ratio.value))
}

/// Three digits; below 1 three behind the point, so that both sides of 1 are told as finely.
fn figure(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 0.01 => format!("{ratio:.1e}"),
        ratio if ratio < 0.0995 => format!("{ratio:.4}"),
        ratio if ratio < 0.9995 => format!("{ratio:.3}"),
        ratio => digits(ratio, 3),
    }
}

/// A share in percent.
fn share(fraction: f64) -> String {
    if fraction < 0.0995 { format!("{:.1}%", fraction * 100.0) } else { format!("{:.0}%", fraction * 100.0) }
}

/// A number without needless digits: `5`, `2.5`.
fn plain(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn none() -> String {
    "–".to_owned()
}

/// A time as the table writes it.
fn duration(median_ns: f64) -> String {
    time(Some(median_ns))
}
