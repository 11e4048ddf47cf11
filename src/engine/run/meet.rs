//! The steps of a run that keeps pace with others: its points, and which cases are also measured while the other cards
//! wait.

use std::collections::{HashMap, HashSet};

use super::pace::Point;
use super::settings::Settings;
use crate::engine::measure::epoch::shuffled;
use crate::suite::Case;

/// An epoch of a case in a run that keeps pace with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) pass: u64,
    pub(super) rank: u64,
    pub(super) turn: u64,
    /// Whether the case is also measured alone.
    pub(super) has_alone: bool,
}

impl Step {
    /// Whether the epoch alone comes first. It alternates, so that a drift of the cards cancels.
    const fn is_alone_first(self) -> bool {
        self.pass % 2 == 1
    }

    /// The first of the two meetings around a measurement alone, where one precedes or follows that of all cards.
    pub(super) const fn alone_phase(self, is_before: bool) -> Option<u64> {
        match (self.has_alone && self.is_alone_first() == is_before, is_before) {
            (false, _) => None,
            (true, true) => Some(0),
            (true, false) => Some(3),
        }
    }

    /// The first of the three meetings around the measurement of all cards at once.
    pub(super) const fn together_phase(self) -> u64 {
        if self.has_alone && self.is_alone_first() { 2 } else { 0 }
    }

    pub(super) const fn point(self, phase: u64) -> Point {
        Point { pass: self.pass, rank: self.rank, turn: self.turn, phase }
    }
}

/// An epoch of a case and its step; `None` for a run that is alone.
#[derive(Clone, Copy)]
pub(super) struct Meeting<'c> {
    pub(super) step: Option<Step>,
    pub(super) case: &'c Case,
}

/// The steps of a run that keeps pace with others.
pub(super) struct Steps {
    /// Indices of the cases that are also measured alone.
    alone: HashSet<usize>,
    /// The pass, and the position of each case in its order.
    order: Option<(u64, HashMap<usize, u64>)>,
    count: usize,
}

impl Steps {
    /// `None` for a run that is alone.
    pub(super) fn new(cases: &[Case], settings: &Settings) -> Option<Self> {
        settings.pace.as_ref().map(|_| Self { alone: telling(cases), order: None, count: cases.len() })
    }

    /// The step of the case at `index` in a pass, for the API that is the `turn`-th.
    pub(super) fn step(&mut self, index: usize, pass: u64, turn: usize, settings: &Settings) -> Step {
        if self.order.as_ref().is_none_or(|(known, _)| *known != pass) {
            let order = if pass == 0 { (0..self.count).collect() } else { shuffled(self.count, settings.seed, pass).1 };
            self.order = Some((pass, order.into_iter().zip(0..).collect()));
        }
        let rank = self.order.as_ref().and_then(|(_, ranks)| ranks.get(&index).copied()).unwrap_or_default();
        Step { pass, rank, turn: turn as u64, has_alone: self.alone.contains(&index) }
    }
}

/// Indices of the cases that are also measured alone: the largest one of each family, and of each benchmark where those
/// of a family differ in what limits them.
fn telling(cases: &[Case]) -> HashSet<usize> {
    const BY_BENCHMARK: [&str; 2] = ["ceiling", "transfer"];
    let mut largest: HashMap<(&str, &str), usize> = HashMap::new();
    for (index, case) in cases.iter().enumerate() {
        let family = case.family.name;
        let key = (family, if BY_BENCHMARK.contains(&family) { case.benchmark.name } else { "" });
        // Prefer a case that every API has.
        let rank = |index: usize| (cases[index].benchmark.only_cuda.is_none(), cases[index].shape.count());
        let known = largest.entry(key).or_insert(index);
        if rank(index) > rank(*known) {
            *known = index;
        }
    }
    largest.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{Request, plan};
    use crate::suite::Profile;

    #[test]
    fn one_case_of_a_family_and_each_transfer_is_measured_alone() {
        let names = ["transfer", "reduction", "ceiling/fma"].map(str::to_owned).to_vec();
        let cases = plan(&Request::new(names, Profile::Standard)).expect("a plan");
        let alone = telling(&cases);
        let of = |family: &str| alone.iter().filter(|index| cases[**index].family.name == family).count();
        assert_eq!(of("reduction"), 1);
        let mut transfers: Vec<&str> =
            cases.iter().filter(|case| case.family.name == "transfer").map(|case| case.benchmark.name).collect();
        transfers.dedup();
        assert_eq!(of("transfer"), transfers.len());
        for index in &alone {
            let case = &cases[*index];
            let is_larger = |other: &&Case| other.name() == case.name() && other.shape.count() > case.shape.count();
            assert!(!cases.iter().any(|other| is_larger(&other)), "{case}");
        }
    }

    #[test]
    fn the_meetings_of_an_epoch_ascend_and_the_order_alternates() {
        let step = |pass, has_alone| Step { pass, rank: 3, turn: 0, has_alone };
        assert_eq!((step(0, false).together_phase(), step(1, false).together_phase()), (0, 0));
        let phases = |pass| {
            let step = step(pass, true);
            (step.alone_phase(true), step.together_phase(), step.alone_phase(false))
        };
        assert_eq!((phases(0), phases(1)), ((None, 0, Some(3)), (Some(0), 2, None)));
        assert!(step(0, true).point(4) < step(1, true).point(0));
    }
}
