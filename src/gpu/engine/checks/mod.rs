//! Finds kernels that are wrong or skip work.
//!
//! `fault` runs the checks of a prepared case. `odd_shape` runs before a case has buffers: it needs memory itself.

pub(in crate::engine) mod fewer_rounds;
mod freivalds;
pub mod mismatch;
pub(in crate::engine) mod odd_shape;
pub mod output;
pub(in crate::engine) mod outside;
mod parts;
pub mod precision;
pub(in crate::engine) mod random;
pub(in crate::engine) mod reference;
pub(in crate::engine) mod skipped_work;
pub(in crate::engine) mod smallest;
pub(in crate::engine) mod subgroup;

use std::time::Duration;

use web_time::Instant;

use super::measure::{Caches, Pair, Poisoned, Timer};
use crate::backend::{Backend, Prepared, Task, leak_if_lost};
use crate::job::{Job, JobBuffer, OutputCheck};
use fewer_rounds::{rounds_take_no_time, with_half_the_rounds};
use odd_shape::checked_launch;
use output::{verify, verify_parts, verify_ranges};
use outside::store_outside;
use parts::{FEW_PARTS, MANY_PARTS, PARTS};
use random::mixed;
use record::error::Result;
use record::suite::Case;
use reference::run_reference;
use skipped_work::{LAUNCHES, Search, launched, launches_between, slower_if_poisoned};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum When {
    /// Before all other launches of the first epoch, since these could hide the fault.
    FirstLaunch,
    /// After the samples of each attempt, in every epoch.
    EachAttempt,
    /// After the first epoch, and after later ones that no kernel can predict.
    SearchedEpoch,
    FirstEpoch,
}

pub(in crate::engine) struct Probe<'a> {
    pub(in crate::engine) backend: &'a mut dyn Backend,
    pub(in crate::engine) prepared: &'a mut dyn Prepared,
    pub(in crate::engine) caches: &'a mut Caches,
    pub(in crate::engine) case: &'a Case,
    pub(in crate::engine) job: &'a Job,
    pub(in crate::engine) timer: &'a Timer,
    /// Number of the epoch, counted from 0.
    pub(in crate::engine) epoch: usize,
    /// Random stream of the first epoch's inputs.
    pub(in crate::engine) first_stream: u64,
    /// How launches into poisoned outputs compared with others, once there is a series.
    pub(in crate::engine) poisoned: Option<Poisoned>,
    /// Selects what a kernel must not predict: the verified parts of a large output, and numbers of launches.
    pub(in crate::engine) random: u64,
    /// Nanoseconds of an epoch's samples.
    pub(in crate::engine) budget_ns: f64,
    /// Time that checks spent on timed launches.
    pub(in crate::engine) measuring: Duration,
}

struct Check {
    when: When,
    of: fn(&Case, &Job) -> bool,
    run: for<'p> fn(&'p mut Probe<'_>) -> Task<'p, Option<String>>,
}

const CHECKS: [Check; 9] = [
    Check { when: When::FirstLaunch, of: |_, _| true, run: |probe| Box::pin(after_one_launch(probe)) },
    Check { when: When::EachAttempt, of: |_, _| true, run: |probe| Box::pin(wrong_output(probe)) },
    Check { when: When::EachAttempt, of: |_, _| true, run: |probe| Box::pin(store_outside(probe.prepared, probe.job)) },
    Check { when: When::EachAttempt, of: can_skip_work, run: |probe| Box::pin(slow_last_sample(probe)) },
    Check { when: When::SearchedEpoch, of: writes_more, run: |probe| Box::pin(poisoned_alone(probe)) },
    // The suite's own kernels are known to read their inputs.
    Check { when: When::SearchedEpoch, of: |case, _| case.is_foreign(), run: |probe| Box::pin(other_inputs(probe)) },
    Check { when: When::SearchedEpoch, of: can_skip_work, run: |probe| Box::pin(skipped_work(probe)) },
    Check { when: When::SearchedEpoch, of: |_, job| job.runs_kernel(), run: |probe| Box::pin(complete_output(probe)) },
    // The suite's own ceilings are known to compute what they count.
    Check { when: When::FirstEpoch, of: |case, _| case.is_foreign(), run: |probe| Box::pin(fewer_rounds(probe)) },
];

