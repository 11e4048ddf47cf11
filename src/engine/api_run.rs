//! An API's part in a run: its device, its ceilings, and what becomes of a case on them.

use std::time::Duration;

use super::observer::Observer;
use super::schedule::Effort;
use super::session::Session;
use super::settings::Settings;
use crate::backend::{Backend, Device, DeviceType};
use crate::engine::measure::Rules;
use crate::error::{Error, Result};
use crate::job::{Job, hash};
use crate::results::ceilings::Ceilings;
use crate::results::stats::{self, Summary};
use crate::results::{Cause, Record, SCHEMA, Status};
use crate::suite::Case;

/// An API's part in a run.
pub(super) struct ApiRun<'a> {
    pub(super) device: Device,
    settings: &'a Settings,
    pub(super) ceilings: Ceilings,
    /// Whether a ceiling rose since the rows were last held against them.
    pub(super) has_risen: bool,
    /// The device, or why it is gone for good.
    pub(super) session: Result<Session<'a>>,
    /// Whether the row before this one had too little memory.
    pub(super) is_out_of_memory: bool,
}

impl<'a> ApiRun<'a> {
    pub(super) async fn open(
        backend: &'a mut dyn Backend,
        settings: &'a Settings,
        observer: &mut dyn Observer,
    ) -> Self {
        let device = backend.device().clone();
        let session = Session::new(backend, settings).await.map_err(unusable);
        if let Ok(session) = &session {
            observer.timer(device.api, &session.timer);
        }
        Self { device, settings, ceilings: Ceilings::default(), has_risen: false, session, is_out_of_memory: false }
    }

    /// The case's row, held against the ceilings so far; `None` where it takes too long for the run's time limit. `measured` are the cases
    /// that have figures.
    pub(super) async fn judged_row(
        &mut self,
        case: &Case,
        effort: &Effort,
        measured: &[&Case],
        observer: &mut dyn Observer,
    ) -> Result<Option<Record>> {
        let Some(mut record) = self.row(case, effort, observer).await? else { return Ok(None) };
        self.add(case, &record);
        self.judge(case, &mut record);
        if record.status == Status::Implausible {
            // Before the row is called a fault its ceiling is asked again: it may have been measured in a slower moment.
            let effort = Effort { longest_launch_ns: None, ..*effort };
            let binding: Vec<&Case> =
                measured.iter().copied().filter(|ceiling| self.ceilings.is_held_against(case, ceiling)).collect();
            for ceiling in binding {
                if let Some(again) = self.row(ceiling, &effort, observer).await? {
                    self.add(ceiling, &again);
                }
            }
            self.judge(case, &mut record);
            if record.status == Status::Implausible
                && self.device.kind == DeviceType::Software
                && let Some(again) = self.row(case, &effort, observer).await?
            {
                // So may the row: other programs share its processor.
                record = again;
                self.judge(case, &mut record);
            }
        }
        Ok(Some(record))
    }

    /// Holds a row against the ceilings so far.
    pub(super) fn judge(&self, case: &Case, record: &mut Record) {
        let is_software = self.device.kind == DeviceType::Software;
        let scatter = self.session.as_ref().map_or(0.0, |session| session.canary.scatter());
        self.ceilings.judge(case, record, is_software.then_some(scatter));
    }

    /// The case's row, whatever becomes of it; `None` where it takes too long for the run's time limit.
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
        if let Some(rgba) = picture {
            record.picture_hash = Some(hash(&rgba));
            observer.picture(case, self.device.api, &rgba)?;
        }
        Ok(Some(record))
    }

    /// Whether what ran so far tells that a launch of the case takes longer than it may.
    pub(super) fn exceeds_limit(&self, case: &Case, effort: &Effort) -> bool {
        self.known_ns(case).zip(effort.longest_launch_ns).is_some_and(|(known, longest)| known > longest)
    }

    /// What a launch of the case takes, as far as what ran in this run with a time limit tells.
    fn known_ns(&self, case: &Case) -> Option<f64> {
        self.session.as_ref().ok().and_then(|session| session.guard.known_ns(case, &self.device, true))
    }

    /// The row of a case that took too long for the run's time limit.
    pub(super) fn left_out(&self, case: &Case) -> Record {
        let mut record = self.blank(case);
        record.status = Status::Skipped;
        record.cause = Some(Cause::TimeLimit);
        record.reason = self.known_ns(case).map_or_else(
            || "the run's time limit (--time) was reached before its turn".to_owned(),
            |ns| Error::TooLong { seconds: ns / 1e9 }.to_string(),
        );
        record
    }

    /// Opens the device anew where `error` ended it.
    async fn recover(&mut self, error: &Error) {
        if error.ends_device()
            && let Ok(session) = &mut self.session
            && let Err(error) = session.reopen().await
        {
            // What lies on the lost device may wait for it forever when dropped.
            std::mem::forget(std::mem::replace(&mut self.session, Err(unusable(error))));
        }
    }

    /// What a launch of the case takes by a short series; `None` where the device cannot run it.
    ///
    /// # Errors
    /// What ended the device, which is open again unless it is gone for good.
    pub(super) async fn trial(&mut self, case: &Case, rules: Rules) -> Result<Option<Summary>> {
        let Ok(session) = &mut self.session else { return Ok(None) };
        match session.trial(case, rules).await {
            Ok(series) => Ok(stats::summarize(&series.samples_ns)),
            Err(error) if error.ends_device() => {
                self.recover(&error).await;
                Err(error)
            }
            Err(_) => Ok(None),
        }
    }

    /// Goes on from a row that an earlier part of the run measured.
    pub(super) fn resume_from(&mut self, case: &Case, record: &Record) {
        self.add(case, record);
        if let (Ok(session), Some(median_ns)) = (&mut self.session, record.median_ns) {
            session.guard.note(case, median_ns);
        }
    }

    fn add(&mut self, case: &Case, record: &Record) {
        self.has_risen |= self.ceilings.add(case, record);
    }

    /// The case's row before it runs.
    pub(super) fn blank(&self, case: &Case) -> Record {
        blank(&self.device, self.settings, case)
    }

    /// Time spent measuring so far.
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

/// Why no case runs on a device. A time-out is its own then, and no case's: a resumed run tries the cases again.
fn unusable(error: Error) -> Error {
    if error.ends_device() { Error::NoDevice(format!("the device cannot be used: {}", error.chain())) } else { error }
}

/// A row with everything that is known before the case runs.
fn blank(device: &Device, settings: &Settings, case: &Case) -> Record {
    let work = case.work();
    Record {
        schema: Some(SCHEMA),
        tool_version: crate::VERSION.to_owned(),
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
        checks: Some(device.checks(case)),
        bytes: (work.bytes > 0).then_some(work.bytes),
        flops: (work.flops > 0).then_some(work.flops),
        model: case.benchmark.model.map(|model| model(&case.shape)),
        subgroup_size: device.subgroup,
        ..Record::default()
    }
}

/// Makes the row one of a case that could not be measured, or not to its end.
fn fail(record: &mut Record, error: &Error) {
    record.drop_figures();
    record.status = if error.is_skip() { Status::Skipped } else { Status::Failed };
    record.cause = Some(error.into());
    record.reason = error.chain();
}
