//! A run: selects the timers, then measures case by case.

mod case;
pub(in crate::engine) mod earlier;
mod epochs;
pub(in crate::engine) mod observer;
mod one_api;
pub(in crate::engine) mod rows;
pub(in crate::engine) mod session;
pub(in crate::engine) mod settings;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use rayon::prelude::*;
use web_time::Instant;

use super::checks::precision;
use super::plan::schedule::{LeftOut, Schedule};
use crate::backend::Backend;
use crate::job::Job;
use case::{CaseRun, missing};
use epochs::Passes;
use observer::{Expected, Observer};
use one_api::ApiRun;
use record::Record;
use record::error::{Error, Result};
use record::suite::Case;
use rows::{ChangedRows, RowTable};
use settings::Settings;

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// All rows, by case and then by API.
    pub records: Vec<Record>,
    /// The cases without a row of their own. A benchmark without any row has one `skipped` row, for the first of them.
    pub left_out: LeftOut,
    /// How the run ended.
    pub end: End,
    /// Time spent measuring: with warm-up, without preparation and verification. It should be most of the run's time.
    pub measuring: Duration,
}

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// Every case has its rows.
    Complete,
    /// The observer interrupted the run.
    Interrupted,
    /// No API is left: the device failed its first test, or could not be reopened. The error is the last API's.
    NoDevice(Error),
}

/// Minimum share of a run's time limit, left at the end, to give left-out cases another chance.
const WORTHWHILE: f64 = 0.05;

/// Runs `cases` on one device through `backends`, and returns a record for each case and API. If an API's device cannot
/// be reopened, the rest of its rows fail and the other APIs continue.
///
/// # Errors
/// If no API is left, or the observer fails.
pub async fn run(
    backends: &mut [&mut dyn Backend],
    cases: &[Case],
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Vec<Record>> {
    let outcome = resume(backends, cases, RowTable::default(), settings, observer).await?;
    match outcome.end {
        End::NoDevice(error) => Err(error),
        End::Complete | End::Interrupted => Ok(outcome.records),
    }
}

/// Like [`run`], but measures only cases without a row in `earlier`, and rows that must be measured again.
///
/// # Errors
/// If the observer fails.
pub async fn resume(
    backends: &mut [&mut dyn Backend],
    cases: &[Case],
    earlier: RowTable,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Outcome> {
    let mut runs = Vec::with_capacity(backends.len());
    for backend in backends {
        runs.push(ApiRun::open(&mut **backend, cases, settings, observer).await);
    }
    let apis = runs.len();
    let mut rows = earlier.with_apis(apis);
    for (slot, record) in rows.iter() {
        let (case, run) = (&cases[slot / apis], &mut runs[slot % apis]);
        run.resume_from(case, record);
        if !rows.lacks(slot / apis, slot % apis) {
            run.note_end(case, record);
        }
    }
    if settings.compiles_ahead {
        compile_ahead(&mut runs, cases, &rows);
    }
    let (mut end, mut measuring) = (End::Complete, Duration::ZERO);
    let last = settings.time.map(|time| Instant::now() + time);
    let left_out = loop {
        let (known, time) = (rows.iter().count(), last.map(|last| last.saturating_duration_since(Instant::now())));
        let mut schedule = Schedule::new(cases, settings, time, |index| !missing(&rows, index, apis).is_empty());
        let of_rows = |index| Expected { is_new: false, epochs: rows.expected(index, settings.epochs) };
        observer.plan(&schedule.expected(settings.epochs, of_rows));
        while let Some(index) = schedule.next() {
            if observer.is_interrupted() {
                end = End::Interrupted;
                break;
            }
            if runs.iter().all(|run| run.session.is_err()) {
                end = runs.drain(..).next_back().and_then(|run| run.session.err()).map_or(End::Complete, End::NoDevice);
                break;
            }
            let mut run = CaseRun { runs: &mut runs, cases, rows: &mut rows, observer };
            run.run_case(&mut schedule, index).await?;
            measuring = runs.iter().map(ApiRun::measuring).sum();
        }
        let left_out = schedule.into_left_out();
        if !matches!(end, End::Complete) {
            break left_out;
        }
        let (stopped, costs) = (HashSet::new(), HashMap::new());
        let (own, observer) = (&mut rows, &mut *observer);
        let mut passes = Passes { runs: &mut runs, cases, rows: own, settings, observer, end: last, stopped, costs };
        if passes.run().await? {
            end = End::Interrupted;
        }
        measuring = passes.runs.iter().map(ApiRun::measuring).sum();
        // The further epochs took less than their part of the time: other cases get the rest.
        let rest = last.map(|last| last.saturating_duration_since(Instant::now()));
        let has_time = rest.zip(settings.time).is_some_and(|(rest, all)| rest > all.mul_f64(WORTHWHILE));
        if !matches!(end, End::Complete) || !has_time || left_out.whole.is_empty() || rows.iter().count() == known {
            break left_out;
        }
    };
    if matches!(end, End::Complete) {
        skip_left_out(&left_out.whole, &runs, cases, &mut rows, observer)?;
    }
    Ok(Outcome { records: rows.into_records(), left_out, end, measuring })
}

/// Adds a row with the reason for each benchmark that has none, for its first case in the plan.
fn skip_left_out(
    left_out: &[usize],
    runs: &[ApiRun<'_>],
    cases: &[Case],
    rows: &mut RowTable,
    observer: &mut dyn Observer,
) -> Result<()> {
    for &index in left_out {
        let case = &cases[index];
        if rows.has_benchmark(case.family.name, case.benchmark.name) {
            continue;
        }
        let mut changes = ChangedRows::default();
        for (api, run) in runs.iter().enumerate() {
            rows.put(index, api, run.left_out(case), &mut changes);
        }
        rows.of(index).for_each(|(_, record)| observer.row(record));
        observer.finish(rows.records(), &rows.changes(&changes))?;
    }
    Ok(())
}

/// Compiles the kernels of the missing rows in advance, and those of the launches that show their precision.
fn compile_ahead(runs: &mut [ApiRun], cases: &[Case], rows: &RowTable) {
    let is_missing = |index: usize| (0..runs.len()).any(|api| rows.lacks(index, api));
    let missing = (0..cases.len()).filter(|index| is_missing(*index)).map(|index| &cases[index]);
    let missing: Vec<&Case> = missing.filter(|case| !case.is_reserve).collect();
    let jobs_of = |case: &&Case| [Job::new(case).ok(), precision::job_of(case)].into_iter().flatten();
    let jobs: Vec<Job> = missing.par_iter().flat_map_iter(jobs_of).collect();
    runs.iter_mut().for_each(|run| run.compile_ahead(&jobs));
}
