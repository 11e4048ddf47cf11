//! One case for a long time: its speed, second by second.

use std::ops::ControlFlow;

use web_time::Instant;

use crate::backend::{Backend, Prepared, leak_if_lost};
use crate::engine::checks::output::{FEW_PARTS, PARTS, verify_parts};
use crate::engine::checks::random::mixed;
use crate::engine::run::session::Session;
use crate::engine::run::settings::Settings;
use crate::error::Result;
use crate::job::Job;
use crate::record::Moment;
use crate::suite::Case;

/// Duration of a submission, in nanoseconds, unless one launch takes longer.
const PIECE_NS: f64 = 20e6;

/// Duration of a moment, in seconds.
const MOMENT: f64 = 1.0;

/// Time between checks of a part of the output, in seconds: a check takes milliseconds, in which the device rests.
const CHECK: f64 = 10.0;

/// Runs a case for `seconds`, and passes each second to `observe`, which may end the load. Parts of the output are verified
/// at the start, every ten seconds and at the end. Returns the first wrong element in words, which ends the load.
///
/// # Errors
/// Errors of the device; [`crate::error::Error::Unsupported`] if the case does not run on it.
pub async fn soak(
    backend: &mut dyn Backend,
    case: &Case,
    settings: &Settings,
    seconds: f64,
    observe: &mut dyn FnMut(Moment) -> ControlFlow<()>,
) -> Result<Option<String>> {
    let mut session = Session::new(backend, settings).await?;
    let job = Job::new(case)?;
    session.backend.device().check(&job)?;
    session.guard.check(session.backend, &session.timer, case, None).await?;
    let mut prepared = session.backend.prepare(&job).await?;
    let result = load(&mut session, &job, prepared.as_mut(), seconds, observe).await;
    leak_if_lost(prepared, result)
}

async fn load(
    session: &mut Session<'_>,
    job: &Job,
    prepared: &mut dyn Prepared,
    seconds: f64,
    observe: &mut dyn FnMut(Moment) -> ControlFlow<()>,
) -> Result<Option<String>> {
    let timer = session.timer_for(job).await?;
    // The first launch may include compilation.
    timer.sample(prepared, 1).await?;
    let launch_ns = timer.sample(prepared, 1).await?.wall_ns;
    if let Some(mismatch) = verify_parts(prepared, job, PARTS, mixed(session.settings.seed, 0)).await? {
        return Ok(Some(mismatch.to_string()));
    }
    let mut launches = ((PIECE_NS / launch_ns.max(1.0)) as u32).clamp(1, session.most_launches());
    let (start, mut next_check, mut number) = (Instant::now(), CHECK, 0);
    while start.elapsed().as_secs_f64() < seconds {
        let begin = Instant::now();
        let (mut spent_ns, mut wall_ns, mut count) = (0.0, 0.0, 0_u64);
        while begin.elapsed().as_secs_f64() < MOMENT {
            let sample = timer.sample(prepared, launches).await?;
            spent_ns += timer.read(&sample);
            wall_ns += sample.wall_ns;
            count += u64::from(launches);
        }
        // Single launches include the way to the device: with more in a submission each takes less.
        launches = ((PIECE_NS * count as f64 / wall_ns.max(1.0)) as u32).clamp(1, session.most_launches());
        let moment = Moment {
            seconds: start.elapsed().as_secs_f64(),
            launch_ns: spent_ns / count as f64,
            reading: session.monitor.as_mut().map(|monitor| monitor.read()),
        };
        let is_last = observe(moment).is_break();
        if is_last || start.elapsed().as_secs_f64() >= next_check.min(seconds) {
            number += 1;
            next_check += CHECK;
            prepared.poison().await?;
            timer.sample(prepared, 1).await?;
            if let Some(mismatch) = verify_parts(prepared, job, FEW_PARTS, mixed(session.settings.seed, number)).await?
            {
                return Ok(Some(mismatch.to_string()));
            }
        }
        if is_last {
            break;
        }
    }
    Ok(None)
}
