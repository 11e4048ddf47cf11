//! Order of the cases, time for each, and which cases a run with a time limit leaves out.
//!
//! Without a time limit, cases run in plan order. With one, each benchmark runs at its smallest size first, then with
//! its other parameters and types, then at larger sizes. Families alternate, so that each has its main rows early. A
//! ceiling runs right before the first case that needs it. The remaining cases share the remaining time evenly.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;

use web_time::Instant;

use crate::engine::measure::Rules;
use crate::engine::plan::{ceilings_of, ladders, reserves};
use crate::engine::run::observer::Expected;
use crate::engine::run::settings::{Epochs, Settings};
use record::suite::{Case, Limit};

/// Maximum number of times that a case is measured if the device's speed changes.
pub(in crate::engine) const ATTEMPTS: usize = 3;

/// Minimum number of launches of a case: two that set the launches in a sample, two more samples, and one in reserve.
const MIN_LAUNCHES: f64 = 5.0;

/// A case at its kernel's smallest size may use this fraction of the run's time, so that slow kernels have a row too.
const MAX_FRACTION: f64 = 1.0 / 60.0;

/// Fraction of a run's time limit for the first pass.
const FIRST_PASS: f64 = 0.65;

/// Limits for measuring a case.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Effort {
    pub(in crate::engine) rules: Rules,
    pub(in crate::engine) attempts: usize,
    /// The longest launch, in nanoseconds, if the run has a time limit.
    pub(in crate::engine) longest_launch_ns: Option<f64>,
}

pub(in crate::engine) struct Schedule<'a> {
    cases: &'a [Case],
    rules: Rules,
    /// End and length of the run, if it has a time limit.
    limit: Option<(Instant, Duration)>,
    waiting: VecDeque<usize>,
    /// Ceilings in the queue, and those in reserve. A case that needs one moves it forward.
    ceilings: HashSet<usize>,
    /// Maps a case to the case at a smaller size that replaces it if it is left out.
    smaller: BTreeMap<usize, usize>,
    /// Cases at the smallest size of their kernel.
    smallest: HashSet<usize>,
    left_out: LeftOut,
}

/// Cases of a run that have no row of their own, in plan order.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
pub struct LeftOut {
    /// Those without any row: the time limit did not allow them.
    pub whole: Vec<usize>,
    /// Those that ran at a smaller size, since memory or time was short.
    pub smaller: Vec<usize>,
}

impl<'a> Schedule<'a> {
    /// Queues the cases whose index `is_missing`, for the `time` that is left.
    pub(in crate::engine) fn new(
        cases: &'a [Case],
        settings: &Settings,
        time: Option<Duration>,
        is_missing: impl Fn(usize) -> bool,
    ) -> Self {
        // The rest of the time is for further epochs.
        let part = if settings.epochs.least > 1 { FIRST_PASS } else { 1.0 };
        let limit = time.map(|time| time.mul_f64(part)).map(|time| (Instant::now() + time, time));
        let (rules, left_out) = (settings.rules, LeftOut::default());
        if limit.is_none() {
            let waiting = (0..cases.len()).filter(|index| is_missing(*index)).collect();
            return Self {
                cases,
                rules,
                limit,
                waiting,
                ceilings: HashSet::new(),
                smaller: BTreeMap::new(),
                smallest: HashSet::new(),
                left_out,
            };
        }
        let Rounds { mut waiting, smallest } = Rounds::new(cases);
        waiting.retain(|index| is_missing(*index));
        let is_reserve = |index: &usize| cases[*index].is_reserve && is_missing(*index);
        let waiting_or_reserve = waiting.iter().copied().chain((0..cases.len()).filter(is_reserve));
        let ceilings = waiting_or_reserve.filter(|index| cases[*index].benchmark.sets_ceiling).collect();
        Self { cases, rules, limit, waiting, ceilings, smaller: reserves(cases), smallest, left_out }
    }

    /// The epochs that each case needs: the usual number for a queued one, `of_rows` for others.
    pub(in crate::engine) fn expected(&self, epochs: Epochs, of_rows: impl Fn(usize) -> Expected) -> Vec<Expected> {
        let mut expected: Vec<Expected> = (0..self.cases.len()).map(of_rows).collect();
        for index in &self.waiting {
            expected[*index] = Expected { is_new: true, epochs: epochs.usual() };
        }
        expected
    }

    pub(in crate::engine) fn next(&mut self) -> Option<usize> {
        let index = self.waiting.pop_front()?;
        self.ceilings.remove(&index);
        Some(index)
    }

