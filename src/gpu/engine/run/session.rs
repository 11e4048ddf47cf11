//! A measuring session on one device: from a case's job to its figures.

use std::collections::BTreeMap;
use std::hash::Hasher as _;
use std::time::Duration;

use web_time::Instant;

use super::observer::Picture;
use super::settings::{Settings, stream_of};
use crate::backend::monitor::{self, Monitor};
use crate::backend::{Backend, Device, OnNode, Prepared, Statistics, leak_if_lost};
use crate::engine::checks::odd_shape::OtherShapes;
use crate::engine::checks::output::{unwritten, verify};
use crate::engine::checks::precision::Verified;
use crate::engine::checks::random::mixed;
use crate::engine::checks::reference::run_reference;
use crate::engine::checks::subgroup::Subgroups;
use crate::engine::checks::{self, Probe, When};
use crate::engine::clock::canary::{Canary, can_ramp, canary_case, case_of};
use crate::engine::clock::launch_time::LaunchGuard;
use crate::engine::measure::end_to_end::end_to_end;
use crate::engine::measure::energy::energy;
use crate::engine::measure::epoch::Epoch;
use crate::engine::measure::kernel_clock::in_kernel;
use crate::engine::measure::slope::slope;
use crate::engine::measure::{self, Caches, Poisoned, Rules, Sampling, Timer};
use crate::engine::plan::schedule::{ATTEMPTS, Effort};
use crate::job::Job;
use record::error::{Error, Result};
use record::stats::{self, round_to_seven_digits};
use record::suite::{Case, Dtype, Extent, Fnv, Reading, Shape};
use record::{Cause, Clock, Conditions, Record, Status};

pub(in crate::engine) struct Session<'a> {
    pub(in crate::engine) backend: &'a mut dyn Backend,
    pub(in crate::engine) settings: &'a Settings,
    pub(in crate::engine) timer: Timer,
    /// The timer for copies on the device, once a case needed it.
    copy_timer: Option<Timer>,
    canary_job: Job,
    pub(in crate::engine) canary: Canary,
    pub(in crate::engine) monitor: Option<Box<dyn Monitor>>,
    pub(in crate::engine) guard: LaunchGuard,
    caches: Caches,
    other_shapes: OtherShapes,
    precision: Verified,
    subgroups: Subgroups,
    /// Time spent measuring, with canary and warm-up but without preparation and verification.
    pub(in crate::engine) measuring: Duration,
}

