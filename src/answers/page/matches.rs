//! Matches on the page: the APIs of each device, and the devices.

use std::collections::HashMap;

use serde::Serialize;

use super::cases::{Ranges, Texts};
use super::figure::Figure;
use crate::answers::compare::{CaseComparison, Comparison, Match as SidePair, Pair, Ratio, Verdict};

/// A match: a side and its baseline.
#[derive(Serialize)]
pub(super) struct Match {
    baseline: usize,
    side: usize,
    /// Whether the two sides are one device through two APIs.
    is_one_device: bool,
    /// Indices of the cases for which both sides use the same clock.
    case: Ranges,
    /// Time of the baseline ÷ time of the side.
    ratio: Vec<Option<Figure>>,
    /// Half width of the 95 % interval on a log scale, in units of 1/10,000. Empty if no ratio has an interval.
    reach: Vec<Option<Figure>>,
    /// One letter per case: f (faster), s (same), S (slower), u (unclear).
    verdict: String,
    means: Means,
}

/// Geometric means of ratios in columns: all cases, then each family, followed by its benchmarks.
#[derive(Default, Serialize)]
struct Means {
    /// Text index of the family; `None` for all families.
    family: Vec<Option<usize>>,
    /// Text index of the benchmark; `None` for the whole family.
    benchmark: Vec<Option<usize>>,
    cases: Vec<usize>,
    ratio: Vec<Option<Figure>>,
    /// Half width of the 95 % interval on a log scale, in units of 1/10,000.
    reach: Vec<Option<Figure>>,
    /// Number of faster, slower, same and unclear cases, over all cases.
    verdicts: [usize; 4],
}

/// Compares each device's first API with its other APIs, and the first device with every other device.
pub(super) fn matches<'a>(comparison: &'a Comparison<'a>, texts: &mut Texts<'a>) -> Vec<Match> {
    let sides = &comparison.sides;
    let mut first_of_device: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for (index, side) in sides.iter().enumerate() {
        match first_of_device.iter().find(|first| sides[**first].device == side.device) {
            Some(first) => found.push((*first, index, true)),
            None => {
                found.extend(first_of_device.first().map(|first| (*first, index, false)));
                first_of_device.push(index);
            }
        }
    }
    found.sort_by_key(|(_, _, is_one_device)| !is_one_device);
    let of: Vec<SidePair> =
        found.iter().map(|(baseline, side, _)| SidePair { baseline: *baseline, side: *side }).collect();
    let pairs = comparison.pairs_of(&of);
    let matched = |((of, (_, _, is_one_device)), pairs): ((SidePair, _), Vec<(usize, Pair<'a>)>)| {
        matched(comparison, of, is_one_device, &pairs, texts)
    };
    of.into_iter().zip(found).zip(pairs).map(matched).filter(|of: &Match| of.case.len() > 0).collect()
}

fn matched<'a>(
    comparison: &'a Comparison<'a>,
    of: SidePair,
    is_one_device: bool,
    pairs: &[(usize, Pair<'a>)],
    texts: &mut Texts<'a>,
) -> Match {
    let compared = pairs.iter().map(|(index, pair)| (*index, &comparison.cases[*index], pair));
    let pairs: Vec<_> = compared.filter(|(_, _, pair)| pair.has_one_clock()).collect();
    let mut case = Ranges::default();
    pairs.iter().for_each(|(index, ..)| case.push(*index));
    let ratios = || pairs.iter().map(|(_, _, pair)| pair.ratio);
    Match {
        baseline: of.baseline,
        side: of.side,
        is_one_device,
        case,
        ratio: ratios().map(|ratio| Figure::new(ratio.value, 4)).collect(),
        reach: known(ratios().map(|ratio| reach(&ratio)).collect()),
        verdict: pairs.iter().map(|(_, _, pair)| letter(pair.verdict)).collect(),
        means: means(comparison, of, &pairs, texts),
    }
}

const fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Faster => 'f',
        Verdict::Slower => 'S',
        Verdict::Same => 's',
        Verdict::Unclear => 'u',
    }
}

fn means<'a>(
    comparison: &'a Comparison<'a>,
    of: SidePair,
    pairs: &[(usize, &'a CaseComparison<'a>, &Pair<'a>)],
    texts: &mut Texts<'a>,
) -> Means {
    type Key<'a> = (Option<&'a str>, Option<&'a str>);
    let mut indices: HashMap<Key, usize> = HashMap::new();
    let mut groups: Vec<(Key, Vec<(&'a CaseComparison<'a>, &Pair<'a>)>)> = Vec::new();
    for (_, case, pair) in pairs {
        let (family, benchmark) = (Some(case.row.family.as_str()), Some(case.row.benchmark.as_str()));
        for key in [(None, None), (family, None), (family, benchmark)] {
            let index = *indices.entry(key).or_insert(groups.len());
            if index == groups.len() {
                groups.push((key, Vec::new()));
            }
            groups[index].1.push((case, pair));
        }
    }
    let mut means = Means::default();
    for ((family, benchmark), members) in groups {
        let tally = comparison.tally_of(of, members.into_iter());
        if family.is_none() {
            means.verdicts = tally.verdicts;
        }
        means.family.push(family.map(|family| texts.index_of(family)));
        means.benchmark.push(benchmark.map(|benchmark| texts.index_of(benchmark)));
        means.cases.push(tally.cases);
        means.ratio.push(tally.mean.and_then(|mean| Figure::new(mean.value, 4)));
        means.reach.push(tally.mean.and_then(|mean| reach(&mean)));
    }
    means
}

/// The column, or an empty one if it knows nothing.
fn known(column: Vec<Option<Figure>>) -> Vec<Option<Figure>> {
    if column.iter().all(Option::is_none) { Vec::new() } else { column }
}

fn reach(ratio: &Ratio) -> Option<Figure> {
    /// An interval from 10^-9 to 10^9 times the ratio says nothing.
    const MOST: f64 = 1e9;
    let (low, high) = ratio.interval.filter(|(low, high)| high / low < MOST * MOST)?;
    Figure::new(((high / low).ln() / 2.0 * 1e4).round(), 5)
}