    /// Removes the ceilings that `case` is compared with from the queue, for the caller to run now. Ceilings in reserve
    /// are for cases in reserve, and only those of memory: the others replace ceilings in the queue.
    pub(in crate::engine) fn pull_ceilings(&mut self, case: usize) -> Vec<usize> {
        if self.ceilings.is_empty() {
            return Vec::new();
        }
        let is_wanted = |ceiling: &Case| {
            !ceiling.is_reserve
                || self.cases[case].is_reserve && ceiling.benchmark.ceiling.is_some_and(Limit::is_memory)
        };
        let mut needed = ceilings_of(&self.cases[case], self.cases);
        needed.retain(|index| is_wanted(&self.cases[*index]) && self.ceilings.remove(index));
        self.waiting.retain(|index| !needed.contains(index));
        needed
    }

    /// The limits for a case; `None` if no time is left.
    pub(in crate::engine) fn effort(&self, case: usize) -> Option<Effort> {
        let Some((end, time)) = self.limit else {
            return Some(Effort { rules: self.rules, attempts: ATTEMPTS, longest_launch_ns: None });
        };
        let left_ns = end.checked_duration_since(Instant::now())?.as_nanos() as f64;
        let share_ns = left_ns / (self.waiting.len() + 1) as f64;
        // A case with a smaller size in reserve can be left out.
        let may_take_long = self.smallest.contains(&case) && !self.smaller.contains_key(&case);
        let most_ns = if may_take_long { time.as_nanos() as f64 * MAX_FRACTION } else { 2.0 * share_ns };
        let budget_ns = (0.6 * share_ns).clamp(10e6_f64.min(self.rules.budget_ns), self.rules.budget_ns);
        Some(Effort {
            rules: Rules { budget_ns, ..self.rules },
            attempts: 1,
            longest_launch_ns: Some(most_ns.max(2.0 * share_ns).min(left_ns) / MIN_LAUNCHES),
        })
    }

    pub(in crate::engine) fn smaller(&self, case: usize) -> Option<usize> {
        self.smaller.get(&case).copied()
    }

    /// Leaves a case out: `has_smaller` if a smaller size ran in its place.
    pub(in crate::engine) fn leave_out(&mut self, case: usize, has_smaller: bool) {
        // A ceiling in reserve that does not fit the time limit is not reported.
        if !self.cases[case].is_reserve {
            let list = if has_smaller { &mut self.left_out.smaller } else { &mut self.left_out.whole };
            list.push(case);
        }
    }

    pub(in crate::engine) fn into_left_out(mut self) -> LeftOut {
        self.left_out.whole.sort_unstable();
        self.left_out.smaller.sort_unstable();
        self.left_out
    }
}

/// The order of the cases in a run with a time limit.
struct Rounds {
    waiting: VecDeque<usize>,
    smallest: HashSet<usize>,
}

