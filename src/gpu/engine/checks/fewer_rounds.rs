//! Finds ceilings and pointer chases that do less work than they count.
//!
//! A kernel that computes a closed form in place of its loop has the right result, and nothing is faster than the
//! ceiling that it sets. A pointer chase through a small working set repeats, and a kernel can skip the repetitions.
//! Half of the rounds or steps then take as long as all of them.

use std::ops::RangeInclusive;

use crate::backend::Prepared;
use crate::engine::measure::Timer;
use record::error::Result;
use record::stats;
use record::suite::Case;

/// Pairs of launches. 6 suffice if each is above the limit (a sign test: at most 1 of 64 series of a kernel at the
/// limit ends so); else the median of 32 decides. On a software device beside three busy loops, single pairs of a
/// kernel whose rounds take no time had ratios of 0.6 to 1.9; the fastest of 32 differed by over 25 % in 1 of 30 runs.
const PAIRS: RangeInclusive<usize> = 6..=32;

/// Minimum ratio of the times of all rounds and of half of them. It is 2 if nothing but the rounds takes time.
const LEAST: f64 = 1.25;

const STEPS: [&str; 2] = ["STEPS", "LOADS"];

/// Most words of a repeating pointer chase in `cache_curve`. A larger one shows by its result whether it ran whole.
const MOST_WORDS: u64 = 1 << 23;

/// The case with half of a ceiling's rounds or of a pointer chase's steps; `None` if it has none to halve.
pub(in crate::engine) fn with_half_the_rounds(case: &Case) -> Option<Case> {
    let (mut half, benchmark) = (case.clone(), case.benchmark);
    if benchmark.is_latency {
        let is_accepted = |name: &&str| benchmark.accepts.iter().any(|(known, _)| known == name);
        let name = STEPS.into_iter().find(is_accepted).filter(|_| case.shape.count() <= MOST_WORDS)?;
        // Loads of 4 bytes; their number is a multiple of 16.
        let steps = case.work().bytes / 4 / 32 * 16;
        half.shape.params.insert(name.to_owned(), steps as f64);
        return (steps > 0 && half.work() != case.work()).then_some(half);
    }
    let rounds = half.shape.params.get_mut("ROUNDS").filter(|rounds| **rounds >= 2.0)?;
    *rounds = (*rounds / 2.0).floor();
    (benchmark.sets_ceiling && half.work() != case.work()).then_some(half)
}

/// The median ratio of the times of single launches with `all` and with `half` of the rounds, of 32 pairs, if it is
/// below 1.25; `None` if the rounds take time.
pub(in crate::engine) async fn rounds_take_no_time<'a>(
    all: &'a mut dyn Prepared,
    half: &'a mut dyn Prepared,
    timer: &Timer,
) -> Result<Option<f64>> {
    let mut ratios = Vec::with_capacity(*PAIRS.end());
    while ratios.len() < *PAIRS.end() {
        let all_ns = timer.read(&timer.sample(all, 1).await?);
        let half_ns = timer.read(&timer.sample(half, 1).await?);
        ratios.push(all_ns / half_ns.max(1.0));
        if ratios.len() == *PAIRS.start() && ratios.iter().all(|ratio| *ratio >= LEAST) {
            return Ok(None);
        }
    }
    Ok(stats::median(&ratios).filter(|ratio| *ratio < LEAST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Sample, Task};
    use crate::engine::plan::{Request, plan};
    use record::suite::Profile;

    /// A job whose n-th launch takes `.0(n)` nanoseconds.
    struct Scripted<F>(F, usize);

    impl<F: Fn(usize) -> f64> Prepared for Scripted<F> {
        fn sample(&mut self, _: u32) -> Task<'_, Sample> {
            let ns = (self.0)(self.1);
            self.1 += 1;
            Box::pin(async move { Ok(Sample { device_ns: Some(ns), wall_ns: ns }) })
        }
        fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
            Box::pin(async { Ok((0.0, None)) })
        }
        fn poison(&mut self) -> Task<'_, ()> {
            Box::pin(async { Ok(()) })
        }
        fn read<'a>(&'a mut self, _: usize, _: u64, _: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
            Box::pin(async { Ok(()) })
        }
    }

    fn ratio(all: impl Fn(usize) -> f64, half: impl Fn(usize) -> f64) -> Option<f64> {
        let (mut all, mut half) = (Scripted(all, 0), Scripted(half, 0));
        let timer = Timer { is_device: true, tick_ns: 1.0, note: None };
        pollster::block_on(rounds_take_no_time(&mut all, &mut half, &timer)).expect("nothing fails")
    }

    #[test]
    fn rounds_that_take_no_time_are_found_and_others_are_not() {
        assert_eq!(ratio(|_| 1e6, |_| 1e6), Some(1.0));
        assert_eq!(ratio(|_| 2e6, |_| 1e6), None);
        // A launch costs as much as the rounds.
        assert_eq!(ratio(|_| 1.5e6, |_| 1e6), None);
        // Another program slows down one or the other: for a while, or every third time.
        assert_eq!(ratio(|_| 2e6, |launch| if launch < 12 { 3e6 } else { 1e6 }), None);
        assert_eq!(ratio(|launch| if (2..14).contains(&launch) { 3e6 } else { 1e6 }, |_| 1e6), Some(1.0));
        assert_eq!(ratio(|_| 2e6, |launch| if launch % 3 == 0 { 4e6 } else { 1e6 }), None);
        assert_eq!(ratio(|launch| if launch % 3 == 0 { 4e6 } else { 1e6 }, |_| 1e6), Some(1.0));
    }

    #[test]
    fn ceilings_with_rounds_and_walks_are_halved() {
        let halved = |filter: &str| -> Vec<String> {
            let cases = plan(&Request::new(vec![filter.to_owned()], Profile::Quick)).expect("a plan");
            let named = cases.iter().filter(|case| case.name() == filter);
            named.filter_map(with_half_the_rounds).map(|case| case.params_text()).collect()
        };
        assert_eq!(halved("ceiling/fma"), ["ROUNDS=64"; 3]);
        assert_eq!(halved("ceiling/tensor"), ["ROUNDS=2048"]);
        assert_eq!(halved("memory_spaces/workgroup_latency"), ["STEPS=120000"]);
        assert!(halved("cache_curve/latency").len() > 5 && halved("cache_curve/granule").is_empty());
        assert!(halved("ceiling/copy").is_empty() && halved("bank_conflict/stride").is_empty());
    }
}
