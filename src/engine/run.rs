//! A run: the timers are chosen, then case by case from plan to record.

use std::time::Duration;

use rayon::prelude::*;

use super::api_run::ApiRun;
use super::observer::Observer;
use super::resume::EarlierRows;
use super::rows::{Rows, Touched};
use super::schedule::Schedule;
use super::settings::Settings;
use super::tune;
use super::turn::{Turn, missing};
use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::job::Job;
use crate::results::Record;
use crate::suite::Case;

/// What became of a run.
#[derive(Debug)]
pub struct Outcome {
    /// Its rows, in the order of the cases, and for each case in the order of the APIs.
    pub records: Vec<Record>,
    /// Indices of the cases that took too long for the run's time limit, in the order of the plan. A benchmark that has no other row has one
    /// for the first of them, `skipped`.
    pub left_out: Vec<usize>,
    /// Whether they are all.
    pub end: End,
    /// Time spent measuring, with warming up and without preparing and verifying: its share of a run's time should be high.
    pub measuring: Duration,
}

/// How a run ended.
#[derive(Debug)]
pub enum End {
    /// Every case has its rows.
    Complete,
    /// The observer wanted it to.
    Interrupted,
    /// No API was left: the device does no simple arithmetic, or a lost one could not be opened again. The reason of the last one.
    NoDevice(Error),
}

/// Runs `cases` on one card through `backends`, and gives a record for each case and API. Where the settings say so the first API chooses
/// parameters before, which hold for all. An API whose device is gone for good fails the
/// rest of its rows; the others go on.
///
/// # Errors
/// Where the run cannot go on: no API is left, or the observer fails.
pub async fn run(
    backends: &mut [&mut dyn Backend],
    cases: &[Case],
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Vec<Record>> {
    let outcome = resume(backends, cases, EarlierRows::default(), settings, observer).await?;
    match outcome.end {
        End::NoDevice(error) => Err(error),
        End::Complete | End::Interrupted => Ok(outcome.records),
    }
}

/// As [`run`], but measures only what `earlier` does not hold.
///
/// # Errors
/// Those of the observer.
pub async fn resume(
    backends: &mut [&mut dyn Backend],
    cases: &[Case],
    earlier: EarlierRows,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Outcome> {
    let mut runs = Vec::with_capacity(backends.len());
    for backend in backends {
        runs.push(ApiRun::open(&mut **backend, settings, observer).await);
    }
    let apis = runs.len();
    let mut rows = Rows::new(earlier, apis);
    for (slot, record) in rows.iter() {
        runs[slot % apis].resume_from(&cases[slot / apis], record);
    }
    for (slot, record) in rows.iter() {
        runs[slot % apis].ceilings.recall(&cases[slot / apis], record);
    }
    let tuned;
    let cases = if settings.is_tuned {
        tuned = tune::tune(&mut runs, cases, &rows, observer).await;
        &tuned
    } else {
        cases
    };
    compile_ahead(&mut runs, cases, &rows);
    let (mut end, mut measuring) = (End::Complete, Duration::ZERO);
    let mut schedule = Schedule::new(cases, settings, |index| !missing(&rows, index, apis).is_empty());
    while let Some(index) = schedule.next() {
        if observer.is_interrupted() {
            end = End::Interrupted;
            break;
        }
        if runs.iter().all(|run| run.session.is_err()) {
            end = runs.drain(..).next_back().and_then(|run| run.session.err()).map_or(End::Complete, End::NoDevice);
            break;
        }
        let mut turn = Turn { runs: &mut runs, cases, rows: &mut rows, observer };
        turn.run_case(&mut schedule, index).await?;
        measuring = runs.iter().map(ApiRun::measuring).sum();
    }
    let left_out = schedule.into_left_out();
    if matches!(end, End::Complete) {
        skip_left_out(&left_out, &runs, cases, &mut rows, observer)?;
    }
    Ok(Outcome { records: rows.into_records(), left_out, end, measuring })
}

/// Gives each benchmark that has no row one that says why, for its smallest case.
fn skip_left_out(
    left_out: &[usize],
    runs: &[ApiRun<'_>],
    cases: &[Case],
    rows: &mut Rows,
    observer: &mut dyn Observer,
) -> Result<()> {
    for &index in left_out {
        let case = &cases[index];
        if rows.has_benchmark(case.family.name, case.benchmark.name) {
            continue;
        }
        let mut touched = Touched::default();
        for (api, run) in runs.iter().enumerate() {
            rows.put(index, api, run.left_out(case), &mut touched);
        }
        rows.of(index).for_each(|(_, record)| observer.row(record));
        observer.finish(rows.records(), &rows.changes(&touched))?;
    }
    Ok(())
}

/// Compiles what the missing rows will need.
fn compile_ahead(runs: &mut [ApiRun], cases: &[Case], rows: &Rows) {
    let is_missing = |index: usize| (0..runs.len()).any(|api| rows.lacks(index, api));
    let missing: Vec<&Case> = (0..cases.len()).filter(|index| is_missing(*index)).map(|index| &cases[index]).collect();
    let jobs: Vec<Job> = missing.par_iter().filter_map(|case| Job::new(case).ok()).collect();
    runs.iter_mut().for_each(|run| run.compile_ahead(&jobs));
}
