//! A run: one card through one API or several. The timers are chosen, then case by case from plan to record.
//!
//! Several APIs take turns at each case, so that whatever drifts (clocks, temperature) meets all of them alike. Each has its own timer,
//! canary and ceilings: no row of one is judged by what another measured.

mod api_run;
mod canary;
mod in_kernel;
mod launch_guard;
pub mod measure;
pub mod plan;
mod resume;
mod rows;
mod schedule;
mod session;
mod tune;
mod turn;
pub mod verify;

use std::time::Duration;

use rayon::prelude::*;

use crate::backend::Api;
use crate::backend::Backend;
use crate::engine::measure::{Rules, Timer};
use crate::error::{Error, Result};
use crate::job::Job;
use crate::results::Record;
use crate::suite::{Case, Profile};
use api_run::Lane;
pub use resume::Kept;
use rows::{Rows, Touched};
use schedule::Schedule;
pub use tune::recall_params;
use turn::{Turn, missing};

/// What a run's rows share, and how long it may take.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Start of the run, UTC, RFC 3339.
    pub date: String,
    /// Host operating system.
    pub os: String,
    /// Host processor.
    pub cpu: String,
    /// When to stop.
    pub rules: Rules,
    /// Largest upload that the end-to-end time is taken of, in bytes.
    pub end_to_end_bytes: u64,
    /// Whether kernels are tuned before they are measured: see [`crate::suite::Family::tuned`].
    pub is_tuned: bool,
    /// How long the run may take, from its first case on. Cases that take too long for it are left out, larger sizes first.
    pub time: Option<Duration>,
}

impl Settings {
    /// The settings of a profile: its time budget for a case, and how large an upload it can afford to time.
    #[must_use]
    pub fn new(profile: Profile, date: String, os: String, cpu: String) -> Self {
        let (budget_ms, least_ms, shortest_sample_us, end_to_end_bytes) = match profile {
            Profile::Quick => (100.0, 0.0, 50.0, 64 << 20),
            Profile::Standard => (500.0, 100.0, 500.0, 1 << 30),
            Profile::Thorough => (3000.0, 400.0, 1000.0, u64::MAX),
        };
        let rules = Rules {
            least_ns: least_ms * 1e6,
            shortest_sample_ns: shortest_sample_us * 1e3,
            ..Rules::with_budget(budget_ms * 1e6)
        };
        Self { date, os, cpu, rules, end_to_end_bytes, is_tuned: false, time: None }
    }
}

/// Who watches a run: it draws progress and writes reports.
pub trait Observer {
    /// The timer of the device through `api` was chosen.
    fn timer(&mut self, api: Api, timer: &Timer);
    /// Candidates for the parameters of `case` are about to be tried, of the kernel `number` (from 1 on) of `count`; `row` holds what is known
    /// of the case.
    fn tuning(&mut self, number: usize, count: usize, case: &Case, row: &Record) {
        let _ = (number, count, case, row);
    }
    /// Case number `place` starts; `row` holds what is known of it before, its API among it.
    fn start(&mut self, place: usize, case: &Case, row: &Record);
    /// A row is there, and held against the ceilings so far.
    fn row(&mut self, record: &Record);
    /// A case is done. `records` are all rows, in the order of the plan; `changes` says which of them are new or different.
    /// Earlier rows change where a ceiling rose that they are held against.
    ///
    /// # Errors
    /// Ends the run.
    fn finish(&mut self, records: &[Record], changes: &Changes) -> Result<()>;
    /// A case takes too long for the run's time limit: it has no row.
    fn left_out(&mut self, case: &Case) {
        let _ = case;
    }
    /// A case whose output is a picture was right through `api`: its rows of pixels, red, green, blue and opacity.
    ///
    /// # Errors
    /// Ends the run.
    fn picture(&mut self, case: &Case, api: Api, rgba: &[u8]) -> Result<()> {
        let _ = (case, api, rgba);
        Ok(())
    }
    /// Whether the run is to end before the next case.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// What a case changed about a run's rows, by their positions among all, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Rows that are new.
    pub added: Vec<usize>,
    /// Rows that were there and are different now.
    pub changed: Vec<usize>,
}

