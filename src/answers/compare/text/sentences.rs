//! The sentences of a comparison, shared by all formats.

use crate::cold::without_caches;
use crate::compare::{
    CaseComparison, Comparison, Entry, Evidence, Mark, Match, Ratio, Regression, Side, Tally, Verdict,
};
use crate::report::table::label;
use record::suite::{Api, WorkKind};
use record::{Unlike, format};

/// Maximum number of names in a line.
const NAMES: usize = 5;

/// Why two sides that both have a time are not compared.
pub(super) const OTHER_SOURCE: &str = "different source";

/// A line about regressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegressionLine {
    /// The text.
    pub text: String,
    /// Whether the line names one case of the list that an earlier line introduces.
    pub is_item: bool,
}

/// Lines about cases that are slower by more than `limit` (0.05 = 5 %).
#[must_use]
pub fn regression_lines(comparison: &Comparison, limit: f64) -> Vec<RegressionLine> {
    let sentence = |text: String| RegressionLine { text, is_item: false };
    let item = |text: String| RegressionLine { text, is_item: true };
    let past = format::percent_limit(limit);
    let (certain, possible): (Vec<_>, Vec<_>) =
        comparison.regressions(limit).into_iter().partition(|regression| regression.is_certain);
    // A single run per side does not show all run-to-run variation.
    let is_single =
        comparison.matches.iter().any(|of| comparison.sides[of.baseline].is_of_one_run(&comparison.sides[of.side]));
    let mut lines = Vec::new();
    if certain.is_empty() {
        let [word, when] = if is_single { ["", " in this run"] } else { ["certainly ", ""] };
        lines.push(sentence(format!("No case is {word}slower by more than {past}{when}.")));
    } else {
        let [word, when] = if is_single { ["Slower", " in this run"] } else { ["Certainly slower", ""] };
        lines.push(sentence(format!("{word} by more than {past}{when} ({}):", count(certain.len()))));
        lines.extend(certain.iter().map(|regression| item(regression_line(comparison, regression))));
    }
    if !possible.is_empty() {
        let all: Vec<_> = possible.iter().map(|regression| name(regression.case)).collect();
        let why = "too noisy, timed by the host, or timed by different clocks";
        lines.push(sentence(format!("Possibly slower by more than {past} ({why}): {}.", some(&all))));
    }
    lines
}

/// Why the comparison cannot show a regression, and what to do; `None` if it can.
#[must_use]
pub fn undecided(comparison: &Comparison) -> Option<String> {
    let Evidence { pairs, device_timed, deciding } = comparison.evidence();
    let compared = count(pairs);
    match (pairs, device_timed, deciding) {
        (.., 1..) => None,
        (0, ..) => Some(format!(
            "nothing was compared: none of {} has a time on both sides; compare runs of the same benchmarks and sizes",
            count(comparison.cases.len())
        )),
        (_, 0, _) => Some(format!(
            "nothing was decided: {compared} compared, but none was timed by the device's clock on both sides; measure \
             through an API with timestamps"
        )),
        _ => Some(format!(
            "nothing was decided: {compared} compared, but run-to-run variation is unknown; use reports with epochs, \
             or three or more runs"
        )),
    }
}

fn regression_line(comparison: &Comparison, regression: &Regression) -> String {
    let [baseline, side] = labels(comparison, regression.of);
    let which = if comparison.matches.len() > 1 { format!(" ({side} against {baseline})") } else { String::new() };
    format!("{}: {}{which}", name(regression.case), change(&regression.ratio))
}

pub(super) fn name(case: &CaseComparison) -> String {
    format!("{}/{}", case.row.family, label(case.row))
}

/// Device and API of a side, with its compiler if it is not wgpu's own: `NVIDIA H200, Vulkan`.
#[must_use]
pub fn title(side: &Side) -> String {
    let device = if side.device.is_empty() { "unnamed device" } else { side.device };
    let compiler = side.compiler.join(" ");
    format::joined([device, side.api.map_or("", Api::title), compiler.trim_end()], ", ")
}

