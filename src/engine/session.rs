//! A measuring session on one device: from a case's job to its figures.

use std::collections::BTreeMap;
use std::time::Duration;

use web_time::Instant;

use super::canary::{Canary, can_ramp, canary_case, case_of};
use super::in_kernel::in_kernel;
use super::launch_guard::LaunchGuard;
use super::lost::leak_if_lost;
use super::schedule::{ATTEMPTS, Effort};
use super::settings::Settings;
use crate::backend::monitor::Monitor;
use crate::backend::{Backend, Prepared};
use crate::engine::measure::{self, Rules, Series, Timer};
use crate::engine::verify::verify;
use crate::error::{Error, Result};
use crate::job::{Job, Step};
use crate::results::stats::{self, round_to_seven_digits};
use crate::results::{Cause, Conditions, Record, Status};
use crate::suite::{Case, Dtype, Extent, Shape};

/// A measuring session on one device, with the canary that detects clock changes.
pub(super) struct Session<'a> {
    pub(super) backend: &'a mut dyn Backend,
    settings: &'a Settings,
    pub(super) timer: Timer,
    /// The timer for copies on the device, once a case needed it.
    copy_timer: Option<Timer>,
    canary_job: Job,
    pub(super) canary: Canary,
    monitor: Option<Box<dyn Monitor>>,
    pub(super) guard: LaunchGuard,
    /// Time spent measuring, with canary and warm-up but without preparation and verification.
    pub(super) measuring: Duration,
}

impl<'a> Session<'a> {
    /// Tests the device and selects the timer.
    ///
    /// # Errors
    /// If the device fails the test.
    pub(super) async fn new(backend: &'a mut dyn Backend, settings: &'a Settings) -> Result<Self> {
        let canary_job = Job::new(&canary_case()?)?;
        let mut prepared = backend.prepare(&canary_job).await?;
        let tested = test_device(prepared.as_mut(), &canary_job, &backend.device().name).await;
        let timer = match tested {
            Ok(timer) => timer,
            Err(error) => return leak_if_lost(prepared, Err(error)),
        };
        let canary = Canary::new(prepared, &timer, can_ramp(backend.device())).await?;
        let monitor = backend.monitor();
        Ok(Self {
            backend,
            settings,
            timer,
            copy_timer: None,
            canary_job,
            canary,
            monitor,
            guard: LaunchGuard::default(),
            measuring: Duration::ZERO,
        })
    }

    /// Reopens the device. Tries several times, since the driver may still be recovering.
    ///
    /// # Errors
    /// If the device cannot be opened or fails at once.
    pub(super) async fn reopen(&mut self) -> Result<()> {
        let mut result = self.try_reopen().await;
        for _ in 1..ATTEMPTS {
            if result.is_ok() {
                break;
            }
            result = self.try_reopen().await;
        }
        result
    }

    async fn try_reopen(&mut self) -> Result<()> {
        self.backend.reopen().await?;
        let prepared = self.backend.prepare(&self.canary_job).await?;
        let fresh = Canary::new(prepared, &self.timer, self.canary.can_ramp).await?;
        // Dropping resources of a lost device may block forever.
        std::mem::forget(std::mem::replace(&mut self.canary, fresh));
        Ok(())
    }

    /// Measures the case into `record`. If the output is a picture, stores it in `picture`.
    ///
    /// # Errors
    /// If the case has no figures.
    pub(super) async fn case(
        &mut self,
        case: &Case,
        effort: &Effort,
        record: &mut Record,
        picture: &mut Option<Vec<u8>>,
    ) -> Result<()> {
        let job = Job::new(case)?;
        if !job.kernel.is_empty() {
            record.workgroup_size = Some(job.kernel.interface.workgroup_size);
            record.shader_hash = job.kernel.hash(self.backend.device().language);
        }
        self.backend.device().check(&job)?;
        self.guard.check(self.backend, &self.timer, case, effort.longest_launch_ns).await?;
        let mut prepared = self.backend.prepare(&job).await?;
        let mut result = self.measured(case, &job, effort, prepared.as_mut(), record).await;
        if result.is_ok() && record.status == Status::Ok && case.shape.dtype == Dtype::Rgba8 {
            result = read_picture(&job, prepared.as_mut()).await.map(|rgba| *picture = Some(rgba));
        }
        leak_if_lost(prepared, result)
    }

