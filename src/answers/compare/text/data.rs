//! Comparisons as CSV and JSON.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::answer::{answer, recompiled};
use super::groups::groups;
use super::sentences::{labels, marked, mean_shares, name, why_not};
use super::view::{Sort, View};
use crate::answers::compare::{CaseComparison, ChangedKernel, Comparison, Entry, Mark, Ratio, Tally, Timing, Verdict};
use crate::record::Clock;
use crate::report::csv::neutral;
use crate::suite::{Api, Checks};

const HEADING: [&str; 32] = [
    "family",
    "benchmark",
    "dtype",
    "n",
    "params",
    "baseline",
    "baseline_device",
    "baseline_backend",
    "baseline_driver",
    "baseline_tool_version",
    "side",
    "side_device",
    "side_backend",
    "side_driver",
    "side_tool_version",
    "baseline_runs",
    "baseline_ns",
    "baseline_low_ns",
    "baseline_high_ns",
    "baseline_share",
    "side_runs",
    "side_ns",
    "side_low_ns",
    "side_high_ns",
    "side_share",
    "ratio",
    "ratio_low",
    "ratio_high",
    "verdict",
    "note",
    "baseline_compiler",
    "side_compiler",
];

/// One row per match and case that at least one side has. Each row is complete. A ratio is time of the baseline ÷ time
/// of the side.
pub(super) fn csv(comparison: &Comparison, sort: Sort) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let cases = groups(comparison, sort).into_iter().flat_map(|group| group.cases);
    let of_side = matches_of_sides(comparison);
    let matches_of = |case: &CaseComparison| {
        let mut matches: Vec<usize> = case.entries.iter().flat_map(|(side, _)| of_side[side].iter().copied()).collect();
        matches.sort_unstable();
        matches.dedup();
        matches
    };
    let rows = cases.flat_map(|case| matches_of(case).into_iter().map(move |of| row(comparison, case, of)));
    for row in std::iter::once(HEADING.map(str::to_owned).to_vec()).chain(rows) {
        // Writes to a Vec cannot fail, and every row has as many fields as the header.
        let _ = writer.write_record(row.into_iter().map(neutral));
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

/// The matches of each side.
fn matches_of_sides(comparison: &Comparison) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new(); comparison.sides.len()];
    for (index, of) in comparison.matches.iter().enumerate() {
        [of.baseline, of.side].into_iter().for_each(|side| found[side].push(index));
    }
    found
}

fn row(comparison: &Comparison, case: &CaseComparison, of: usize) -> Vec<String> {
    let at = comparison.matches[of];
    let is = case.row;
    let mut cells: Vec<String> =
        vec![is.family.clone(), is.benchmark.clone(), is.dtype_name().to_owned(), is.size(), is.params_text()];
    for side in [at.baseline, at.side].map(|side| &comparison.sides[side]) {
        cells.extend(
            [side.label.as_str(), side.device, side.api.map_or("", Api::name), side.driver, side.tool_version]
                .map(str::to_owned),
        );
    }
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    for side in [at.baseline, at.side] {
        let timing = case.timing(side);
        let (low, high) = timing.and_then(|timing| timing.interval).unzip();
        cells.push(timing.map_or_else(String::new, |timing| timing.runs.to_string()));
        cells.extend([timing.map(|timing| timing.median_ns), low, high, case.share(side)].map(number));
    }
    let pair = case.pairs.get(of);
    let (low, high) = pair.and_then(|pair| pair.ratio.interval).unzip();
    cells.extend([pair.map(|pair| pair.ratio.value), low, high].map(number));
    cells.push(pair.map_or_else(String::new, |pair| pair.verdict.name().to_owned()));
    let marks = pair.into_iter().flat_map(|pair| pair.marks.iter().map(|mark| marked(*mark)));
    let recompiled = comparison.recompiled(case, of);
    let notes: Vec<String> = marks.chain(recompiled).chain(why_not(comparison, of, case)).collect();
    cells.push(notes.join("; "));
    cells.extend([at.baseline, at.side].map(|side| comparison.sides[side].compiler.join(" ").trim_end().to_owned()));
    cells
}

/// Sides, matches with means, cases with times and ratios, and regressions if `view` has a limit.
pub(super) fn json(comparison: &Comparison, view: View) -> String {
    let all = All {
        cases: Cases { comparison, sort: view.sort },
        margin: comparison.margin,
        matches: (0..comparison.matches.len()).map(|of| match_value(comparison, of)).collect(),
        regressions: view.limit.map(|limit| regressions_value(comparison, limit)),
        shares: shares_value(comparison),
        sides: comparison.sides.iter().map(side_value).collect(),
    };
    let mut text = serde_json::to_string_pretty(&all).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Serialize)]
struct All<'c, 'a> {
    cases: Cases<'c, 'a>,
    margin: f64,
    matches: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    regressions: Option<Value>,
    shares: Value,
    sides: Vec<Value>,
}

/// The cases, made one after the other: all values at once take ten times the memory of the text.
struct Cases<'c, 'a> {
    comparison: &'c Comparison<'a>,
    sort: Sort,
}

impl Serialize for Cases<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cases = groups(self.comparison, self.sort).into_iter().flat_map(|group| group.cases);
        serializer.collect_seq(cases.map(|case| case_value(self.comparison, case)))
    }
}

