//! Finds kernels that do their work only in a launch that is checked.
//!
//! A kernel that finds its result in the output of an earlier launch can skip the work. Verification poisons the output
//! first, and so never sees such a launch; but a launch into a poisoned output then takes longer than others. A kernel
//! may also count its launches: a random number of launches therefore lies between the two that are compared.

use super::random::mixed;
use crate::backend::Prepared;
use crate::engine::measure::{Before, Pair, Timer};
use record::error::Result;

/// Most launches between one into a poisoned output and the one that it is compared with, about as many as in a series.
/// At least two, so that a kernel that skips work from its third launch is found.
const BETWEEN: f64 = 4096.0;

/// Maximum number of launches of each kind in a round.
pub(in crate::engine) const LAUNCHES: usize = 3;

/// Rounds of a comparison. A difference counts only if the first round and all but [`MISSES`] of the others show it.
/// Other programs slow down single rounds: on the busy host of a software device, four in a row were seen. With uniform
/// noise of ±53 %, a round errs with a probability of 29 %, and the comparison with 2e-6.
const ROUNDS: usize = 16;

/// Most later rounds without a difference: another program that slows down a launch into a complete output hides it.
const MISSES: usize = 2;

/// Relative differences below this are variation of the clock.
const RELATIVE: f64 = 0.3;

/// The same if nothing flushes the caches: poisoning leaves other data in them than a launch does.
const RELATIVE_UNFLUSHED: f64 = 2.0;

/// Differences below this vary between single submissions, in nanoseconds of the device's clock.
const DEVICE_NS: f64 = 3_000.0;

/// The same if nothing flushes the caches: a software device waits for host threads, which other programs delay, by up
/// to tens of microseconds on a busy machine, more often after the host itself was at work.
const UNFLUSHED_NS: f64 = 1e6;

/// The same by the host's clock.
const HOST_NS: f64 = 2e6;

/// Differences below this many steps of the clock are reading noise. Browsers have steps of 100 µs.
const TICKS: f64 = 4.0;

/// A random number of launches of `one_ns`, from 2 to what `budget_ns` allows, at most 4096, uniform on a log scale.
pub(in crate::engine) fn launches_between(budget_ns: f64, one_ns: f64, random: u64) -> u32 {
    let most = (budget_ns / one_ns.max(1.0)).clamp(2.0, BETWEEN);
    (2.0 * (most / 2.0).powf(random as f64 / u64::MAX as f64)) as u32
}

/// How launches into poisoned outputs are compared with others.
#[derive(Debug, Clone, Copy)]
pub(in crate::engine) struct Search {
    /// A pair from the series, which counts in the first round. If only this pair shows the difference, further rounds
    /// have as many launches between the two as the series had.
    pub(in crate::engine) known: Option<Pair>,
    /// Further pairs in the first round, with a random number of launches between the two.
    pub(in crate::engine) pairs: usize,
    pub(in crate::engine) budget_ns: f64,
    pub(in crate::engine) random: u64,
}

/// Compares launches into a poisoned output with later ones into a complete output, both after `before`. Returns the
/// ratio of the fastest if the poisoned launches take longer in enough rounds: by more than 30 % (200 % without a
/// flush), 4 steps of the clock, and 3 µs (1 ms without a flush, 2 ms by the host's clock). `None` if they agree.
pub(in crate::engine) async fn slower_if_poisoned(
    prepared: &mut dyn Prepared,
    before: &mut Before<'_>,
    timer: &Timer,
    search: Search,
) -> Result<Option<f64>> {
    let (relative, device_ns) = match before.flushes() {
        true => (RELATIVE, DEVICE_NS),
        false => (RELATIVE_UNFLUSHED, UNFLUSHED_NS),
    };
    let absolute_ns = if timer.is_device { device_ns } else { HOST_NS }.max(TICKS * timer.tick_ns);
    let Search { known, pairs, budget_ns, random } = search;
    let each = known.map_or(1, |known| known.launches);
    let (mut ratio, mut number, mut misses) = (None, 0, 0);
    for round in 0..ROUNDS {
        let of_series = known.filter(|_| round == 0);
        let (mut poisoned, mut complete) =
            of_series.map_or((f64::INFINITY, f64::INFINITY), |own| (own.poisoned_ns, own.complete_ns));
        let mut spent_ns = 0.0_f64;
        let repeated = if round == 0 { None } else { known };
        for pair in 0..if round == 0 { pairs } else { LAUNCHES } {
            prepared.poison().await?;
            let (own_ns, wall_ns) = before.launches(prepared, timer, each, false).await?;
            poisoned = poisoned.min(own_ns);
            spent_ns += wall_ns;
            number += 1;
            let one_ns = wall_ns / f64::from(each);
            let between = match repeated {
                Some(known) if pair == 0 => known.before.max(1),
                _ => launches_between(budget_ns, one_ns, mixed(random, number)),
            };
            spent_ns += launched(prepared, between, one_ns).await?;
            let (own_ns, wall_ns) = before.launches(prepared, timer, each, true).await?;
            complete = complete.min(own_ns);
            spent_ns += wall_ns;
            if spent_ns > budget_ns {
                break;
            }
        }
        if poisoned <= complete * (1.0 + relative) + absolute_ns {
            misses += 1;
            if round == 0 || misses > MISSES {
                return Ok(None);
            }
            continue;
        }
        ratio = Some(poisoned / complete.max(1.0));
    }
    Ok(ratio)
}

