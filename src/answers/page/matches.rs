//! Matches on the page: between the APIs of each card, and between cards.

use std::collections::HashMap;

use serde::Serialize;

use super::cards::Card;
use super::cases::{Ranges, Texts};
use super::figure::Figure;
use crate::compare::{CaseComparison, Comparison, Match as SidePair, Pair, Ratio, Side, Verdict};
use record::suite::Api;

#[derive(Serialize)]
pub(super) struct Match {
    baseline: usize,
    side: usize,
    /// Whether the two sides are one card through two APIs.
    is_one_device: bool,
    /// Indices of the cases with the same clock on both sides.
    case: Ranges,
    /// Baseline time ÷ side time.
    ratio: Vec<Option<Figure>>,
    /// Half width of the 95 % interval on a log scale, in units of 1/10,000. Empty if no ratio has an interval.
    reach: Vec<Option<Figure>>,
    /// One letter per case: f (faster), s (same), S (slower), u (unclear).
    verdict: String,
    means: Means,
}

/// Geometric means of ratios in columns: all cases, then each family and its benchmarks.
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

/// Maximum number of cases over all pairs of cards. Each case takes about 7 bytes of the page.
const MOST_CASES: usize = 60_000;

/// A pair of sides, and whether they are one card through two APIs.
type Of = (SidePair, bool);

/// Compares the APIs of each card, and every two cards.
pub(super) fn matches<'a>(comparison: &'a Comparison<'a>, cards: &[Card], texts: &mut Texts<'a>) -> Vec<Match> {
    let apis = of_apis(comparison, cards).into_iter();
    let found: Vec<Of> = apis.chain(of_cards(comparison, cards)).chain(of_versions(comparison, cards)).collect();
    let sides: Vec<SidePair> = found.iter().map(|(of, _)| *of).collect();
    let pairs = comparison.pairs_of(&sides);
    let matched = |((of, is_one_device), pairs): (Of, Vec<(usize, Pair<'a>)>)| {
        matched(comparison, of, is_one_device, &pairs, texts)
    };
    found.into_iter().zip(pairs).map(matched).filter(|of: &Match| of.case.len() > 0).collect()
}

fn toolchain<'a>(side: &Side<'a>) -> (Option<Api>, &'a str) {
    (side.api, side.compiler[0])
}

/// For each card, its first API with each other API, preferring its side of the same run, then of the same version.
/// Software devices come last.
fn of_apis(comparison: &Comparison, cards: &[Card]) -> Vec<Of> {
    let sides = &comparison.sides;
    let of_card = |card: &Card| -> Vec<Of> {
        let Some(first) = card.sides.first().map(|first| toolchain(&sides[*first])) else { return Vec::new() };
        let (firsts, others): (Vec<usize>, Vec<usize>) =
            card.sides.iter().partition(|side| toolchain(&sides[**side]) == first);
        let likeness = |baseline: usize, side: usize| {
            let (a, b) = (&sides[baseline], &sides[side]);
            let is_one_run = a.apis == b.apis && a.dates.iter().any(|date| b.dates.contains(date));
            [is_one_run, a.tool_version == b.tool_version]
        };
        let nearest = |side: usize| firsts.iter().copied().rev().max_by_key(|first| likeness(*first, side));
        let pair = |side: usize| Some((SidePair { baseline: nearest(side)?, side }, true));
        others.into_iter().filter_map(pair).collect()
    };
    let (software, hardware): (Vec<&Card>, Vec<&Card>) = cards.iter().partition(|card| card.is_software);
    hardware.into_iter().chain(software).flat_map(of_card).collect()
}

/// Every pair of cards, through the API with the most common cases. If possible, the first pair is of two models; pairs
/// with software devices come last. Pairs with the first card precede the others, as far as [`MOST_CASES`] reaches.
fn of_cards(comparison: &Comparison, cards: &[Card]) -> Vec<Of> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let first = cards.iter().position(|card| !card.is_software).unwrap_or(0);
    let order = |(a, b): &(usize, usize)| {
        let is_software = cards[*a].is_software || cards[*b].is_software;
        (is_software, *a != first, cards[*a].device == cards[*b].device, *a, *b)
    };
    let is_few = cards.len() * cards.len() <= MOST_CASES;
    for a in 0..cards.len() {
        pairs.extend((a + 1..cards.len()).filter(|_| is_few || a == first).map(|b| (a, b)));
    }
    pairs.sort_by_key(order);
    let mut left = MOST_CASES;
    let mut found = Vec::new();
    for (a, b) in pairs {
        let Some((of, cases)) = nearest(comparison, &cards[a], &cards[b]) else { continue };
        if cases > left {
            break;
        }
        left -= cases;
        found.push((of, false));
    }
    found
}

/// For each card and API, the first side with each other side: runs with other drivers and versions.
fn of_versions(comparison: &Comparison, cards: &[Card]) -> Vec<Of> {
    let sides = &comparison.sides;
    let of_card = |card: &Card| -> Vec<Of> {
        let first = |side: &usize| {
            card.sides.iter().copied().find(|other| toolchain(&sides[*other]) == toolchain(&sides[*side]))
        };
        let pair = |side: &usize| Some((SidePair { baseline: first(side)?, side: *side }, false));
        card.sides.iter().filter_map(pair).filter(|(of, _)| of.baseline != of.side).collect()
    };
    cards.iter().flat_map(of_card).collect()
}

/// The two cards' sides of one API with the most common cases, and their number. Without a common API, of any API.
fn nearest(comparison: &Comparison, a: &Card, b: &Card) -> Option<(SidePair, usize)> {
    let sides = &comparison.sides;
    let all = a.sides.iter().flat_map(|baseline| b.sides.iter().map(|side| (*baseline, *side)));
    let common = |(baseline, side): (usize, usize)| {
        let is_one_api = toolchain(&sides[baseline]) == toolchain(&sides[side]);
        let cases = comparison.common_cases(baseline, side);
        ((is_one_api, cases), SidePair { baseline, side })
    };
    let found: Vec<_> = all.map(common).filter(|((_, cases), _)| *cases > 0).collect();
    let ((_, cases), of) = found.into_iter().rev().max_by_key(|(likeness, _)| *likeness)?;
    Some((of, cases))
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

fn known(column: Vec<Option<Figure>>) -> Vec<Option<Figure>> {
    if column.iter().all(Option::is_none) { Vec::new() } else { column }
}

fn reach(ratio: &Ratio) -> Option<Figure> {
    /// Intervals wider than 10^-9 to 10^9 times the ratio are meaningless.
    const MOST: f64 = 1e9;
    let (low, high) = ratio.interval.filter(|(low, high)| high / low < MOST * MOST)?;
    Figure::new(((high / low).ln() / 2.0 * 1e4).round(), 5)
}