/// The dates of the side's runs, and their number if there are several.
#[must_use]
pub fn days(side: &Side) -> String {
    let day = |date: &str| date.chars().take(10).collect::<String>();
    match side.dates.as_slice() {
        [] => String::new(),
        [one] => day(one),
        several => {
            let [first, last] = [several.iter().min(), several.iter().max()]
                .map(|date| date.map_or_else(String::new, |date| day(date)));
            let span = if first == last { first } else { format!("{first} to {last}") };
            format!("{} runs, {span}", several.len())
        }
    }
}

/// Summarizes the cases of a match, a sentence for each kind of work.
#[must_use]
pub fn tally_lines(comparison: &Comparison, of: usize) -> Vec<String> {
    comparison.tallies_by_kind(of).iter().filter_map(|tally| tally_line(comparison, of, tally)).collect()
}

#[must_use]
pub(super) fn tally_line(comparison: &Comparison, of: usize, tally: &Tally) -> Option<String> {
    let [baseline, side] = labels(comparison, of);
    let counts: Vec<_> = Verdict::ALL
        .iter()
        .zip(tally.verdicts)
        .filter(|(_, count)| *count > 0)
        .map(|(verdict, count)| format!("{count} {}", verdict.name()))
        .collect();
    let mean = tally.mean.map(|mean| {
        format!("{side} against {baseline}: {} (mean of {})", change(&mean), counted(tally.cases, tally.kind))
    });
    let parts: Vec<_> = mean.into_iter().chain((!counts.is_empty()).then(|| counts.join(", "))).collect();
    (!parts.is_empty()).then(|| format!("{}.", parts.join(": ")))
}

pub(super) fn labels<'b>(comparison: &'b Comparison, of: usize) -> [&'b str; 2] {
    let sides = comparison.matches[of];
    [sides.baseline, sides.side].map(|side| comparison.sides[side].label.as_str())
}

/// The cases that a match excludes, one line per reason.
#[must_use]
pub fn left_out(comparison: &Comparison, of: usize) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    let unlike: Vec<*const CaseComparison> = comparison.unlike(of).map(|(case, _)| std::ptr::from_ref(case)).collect();
    let is_unlike = |case: &CaseComparison| unlike.contains(&std::ptr::from_ref(case));
    for case in comparison.cases.iter().filter(|case| !is_unlike(case)) {
        let Some(why) = why_not(comparison, of, case) else { continue };
        let name = format!("{}{}", name(case), fault(comparison, of, case));
        match groups.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => groups.push((why, vec![name])),
        }
    }
    let [baseline, side] = labels(comparison, of);
    // A single match needs no labels.
    let which = if comparison.matches.len() > 1 { format!(" ({baseline}, {side})") } else { String::new() };
    let groups = groups.into_iter().map(|(why, names)| format!("Not compared{which}, {why}: {}.", some(&names)));
    groups.chain(changed_sources(comparison, of)).collect()
}