/// Runs launches of about `each_ns` in submissions no longer than a system allows. Returns nanoseconds of wall time.
pub(in crate::engine) async fn launched(prepared: &mut dyn Prepared, launches: u32, each_ns: f64) -> Result<f64> {
    const LONGEST_NS: f64 = 2e8;
    let together = ((LONGEST_NS / each_ns.max(1.0)) as u32).clamp(1, BETWEEN as u32);
    let (mut left, mut spent_ns) = (launches, 0.0);
    while left > 0 {
        let now = left.min(together);
        spent_ns += prepared.sample(now).await?.wall_ns;
        left -= now;
    }
    Ok(spent_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Sample, Task};

    const SEARCH: Search = Search { known: None, pairs: LAUNCHES, budget_ns: 1e8, random: 7 };

    /// A job whose launches take `cost`, by whether the output is poisoned and by the launch's number.
    struct Scripted<F> {
        cost: F,
        is_poisoned: bool,
        launches: usize,
    }

    impl<F: Fn(bool, usize) -> f64> Prepared for Scripted<F> {
        fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
            let ns = (self.cost)(self.is_poisoned, self.launches);
            // Launches between the two that are compared do not count.
            self.launches += usize::from(launches == 1);
            self.is_poisoned = false;
            Box::pin(async move { Ok(Sample { device_ns: Some(ns), wall_ns: ns + 10_000.0 }) })
        }
        fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
            Box::pin(async { Ok((0.0, None)) })
        }
        fn poison(&mut self) -> Task<'_, ()> {
            self.is_poisoned = true;
            Box::pin(async { Ok(()) })
        }
        fn read<'a>(&'a mut self, _: usize, _: u64, _: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
            Box::pin(async { Ok(()) })
        }
    }

    fn ratio(is_device: bool, cost: impl Fn(bool, usize) -> f64) -> (Option<f64>, usize) {
        let mut job = Scripted { cost, is_poisoned: false, launches: 0 };
        let mut flush = Scripted { cost: |_, _| 1e5, is_poisoned: false, launches: 0 };
        let timer = Timer { is_device, tick_ns: 32.0, note: None };
        let mut before = Before::Flush(&mut flush);
        let ratio = slower_if_poisoned(&mut job, &mut before, &timer, SEARCH);
        let ratio = pollster::block_on(ratio).expect("nothing fails");
        assert_eq!(flush.launches, job.launches, "before each launch");
        (ratio, job.launches)
    }

    #[test]
    fn without_a_flush_only_large_differences_count() {
        let ratio = |poisoned: f64, complete: f64, tick_ns: f64| {
            let cost = move |is_poisoned: bool, _: usize| if is_poisoned { poisoned } else { complete };
            let mut job = Scripted { cost, is_poisoned: false, launches: 0 };
            let timer = Timer { is_device: true, tick_ns, note: None };
            pollster::block_on(slower_if_poisoned(&mut job, &mut Before::Nothing, &timer, SEARCH))
                .expect("nothing fails")
        };
        assert_eq!((ratio(2.5e6, 1e6, 32.0), ratio(5e6, 1e6, 32.0)), (None, Some(5.0)));
        // A software device on a busy machine: 4.1 times, and 20 µs.
        assert_eq!(ratio(26.6e3, 6.5e3, 100.0), None);
        // Four steps of a coarse clock.
        assert_eq!((ratio(5e6, 1e6, 1e6), ratio(9e6, 1e6, 1e6)), (None, Some(9.0)));
    }

    #[test]
    fn a_launch_right_after_the_host_was_at_work_is_compared_with_its_like() {
        use std::cell::Cell;
        let is_after_host = Cell::new(false);
        struct Sleepy<'a> {
            is_after_host: &'a Cell<bool>,
            is_poisoned: bool,
            work_ns: f64,
        }
        impl Prepared for Sleepy<'_> {
            fn sample(&mut self, _: u32) -> Task<'_, Sample> {
                let work_ns = if self.is_poisoned { self.work_ns } else { 0.0 };
                let ns = 2e5 + work_ns + if self.is_after_host.take() { 2e6 } else { 0.0 };
                self.is_poisoned = false;
                Box::pin(async move { Ok(Sample { device_ns: Some(ns), wall_ns: ns }) })
            }
            fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
                Box::pin(async { Ok((0.0, None)) })
            }
            fn poison(&mut self) -> Task<'_, ()> {
                self.is_poisoned = true;
                self.is_after_host.set(true);
                Box::pin(async { Ok(()) })
            }
            fn read<'a>(&'a mut self, _: usize, _: u64, _: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
                Box::pin(async { Ok(()) })
            }
        }
        let ratio = |work_ns: f64, has_control: bool| {
            let sleepy = |work_ns| Sleepy { is_after_host: &is_after_host, is_poisoned: false, work_ns };
            let (mut job, mut control) = (sleepy(work_ns), sleepy(0.0));
            let mut before = if has_control { Before::Poison(&mut control) } else { Before::Nothing };
            let timer = Timer { is_device: true, tick_ns: 1.0, note: None };
            pollster::block_on(slower_if_poisoned(&mut job, &mut before, &timer, SEARCH)).expect("nothing fails")
        };
        assert_eq!((ratio(0.0, false), ratio(0.0, true)), (Some(11.0), None));
        assert!(ratio(9e6, true).is_some_and(|ratio| ratio > 5.0), "work that is skipped is still found");
    }

    #[test]
    fn a_kernel_that_counts_its_launches_is_found() {
        /// It works in the first launches after each poison.
        struct Counting {
            since_poison: u32,
            works: u32,
        }
        impl Prepared for Counting {
            fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
                let ns = if self.since_poison < self.works { 1e5 } else { 1e3 };
                self.since_poison += launches;
                Box::pin(async move { Ok(Sample { device_ns: Some(ns), wall_ns: ns }) })
            }
            fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
                Box::pin(async { Ok((0.0, None)) })
            }
            fn poison(&mut self) -> Task<'_, ()> {
                self.since_poison = 0;
                Box::pin(async { Ok(()) })
            }
            fn read<'a>(&'a mut self, _: usize, _: u64, _: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
                Box::pin(async { Ok(()) })
            }
        }
        let timer = Timer { is_device: true, tick_ns: 32.0, note: None };
        let found = |works: u32, search: Search| {
            let mut job = Counting { since_poison: 0, works };
            let mut flush = Scripted { cost: |_, _| 1e5, is_poisoned: false, launches: 0 };
            let mut before = Before::Flush(&mut flush);
            let ratio = slower_if_poisoned(&mut job, &mut before, &timer, search);
            pollster::block_on(ratio).expect("nothing fails")
        };
        for works in 1..=3 {
            assert_eq!(found(works, SEARCH), Some(100.0), "{works}");
        }
        // It works for more launches than fit between: only the series outlasts it.
        let short = Search { pairs: 1, budget_ns: 2e5, ..SEARCH };
        assert_eq!(found(300, short), None);
        let single = Pair { launches: 1, poisoned_ns: 1e5, complete_ns: 1e3, before: 400 };
        assert_eq!(found(300, Search { known: Some(single), ..short }), Some(100.0));
        assert_eq!(found(500, Search { known: Some(single), ..short }), None, "noise in the series");
        let last = Pair { launches: 4, poisoned_ns: 3.01e5, complete_ns: 4e3, before: 40 };
        let alone = Search { known: Some(last), pairs: 0, ..short };
        assert!(found(3, alone).is_some_and(|ratio| ratio > 20.0));
        let alike = Pair { complete_ns: 3e5, ..last };
        assert_eq!(found(3, Search { known: Some(alike), ..alone }), None, "no launch is needed");
    }

    #[test]
    fn a_kernel_that_skips_its_work_when_it_is_done_is_found() {
        let (ratio, _) = ratio(true, |is_poisoned, _| if is_poisoned { 100e3 } else { 20e3 });
        assert_eq!(ratio, Some(5.0));
        assert_eq!(
            self::ratio(false, |is_poisoned, _| if is_poisoned { 20e6 } else { 4e6 }).0.map(f64::round),
            Some(5.0)
        );
    }

    #[test]
    fn noise_and_small_differences_are_not() {
        for (is_device, poisoned, complete) in [(true, 125e3, 100e3), (true, 4.5e3, 2e3), (false, 5.5e6, 4e6)] {
            let cost = |is_poisoned: bool, _| if is_poisoned { poisoned } else { complete };
            assert_eq!(ratio(is_device, cost), (None, 2 * LAUNCHES), "{poisoned}");
        }
        // Another program slows down one round.
        let (interrupted, launches) =
            ratio(true, |is_poisoned, launch| if is_poisoned && launch < 2 * LAUNCHES { 300e3 } else { 100e3 });
        assert_eq!((interrupted, launches), (None, 2 * LAUNCHES * (2 + MISSES)));
        // Another program slows down two launches into a complete output.
        let late = |launch: usize| launch / (2 * LAUNCHES) == 3 || launch / (2 * LAUNCHES) == 9;
        let (found, _) = ratio(true, |is_poisoned, launch| if is_poisoned || late(launch) { 100e3 } else { 20e3 });
        assert_eq!(found, Some(5.0));
        // Only every seventh launch is undisturbed.
        let (_, launches) = ratio(true, |_, launch| if launch % 7 == 0 { 100e3 } else { 170e3 });
        assert_eq!(launches, 2 * LAUNCHES);
    }
}
