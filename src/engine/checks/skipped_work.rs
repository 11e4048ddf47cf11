//! Kernels that do their work only in a launch that is checked.
//!
//! A kernel that finds its result in the output of an earlier launch can skip the work. Verification poisons the output
//! first, and so never sees such a launch; but then a launch into a poisoned output takes longer than the others. A kernel
//! may also count its launches: a random number of others therefore lies between the two that are compared.

use std::collections::BTreeMap;

use super::random::mixed;
use crate::backend::{Backend, Prepared};
use crate::engine::clock::canary::{can_ramp, case_of};
use crate::engine::measure::Timer;
use crate::error::Result;
use crate::job::Job;
use crate::suite::{Case, Dtype, Extent, Shape};

/// Most launches between one into a poisoned output and the one that it is compared with, about as many as a series has. The
/// fewest are two: a kernel that skips work from its third launch on must have skipped it by then.
const BETWEEN: f64 = 4096.0;

/// Maximum number of launches of each kind in a round.
const LAUNCHES: usize = 3;

/// A round that finds a difference is repeated this often: other programs may have slowed it down.
const ROUNDS: usize = 4;

/// The same where nothing flushes the caches: on the busy host of a software device a launch of 0.2 ms may take 1 ms, four
/// rounds one after the other.
const ROUNDS_UNFLUSHED: usize = 10;

/// Differences below this fraction of the time are within what clocks change.
const RELATIVE: f64 = 0.3;

/// The same where nothing flushes the caches: poisoning leaves other data in them than a launch does.
const RELATIVE_UNFLUSHED: f64 = 2.0;

/// Differences below this many nanoseconds are within what single submissions vary by, by the device's clock.
const DEVICE_NS: f64 = 3_000.0;

/// The same where nothing flushes the caches: a software device waits for threads of the host, which other programs
/// hold up; by up to tens of microseconds on a busy machine, more often after the host itself was at work.
const UNFLUSHED_NS: f64 = 1e6;

/// The same by the host's clock.
const HOST_NS: f64 = 2e6;

/// Differences below this many steps of the clock are within what reading it varies by. Browsers have steps of 100 µs.
const TICKS: f64 = 4.0;

/// The jobs that bring the caches into one state before a launch, once a kernel needed them.
#[derive(Default)]
pub(in crate::engine) struct Caches {
    /// Fills the caches with other data.
    flush: Option<Box<dyn Prepared>>,
    /// A small job whose output is poisoned where nothing flushes the caches.
    control: Option<Box<dyn Prepared>>,
}

impl Caches {
    /// What runs before a launch on this device.
    ///
    /// # Errors
    /// If the device is lost.
    pub(in crate::engine) async fn before(&mut self, backend: &mut dyn Backend) -> Result<Before<'_>> {
        let has_flush = can_ramp(backend.device());
        let own = if has_flush { &mut self.flush } else { &mut self.control };
        if own.is_none() {
            let case = if has_flush { flush_case()? } else { control_case()? };
            *own = match backend.prepare_own(&Job::new(&case)?).await {
                Ok(own) => Some(own),
                Err(error) if error.ends_device() => return Err(error),
                // A small device runs without it.
                Err(_) => None,
            };
        }
        Ok(match (&mut self.flush, &mut self.control) {
            (Some(flush), _) => Before::Flush(flush.as_mut()),
            (None, Some(control)) => Before::Poison(control.as_mut()),
            (None, None) => Before::Nothing,
        })
    }
}

/// A case that reads and writes 128 MiB: more than the caches of a GPU hold.
pub(in crate::engine) fn flush_case() -> Result<Case> {
    let shape = Shape::new(Dtype::Vec4F32, Extent::Linear(1 << 24), BTreeMap::new());
    case_of("stream", "copy", shape)
}

/// A case whose output is poisoned as that of others is.
fn control_case() -> Result<Case> {
    let shape = Shape::new(Dtype::Vec4F32, Extent::Linear(1 << 12), BTreeMap::new());
    case_of("stream", "copy", shape)
}