/// Kernels not compared because their sources differ: `12 kernels (40 cases) that changed between 2026-11-23 and …`.
#[must_use]
pub(super) fn changed_sources(comparison: &Comparison, of: usize) -> Vec<String> {
    let at = comparison.matches[of];
    let [a, b] = [at.baseline, at.side].map(|side| &comparison.sides[side]);
    let day = |side: &Side| side.dates.iter().max().map_or_else(String::new, |date| date.chars().take(10).collect());
    let mut between = [day(a), day(b)];
    between.sort();
    if between[0] == between[1] {
        between = [a.label.clone(), b.label.clone()];
    }
    let [label_a, label_b] = labels(comparison, of);
    let which = if comparison.matches.len() > 1 { format!("{label_b} against {label_a}: ") } else { String::new() };
    let sentence = |reason: Unlike| {
        let found: Vec<_> = comparison.unlike(of).filter(|(_, why)| *why == reason).collect();
        let mut names: Vec<String> = found.iter().map(|(case, _)| case.row.name()).collect();
        names.sort();
        names.dedup();
        let [first, ..] = names.as_slice() else { return None };
        let kernels = format::plural(names.len(), "kernel", "kernels");
        let (cases, are) = (count(found.len()), if names.len() == 1 { "is" } else { "are" });
        let how = match reason {
            Unlike::Version => {
                format!("with WGSL from shaderbench {} and CUDA from {}", a.tool_version, b.tool_version)
            }
            Unlike::Source | Unlike::Case => format!("that changed between {} and {}", between[0], between[1]),
        };
        Some(format!(
            "{which}{kernels} ({cases}) {how} {are} not compared: {}. Name a kernel in full, such as {first}, to \
             compare it.",
            few(&names)
        ))
    };
    [Unlike::Source, Unlike::Version].into_iter().filter_map(sentence).collect()
}

/// Whether only one side of a match has the case, and the other has it in another cache state (hot or cold).
pub(super) fn has_other_caches(comparison: &Comparison, of: usize, case: &CaseComparison) -> bool {
    let at = comparison.matches[of];
    let side = match (case.entries.get(at.baseline), case.entries.get(at.side)) {
        (Some(_), None) => at.side,
        (None, Some(_)) => at.baseline,
        _ => return false,
    };
    comparison.cases_of(&case.row.family).iter().any(|other| {
        other.entries.get(side).is_some()
            && other.row.is_cold() != case.row.is_cold()
            && without_caches(other.row) == without_caches(case.row)
    })
}

fn fault(comparison: &Comparison, of: usize, case: &CaseComparison) -> String {
    let at = comparison.matches[of];
    let rows = [at.baseline, at.side].into_iter().filter_map(|side| Some(case.entries.get(side)?.row()));
    let reason = rows.filter(|row| row.status.is_fault()).map(|row| &row.reason).find(|reason| !reason.is_empty());
    reason.map_or_else(String::new, |reason| format!(" ({reason})"))
}

/// Why a match excludes a case; `None` if the case is compared or on neither side.
pub(super) fn why_not(comparison: &Comparison, of: usize, case: &CaseComparison) -> Option<String> {
    if case.pairs.get(of).is_some() {
        return None;
    }
    let [baseline, side] = labels(comparison, of);
    let at = comparison.matches[of];
    let state = |entry: &Entry| match entry.status() {
        status if status.is_timed() && entry.timing.is_some() => None,
        status if status.is_timed() => Some("without a time"),
        other => Some(other.name()),
    };
    match (case.entries.get(at.baseline), case.entries.get(at.side)) {
        (None, None) => None,
        _ if has_other_caches(comparison, of, case) => {
            Some("hot caches on one side and cold caches on the other".to_owned())
        }
        (Some(_), None) => Some(format!("only in {baseline}")),
        (None, Some(_)) => Some(format!("only in {side}")),
        (Some(a), Some(b)) => match (state(a), state(b)) {
            (None, None) => Some(OTHER_SOURCE.to_owned()),
            (Some(a), Some(b)) if a == b => Some(format!("{a} in {baseline} and {side}")),
            (a, b) => {
                let in_side = |state: Option<&str>, label: &str| state.map(|state| format!("{state} in {label}"));
                let both: Vec<_> = in_side(a, baseline).into_iter().chain(in_side(b, side)).collect();
                Some(both.join(", "))
            }
        },
    }
}

/// A difference between two rows other than time: `different source`.
#[must_use]
pub fn marked(mark: Mark) -> String {
    format!("different {}", mark.name())
}

