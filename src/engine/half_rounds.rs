//! Ceilings that do less work than they count.
//!
//! A kernel that computes a closed form in place of its loop has the right result, and nothing is faster than the
//! ceiling that it sets. But half of its rounds then take as long as all of them.

use super::measure::Timer;
use crate::backend::Prepared;
use crate::error::Result;
use crate::suite::Case;

/// Launches of each kind, in turns: the fastest of them is one that no other program slowed down.
const LAUNCHES: usize = 12;

/// Launches of each kind that are compared even if they take longer than the budget.
const FEWEST: usize = 4;

/// All rounds take at least this many times as long as half of them: twice, where nothing but the rounds takes time.
const LEAST: f64 = 1.25;

/// A ceiling's case with half of its rounds; `None` if it is no ceiling or has no rounds to halve.
pub(super) fn with_half_the_rounds(case: &Case) -> Option<Case> {
    let mut half = case.clone();
    let rounds = half.shape.params.get_mut("ROUNDS").filter(|rounds| **rounds >= 2.0)?;
    *rounds = (*rounds / 2.0).floor();
    (case.benchmark.sets_ceiling && half.work() != case.work()).then_some(half)
}

/// The ratio of the times of single launches with `all` and with `half` of the rounds, the fastest of each, if it is below
/// 1.25; `None` if the rounds take time. Ends early where launches take longer than `budget_ns`.
///
/// # Errors
/// Errors of the device.
pub(super) async fn rounds_take_no_time<'a>(
    all: &'a mut dyn Prepared,
    half: &'a mut dyn Prepared,
    timer: &Timer,
    budget_ns: f64,
) -> Result<Option<f64>> {
    let (mut all_ns, mut half_ns, mut spent_ns) = (f64::INFINITY, f64::INFINITY, 0.0);
    for launch in 0..LAUNCHES {
        for (prepared, fastest) in [(&mut *all, &mut all_ns), (&mut *half, &mut half_ns)] {
            let sample = timer.sample(prepared, 1).await?;
            spent_ns += sample.wall_ns;
            *fastest = fastest.min(timer.read(&sample));
        }
        if launch + 1 >= FEWEST && spent_ns > budget_ns {
            break;
        }
    }
    Ok((all_ns < LEAST * half_ns).then(|| all_ns / half_ns.max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Sample, Task};
    use crate::engine::plan::{Request, plan};
    use crate::suite::Profile;

    /// A job whose launches take `cost`, by the number of the launch.
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
        pollster::block_on(rounds_take_no_time(&mut all, &mut half, &timer, 1e9)).expect("nothing fails")
    }

    #[test]
    fn rounds_that_take_no_time_are_found_and_others_are_not() {
        assert_eq!(ratio(|_| 1e6, |_| 1e6), Some(1.0));
        assert_eq!(ratio(|_| 2e6, |_| 1e6), None);
        // A launch costs as much as the rounds.
        assert_eq!(ratio(|_| 1.5e6, |_| 1e6), None);
        // Another program slows down one or the other for a while.
        assert_eq!(ratio(|_| 2e6, |launch| if launch < LAUNCHES / 2 { 3e6 } else { 1e6 }), None);
        assert_eq!(ratio(|launch| if launch < LAUNCHES / 2 { 3e6 } else { 1e6 }, |_| 1e6), Some(1.0));
    }

    #[test]
    fn ceilings_with_rounds_are_halved() {
        let halved = |filter: &str| -> Vec<String> {
            let cases = plan(&Request::new(vec![filter.to_owned()], Profile::Quick)).expect("a plan");
            let own = cases.iter().filter(|case| case.name() == filter);
            own.filter_map(with_half_the_rounds).map(|case| case.params_text()).collect()
        };
        assert_eq!(halved("ceiling/fma"), ["ROUNDS=8"; 3]);
        assert_eq!(halved("ceiling/tensor"), ["ROUNDS=256"]);
        assert!(halved("ceiling/copy").is_empty() && halved("bank_conflict/stride").is_empty());
    }
}
