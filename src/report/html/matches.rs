//! Sides against each other: each device's APIs, and the devices.

use serde::Serialize;

use super::figure::Figure;
use crate::compare::{Case, Ratio, Side, Verdict};

/// One side held against another.
#[derive(Serialize)]
pub(super) struct Match {
    baseline: usize,
    side: usize,
    /// Whether the two are one device through two APIs.
    is_one_device: bool,
    /// Places of the cases that both timed by one clock.
    case: Vec<usize>,
    /// Time of the baseline ÷ time of the side.
    ratio: Vec<Option<Figure>>,
    /// How far its 95 % interval reaches below it, in 1/100,000 of it.
    below: Vec<Option<Figure>>,
    /// How far above.
    above: Vec<Option<Figure>>,
    /// First letters of the verdicts: f, s, S (slower), u.
    verdict: String,
    means: Vec<Mean>,
}

/// Geometric mean of the ratios of a benchmark, a family, or all.
#[derive(Serialize)]
struct Mean {
    /// `None`: of all families.
    family: Option<String>,
    /// `None`: of all benchmarks of the family.
    benchmark: Option<String>,
    cases: usize,
    ratio: Option<Figure>,
    low: Option<Figure>,
    high: Option<Figure>,
    /// Cases that are faster, slower, the same, unclear.
    verdicts: [usize; 4],
}

struct Pair<'a, 'b> {
    place: usize,
    case: &'b Case<'a>,
    ratio: Ratio,
}

/// Each device's first API against its other ones, and the first device against every other one.
pub(super) fn matches(sides: &[Side], cases: &[Case]) -> Vec<Match> {
    let mut first_of_device: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for (place, side) in sides.iter().enumerate() {
        match first_of_device.iter().find(|first| sides[**first].device == side.device) {
            Some(first) => found.push((*first, place, true)),
            None => {
                found.extend(first_of_device.first().map(|first| (*first, place, false)));
                first_of_device.push(place);
            }
        }
    }
    found.sort_by_key(|(_, _, is_one_device)| !is_one_device);
    let matched = |(baseline, side, is_one_device)| matched(cases, baseline, side, is_one_device);
    found.into_iter().map(matched).filter(|of: &Match| !of.case.is_empty()).collect()
}

fn matched(cases: &[Case], baseline: usize, side: usize, is_one_device: bool) -> Match {
    let pair = |(place, case): (usize, &Case)| {
        let timer = |side: usize| Some(&case.entries[side].as_ref()?.row().timer);
        let (a, b) = (case.timing(baseline)?, case.timing(side)?);
        (timer(baseline) == timer(side)).then(|| (place, Ratio::of(&a, &b)))
    };
    let pairs: Vec<Pair> = cases
        .iter()
        .enumerate()
        .filter_map(pair)
        .map(|(place, ratio)| Pair { place, case: &cases[place], ratio })
        .collect();
    let reach = |pair: &Pair, end: fn((f64, f64)) -> f64| Figure::distance(pair.ratio.value, end(pair.ratio.interval?));
    Match {
        baseline,
        side,
        is_one_device,
        case: pairs.iter().map(|pair| pair.place).collect(),
        ratio: pairs.iter().map(|pair| Figure::new(pair.ratio.value, 4)).collect(),
        below: pairs.iter().map(|pair| reach(pair, |interval| interval.0)).collect(),
        above: pairs.iter().map(|pair| reach(pair, |interval| interval.1)).collect(),
        verdict: pairs.iter().map(|pair| letter(pair.ratio.verdict())).collect(),
        means: means(&pairs),
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

/// Of all, then of each family followed by its benchmarks.
fn means(pairs: &[Pair]) -> Vec<Mean> {
    let mut keys: Vec<(Option<&str>, Option<&str>)> = vec![(None, None)];
    for pair in pairs {
        let (family, benchmark) = (Some(pair.case.row.family.as_str()), Some(pair.case.row.benchmark.as_str()));
        for key in [(family, None), (family, benchmark)] {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
    }
    keys.into_iter().map(|(family, benchmark)| mean(pairs, family, benchmark)).collect()
}

fn mean(pairs: &[Pair], family: Option<&str>, benchmark: Option<&str>) -> Mean {
    let is_of = |pair: &&Pair| {
        let row = pair.case.row;
        family.is_none_or(|family| family == row.family) && benchmark.is_none_or(|name| name == row.benchmark)
    };
    let ratios: Vec<Ratio> = pairs.iter().filter(is_of).map(|pair| pair.ratio).collect();
    let mean = Ratio::geometric_mean(&ratios);
    let interval = mean.and_then(|mean| mean.interval);
    let count = |verdict: Verdict| ratios.iter().filter(|ratio| ratio.verdict() == verdict).count();
    Mean {
        family: family.map(str::to_owned),
        benchmark: benchmark.map(str::to_owned),
        cases: ratios.len(),
        ratio: mean.and_then(|mean| Figure::new(mean.value, 4)),
        low: interval.and_then(|(low, _)| Figure::new(low, 4)),
        high: interval.and_then(|(_, high)| Figure::new(high, 4)),
        verdicts: Verdict::ALL.map(count),
    }
}