/// What runs before a launch, so that it finds the device as the launch that it is compared with.
pub(in crate::engine) enum Before<'a> {
    /// A kernel that leaves the caches in the same state.
    Flush(&'a mut dyn Prepared),
    /// A job whose output is poisoned before launches into a complete output: on a busy host, a launch right after the host
    /// was at work waits for threads that sleep.
    Poison(&'a mut dyn Prepared),
    /// Nothing.
    Nothing,
}

/// A random number of launches, from 2 to as many as `budget_ns` has room for where one takes `one_ns`, 4096 at most. Each
/// power of two is as likely.
pub(in crate::engine) fn launches_between(budget_ns: f64, one_ns: f64, random: u64) -> u32 {
    let most = (budget_ns / one_ns.max(1.0)).clamp(2.0, BETWEEN);
    (2.0 * (most / 2.0).powf(random as f64 / u64::MAX as f64)) as u32
}

/// The times of single launches into a poisoned output and, after a number of launches that follows from `random`, into a
/// complete one, both after what `before` says. Returns the
/// ratio of the fastest ones if the poisoned launch takes longer in every round, by more than 30 % (200 % without a flush),
/// 4 steps of the clock, and 3 µs (1 ms without a flush, 2 ms by the host's clock); `None` if they agree, or if launches
/// take too long for `budget_ns`.
///
/// # Errors
/// Errors of the device.
pub(in crate::engine) async fn slower_if_poisoned(
    prepared: &mut dyn Prepared,
    mut before: Before<'_>,
    timer: &Timer,
    budget_ns: f64,
    random: u64,
) -> Result<Option<f64>> {
    let (relative, device_ns, rounds) = match before {
        Before::Flush(_) => (RELATIVE, DEVICE_NS, ROUNDS),
        Before::Poison(_) | Before::Nothing => (RELATIVE_UNFLUSHED, UNFLUSHED_NS, ROUNDS_UNFLUSHED),
    };
    let absolute_ns = if timer.is_device { device_ns } else { HOST_NS }.max(TICKS * timer.tick_ns);
    let (mut ratio, mut number) = (None, 0);
    for _ in 0..rounds {
        let (mut poisoned, mut complete) = (f64::INFINITY, f64::INFINITY);
        let mut spent_ns = 0.0_f64;
        for _ in 0..LAUNCHES {
            prepared.poison().await?;
            for (fastest, is_complete) in [(&mut poisoned, false), (&mut complete, true)] {
                if is_complete {
                    number += 1;
                    let between = launches_between(budget_ns, spent_ns, mixed(random, number));
                    spent_ns += prepared.sample(between).await?.wall_ns;
                }
                match &mut before {
                    Before::Flush(flush) => drop(flush.sample(1).await?),
                    Before::Poison(other) if is_complete => other.poison().await?,
                    Before::Poison(_) | Before::Nothing => {}
                }
                let sample = timer.sample(prepared, 1).await?;
                spent_ns += sample.wall_ns;
                *fastest = fastest.min(timer.read(&sample));
            }
            if spent_ns > budget_ns {
                break;
            }
        }
        if poisoned <= complete * (1.0 + relative) + absolute_ns {
            return Ok(None);
        }
        ratio = Some(poisoned / complete.max(1.0));
    }
    Ok(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Sample, Task};

    /// A job whose launches take `cost`, by whether the output is poisoned and by the number of the launch.
    struct Scripted<F> {
        cost: F,
        is_poisoned: bool,
        launches: usize,
    }

    impl<F: Fn(bool, usize) -> f64> Prepared for Scripted<F> {
        fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
            let ns = (self.cost)(self.is_poisoned, self.launches);
            // Those between two that are compared are not counted.
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
        let ratio = slower_if_poisoned(&mut job, Before::Flush(&mut flush), &timer, 1e9, 7);
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
            pollster::block_on(slower_if_poisoned(&mut job, Before::Nothing, &timer, 1e9, 7)).expect("nothing fails")
        };
        assert_eq!((ratio(2.5e6, 1e6, 32.0), ratio(5e6, 1e6, 32.0)), (None, Some(5.0)));
        // A software device on a busy machine: 4.1 times, and 20 µs.
        assert_eq!(ratio(26.6e3, 6.5e3, 100.0), None);
        // Four steps of a clock whose steps are coarse.
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
            let of = |work_ns| Sleepy { is_after_host: &is_after_host, is_poisoned: false, work_ns };
            let (mut job, mut control) = (of(work_ns), of(0.0));
            let before = if has_control { Before::Poison(&mut control) } else { Before::Nothing };
            let timer = Timer { is_device: true, tick_ns: 1.0, note: None };
            pollster::block_on(slower_if_poisoned(&mut job, before, &timer, 1e9, 7)).expect("nothing fails")
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
        for works in 1..=3 {
            let mut job = Counting { since_poison: 0, works };
            let mut flush = Scripted { cost: |_, _| 1e5, is_poisoned: false, launches: 0 };
            let ratio = slower_if_poisoned(&mut job, Before::Flush(&mut flush), &timer, 1e9, 3);
            assert_eq!(pollster::block_on(ratio).expect("nothing fails"), Some(100.0), "{works}");
        }
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
        assert_eq!((interrupted, launches), (None, 4 * LAUNCHES));
        // One sample of five is undisturbed.
        let (_, launches) = ratio(true, |_, launch| if launch % 7 == 0 { 100e3 } else { 170e3 });
        assert_eq!(launches, 2 * LAUNCHES);
    }
}
