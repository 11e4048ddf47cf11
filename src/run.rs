//! A run: one card through one API or several. The timers are chosen, then case by case from plan to record.
//!
//! Several APIs take turns at each case, so that whatever drifts (clocks, temperature) meets all of them alike. Each has its own timer,
//! canary and ceilings: no row of one is judged by what another measured.

mod bench;
mod canary;
mod clock;
mod kept;
mod lane;
mod pace;
mod rows;
mod tune;

use std::time::Duration;

use rayon::prelude::*;

use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::job::Job;
use crate::measure::{Rules, Timer};
use crate::record::Record;
use crate::suite::{Case, Profile};
pub use kept::Kept;
use lane::Lane;
use rows::Rows;
pub use tune::recall_params;

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
        Self { date, os, cpu, rules, end_to_end_bytes, is_tuned: false }
    }
}

/// Who watches a run: it draws progress and writes reports.
pub trait Observer {
    /// The timer of the device through `api` was chosen.
    fn timer(&mut self, api: &'static str, timer: &Timer);
    /// Candidates for the parameters of `case` are about to be tried, of the kernel `number` (from 1 on) of `count`; `row` holds what is known
    /// of the case.
    fn tuning(&mut self, number: usize, count: usize, case: &Case, row: &Record) {
        let _ = (number, count, case, row);
    }
    /// Case number `place` starts; `row` holds what is known of it before, its API among it.
    fn start(&mut self, place: usize, case: &Case, row: &Record);
    /// A row is there, and held against the ceilings so far.
    fn row(&mut self, record: &Record);
    /// A case is done. `records` are all rows, in the order of the plan; the first `unchanged` of them are as they were the last time.
    /// Earlier rows change where a ceiling rose that they are held against.
    ///
    /// # Errors
    /// Ends the run.
    fn finish(&mut self, records: &[Record], unchanged: usize) -> Result<()>;
    /// A case whose output is a picture was right through `api`: its rows of pixels, red, green, blue and opacity.
    ///
    /// # Errors
    /// Ends the run.
    fn picture(&mut self, case: &Case, api: &'static str, rgba: &[u8]) -> Result<()> {
        let _ = (case, api, rgba);
        Ok(())
    }
    /// Whether the run is to end before the next case.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// What became of a run.
#[derive(Debug)]
pub struct Outcome {
    /// Its rows, in the order of the cases, and for each case in the order of the APIs.
    pub records: Vec<Record>,
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
    for place in 0..cases.len() {
        let missing: Vec<usize> = turns(place, apis).filter(|api| rows.lacks(place, *api)).collect();
        if missing.is_empty() {
            continue;
        }
        if observer.is_interrupted() {
            end = End::Interrupted;
            break;
        }
        if lanes.iter().all(|lane| lane.bench.is_err()) {
            end = lanes.drain(..).next_back().and_then(|lane| lane.bench.err()).map_or(End::Complete, End::NoDevice);
            break;
        }
        let put = measure_case(&mut lanes, cases, place, &missing, &mut rows, observer).await?;
        let unchanged = put.min(rows.hold(cases, &mut lanes));
        let fresh = rows.of(place).filter(|(api, _)| missing.contains(api));
        fresh.for_each(|(_, record)| observer.row(record));
        observer.finish(rows.records(), unchanged)?;
        measuring = lanes.iter().map(Lane::measuring).sum();
    }
    Ok(Outcome { records: rows.into_records(), end, measuring })
}

/// Puts the rows of case number `place` through the APIs of `missing`, in this order; gives how many rows before them are as they were.
async fn measure_case(
    lanes: &mut [Lane<'_>],
    cases: &[Case],
    place: usize,
    missing: &[usize],
    rows: &mut Rows,
    observer: &mut dyn Observer,
) -> Result<usize> {
    let (case, before) = (&cases[place], &cases[..place]);
    let mut unchanged = usize::MAX;
    for &api in missing {
        observer.start(place, case, &lanes[api].blank(case));
        let mut record = lanes[api].judged_row(case, before, observer).await?;
        if lanes[api].is_out_of_memory && lanes.len() > 1 {
            // The others may hold what is missing.
            lanes.iter_mut().for_each(Lane::release);
            record = lanes[api].judged_row(case, before, observer).await?;
        }
        unchanged = unchanged.min(rows.put(place, api, record));
    }
    Ok(unchanged)
}

/// Compiles what the missing rows will need.
fn compile_ahead(lanes: &mut [Lane], cases: &[Case], rows: &Rows) {
    let is_missing = |place: usize| (0..lanes.len()).any(|api| rows.lacks(place, api));
    let missing: Vec<&Case> = (0..cases.len()).filter(|place| is_missing(*place)).map(|place| &cases[place]).collect();
    let jobs: Vec<Job> = missing.par_iter().filter_map(|case| Job::new(case).ok()).collect();
    lanes.iter_mut().for_each(|lane| lane.compile_ahead(&jobs));
}

/// The APIs by number, in the order in which they take their turns in case number `place`.
fn turns(place: usize, apis: usize) -> impl Iterator<Item = usize> {
    (0..apis).map(move |turn| (first(place, apis) + turn) % apis)
}

/// Which of several APIs goes first in case number `place`: by the sum of the number's digits to the base of their count (the sequence of
/// Prouhet, Thue and Morse). Each goes first equally often in every block of as many cases, as when they simply alternate; but no period
/// of the plan (two types, two paddings) falls into step with it.
const fn first(place: usize, apis: usize) -> usize {
    let (mut rest, mut sum) = (place, 0);
    while apis > 1 && rest > 0 {
        sum += rest % apis;
        rest /= apis;
    }
    if apis > 1 { sum % apis } else { 0 }
}

/// Drops what lies on a device, unless the device is gone: what lies on a lost one may wait for it forever when dropped.
fn put_away<P, T>(prepared: P, result: Result<T>) -> Result<T> {
    if result.as_ref().is_err_and(Error::ends_device) {
        std::mem::forget(prepared);
    }
    result
}