    /// Samples the case with the given rules, without verification and without a row.
    ///
    /// # Errors
    /// If the case cannot be measured.
    pub(super) async fn trial(&mut self, case: &Case, rules: Rules) -> Result<Series> {
        let job = Job::new(case)?;
        self.backend.device().check(&job)?;
        self.guard.check(self.backend, &self.timer, case, None).await?;
        self.canary.ramp_up(&self.timer).await?;
        let timer = self.timer_for(&job).await?;
        let mut prepared = self.backend.prepare(&job).await?;
        let series = measure::measure(prepared.as_mut(), &timer, &rules_for(&job, rules)).await;
        leak_if_lost(prepared, series)
    }

    /// The timer for a job. Timestamps around copies are tested like those around kernels, at their first use.
    async fn timer_for(&mut self, job: &Job) -> Result<Timer> {
        if job.is_host_timed(self.backend.device().has_copy_timestamps) {
            return Ok(Timer::wall());
        }
        if job.runs_kernel() || !self.timer.is_device {
            return Ok(self.timer.clone());
        }
        if let Some(timer) = &self.copy_timer {
            return Ok(timer.clone());
        }
        let copies = Job::new(&copy_case()?)?;
        let mut prepared = self.backend.prepare(&copies).await?;
        let timer = measure::select_timer(prepared.as_mut()).await;
        let timer = leak_if_lost(prepared, timer)?;
        self.copy_timer = Some(timer.clone());
        Ok(timer)
    }

    async fn measured(
        &mut self,
        case: &Case,
        job: &Job,
        effort: &Effort,
        prepared: &mut dyn Prepared,
        record: &mut Record,
    ) -> Result<()> {
        let (rules, timer) = (rules_for(job, effort.rules), self.timer_for(job).await?);
        for attempt in 1..=effort.attempts {
            // Reading the monitor takes milliseconds, in which the clock may fall: the canary therefore runs after it.
            let reading_before = self.monitor.as_mut().map(|monitor| monitor.read());
            let start = Instant::now();
            let before = self.canary.ramp_up(&self.timer).await?;
            let series = measure::measure(prepared, &timer, &rules).await?;
            let drift = self.canary.time(&self.timer).await? / before - 1.0;
            self.measuring += start.elapsed();
            let reading_after = self.monitor.as_mut().map(|monitor| monitor.read());
            if let Some(mismatch) = verify(prepared, job).await? {
                record.mark_wrong(mismatch.to_string());
                return Ok(());
            }
            self.note(case, &series, &timer, drift, record);
            record.conditions = reading_before.zip(reading_after).map(|(before, after)| Conditions { before, after });
            let moved = (drift.abs() > self.canary.allowed_drift())
                .then(|| format!("the canary moved by {:.0} % and did not settle", drift * 100.0));
            let faults: Vec<_> =
                moved.into_iter().chain(record.conditions.as_ref().and_then(Conditions::fault)).collect();
            if faults.is_empty() {
                break;
            }
            if attempt == effort.attempts {
                record.cause = Some(Cause::Unsteady);
                record.reason = faults.join("; ");
            }
        }
        let start = Instant::now();
        in_kernel(job, prepared, record).await?;
        self.measuring += start.elapsed();
        if record.status != Status::Ok {
            return Ok(());
        }
        self.end_to_end(job, rules.budget_ns, prepared, record).await
    }