/// How verdicts are decided.
#[must_use]
pub fn rule(comparison: &Comparison) -> String {
    let margin = format::percent_limit(comparison.margin);
    let rule = format!(
        "faster, slower: the change exceeds {margin} with 95 % confidence, corrected for multiple comparisons; same: \
         the 95 % interval is within {margin}; unclear: anything else."
    );
    let mut pairs = comparison.cases.iter().flat_map(|case| case.pairs.values());
    if pairs.all(|pair| pair.ratio.interval.is_some()) {
        return rule;
    }
    format!(
        "{rule} A change without an interval is unclear, since one run without epochs does not show run-to-run \
         variation: use three runs or more."
    )
}

/// What the totals of a match do not show: the number of pairs whose sources, checks or clocks differ.
pub(super) fn remarks(comparison: &Comparison, of: usize) -> Vec<String> {
    let pairs: Vec<_> = comparison.cases.iter().filter_map(|case| Some((case, case.pairs.get(of)?))).collect();
    Mark::ALL
        .iter()
        .filter_map(|mark| {
            let many = pairs.iter().filter(|(_, pair)| pair.marks.contains(mark)).count();
            (many > 0).then(|| format!("Different {}: {}.", mark.name(), count(many)))
        })
        .collect()
}

/// Names the sides of a match that do not show run-to-run variation; `None` if both do.
pub(super) fn without_variation(comparison: &Comparison, of: usize) -> Option<String> {
    let Match { baseline, side } = comparison.matches[of];
    let is_single = |index: usize| {
        let pairs = comparison.cases.iter().filter(|case| case.pairs.get(of).is_some());
        pairs.filter_map(|case| case.timing(index)).all(|timing| !timing.shows_variation())
    };
    let found = [baseline, side].into_iter().zip(labels(comparison, of));
    let single: Vec<&str> = found.filter_map(|(index, label)| is_single(index).then_some(label)).collect();
    match single[..] {
        [] => None,
        [one] => Some(format!("{one} has one run without epochs, which does not show run-to-run variation")),
        _ => Some(format!(
            "{} have one run each without epochs, which do not show run-to-run variation",
            single.join(" and ")
        )),
    }
}

/// Facts that distinguish a side from others of the same device, API and compiler: card, host, and APIs of its runs.
pub(super) fn particulars(comparison: &Comparison, side: &Side) -> Vec<String> {
    let differs = |get: fn(&Side) -> String| {
        let alike = |other: &&Side| (other.device, other.api, other.compiler) == (side.device, side.api, side.compiler);
        comparison.sides.iter().filter(alike).any(|other| get(other) != get(side))
    };
    let card = (!side.card.is_empty() && differs(|side| side.card.to_owned())).then(|| format!("card {}", side.card));
    let host = (!side.host.is_empty() && differs(|side| side.host.to_owned())).then(|| format!("host {}", side.host));
    let apis = !side.apis.is_empty() && differs(|side| side.apis.to_owned());
    card.into_iter().chain(host).chain(apis.then(|| format!("run through {}", side.apis))).collect()
}

pub(super) fn some(names: &[String]) -> String {
    format!("{}: {}", count(names.len()), few(names))
}

fn few(names: &[String]) -> String {
    let shown = names[..names.len().min(NAMES)].join(", ");
    let more = names.len().saturating_sub(NAMES);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    shown + &rest
}

pub(super) fn counted(cases: usize, kind: WorkKind) -> String {
    let adjective = kind.adjective();
    format::plural(cases, &format!("{adjective} case"), &format!("{adjective} cases"))
}

pub(super) fn count(cases: usize) -> String {
    format::plural(cases, "case", "cases")
}

/// The change of the time from the ratio baseline ÷ side: `+8.0 % time [7.4, 8.6]`.
#[must_use]
pub fn change(ratio: &Ratio) -> String {
    let times = ratio.recip();
    format::time_change(times.value, times.interval)
}

/// The change for a table cell: `+8.0 % [7.4, 8.6]`.
pub(super) fn short_change(ratio: &Ratio) -> String {
    let times = ratio.recip();
    format::time_change_cell(times.value, times.interval)
}

pub(super) fn none() -> String {
    "–".to_owned()
}
