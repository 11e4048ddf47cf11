//! One API of a run: its device, its ceilings, and how a case becomes a row.

use std::time::Duration;

use super::observer::Observer;
use super::session::Session;
use super::settings::Settings;
use crate::backend::{Backend, Device, card_name, dram_peak, l2_bytes, peaks};
use crate::engine::ceilings::Ceilings;
use crate::engine::clock::launch_time::MOST_CRASHES;
use crate::engine::plan::schedule::Effort;
use crate::job::Job;
use record::error::{Error, Result, visible_lines};
use record::suite::hash;
use record::suite::{Case, DeviceType, Toolchain};
use record::{Cause, Record, SCHEMA, Status};

pub(super) struct ApiRun<'a> {
    pub(super) device: Device,
    settings: &'a Settings,
    pub(super) ceilings: Ceilings,
    /// Whether a ceiling rose since the rows were last compared with the ceilings.
    pub(super) has_risen: bool,
    /// Rows of ceilings that rose when they were measured again, by index of their case. They replace the earlier rows,
    /// so that the report contains the ceilings that its shares refer to.
    pub(super) again: Vec<(usize, Record)>,
    /// The open device, or why it cannot be used any more.
    pub(super) session: Result<Session<'a>>,
    /// Whether the last case ran out of memory.
    pub(super) is_out_of_memory: bool,
}

impl<'a> ApiRun<'a> {
    pub(super) async fn open(
        backend: &'a mut dyn Backend,
        cases: &[Case],
        settings: &'a Settings,
        observer: &mut dyn Observer,
    ) -> Self {
        let device = backend.device().clone();
        let session = Session::new(backend, settings).await.map_err(unusable);
        // Work of the host is timed by the host's clock on any device.
        if let Ok(session) = &session
            && cases.iter().any(|case| case.benchmark.host_part.is_none())
        {
            observer.timer(Toolchain::from(&device), &session.timer);
        }
        let monitor = session.as_ref().ok().and_then(|session| session.monitor.as_deref());
        let ceilings = Ceilings::of_device(peaks(&device, monitor));
        Self { device, settings, ceilings, has_risen: false, again: Vec::new(), session, is_out_of_memory: false }
    }

    /// The case's row, compared with the ceilings measured so far; `None` if the case exceeds the run's time limit.
    /// `measured` are the cases that have figures, with their indices.
    pub(super) async fn judged_row(
        &mut self,
        case: &Case,
        effort: &Effort,
        measured: &[(usize, &Case)],
        observer: &mut dyn Observer,
    ) -> Result<Option<Record>> {
        let Some(mut record) = self.row(case, effort, observer).await? else { return Ok(None) };
        self.add(case, &record);
        self.judge(case, &mut record);
        if record.status == Status::Implausible {
            // The ceiling may have been measured while the device was slower.
            let effort = Effort { longest_launch_ns: None, ..*effort };
            let limiting: Vec<(usize, &Case)> =
                measured.iter().copied().filter(|(_, ceiling)| self.ceilings.is_limited_by(case, ceiling)).collect();
            for (index, ceiling) in limiting {
                if let Some(again) = self.row(ceiling, &effort, observer).await?
                    && self.add(ceiling, &again)
                {
                    self.again.push((index, again));
                }
            }
            self.judge(case, &mut record);
            if record.status == Status::Implausible
                && self.device.kind == DeviceType::Software
                && let Some(again) = self.row(case, &effort, observer).await?
            {
                // The row may be off as well: other programs share the CPU.
                record = again;
                self.judge(case, &mut record);
            }
        }
        Ok(Some(record))
    }

    pub(super) fn judge(&self, case: &Case, record: &mut Record) {
        let is_software = self.device.kind == DeviceType::Software;
        let scatter = self.session.as_ref().map_or(0.0, |session| session.canary.scatter());
        self.ceilings.judge(case, record, is_software.then_some(scatter));
    }