/// The first fault that the checks at `when` find, if any.
pub(in crate::engine) async fn fault(when: When, probe: &mut Probe<'_>) -> Result<Option<String>> {
    for check in CHECKS.iter().filter(|check| check.when == when) {
        if (check.of)(probe.case, probe.job)
            && let Some(fault) = (check.run)(probe).await?
        {
            return Ok(Some(fault));
        }
    }
    Ok(None)
}

async fn after_one_launch(probe: &mut Probe<'_>) -> Result<Option<String>> {
    let fault = checked_launch(probe.prepared, probe.job, mixed(probe.random, 1)).await?;
    Ok(fault.map(|fault| format!("{fault} after a single launch")))
}

/// Verifies the whole output in the first epoch, parts of it later.
async fn wrong_output(probe: &mut Probe<'_>) -> Result<Option<String>> {
    let Probe { prepared, job, epoch, random, .. } = probe;
    let mismatch = match epoch {
        0 if job.check.is_sampled => verify_parts(*prepared, job, MANY_PARTS, *random).await?,
        0 => verify(*prepared, job, *random).await?,
        _ => verify_parts(*prepared, job, FEW_PARTS, *random).await?,
    };
    Ok(mismatch.map(|mismatch| mismatch.to_string()))
}

/// Only kernels can skip work, and only if the row shows their time.
pub(in crate::engine) fn can_skip_work(_: &Case, job: &Job) -> bool {
    job.runs_kernel() && !job.kernel.is_empty() && job.host_part.is_none()
}

async fn skipped_work(probe: &mut Probe<'_>) -> Result<Option<String>> {
    let known = probe.poisoned.and_then(|poisoned| poisoned.single);
    // The pair of the series counts as one of the pairs.
    let pairs = if probe.epoch == 0 { LAUNCHES - usize::from(known.is_some()) } else { 1 };
    slower(probe, known, pairs).await
}

/// Only the last sample of a series finds poisoned outputs: a kernel that works only then is slower there.
async fn slow_last_sample(probe: &mut Probe<'_>) -> Result<Option<String>> {
    let Some(Poisoned { last, .. }) = probe.poisoned else { return Ok(None) };
    slower(probe, Some(last), 0).await
}

async fn slower(probe: &mut Probe<'_>, known: Option<Pair>, pairs: usize) -> Result<Option<String>> {
    let start = Instant::now();
    let mut before = probe.caches.before(probe.backend).await?;
    let search = Search { known, pairs, budget_ns: probe.budget_ns / 10.0, random: mixed(probe.random, 2) };
    let ratio = slower_if_poisoned(probe.prepared, &mut before, probe.timer, search).await?;
    probe.measuring += start.elapsed();
    Ok(ratio.map(|ratio| {
        format!("a launch into a poisoned output takes {ratio:.1} times as long as others: the kernel skips work")
    }))
}

async fn fewer_rounds(probe: &mut Probe<'_>) -> Result<Option<String>> {
    let Some(half) = with_half_the_rounds(probe.case) else { return Ok(None) };
    let mut half = probe.backend.prepare(&Job::new(&half)?).await?;
    let ratio = rounds_take_no_time(probe.prepared, half.as_mut(), probe.timer).await;
    let ratio = leak_if_lost(half, ratio)?;
    Ok(ratio.map(|ratio| format!("all rounds take {ratio:.2} times as long as half of them: the kernel skips work")))
}

/// Whether a kernel writes anything that is not compared, where it could note that it ran. The suite's own kernels
/// write nothing after their results.
fn writes_more(case: &Case, job: &Job) -> bool {
    let is_compared = |index: usize, bytes: u64| {
        let length = |check: &OutputCheck| check.scalars * job.buffers[index].scalar.bytes() as u64;
        job.checks()
            .any(|check| check.buffer == index && check.element.iter().all(Option::is_some) && length(check) >= bytes)
    };
    let mut outputs = job.buffers.iter().enumerate().filter(|(_, buffer)| buffer.is_output());
    let is_compared = |(index, buffer): (usize, &JobBuffer)| match case.is_foreign() {
        true => is_compared(index, buffer.bytes),
        false => job.check.buffer == index,
    };
    job.runs_kernel() && job.check.scalars > 0 && !outputs.all(is_compared)
}

/// Scalars of an output that are poisoned alone.
const SINGLE: u64 = 16;