impl<'a> Session<'a> {
    /// Tests the device and selects the timer. An error if the device fails the test.
    pub(in crate::engine) async fn new(backend: &'a mut dyn Backend, settings: &'a Settings) -> Result<Self> {
        let canary_job = Job::new(&canary_case(backend.device())?)?;
        let mut prepared = backend.prepare(&canary_job).await?;
        let tested = test_device(prepared.as_mut(), &canary_job, backend.device(), settings.secret).await;
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
            caches: Caches::default(),
            other_shapes: OtherShapes::default(),
            precision: Verified::default(),
            subgroups: Subgroups::default(),
            measuring: Duration::ZERO,
        })
    }

    /// Reopens the device. Tries several times, since the driver may still be recovering.
    pub(in crate::engine) async fn reopen(&mut self) -> Result<()> {
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
        std::mem::forget(std::mem::take(&mut self.caches));
        Ok(())
    }

    /// The case with the inputs of its epoch, counted from 0, and with the device's filter accuracy.
    fn in_epoch(&self, case: &Case, epoch: usize) -> Case {
        let mut case = case.clone();
        case.shape.stream = stream_of(self.settings.seed, epoch);
        case.shape.sub_texel_bits = self.backend.device().sub_texel_bits;
        case
    }

    /// Measures one epoch of the case into `record`, which keeps earlier epochs on an error. May set `picture`.
    pub(in crate::engine) async fn case(
        &mut self,
        case: &Case,
        effort: &Effort,
        record: &mut Record,
        picture: &mut Option<Picture>,
    ) -> Result<()> {
        let case = &self.in_epoch(case, record.epochs_ns.len());
        let mut job = Job::new(case)?;
        if case.is_foreign() {
            job.guard(self.backend.device().largest_buffer());
        }
        if !job.kernel.is_empty() {
            record.workgroup_size = Some(job.kernel.interface.workgroup_size);
            record.checks = self.backend.device().checks_in(case, &job.kernel.interface);
            record.shader_hash = job.kernel.hash(self.backend.device().language);
        }
        self.backend.device().check(&job)?;
        self.guard.check(self.backend, &self.timer, case, effort.longest_launch_ns).await?;
        let fault = self.other_shapes.fault(self.backend, case, mixed(self.settings.secret, 0)).await?;
        if let Some(fault) = fault {
            record.mark_wrong(fault);
            return Ok(());
        }
        run_reference(self.backend, &job).await?;
        let device = self.backend.device();
        let far = case.shape.params.get("FAR");
        let _on_node = far.map(|far| OnNode::of(device.pci_address.as_deref(), *far != 0.0)).transpose()?;
        let mut prepared = self.backend.prepare(&job).await?;
        if !case.benchmark.is_verified() {
            record.status = Status::Unverified;
            UNVERIFIED.clone_into(&mut record.reason);
        }
        let mut result = self.measured(case, &job, effort, prepared.as_mut(), record).await;
        if result.is_ok() && record.epochs_ns.len() == 1 && record.status.is_timed() {
            match self.precision.fault(self.backend, case).await {
                Ok(Some(fault)) => record.mark_wrong(fault),
                Ok(None) => {}
                Err(error) => result = Err(error),
            }
        }
        if result.is_ok() && record.epochs_ns.len() == 1 && job.runs_kernel() {
            note_statistics(record, self.backend.statistics(&job.kernel));
            result = self.subgroups.note(self.backend, &job, record).await;
        }
        if result.is_ok() && record.status.is_timed() && record.energies_j.len() < self.settings.energy_epochs {
            result = self.energy(&job, effort, prepared.as_mut(), record).await;
        }
        if record.pcie.is_empty() && job.crosses_bus() {
            let Device { pci_address, uuid, .. } = self.backend.device();
            let links = monitor::pcie(pci_address.as_deref(), uuid.as_deref());
            record.pcie = links.map_or_else(String::new, |[now, _]| now.to_string());
        }
        let draws = case.shape.dtype == Dtype::Rgba8 || job.picture().is_some();
        if result.is_ok() && record.status == Status::Ok && draws {
            result = read_picture(case, &job, prepared.as_mut()).await.map(|read| *picture = Some(read));
        }
        let has_open_loop = ["loop", "while"].iter().any(|word| job.kernel.source.contains(word));
        if record.status == Status::Wrong && has_open_loop && self.backend.device().name.contains("llvmpipe") {
            record.reason.push_str("; possible cause: llvmpipe ends all loops after 65,535 iterations in total");
        }
        leak_if_lost(prepared, result)
    }

    /// The timer for a job. Timestamps around copies are tested like those around kernels, at their first use.
    pub(in crate::engine) async fn timer_for(&mut self, job: &Job) -> Result<Timer> {
        if job.host_part.is_some() {
            return Ok(Timer::of_part());
        }
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
        let timer = measure::select_timer(prepared.as_mut(), self.backend.device()).await;
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
        let (epoch, timer) = (record.epochs_ns.len(), self.timer_for(job).await?);
        let rules = self.rules(job, effort, record);
        let is_searched = self.is_searched(case, epoch);
        let subject = Subject { case, job, timer: &timer, rules: &rules, epoch, is_searched, poisoned: None };
        if !case.benchmark.is_verified() {
            prepared.sample(1).await?;
            if let Some(left) = unwritten(prepared, job, mixed(self.settings.secret, epoch as u64)).await? {
                record.reason = format!("{UNVERIFIED}; {left}");
            }
        }
        if epoch == 0
            && let Some(fault) = self.fault(When::FirstLaunch, subject, prepared).await?
        {
            record.mark_wrong(fault);
            return Ok(());
        }
        let (sampled, unsteady) = match self.steady(subject, effort.attempts, prepared).await? {
            Ok(sampled) => sampled,
            Err(fault) => {
                record.mark_wrong(fault);
                return Ok(());
            }
        };
        note_unsteady(record, unsteady);
        let subject = Subject { poisoned: Some(sampled.series.poisoned), ..subject };
        sampled.add_to(record, &timer);
        if job.host_part.is_some() {
            record.timer = Some(Clock::Wall);
        }
        if is_searched && let Some(fault) = self.fault(When::SearchedEpoch, subject, prepared).await? {
            record.mark_wrong(fault);
            return Ok(());
        }
        if epoch > 0 {
            return Ok(());
        }
        if let Some(fault) = self.fault(When::FirstEpoch, subject, prepared).await? {
            record.mark_wrong(fault);
            return Ok(());
        }
        self.extras(subject, prepared, record).await
    }

    /// Whether an epoch is searched for skipped work: the first; for kernels that are not the suite's, also a random
    /// one of those that every row has, and one in eight of the others. No kernel can predict which.
    fn is_searched(&self, case: &Case, epoch: usize) -> bool {
        if epoch == 0 || !case.is_foreign() {
            return epoch == 0;
        }
        let mut hasher = Fnv::default();
        hasher.write(case.to_string().as_bytes());
        let draw = mixed(self.settings.secret, hasher.finish());
        let later = self.settings.epochs.least.max(2) as u64 - 1;
        epoch as u64 == 1 + draw % later || mixed(draw, epoch as u64).is_multiple_of(8)
    }

    fn rules(&self, job: &Job, effort: &Effort, record: &Record) -> Rules {
        let known = record.launches.and_then(|launches| u32::try_from(launches).ok()).unwrap_or(1);
        let mut rules = Rules { first_launches: known, known_ns: record.median_ns, ..rules_for(job, effort.rules) };
        if !record.epochs_ns.is_empty() {
            rules.min_samples = self.settings.epochs.samples(record);
        }
        rules
    }

    async fn fault(&mut self, when: When, of: Subject<'_>, prepared: &mut dyn Prepared) -> Result<Option<String>> {
        let Subject { case, job, timer, rules, epoch, poisoned, .. } = of;
        let random = mixed(self.settings.secret, 1 + epoch as u64);
        let (backend, caches, budget_ns) = (&mut *self.backend, &mut self.caches, rules.budget_ns);
        let measuring = Duration::ZERO;
        let mut probe = Probe {
            backend,
            prepared,
            caches,
            case,
            job,
            timer,
            epoch,
            first_stream: stream_of(self.settings.seed, 0),
            poisoned,
            random,
            budget_ns,
            measuring,
        };
        let fault = checks::fault(when, &mut probe).await;
        self.measuring += probe.measuring;
        fault
    }

    /// Samples the case until the device's clock and conditions are steady, at most `attempts` times. Returns the epoch
    /// and what was unsteady in the last attempt, or the fault that a check found.
    async fn steady(
        &mut self,
        subject: Subject<'_>,
        attempts: usize,
        prepared: &mut dyn Prepared,
    ) -> Result<Result<(Epoch, Vec<String>), String>> {
        let Subject { case, job, timer, rules, epoch, is_searched, .. } = subject;
        let can_skip_work = checks::can_skip_work(case, job);
        if can_skip_work {
            // Preparation comes before the canary: the clock may fall meanwhile.
            self.caches.prepare(self.backend).await?;
        }
        let mut attempt = 1;
        loop {
            // Reading the monitor takes milliseconds, in which the clock may fall: the canary therefore runs after it.
            let reading_before = self.reading(epoch == 0);
            let start = Instant::now();
            let canary_ns = self.canary.ramp_up(&self.timer).await?;
            let mut sampling = Sampling::start(prepared, timer, rules).await?;
            if is_searched && can_skip_work {
                // In the first epoch right before the last sample, later at a random sample.
                let least = rules.min_samples.max(2) as u64 - 1;
                let draw = 1 + mixed(mixed(self.settings.secret, 9), epoch as u64) % least;
                sampling.take(if epoch == 0 { usize::MAX } else { draw as usize }).await?;
                sampling.interrupt(&mut self.caches.before(self.backend).await?).await?;
            }
            let series = sampling.finish().await?;
            let drift = self.canary.time_after(canary_ns, &self.timer).await? / canary_ns - 1.0;
            self.measuring += start.elapsed();
            let has_moved = drift.abs() > self.canary.allowed_drift();
            let reading_after = self.reading(epoch == 0 || has_moved);
            let of_series = Subject { poisoned: Some(series.poisoned), ..subject };
            if let Some(fault) = self.fault(When::EachAttempt, of_series, prepared).await? {
                return Ok(Err(fault));
            }
            if let Some(median_ns) = stats::median(&series.samples_ns) {
                self.guard.note(case, median_ns);
            }
            let after = Conditions { before: Reading::default(), after: reading_after.clone().unwrap_or_default() };
            let moved = has_moved.then(|| format!("device speed drifted by {:.0} %", drift * 100.0));
            let unsteady: Vec<_> = moved.into_iter().chain(after.fault()).collect();
            if unsteady.is_empty() || attempt == attempts {
                let conditions = reading_before.zip(reading_after);
                let conditions = conditions.map(|(before, after)| Conditions { before, after });
                return Ok(Ok((Epoch { series, drift, canary_ns, conditions }, unsteady)));
            }
            attempt += 1;
        }
    }

    /// Further times after the first epoch: one more launch in a submission, by the kernel's own clock, end to end.
    async fn extras(&mut self, of: Subject<'_>, prepared: &mut dyn Prepared, record: &mut Record) -> Result<()> {
        let Subject { job, timer, rules, .. } = of;
        let start = Instant::now();
        if !job.has_untimed_steps() {
            let launches = record.launches.and_then(|launches| u32::try_from(launches).ok()).unwrap_or(1);
            record.slope_ns = slope(prepared, timer, rules, launches).await?.map(round_to_seven_digits);
        }
        in_kernel(job, prepared, record).await?;
        self.measuring += start.elapsed();
        if !record.status.is_timed() {
            return Ok(());
        }
        self.measuring += end_to_end(job, rules.budget_ns, self.settings.end_to_end_bytes, prepared, record).await?;
        Ok(())
    }

    /// Adds the energy of a launch to the row, if launches follow each other without other work.
    async fn energy(
        &mut self,
        job: &Job,
        effort: &Effort,
        prepared: &mut dyn Prepared,
        record: &mut Record,
    ) -> Result<()> {
        let timer = self.timer_for(job).await?;
        let (Some(monitor), Some(each_ns), false) = (self.monitor.as_mut(), record.median_ns, job.has_untimed_steps())
        else {
            return Ok(());
        };
        let start = Instant::now();
        match energy(prepared, &timer, monitor.as_mut(), each_ns, effort.rules.max_launches).await? {
            Ok(energy) => record.add_energy(energy),
            Err(why) if record.reason.is_empty() => record.reason = format!("no energy: {why}"),
            Err(_) => {}
        }
        self.measuring += start.elapsed();
        Ok(())
    }

    fn reading(&mut self, is_wanted: bool) -> Option<Reading> {
        self.monitor.as_mut().filter(|_| is_wanted).map(|monitor| monitor.read())
    }
}