    /// The case's row with any status; `None` if the case exceeds the run's time limit.
    async fn row(&mut self, case: &Case, effort: &Effort, observer: &mut dyn Observer) -> Result<Option<Record>> {
        let mut record = self.blank(case);
        let session = match &mut self.session {
            Ok(session) => session,
            Err(error) => {
                fail(&mut record, error);
                return Ok(Some(record));
            }
        };
        let mut picture = None;
        self.is_out_of_memory = false;
        match session.case(case, effort, &mut record, &mut picture).await {
            Ok(()) => {}
            Err(Error::TooLong { .. }) => return Ok(None),
            Err(error) => {
                self.is_out_of_memory = matches!(error, Error::OutOfMemory(_));
                if matches!(error, Error::Timeout { .. }) {
                    session.guard.note_timeout(case);
                }
                fail(&mut record, &error);
                self.recover(&error).await;
            }
        }
        if let Some(picture) = picture {
            record.picture_hash = Some(hash(&picture.drawn));
            observer.picture(case, self.device.api, &picture)?;
        }
        Ok(Some(record))
    }

    /// Adds an epoch to the case's row, and returns whether it could. It keeps its others unless the device is lost.
    pub(super) async fn epoch(&mut self, case: &Case, effort: &Effort, record: &mut Record) -> Result<bool> {
        let Ok(session) = &mut self.session else { return Ok(false) };
        let mut picture = None;
        let Err(error) = session.case(case, effort, record, &mut picture).await else { return Ok(true) };
        if !error.ends_device() {
            return Ok(false);
        }
        if matches!(error, Error::Timeout { .. }) {
            session.guard.note_timeout(case);
        }
        fail(record, &error);
        self.recover(&error).await;
        Ok(true)
    }

    /// Allocates later jobs at another position in memory. A device that fails here fails again in the next case.
    pub(super) async fn move_to(&mut self, place: u64) {
        if let Ok(session) = &mut self.session {
            let _ = session.backend.move_to(place).await;
        }
    }

    /// Whether a launch of the case takes longer than allowed, as estimated from cases that ran.
    pub(super) fn exceeds_limit(&self, case: &Case, effort: &Effort) -> bool {
        self.known_ns(case).zip(effort.longest_launch_ns).is_some_and(|(known, longest)| known > longest)
    }

    /// Whether the device runs the case's kernel, but not with buffers of its size.
    pub(super) fn is_too_large(&self, case: &Case) -> bool {
        let Ok(job) = Job::new(case) else { return false };
        let interface = &job.kernel.interface;
        let runs_kernel = self.device.check_kernel(&job).and_then(|()| self.device.check_workgroup(interface)).is_ok();
        runs_kernel && self.device.check(&job).is_err()
    }

    fn known_ns(&self, case: &Case) -> Option<f64> {
        self.session.as_ref().ok().and_then(|session| session.guard.known_ns(case, &self.device, true))
    }

    pub(super) fn left_out(&self, case: &Case) -> Record {
        let mut record = self.blank(case);
        record.status = Status::Skipped;
        record.cause = Some(Cause::TimeLimit);
        record.reason = self.known_ns(case).map_or_else(
            || "the run reached its time limit (--time) before this case".to_owned(),
            |ns| Error::TooLong { seconds: ns / 1e9 }.to_string(),
        );
        record
    }

    async fn recover(&mut self, error: &Error) {
        if error.ends_device()
            && let Ok(session) = &mut self.session
            && let Err(error) = session.reopen().await
        {
            // Dropping resources of a lost device may block forever.
            std::mem::forget(std::mem::replace(&mut self.session, Err(unusable(error))));
        }
    }

    /// Restores ceilings and launch times from a row of an earlier part of the run.
    pub(super) fn resume_from(&mut self, case: &Case, record: &Record) {
        self.add(case, record);
        if let (Ok(session), Some(median_ns)) = (&mut self.session, record.median_ns) {
            session.guard.note(case, median_ns);
        }
    }

    /// Restores from a row that is not repeated whether its case may be launched at larger sizes.
    pub(super) fn note_end(&mut self, case: &Case, record: &Record) {
        let (Ok(session), Status::Failed) = (&mut self.session, record.status) else { return };
        match record.cause {
            Some(Cause::TimedOut) => session.guard.note_timeout(case),
            Some(Cause::Crashed) => session.guard.note_crash(case, 1),
            Some(Cause::CrashedAgain) => session.guard.note_crash(case, MOST_CRASHES),
            _ => {}
        }
    }