/// After a random number of launches, one launch finds only the verified outputs poisoned, with all else that the
/// kernel writes as it was; another finds only a few verified scalars poisoned. A kernel that counts its launches
/// elsewhere (in a second buffer, in padding or in an unverified part) cannot detect these launches.
async fn poisoned_alone(probe: &mut Probe<'_>) -> Result<Option<String>> {
    outlast(probe, mixed(probe.random, 5)).await?;
    let Probe { prepared, job, random, .. } = probe;
    for check in job.checks() {
        let bytes = check.scalars * job.buffers[check.buffer].scalar.bytes() as u64;
        prepared.poison_range(check.buffer, 0..bytes).await?;
    }
    prepared.sample(1).await?;
    if let Some(mismatch) = verify_parts(*prepared, job, PARTS, mixed(*random, 4)).await? {
        return Ok(Some(format!("{mismatch} after a launch for which only the verified outputs were poisoned")));
    }
    let draw = |check: &OutputCheck, number: u64| mixed(mixed(*random, 6), number) % check.scalars;
    let mut places = Vec::new();
    for check in job.checks() {
        let size = job.buffers[check.buffer].scalar.bytes() as u64;
        let drawn = (0..SINGLE).map(|number| draw(check, number)).filter(|index| !check.is_padding(*index));
        // Poison consists of 32-bit words.
        let bytes = drawn.map(|index| index * size / 4 * 4).map(|start| start..start + size.max(4));
        places.push(bytes.collect::<Vec<_>>());
    }
    for (check, ranges) in job.checks().zip(&places) {
        for range in ranges {
            prepared.poison_range(check.buffer, range.clone()).await?;
        }
    }
    prepared.sample(1).await?;
    for (check, ranges) in job.checks().zip(places) {
        if let Some(mismatch) = verify_ranges(*prepared, job, check, ranges).await? {
            return Ok(Some(format!("{mismatch} after a launch with only a few output elements poisoned")));
        }
    }
    Ok(None)
}

/// Launches until a kernel that counts them would skip work: a random number that fits in a quarter of the epoch's
/// time, and for kernels that are not the suite's at least as many as the series had. A kernel that skips work only
/// later has not shortened its median time.
async fn outlast(probe: &mut Probe<'_>, random: u64) -> Result<()> {
    let one_ns = probe.prepared.sample(1).await?.wall_ns;
    let launches = launches_between(probe.budget_ns / 4.0, one_ns, random);
    let of_series = probe.poisoned.filter(|_| probe.case.is_foreign()).map_or(0, Poisoned::launches);
    launched(probe.prepared, launches.max(of_series), one_ns).await?;
    Ok(())
}

/// A launch with other inputs and the earlier outputs: a kernel that keeps its result anywhere returns the old one.
async fn other_inputs(probe: &mut Probe<'_>) -> Result<Option<String>> {
    let mut case = probe.case.clone();
    // The first epoch's expected values may still be known, and may have taken long.
    case.shape.stream =
        if probe.epoch == 0 { mixed(mixed(probe.random, 7), case.shape.stream) } else { probe.first_stream };
    let other = Job::new(&case)?;
    let has_same = probe.job.buffers.iter().zip(&other.buffers).all(|(a, b)| a.is_same_input(b));
    if has_same || other.check.scalars == 0 {
        return Ok(None);
    }
    run_reference(probe.backend, &other).await?;
    outlast(probe, mixed(probe.random, 9)).await?;
    let Probe { prepared, job, random, .. } = probe;
    let found = match prepared.refill(&other.buffers).await? {
        true => {
            prepared.sample(1).await?;
            verify_parts(*prepared, &other, PARTS, mixed(*random, 8)).await
        }
        false => return Ok(None),
    };
    // Inputs may be shared with other jobs.
    prepared.refill(&job.buffers).await?;
    prepared.sample(1).await?;
    Ok(found?.map(|mismatch| format!("{mismatch} after a launch with other inputs: the kernel keeps old results")))
}

/// Verifies the last launch, which found the output of the one before it.
async fn complete_output(probe: &mut Probe<'_>) -> Result<Option<String>> {
    let Probe { prepared, job, random, .. } = probe;
    let mismatch = verify_parts(*prepared, job, PARTS, mixed(*random, 3)).await?;
    Ok(mismatch.map(|mismatch| format!("{mismatch} after a launch into an already complete output")))
}
