//! Rows of two toolchains as pairs of one case.

use std::collections::HashMap;

use crate::answers::compare::{Ratio, ratios_in_turns};
use crate::record::Record;
use crate::record::stats::{self, Estimate};
use crate::suite::Toolchain;

/// One case through two toolchains.
pub(super) struct Pair<'a> {
    pub(super) first: Option<&'a Record>,
    pub(super) second: Option<&'a Record>,
    /// Time of the first ÷ time of the second, if the case is compared.
    pub(super) ratio: Option<Estimate>,
}

/// A case that was compared.
pub(super) struct Gap<'a> {
    pub(super) row: &'a Record,
    pub(super) ratio: Estimate,
}

impl<'a> Pair<'a> {
    /// The two rows, if both have a time; their status may be a fault.
    const fn both(&self) -> Option<(&'a Record, &'a Record)> {
        match (self.first, self.second) {
            (Some(first), Some(second)) if first.median_ns.is_some() && second.median_ns.is_some() => {
                Some((first, second))
            }
            _ => None,
        }
    }

    fn has_two_clocks(&self) -> bool {
        self.both().is_some_and(|(first, second)| first.timer != second.timer)
    }

    /// The two rows, if their times can be compared.
    fn sound(&self) -> Option<(&'a Record, &'a Record)> {
        self.both().filter(|(a, b)| [a, b].iter().all(|row| row.status.is_timed()) && !self.has_two_clocks())
    }

    pub(super) fn gap(&self) -> Option<Gap<'a>> {
        Some(Gap { row: self.first?, ratio: self.ratio? })
    }
}

/// Pairs the `rows` of the two toolchains by case, in the order of the rows.
pub(super) fn pairs<'a>(rows: &[&'a Record], [first, second]: [Toolchain; 2]) -> Vec<Pair<'a>> {
    let key = |row: &'a Record| (&*row.family, &*row.benchmark, row.dtype_name(), row.size(), row.params_text());
    let mut indices = HashMap::new();
    let mut pairs: Vec<Pair> = Vec::new();
    for row in rows {
        let index = *indices.entry(key(row)).or_insert(pairs.len());
        if index == pairs.len() {
            pairs.push(Pair { first: None, second: None, ratio: None });
        }
        let pair = &mut pairs[index];
        for (toolchain, side) in [(first, &mut pair.first), (second, &mut pair.second)] {
            if row.toolchain() == Some(toolchain) {
                side.get_or_insert(row);
            }
        }
    }
    let sound: Vec<_> = pairs.iter().filter_map(Pair::sound).collect();
    let mut ratios = ratios_in_turns(&sound).into_iter();
    for pair in &mut pairs {
        if let Some(sound) = pair.sound() {
            pair.ratio = ratios.next().flatten().and_then(in_turns).or_else(|| of_intervals(sound));
        }
    }
    pairs
}

fn in_turns(ratio: Ratio) -> Option<Estimate> {
    ratio.interval.map(|(low, high)| Estimate { value: ratio.value, low, high })
}

fn of_intervals((first, second): (&Record, &Record)) -> Option<Estimate> {
    let estimate = |row: &Record| Some(Estimate { value: row.median_ns?, low: row.ci_low_ns?, high: row.ci_high_ns? });
    stats::ratio(estimate(first)?, estimate(second)?)
}
