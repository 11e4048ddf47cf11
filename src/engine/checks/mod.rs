//! Finds kernels that are wrong or skip work.
//!
//! `fault` runs the checks of a prepared case. `odd_shape` runs before a case has its buffers, since it needs memory of
//! its own.

pub(in crate::engine) mod fewer_rounds;
mod freivalds;
pub(in crate::engine) mod odd_shape;
pub mod output;
pub(in crate::engine) mod outside;
pub mod precision;
pub(in crate::engine) mod random;
pub(in crate::engine) mod reference;
pub(in crate::engine) mod skipped_work;
pub(in crate::engine) mod smallest;
pub(in crate::engine) mod subgroup;

use std::time::Duration;

use web_time::Instant;

use super::measure::Timer;
use crate::backend::{Backend, Prepared, Task, leak_if_lost};
use crate::error::Result;
use crate::job::Job;
use crate::suite::Case;
use fewer_rounds::{rounds_take_no_time, with_half_the_rounds};
use odd_shape::checked_launch;
use output::{FEW_PARTS, MANY_PARTS, PARTS, verify, verify_parts};
use outside::store_outside;
use random::mixed;
use skipped_work::{Caches, launches_between, slower_if_poisoned};

/// When a check runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum When {
    /// Before all other launches of the first epoch, which could hide its fault.
    FirstLaunch,
    /// After the samples of each attempt, in every epoch.
    EachAttempt,
    /// After the first epoch.
    FirstEpoch,
}

/// A case on a device, prepared to be measured.
pub(in crate::engine) struct Probe<'a> {
    pub(in crate::engine) backend: &'a mut dyn Backend,
    pub(in crate::engine) prepared: &'a mut dyn Prepared,
    pub(in crate::engine) caches: &'a mut Caches,
    pub(in crate::engine) case: &'a Case,
    pub(in crate::engine) job: &'a Job,
    pub(in crate::engine) timer: &'a Timer,
    /// The number of the epoch, counted from 0.
    pub(in crate::engine) epoch: usize,
    /// Selects the parts of a large output that are verified in this epoch.
    pub(in crate::engine) random: u64,
    /// Nanoseconds of an epoch's samples.
    pub(in crate::engine) budget_ns: f64,
    /// Time that checks spent on timed launches.
    pub(in crate::engine) measuring: Duration,
}

struct Check {
    when: When,
    /// The cases that can have the fault.
    of: fn(&Case, &Job) -> bool,
    /// The fault, as a row states it.
    run: for<'p> fn(&'p mut Probe<'_>) -> Task<'p, Option<String>>,
}

/// The checks of a prepared case, in their order.
const CHECKS: [Check; 7] = [
    Check { when: When::FirstLaunch, of: |_, _| true, run: |probe| Box::pin(after_one_launch(probe)) },
    Check { when: When::EachAttempt, of: |_, _| true, run: |probe| Box::pin(wrong_output(probe)) },
    Check { when: When::EachAttempt, of: |_, _| true, run: |probe| Box::pin(store_outside(probe.prepared, probe.job)) },
    Check { when: When::FirstEpoch, of: writes_several, run: |probe| Box::pin(poisoned_alone(probe)) },
    Check { when: When::FirstEpoch, of: can_skip_work, run: |probe| Box::pin(skipped_work(probe)) },
    // The suite's own ceilings compute what they count.
    Check { when: When::FirstEpoch, of: |case, _| case.is_foreign(), run: |probe| Box::pin(fewer_rounds(probe)) },
    Check { when: When::FirstEpoch, of: |_, job| job.runs_kernel(), run: |probe| Box::pin(complete_output(probe)) },
];

/// The first fault that the checks of this moment find; `None` if there is none.
///
/// # Errors
/// Errors of the device.
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

/// The whole output is verified in the first epoch, parts of it in others.
async fn wrong_output(probe: &mut Probe<'_>) -> Result<Option<String>> {
    let Probe { prepared, job, epoch, random, .. } = probe;
    let mismatch = match epoch {
        0 if job.check.is_sampled => verify_parts(*prepared, job, MANY_PARTS, *random).await?,
        0 => verify(*prepared, job, *random).await?,
        _ => verify_parts(*prepared, job, FEW_PARTS, *random).await?,
    };
    Ok(mismatch.map(|mismatch| mismatch.to_string()))
}

/// Only kernels can skip work, and only where their time is the row's.
fn can_skip_work(_: &Case, job: &Job) -> bool {
    job.runs_kernel() && !job.kernel.is_empty() && job.host_part.is_none()
}

async fn skipped_work(probe: &mut Probe<'_>) -> Result<Option<String>> {
    let start = Instant::now();
    let before = probe.caches.before(probe.backend).await?;
    let random = mixed(probe.random, 2);
    let ratio = slower_if_poisoned(probe.prepared, before, probe.timer, probe.budget_ns / 10.0, random).await?;
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

fn writes_several(_: &Case, job: &Job) -> bool {
    job.runs_kernel() && job.buffers.iter().filter(|buffer| buffer.is_output()).count() > 1
}

/// After a random number of launches, one finds the verified output poisoned, and all else that the kernel writes as it was: a kernel that
/// counts its launches there cannot tell.
async fn poisoned_alone(probe: &mut Probe<'_>) -> Result<Option<String>> {
    let Probe { prepared, job, random, budget_ns, .. } = probe;
    let one_ns = prepared.sample(1).await?.wall_ns;
    prepared.sample(launches_between(*budget_ns / 4.0, one_ns, mixed(*random, 5))).await?;
    prepared.poison_buffer(job.check.buffer).await?;
    prepared.sample(1).await?;
    let mismatch = verify_parts(*prepared, job, PARTS, mixed(*random, 4)).await?;
    Ok(mismatch.map(|mismatch| format!("{mismatch} after a launch that finds this output alone poisoned")))
}

/// The last launch found the output of the one before it.
async fn complete_output(probe: &mut Probe<'_>) -> Result<Option<String>> {
    let Probe { prepared, job, random, .. } = probe;
    let mismatch = verify_parts(*prepared, job, PARTS, mixed(*random, 3)).await?;
    Ok(mismatch.map(|mismatch| format!("{mismatch} after a launch into a complete output")))
}