impl Rounds {
    fn new(cases: &[Case]) -> Self {
        let ladders = ladders(cases);
        // The smallest size of each kernel, and the smallest that is not in reserve.
        let mut smallest: HashSet<usize> = ladders.iter().filter_map(|ladder| ladder.first().copied()).collect();
        let is_own = |index: &usize| !cases[*index].is_reserve;
        smallest.extend(ladders.iter().filter_map(|ladder| ladder.iter().copied().find(is_own)));
        let planned: Vec<usize> = (0..cases.len()).filter(is_own).collect();
        let mut seen = HashSet::new();
        let first: HashSet<usize> = planned
            .iter()
            .copied()
            .filter(|index| smallest.contains(index) && seen.insert(cases[*index].name()))
            .collect();
        let round = |index: usize| match (first.contains(&index), smallest.contains(&index)) {
            (true, _) => 0,
            (_, true) if !cases[index].benchmark.sets_ceiling => 1,
            // A ceiling that no row needs is less important than a row.
            _ => 2 + usize::from(cases[index].benchmark.sets_ceiling),
        };
        let mut turns: HashMap<(usize, &str), usize> = HashMap::new();
        let mut order: Vec<(usize, usize, usize)> = Vec::new();
        for index in planned {
            let turn = turns.entry((round(index), cases[index].family.name)).or_default();
            order.push((round(index), *turn, index));
            *turn += 1;
        }
        order.sort_unstable();
        Self { waiting: order.into_iter().map(|(_, _, index)| index).collect(), smallest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{Request, plan};
    use record::suite::Profile;

    fn cases() -> Vec<Case> {
        plan(&Request { has_reserves: true, ..Request::new(Vec::new(), Profile::Quick) }).expect("a plan")
    }

    fn settings(time: Option<Duration>) -> Settings {
        Settings { time, ..Settings::new(Profile::Quick, String::new(), String::new(), String::new()) }
    }

    fn order(mut schedule: Schedule<'_>) -> Vec<usize> {
        std::iter::from_fn(|| schedule.next()).collect()
    }

    #[test]
    fn without_a_limit_cases_run_in_the_order_of_the_plan() {
        let (cases, settings) = (cases(), settings(None));
        let schedule = Schedule::new(&cases, &settings, settings.time, |index| index != 1);
        let effort = schedule.effort(0).expect("no limit");
        assert_eq!((effort.rules, effort.attempts, effort.longest_launch_ns), (settings.rules, ATTEMPTS, None));
        assert_eq!(order(schedule), std::iter::once(0).chain(2..cases.len()).collect::<Vec<_>>());
    }

    #[test]
    fn every_benchmark_and_every_kernel_runs_before_larger_sizes() {
        let (cases, settings) = (cases(), settings(Some(Duration::from_secs(60))));
        let order = order(Schedule::new(&cases, &settings, settings.time, |_| true));
        let benchmarks: HashSet<String> = cases.iter().map(Case::name).collect();
        let head: HashSet<String> = order[..benchmarks.len()].iter().map(|index| cases[*index].name()).collect();
        assert_eq!(head, benchmarks, "each benchmark once");
        let families: Vec<&str> = order[..20].iter().map(|index| cases[*index].family.name).collect();
        assert_eq!(families.iter().collect::<HashSet<_>>().len(), 20, "families take turns: {families:?}");
        // Of two sizes of a kernel the smaller one comes first. Small sizes in reserve are not in the queue.
        let turn: HashMap<usize, usize> = order.iter().enumerate().map(|(turn, index)| (*index, turn)).collect();
        for (index, case) in cases.iter().enumerate() {
            assert_eq!(turn.contains_key(&index), !case.is_reserve, "{case}");
            let is_larger = |other: &&usize| {
                let other = &cases[**other];
                other.name() == case.name()
                    && (other.shape.dtype, &other.shape.params) == (case.shape.dtype, &case.shape.params)
                    && other.shape.count() > case.shape.count()
            };
            if let Some(own) = turn.get(&index) {
                assert!(turn.keys().filter(is_larger).all(|larger| turn[larger] > *own), "{case}");
            }
        }
    }

    #[test]
    fn a_case_removes_its_ceilings_from_the_queue() {
        let (cases, settings) = (cases(), settings(Some(Duration::from_secs(60))));
        let mut schedule = Schedule::new(&cases, &settings, settings.time, |_| true);
        let sum =
            cases.iter().position(|case| case.to_string() == "reduction/first_add f32 268435456").expect("planned");
        let pulled: Vec<String> = schedule.pull_ceilings(sum).iter().map(|index| cases[*index].name()).collect();
        assert!(
            pulled.contains(&"ceiling/read".to_owned()) && pulled.contains(&"ceiling/launch".to_owned()),
            "{pulled:?}"
        );
        assert!(schedule.pull_ceilings(sum).is_empty(), "once");
        let rest = order(schedule);
        assert_eq!(rest.len() + pulled.len() + small(&cases), cases.len());
    }

    fn small(cases: &[Case]) -> usize {
        cases.iter().filter(|case| case.is_reserve).count()
    }

    #[test]
    fn the_remaining_cases_share_the_remaining_time() {
        let (cases, settings) = (cases(), settings(Some(Duration::from_secs(3600))));
        let mut schedule = Schedule::new(&cases, &settings, settings.time, |_| true);
        let index = schedule.next().expect("a case");
        let early = schedule.effort(index).expect("time").longest_launch_ns.expect("a limit");
        while schedule.waiting.len() > 10 {
            schedule.next();
        }
        let late = schedule.effort(index).expect("time").longest_launch_ns.expect("a limit");
        assert!(late > 2.0 * early, "{early} {late}");
        assert!(late * MIN_LAUNCHES <= 3600e9);
    }

    #[test]
    fn a_case_left_out_is_replaced_by_ever_smaller_sizes() {
        let (cases, settings) = (cases(), settings(Some(Duration::from_secs(60))));
        let mut schedule = Schedule::new(&cases, &settings, settings.time, |_| true);
        let find = |name: &str| cases.iter().position(|case| case.to_string() == name).expect("planned");
        let large = find("transpose/tiled f32 8192x8192 PAD=1");
        let sizes: Vec<String> = std::iter::successors(schedule.smaller(large), |size| schedule.smaller(*size))
            .map(|index| cases[index].shape.extent.to_string())
            .collect();
        assert_eq!(sizes, ["4096x4096", "1024x1024", "512x512"], "without odd sizes");
        schedule.leave_out(large, true);
        schedule.leave_out(find("transpose/tiled f32 4096x4096 PAD=1"), false);
        let left_out = schedule.into_left_out();
        assert_eq!((left_out.smaller, left_out.whole), (vec![large], Vec::new()));
    }
}
