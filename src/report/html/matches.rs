//! Matches on the page: the APIs of each device, and the devices.

use serde::Serialize;

use super::cases::{Ranges, Texts};
use super::figure::Figure;
use crate::results::compare::{CaseComparison, Ratio, Side, Verdict};

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
    /// Distance of the lower end of the 95 % interval, relative to the ratio, in units of 1/10,000.
    below: Vec<Option<Figure>>,
    /// Same for the upper end.
    above: Vec<Option<Figure>>,
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
    /// Distance of the lower end of the 95 % interval, relative to the ratio, in units of 1/10,000.
    below: Vec<Option<Figure>>,
    /// Same for the upper end.
    above: Vec<Option<Figure>>,
    /// Number of faster, slower, same and unclear cases, over all cases.
    verdicts: [usize; 4],
}

struct Pair<'a, 'b> {
    index: usize,
    case: &'b CaseComparison<'a>,
    ratio: Ratio,
}

/// Compares each device's first API with its other APIs, and the first device with every other device.
pub(super) fn matches<'a>(sides: &[Side], cases: &[CaseComparison<'a>], texts: &mut Texts<'a>) -> Vec<Match> {
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
    let matched = |(baseline, side, is_one_device)| matched(cases, [baseline, side], is_one_device, texts);
    found.into_iter().map(matched).filter(|of: &Match| of.case.len() > 0).collect()
}

fn matched<'a>(
    cases: &[CaseComparison<'a>],
    [baseline, side]: [usize; 2],
    is_one_device: bool,
    texts: &mut Texts<'a>,
) -> Match {
    let pair = |(index, case): (usize, &CaseComparison)| {
        let timer = |side: usize| Some(&case.entries[side].as_ref()?.row().timer);
        let (a, b) = (case.timing(baseline)?, case.timing(side)?);
        (timer(baseline) == timer(side)).then(|| (index, Ratio::of(&a, &b)))
    };
    let pairs: Vec<Pair> = cases
        .iter()
        .enumerate()
        .filter_map(pair)
        .map(|(index, ratio)| Pair { index, case: &cases[index], ratio })
        .collect();
    let mut case = Ranges::default();
    pairs.iter().for_each(|pair| case.push(pair.index));
    Match {
        baseline,
        side,
        is_one_device,
        case,
        ratio: pairs.iter().map(|pair| Figure::new(pair.ratio.value, 4)).collect(),
        below: pairs.iter().map(|pair| reach(&pair.ratio, |interval| interval.0)).collect(),
        above: pairs.iter().map(|pair| reach(&pair.ratio, |interval| interval.1)).collect(),
        verdict: pairs.iter().map(|pair| letter(pair.ratio.verdict())).collect(),
        means: means(&pairs, texts),
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

fn means<'a>(pairs: &[Pair<'a, '_>], texts: &mut Texts<'a>) -> Means {
    let mut keys: Vec<(Option<&'a str>, Option<&'a str>)> = vec![(None, None)];
    for pair in pairs {
        let (family, benchmark) = (Some(pair.case.row.family.as_str()), Some(pair.case.row.benchmark.as_str()));
        for key in [(family, None), (family, benchmark)] {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    let count = |verdict: Verdict| pairs.iter().filter(|pair| pair.ratio.verdict() == verdict).count();
    let mut means = Means { verdicts: Verdict::ALL.map(count), ..Means::default() };
    for (family, benchmark) in keys {
        let is_of = |pair: &&Pair| {
            let row = pair.case.row;
            family.is_none_or(|family| family == row.family) && benchmark.is_none_or(|name| name == row.benchmark)
        };
        let ratios: Vec<Ratio> = pairs.iter().filter(is_of).map(|pair| pair.ratio).collect();
        let mean = Ratio::geometric_mean(&ratios);
        means.family.push(family.map(|family| texts.index_of(family)));
        means.benchmark.push(benchmark.map(|benchmark| texts.index_of(benchmark)));
        means.cases.push(ratios.len());
        means.ratio.push(mean.and_then(|mean| Figure::new(mean.value, 4)));
        means.below.push(mean.and_then(|mean| reach(&mean, |interval| interval.0)));
        means.above.push(mean.and_then(|mean| reach(&mean, |interval| interval.1)));
    }
    means
}

fn reach(ratio: &Ratio, end: fn((f64, f64)) -> f64) -> Option<Figure> {
    Figure::distance(ratio.value, end(ratio.interval?))
}