fn note_statistics(record: &mut Record, statistics: Statistics) {
    record.registers = statistics.registers;
    record.local_bytes = statistics.local_bytes;
    record.workgroup_bytes = statistics.workgroup_bytes;
    record.occupancy = statistics.occupancy.map(round_to_seven_digits);
    record.binary_bytes = statistics.binary_bytes;
    record.instructions = statistics.instructions;
}

/// A prepared case in one of its epochs, counted from 0.
#[derive(Clone, Copy)]
struct Subject<'a> {
    case: &'a Case,
    job: &'a Job,
    timer: &'a Timer,
    rules: &'a Rules,
    epoch: usize,
    is_searched: bool,
    /// How launches into poisoned outputs compared with others, once there is a series.
    poisoned: Option<Poisoned>,
}

/// Marks a row whose last attempt was unsteady.
fn note_unsteady(record: &mut Record, unsteady: Vec<String>) {
    if unsteady.is_empty() {
        return;
    }
    record.cause = Some(Cause::Unsteady);
    let before = (record.status == Status::Unverified).then(|| std::mem::take(&mut record.reason));
    record.reason = before.into_iter().chain(unsteady).collect::<Vec<_>>().join("; ");
}

const UNVERIFIED: &str = "nothing to compare the output with";

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
async fn test_device(prepared: &mut dyn Prepared, job: &Job, device: &Device, random: u64) -> Result<Timer> {
    let timer = measure::select_timer(prepared, device).await?;
    match verify(prepared, job, random).await? {
        Some(mismatch) => Err(Error::NoDevice(format!("{} gets simple arithmetic wrong: {mismatch}", device.name))),
        None => Ok(timer),
    }
}

/// The output of a job that draws a picture, and the picture that it reads, of as many pixels.
async fn read_picture(case: &Case, job: &Job, prepared: &mut dyn Prepared) -> Result<Picture> {
    let (mut original, mut drawn) = (Vec::new(), Vec::new());
    let (height, width) = case.shape.extent.matrix();
    let (buffer, width, height) = job.picture().unwrap_or((job.check.buffer, width, height));
    let bytes = 4 * width * height;
    prepared.read(buffer, bytes, &mut |_, piece| drawn.extend_from_slice(piece)).await?;
    if let Some(buffer) = job.buffers.iter().find(|buffer| buffer.is_picture()) {
        original.resize(buffer.bytes as usize, 0);
        buffer.fill(0, &mut original);
        original.truncate(drawn.len());
    }
    Ok(Picture { original, drawn, size: [width, height] })
}