    fn note(&mut self, case: &Case, series: &Series, timer: &Timer, drift: f64, record: &mut Record) {
        let Some(summary) = stats::summarize(&series.samples_ns) else { return };
        self.guard.note(case, summary.median);
        let figure = |value: f64| Some(round_to_seven_digits(value));
        record.timer = Some(timer.clock());
        record.tick_ns = figure(timer.tick_ns);
        record.samples = Some(series.samples_ns.len() as u64);
        record.launches = Some(u64::from(series.launches));
        record.median_ns = figure(summary.median);
        record.min_ns = figure(summary.min);
        record.mean_ns = figure(summary.mean);
        record.stddev_ns = summary.stddev.and_then(figure);
        record.ci_low_ns = summary.interval.and_then(|(low, _)| figure(low));
        record.ci_high_ns = summary.interval.and_then(|(_, high)| figure(high));
        record.gb_per_s = record.bytes.and_then(|bytes| figure(bytes as f64 / summary.median));
        record.gflop_per_s = record.flops.and_then(|flops| figure(flops as f64 / summary.median));
        record.drift = figure(drift);
        record.all_samples_ns = series.samples_ns.iter().map(|ns| round_to_seven_digits(*ns)).collect();
    }

    /// Times the job's end-to-end steps, and verifies the sum if the host computes one.
    async fn end_to_end(
        &mut self,
        job: &Job,
        budget_ns: f64,
        prepared: &mut dyn Prepared,
        record: &mut Record,
    ) -> Result<()> {
        let uploaded = job.end_to_end.iter().filter_map(Step::uploaded).map(|index| job.buffers[index].bytes);
        if job.end_to_end.is_empty() || uploaded.sum::<u64>() > self.settings.end_to_end_bytes {
            return Ok(());
        }
        let (mut samples, mut spent, mut want) = (Vec::new(), 0.0, None);
        while samples.len() < 2 || (samples.len() < 20 && spent < budget_ns / 4.0) {
            let (wall_ns, sum) = prepared.end_to_end().await?;
            if let Some(got) = sum {
                // The kernel's u32 sums wrap; the host's exact sum does not.
                let wrapped = |sum: f64| if record.dtype == Some(Dtype::U32) { sum % 4_294_967_296.0 } else { sum };
                let want = *want.get_or_insert_with(|| wrapped(job.check.sum()));
                if wrapped(got) != want {
                    record.mark_wrong(format!("end-to-end sum is {}, must be {want}", wrapped(got)));
                    return Ok(());
                }
            }
            samples.push(wall_ns);
            spent += wall_ns;
        }
        self.measuring += Duration::from_nanos(spent as u64);
        // The first sample is warm-up.
        record.end_to_end_ns = stats::median(&samples[1..]).map(round_to_seven_digits);
        Ok(())
    }
}

/// The rules for a job. If it has untimed steps between launches, the maximum sample duration must cover them too.
fn rules_for(job: &Job, rules: Rules) -> Rules {
    if !job.has_untimed_steps() {
        return rules;
    }
    let longest_sample_ns = rules.longest_sample_ns / 2.0;
    Rules { max_launches: rules.max_launches.min(500), longest_sample_ns, ..rules }
}

/// A case that tests timestamps around copies: it clears a buffer.
fn copy_case() -> Result<Case> {
    let shape = Shape::new(Dtype::F32, Extent::Linear(1 << 18), BTreeMap::new());
    case_of("transfer", "clear_buffer", shape)
}

/// Selects the timer, and checks that the device computes simple arithmetic right.
async fn test_device(prepared: &mut dyn Prepared, job: &Job, name: &str) -> Result<Timer> {
    let timer = measure::select_timer(prepared).await?;
    match verify(prepared, job).await? {
        Some(mismatch) => Err(Error::NoDevice(format!("{name} gets simple arithmetic wrong: {mismatch}"))),
        None => Ok(timer),
    }
}

/// The output of a job that draws a picture.
async fn read_picture(job: &Job, prepared: &mut dyn Prepared) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    prepared.read(job.check.buffer, job.check.scalars, &mut |_, piece| bytes.extend_from_slice(piece)).await?;
    Ok(bytes)
}