    /// Forgets the ceilings, which are set anew from all rows.
    pub(super) fn clear_ceilings(&mut self) {
        self.ceilings.clear();
        self.has_risen = true;
    }

    /// Adds the row of a ceiling. Returns whether the ceiling rose.
    pub(super) fn add(&mut self, case: &Case, record: &Record) -> bool {
        let has_risen = self.ceilings.add(case, record);
        self.has_risen |= has_risen;
        has_risen
    }

    pub(super) fn blank(&self, case: &Case) -> Record {
        blank(&self.device, self.settings, case)
    }

    pub(super) fn measuring(&self) -> Duration {
        self.session.as_ref().map_or(Duration::ZERO, |session| session.measuring)
    }

    pub(super) fn compile_ahead(&mut self, jobs: &[Job]) {
        if let Ok(session) = &mut self.session {
            session.backend.compile_in_background(jobs);
        }
    }

    pub(super) fn release(&mut self) {
        if let Ok(session) = &mut self.session {
            session.backend.release();
        }
    }
}

/// Turns an error that ends the device into [`Error::NoDevice`], so that a resumed run repeats cases that timed out.
fn unusable(error: Error) -> Error {
    if error.ends_device() { Error::NoDevice(format!("the device cannot be used: {}", error.chain())) } else { error }
}

/// A row with all values known before the case runs.
fn blank(device: &Device, settings: &Settings, case: &Case) -> Record {
    let work = case.work();
    let items = case.benchmark.declared.and_then(|own| own.items(&case.shape));
    let Record { card, host, .. } = settings.identity(card_name(device));
    Record {
        schema: Some(SCHEMA),
        tool_version: settings.tool_version.clone(),
        date: settings.date.clone(),
        os: settings.os.clone(),
        cpu: settings.cpu.clone(),
        device: device.name.clone(),
        vendor: device.vendor.clone(),
        device_type: Some(device.kind),
        driver: device.driver.clone(),
        backend: Some(device.api),
        family: case.family.name.to_owned(),
        benchmark: case.benchmark.name.to_owned(),
        dtype: Some(case.shape.dtype),
        n: Some(case.shape.extent),
        params: case.shape.params.clone(),
        checks: device.checks(case),
        bytes: (work.bytes > 0).then_some(work.bytes),
        flops: (work.flops > 0).then_some(work.flops),
        model: case.benchmark.model.map(|model| model(&case.shape)),
        subgroup_size: device.subgroup,
        seed: Some(settings.seed),
        card,
        apis: settings.apis.clone(),
        l2_bytes: l2_bytes(device),
        cache: cache_of(case, l2_bytes(device)).to_owned(),
        dram_peak_gb_per_s: dram_peak(device),
        profile: Some(settings.profile),
        compiler: device.kernel_compiler.name.clone(),
        compiler_version: device.kernel_compiler.version.clone(),
        host,
        declaration: case.benchmark.declared.map_or_else(String::new, |declared| declared.hash().to_owned()),
        items: items.map(|(count, _)| count),
        unit: items.map_or_else(String::new, |(_, unit)| unit.to_owned()),
        ..Record::default()
    }
}

/// What a launch finds in the caches: the column `cache`.
fn cache_of(case: &Case, l2_bytes: Option<u64>) -> &'static str {
    let bytes = case.work().bytes;
    if case.shape.is_cold() {
        "cold"
    } else if bytes > 0 && l2_bytes.is_some_and(|l2| bytes <= l2) {
        "hot"
    } else {
        ""
    }
}

/// Removes the row's figures and sets status, cause and reason from `error`.
fn fail(record: &mut Record, error: &Error) {
    record.drop_figures();
    record.status = if error.is_skip() { Status::Skipped } else { Status::Failed };
    record.cause = Some(error.into());
    // Compilers quote the kernel, which anybody may have written.
    record.reason = visible_lines(&error.chain());
}
