//! Comparisons as JSON.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::answer::{answer, recompiled};
use super::sentences::{labels, name};
use super::view::{Sort, View, groups};
use crate::compare::{CaseComparison, ChangedKernel, Comparison, Entry, Mark, Ratio, Tally, Timing, Verdict};
use record::Clock;
use record::suite::{Api, Checks};

/// Sides, matches with means, cases with times and ratios, and regressions if `view` has a limit.
pub(super) fn json(comparison: &Comparison, view: View) -> String {
    let all = All {
        cases: Cases { comparison, sort: view.sort },
        margin: comparison.margin,
        matches: (0..comparison.matches.len()).map(|of| match_value(comparison, of)).collect(),
        regressions: view.limit.map(|limit| regressions_value(comparison, limit)),
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
    sides: Vec<Value>,
}

/// The cases, serialized one at a time: all values at once would take ten times the memory of the text.
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
    let regression = |one: &crate::compare::Regression| {
        let [baseline, side] = labels(comparison, one.of);
        json!({
            "case": name(one.case), "baseline": baseline, "side": side, "is_beyond_noise": one.is_certain,
            "time_ratio": time_ratio(&one.ratio),
        })
    };
    let found: Vec<Value> = comparison.regressions(limit).iter().map(regression).collect();
    json!({ "limit": limit, "found": found })
}

fn side_value(side: &crate::compare::Side) -> Value {
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
    let kind = |tally: &Tally| (tally.kind.plural().to_owned(), tally_value(tally));
    let unlike: BTreeSet<String> = comparison.unlike(of).map(|(case, _)| case.row.name()).collect();
    json!({
        "baseline": baseline, "side": side, "answer": answer(comparison, of),
        "kernels": comparison.changed_kernels(of).iter().map(kernel_value).collect::<Vec<_>>(),
        "kinds": comparison.tallies_by_kind(of).iter().map(kind).collect::<serde_json::Map<String, Value>>(),
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
        "time_ratio": time_ratio(&kernel.mean),
    })
}

fn tally_value(tally: &Tally) -> Value {
    let verdicts =
        Verdict::ALL.iter().zip(tally.verdicts).map(|(verdict, count)| (verdict.name().to_owned(), count.into()));
    json!({
        "cases": tally.cases,
        "mean_time_ratio": tally.mean.as_ref().map(time_ratio),
        "verdicts": verdicts.collect::<serde_json::Map<String, Value>>(),
    })
}

fn case_value(comparison: &Comparison, case: &CaseComparison) -> Value {
    let row = case.row;
    let entry = |(side, entry): (usize, &Entry)| (comparison.sides[side].label.clone(), entry_value(entry));
    let entries: serde_json::Map<String, Value> = case.entries.iter().map(entry).collect();
    let pair = |(of, pair): (usize, &crate::compare::Pair)| {
        let [baseline, side] = labels(comparison, of);
        let marks: Vec<&str> = pair.marks.iter().map(|mark: &Mark| mark.name()).collect();
        json!({
            "baseline": baseline, "side": side, "time_ratio": time_ratio(&pair.ratio), "verdict": pair.verdict.name(),
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

fn time_ratio(speed_ratio: &Ratio) -> Value {
    let ratio = speed_ratio.recip();
    let (low, high) = ratio.interval.unzip();
    json!({ "value": ratio.value, "low": low, "high": high })
}
