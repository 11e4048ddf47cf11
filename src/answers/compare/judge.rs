//! The pairs of a comparison, with verdicts corrected for their number.

use std::collections::HashMap;

use rayon::prelude::*;

use super::case::CaseComparison;
use super::inflation::{inflated, inflation};
use super::pair::Pair;
use super::rules::Rules;
use super::series::{Series, differences, larger, variances};
use super::sides::{Match, Side};
use super::timing::Ratio;
use super::verdict::Verdict;
use record::stats::{Errors, LogValue, Null, adjusted_p_values};
use record::{Record, times::Class};

/// The pairs of every match with the index of the case, and verdicts corrected for their number. `on_side`: indices of
/// the cases on each side. `rest`: cases that are not compared, but show how rows of the same classes vary.
pub(super) fn pairs<'a>(
    [cases, rest]: [&[CaseComparison<'a>]; 2],
    sides: &[Side],
    on_side: &[Vec<usize>],
    matches: &[Match],
    rules: &Rules,
) -> Vec<Vec<(usize, Pair<'a>)>> {
    let widens = rules.widens;
    let of_match = |of: &Match| {
        let [a, b] = [of.baseline, of.side].map(|side| &on_side[side]);
        let shorter = if a.len() < b.len() { a } else { b };
        let mut pairs: Vec<(usize, Pair)> =
            shorter.iter().filter_map(|index| pair_of(&cases[*index], *of, *index)).collect();
        take_turns(&mut pairs, sides[of.baseline].is_in_turns_with(&sides[of.side]));
        let mut others: Vec<(usize, Pair)> =
            (0..rest.len()).filter_map(|index| pair_of(&rest[index], *of, index)).collect();
        let mut both = [(cases, &mut pairs), (rest, &mut others)];
        pool(&mut both, *of);
        if widens && sides[of.baseline].is_like(&sides[of.side]) {
            inflate(&mut both, *of);
        }
        pairs
    };
    let mut all: Vec<Vec<(usize, Pair)>> = matches.par_iter().map(of_match).collect();
    let ratios: Vec<LogValue> = all.iter().flatten().map(|(_, pair)| pair.ratio.log()).collect();
    let adjusted = adjusted_p_values(&ratios, Null::Within(rules.margin.ln_1p()), Errors::Discoveries);
    for ((_, pair), adjusted) in all.iter_mut().flatten().zip(adjusted) {
        pair.adjusted_p = adjusted;
        pair.verdict = Verdict::new(&pair.ratio, rules.margin, pair.adjusted_p);
    }
    all
}

/// APIs that took turns are compared by the differences between their epochs; the interval is not widened for
/// differences between processes. Between builds, a row that varies more than its class keeps its own variance: its
/// processes differ, for example by running at one of two speeds.
fn take_turns(pairs: &mut [(usize, Pair)], are_builds: bool) {
    let turns: Vec<Option<&Series>> = pairs.iter().map(|(_, pair)| pair.turns.as_ref()).collect();
    let ratios = ratios_of(&turns);
    for ((_, pair), ratio) in pairs.iter_mut().zip(ratios) {
        pair.ratio = ratio.unwrap_or(pair.ratio);
        if let Some(turns) = pair.turns.as_ref().filter(|_| are_builds) {
            let variance = larger(pair.ratio.variance, turns.own_variance());
            pair.ratio = Ratio::new(LogValue { variance, ..pair.ratio.log() });
        }
    }
}

fn ratios_of(turns: &[Option<&Series>]) -> Vec<Option<Ratio>> {
    let ratio = |(turns, variance): (&Option<&Series>, _)| {
        turns.map(|turns| Ratio::new(LogValue { log: turns.mean(), variance }))
    };
    turns.iter().zip(variances(turns)).map(ratio).collect()
}

/// The pair of a case in a match, with the case's index; `None` without two times of one source.
fn pair_of<'a>(case: &CaseComparison<'a>, of: Match, index: usize) -> Option<(usize, Pair<'a>)> {
    let (baseline, side) = (case.entries.get(of.baseline)?, case.entries.get(of.side)?);
    // Measuring two builds or kernels alternately is a request to compare them.
    let took_turns = baseline.row().is_against() != side.row().is_against();
    let is_compared = case.is_named || took_turns || baseline.unlike(side).is_none();
    is_compared.then(|| Pair::new(baseline, side))?.map(|pair| (index, pair))
}

type Judged<'c, 'a> = (&'c [CaseComparison<'a>], &'c mut Vec<(usize, Pair<'a>)>);