fn regressions_value(comparison: &Comparison, limit: f64) -> Value {
    let regression = |one: &crate::answers::compare::Regression| {
        let [baseline, side] = labels(comparison, one.of);
        json!({
            "case": name(one.case), "baseline": baseline, "side": side, "is_beyond_noise": one.is_certain,
            "ratio": ratio_value(&one.ratio),
        })
    };
    let found: Vec<Value> = comparison.regressions(limit).iter().map(regression).collect();
    json!({ "limit": limit, "found": found })
}

fn side_value(side: &crate::answers::compare::Side) -> Value {
    json!({
        "label": side.label, "is_baseline": side.is_baseline, "device": side.device,
        "card": side.card, "host": side.host, "backend": side.api.map_or("", Api::name), "apis": side.apis,
        "compiler": side.compiler[0], "compiler_version": side.compiler[1],
        "driver": side.driver, "tool_version": side.tool_version, "reports": side.reports, "dates": side.dates,
    })
}

fn match_value(comparison: &Comparison, of: usize) -> Value {
    let [baseline, side] = labels(comparison, of);
    let family = |family: &str| (family.to_owned(), tally_value(&comparison.tally(of, Some(family))));
    let families: serde_json::Map<String, Value> = comparison.families().into_iter().map(family).collect();
    let unlike: BTreeSet<String> = comparison.unlike(of).map(|(case, _)| case.row.name()).collect();
    json!({
        "baseline": baseline, "side": side, "answer": answer(comparison, of),
        "kernels": comparison.changed_kernels(of).iter().map(kernel_value).collect::<Vec<_>>(),
        "kinds": comparison.tallies_by_kind(of).iter().map(kind_value).collect::<serde_json::Map<String, Value>>(),
        "families": families,
        "changed_sources": { "cases": comparison.unlike(of).count(), "kernels": unlike },
    })
}

fn kernel_value(kernel: &ChangedKernel) -> Value {
    json!({
        "family": kernel.family, "benchmark": kernel.benchmark, "kind": kernel.kind.plural(),
        "verdict": kernel.verdict.name(),
        "changed": kernel.changed, "cases": kernel.cases, "has_other_source": kernel.has_other_source,
        "recompiled": recompiled(kernel),
        "ratio": ratio_value(&kernel.mean),
    })
}

fn kind_value(tally: &Tally) -> (String, Value) {
    (tally.kind.plural().to_owned(), tally_value(tally))
}

fn tally_value(tally: &Tally) -> Value {
    let verdicts =
        Verdict::ALL.iter().zip(tally.verdicts).map(|(verdict, count)| (verdict.name().to_owned(), count.into()));
    json!({
        "cases": tally.cases,
        "geometric_mean": tally.mean.as_ref().map(ratio_value),
        "verdicts": verdicts.collect::<serde_json::Map<String, Value>>(),
    })
}

fn shares_value(comparison: &Comparison) -> Value {
    let (cases, means) = mean_shares(comparison);
    let means = comparison.sides.iter().zip(means).map(|(side, mean)| (side.label.clone(), Value::from(mean)));
    json!({ "cases": cases, "geometric_mean": means.collect::<serde_json::Map<String, Value>>() })
}

fn case_value(comparison: &Comparison, case: &CaseComparison) -> Value {
    let row = case.row;
    let entry = |(side, entry): (usize, &Entry)| (comparison.sides[side].label.clone(), entry_value(entry));
    let entries: serde_json::Map<String, Value> = case.entries.iter().map(entry).collect();
    let pair = |(of, pair): (usize, &crate::answers::compare::Pair)| {
        let [baseline, side] = labels(comparison, of);
        let marks: Vec<&str> = pair.marks.iter().map(|mark: &Mark| mark.name()).collect();
        json!({
            "baseline": baseline, "side": side, "ratio": ratio_value(&pair.ratio), "verdict": pair.verdict.name(),
            "adjusted_p": pair.adjusted_p, "is_device_timed": pair.is_device_timed, "has_turns": pair.has_turns,
            "differs": marks,
        })
    };
    let best = |sides: &[usize]| sides.iter().map(|side| comparison.sides[*side].label.as_str()).collect::<Vec<_>>();
    json!({
        "family": row.family, "benchmark": row.benchmark, "dtype": row.dtype_name(), "n": row.size(),
        "params": row.params_text(),
        "sides": entries,
        "pairs": case.pairs.iter().map(pair).collect::<Vec<_>>(),
        "fastest": best(&case.fastest),
    })
}

fn entry_value(entry: &Entry) -> Value {
    let row = entry.row();
    let (low, high) = entry.timing.and_then(|timing: Timing| timing.interval).unzip();
    json!({
        "status": row.status.name(), "reason": row.reason, "runs": entry.timing.map(|timing| timing.runs),
        "median_ns": entry.timing.map(|timing| timing.median_ns), "low_ns": low, "high_ns": high, "share": entry.share,
        "ceiling": row.ceiling.map_or_else(String::new, |bound| bound.to_string()),
        "checks": row.checks.map_or_else(String::new, Checks::name), "timer": row.timer.map_or("", Clock::name),
        "shader_hash": row.shader_hash,
    })
}

fn ratio_value(ratio: &Ratio) -> Value {
    let (low, high) = ratio.interval.unzip();
    json!({ "value": ratio.value, "low": low, "high": high })
}