impl Changes {
    /// How many rows, from the first on, stand where they stood and are as they were.
    #[must_use]
    pub fn unchanged(&self) -> usize {
        self.added.iter().chain(&self.changed).copied().min().unwrap_or(usize::MAX)
    }
}

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
    let outcome = resume(backends, cases, Kept::default(), settings, observer).await?;
    match outcome.end {
        End::NoDevice(error) => Err(error),
        End::Complete | End::Interrupted => Ok(outcome.records),
    }
}

/// As [`run`], but measures only what `kept` does not hold.
///
/// # Errors
/// Those of the observer.
pub async fn resume(
    backends: &mut [&mut dyn Backend],
    cases: &[Case],
    kept: Kept,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Outcome> {
    let mut lanes = Vec::with_capacity(backends.len());
    for backend in backends {
        lanes.push(Lane::open(&mut **backend, settings, observer).await);
    }
    let apis = lanes.len();
    let mut rows = Rows::new(kept, apis);
    for (slot, record) in rows.iter() {
        lanes[slot % apis].take_over(&cases[slot / apis], record);
    }
    for (slot, record) in rows.iter() {
        lanes[slot % apis].ceilings.recall(&cases[slot / apis], record);
    }
    let tuned;
    let cases = if settings.is_tuned {
        tuned = tune::tune(&mut lanes, cases, &rows, observer).await;
        &tuned
    } else {
        cases
    };
    compile_ahead(&mut lanes, cases, &rows);
    let (mut end, mut measuring) = (End::Complete, Duration::ZERO);
    let mut schedule = Schedule::new(cases, settings, |place| !missing(&rows, place, apis).is_empty());
    while let Some(index) = schedule.next() {
        if observer.is_interrupted() {
            end = End::Interrupted;
            break;
        }
        if lanes.iter().all(|lane| lane.bench.is_err()) {
            end = lanes.drain(..).next_back().and_then(|lane| lane.bench.err()).map_or(End::Complete, End::NoDevice);
            break;
        }
        let mut turn = Turn { lanes: &mut lanes, cases, rows: &mut rows, observer };
        turn.take(&mut schedule, index).await?;
        measuring = lanes.iter().map(Lane::measuring).sum();
    }
    let left_out = schedule.into_left_out();
    if matches!(end, End::Complete) {
        skip_left_out(&left_out, &lanes, cases, &mut rows, observer)?;
    }
    Ok(Outcome { records: rows.into_records(), left_out, end, measuring })
}

/// Gives each benchmark that has no row one that says why, for its smallest case.
fn skip_left_out(
    left_out: &[usize],
    lanes: &[Lane<'_>],
    cases: &[Case],
    rows: &mut Rows,
    observer: &mut dyn Observer,
) -> Result<()> {
    for &place in left_out {
        let case = &cases[place];
        if rows.has_benchmark(case.family.name, case.benchmark.name) {
            continue;
        }
        let mut touched = Touched::default();
        for (api, lane) in lanes.iter().enumerate() {
            rows.put(place, api, lane.left_out(case), &mut touched);
        }
        rows.of(place).for_each(|(_, record)| observer.row(record));
        observer.finish(rows.records(), &rows.changes(&touched))?;
    }
    Ok(())
}

/// Compiles what the missing rows will need.
fn compile_ahead(lanes: &mut [Lane], cases: &[Case], rows: &Rows) {
    let is_missing = |place: usize| (0..lanes.len()).any(|api| rows.lacks(place, api));
    let missing: Vec<&Case> = (0..cases.len()).filter(|place| is_missing(*place)).map(|place| &cases[place]).collect();
    let jobs: Vec<Job> = missing.par_iter().filter_map(|case| Job::new(case).ok()).collect();
    lanes.iter_mut().for_each(|lane| lane.compile_ahead(&jobs));
}

/// Drops what lies on a device, unless the device is gone: what lies on a lost one may wait for it forever when dropped.
fn put_away<P, T>(prepared: P, result: Result<T>) -> Result<T> {
    if result.as_ref().is_err_and(Error::ends_device) {
        std::mem::forget(prepared);
    }
    result
}