/// Gives independent sides that vary alike one pooled variance for their difference.
fn pool(all: &mut [Judged; 2], of: Match) {
    fn sides<'c>(case: &'c CaseComparison, pair: &Pair, of: Match) -> Option<[&'c Series<'c>; 2]> {
        let is_pooled = !pair.has_turns && !pair.is_copy && pair.has_one_clock() && pair.ratio.variance.is_some();
        let [a, b] = [of.baseline, of.side].map(|side| case.entries.get(side)?.series.as_ref());
        a.zip(b).filter(|_| is_pooled).map(|(a, b)| [a, b])
    }
    let of_all =
        all.iter().flat_map(|(cases, pairs)| pairs.iter().map(|(index, pair)| sides(&cases[*index], pair, of)));
    let variances = differences(&of_all.collect::<Vec<_>>());
    let pairs = all.iter_mut().flat_map(|(_, pairs)| pairs.iter_mut());
    for ((_, pair), variance) in pairs.zip(variances) {
        if variance.is_some() {
            pair.ratio = Ratio::new(LogValue { variance, ..pair.ratio.log() });
        }
    }
}

/// Ratios of the times of rows of two APIs: first ÷ second. `None` if a pair did not take turns in one run, or has
/// fewer than two epochs. The interval is that of the differences between epochs, whose variance is moderated by the
/// pairs of the same class; it does not include run-to-run variation.
#[must_use]
pub fn ratios_in_turns(pairs: &[(&Record, &Record)]) -> Vec<Option<Ratio>> {
    fn difference<'a>((a, b): &(&'a Record, &'a Record)) -> Option<Series<'a>> {
        Series::of_turns(&Series::new(&[*a])?, &Series::new(&[*b])?)
    }
    let series: Vec<Option<Series>> = pairs.iter().map(difference).collect();
    ratios_of(&series.iter().map(Option::as_ref).collect::<Vec<_>>())
}

/// Widens all intervals of a class by the variation between processes that its rows of equal kernels show.
fn inflate(all: &mut [Judged; 2], of: Match) {
    let classes = |case: &CaseComparison| -> Vec<Class> {
        let series = case.entries.get(of.baseline).and_then(|entry| entry.series.as_ref());
        series.map_or_else(Vec::new, |series| series.classes().to_vec())
    };
    let mut unchanged: HashMap<Class, Vec<Ratio>> = HashMap::new();
    for (cases, pairs) in all.iter() {
        for (index, pair) in pairs.iter().filter(|(_, pair)| pair.marks.is_empty() && !pair.has_turns) {
            classes(&cases[*index]).into_iter().for_each(|class| unchanged.entry(class).or_default().push(pair.ratio));
        }
    }
    let found: HashMap<Class, f64> =
        unchanged.into_iter().filter_map(|(class, ratios)| Some((class, inflation(ratios.iter())?))).collect();
    for (cases, pairs) in all {
        for (index, pair) in pairs.iter_mut().filter(|(_, pair)| !pair.has_turns) {
            if let Some(factor) = classes(&cases[*index]).into_iter().find_map(|class| found.get(&class).copied()) {
                pair.ratio = inflated(&pair.ratio, factor);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Clock;
    use record::suite::Api;

    fn row(api: Api, epochs_ns: &[f64]) -> Record {
        Record {
            backend: Some(api),
            date: "2026-01-02T03:04:05Z".to_owned(),
            timer: Some(Clock::Timestamp),
            median_ns: epochs_ns.first().copied(),
            epochs_ns: epochs_ns.to_vec(),
            ..Record::default()
        }
    }

    #[test]
    fn what_moves_both_apis_alike_does_not_widen_their_ratio() {
        let vulkan = row(Api::Vulkan, &[100.0, 120.0, 90.0, 110.0]);
        let cuda = row(Api::Cuda, &[50.0, 60.0, 45.0, 55.0]);
        let ratio = ratios_in_turns(&[(&vulkan, &cuda)])[0].expect("both have epochs");
        let (low, high) = ratio.interval.expect("an interval");
        assert!((ratio.value - 2.0).abs() < 1e-9 && low > 1.999 && high < 2.001, "{ratio:?}");
        // In another order, the epochs no longer match.
        let shuffled = row(Api::Cuda, &[45.0, 50.0, 60.0, 55.0]);
        let (low, high) = ratios_in_turns(&[(&vulkan, &shuffled)])[0].and_then(|ratio| ratio.interval).expect("wide");
        assert!(high / low > 1.2, "{low} {high}");
        let other_run = Record { date: "2026-01-03T03:04:05Z".to_owned(), ..cuda.clone() };
        let (one, another) = (row(Api::Vulkan, &[100.0]), row(Api::Cuda, &[50.0]));
        assert_eq!(ratios_in_turns(&[(&vulkan, &other_run), (&one, &another)]), [None, None]);
    }
}
