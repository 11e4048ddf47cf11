//! The pairs of a comparison, with verdicts corrected for their number.

use std::collections::HashMap;

use super::case::CaseComparison;
use super::inflation::{Inflation, Processes, inflated, inflation};
use super::pair::Pair;
use super::rules::Rules;
use super::series::{Series, variances};
use super::sides::{Match, Side};
use super::timing::Ratio;
use super::verdict::Verdict;
use crate::results::estimate::Class;
use crate::results::stats::benjamini_hochberg;

/// The pairs of every match, one per case, with verdicts corrected for the number of all of them.
pub(super) fn pairs<'a>(
    cases: &[CaseComparison<'a>],
    sides: &[Side],
    matches: &[Match],
    rules: &Rules,
) -> Vec<Vec<Option<Pair<'a>>>> {
    let of_match = |of: &Match| {
        let pair =
            |case: &CaseComparison<'a>| Pair::new(case.entries[of.baseline].as_ref()?, case.entries[of.side].as_ref()?);
        let mut pairs: Vec<Option<Pair>> = cases.iter().map(pair).collect();
        take_turns(&mut pairs);
        if rules.processes != Processes::Alike && sides[of.baseline].is_like(&sides[of.side]) {
            inflate(rules.processes, &mut pairs, cases, *of);
        }
        pairs
    };
    let mut all: Vec<Vec<Option<Pair>>> = matches.iter().map(of_match).collect();
    let judged = || all.iter().flatten().flatten();
    let p_values: Vec<f64> = judged().filter_map(|pair| pair.ratio.p_of_equivalence(rules.margin)).collect();
    let mut adjusted = benjamini_hochberg(&p_values).into_iter();
    for pair in all.iter_mut().flatten().flatten() {
        pair.adjusted_p = pair.ratio.variance.and_then(|_| adjusted.next());
        pair.verdict = Verdict::new(&pair.ratio, rules.margin, pair.adjusted_p);
    }
    all
}

/// APIs that took turns: the ratio is that of the differences between their epochs, and nothing else is allowed for.
fn take_turns(pairs: &mut [Option<Pair>]) {
    let turns: Vec<Option<&Series>> = pairs.iter().map(|pair| pair.as_ref()?.turns.as_ref()).collect();
    let ratios: Vec<Option<Ratio>> = turns
        .iter()
        .zip(variances(&turns))
        .map(|(turns, variance)| turns.map(|turns| Ratio::new(turns.mean(), variance)))
        .collect();
    for (pair, ratio) in pairs.iter_mut().zip(ratios) {
        if let (Some(pair), Some(ratio)) = (pair, ratio) {
            pair.ratio = ratio;
        }
    }
}

/// Widens the intervals by what processes differ by, class by class. Rows of equal kernels show it; it holds for all rows
/// of the class.
fn inflate(processes: Processes, pairs: &mut [Option<Pair>], cases: &[CaseComparison], of: Match) {
    let classes = |index: usize| -> Vec<Class> {
        let series = cases[index].entries[of.baseline].as_ref().and_then(|entry| entry.series.as_ref());
        series.map_or_else(Vec::new, |series| series.classes().to_vec())
    };
    let mut unchanged: HashMap<Class, Vec<Ratio>> = HashMap::new();
    for (index, pair) in pairs.iter().enumerate() {
        if let Some(pair) = pair.as_ref().filter(|pair| pair.marks.is_empty() && !pair.has_turns) {
            classes(index).into_iter().for_each(|class| unchanged.entry(class).or_default().push(pair.ratio));
        }
    }
    let found: HashMap<Class, Inflation> = unchanged
        .into_iter()
        .filter_map(|(class, ratios)| Some((class, inflation(processes, ratios.iter())?)))
        .collect();
    for (index, pair) in pairs.iter_mut().enumerate() {
        let class = classes(index).into_iter().find_map(|class| found.get(&class).copied());
        if let Some((pair, inflation)) = pair.as_mut().filter(|pair| !pair.has_turns).zip(class) {
            pair.ratio = inflated(&pair.ratio, inflation);
        }
    }
}
