//! Passes over the plan after the first: each adds an epoch to the rows that need one, in random order and with buffers
//! at other positions.
//!
//! Most of a row's variance lies between runs: it depends on the positions of buffers and on what ran before. Epochs
//! within one process show it (`docs/method.md`), so a single run predicts how the next will differ. Every case is
//! shuffled by itself: when cases with equal inputs ran in a row, to upload these once, their buffers had the same
//! positions in every pass of a process, and others in the next process.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use web_time::Instant;

use super::case::turns;
use super::observer::{Expected, Observer};
use super::one_api::ApiRun;
use super::rows::{ChangedRows, RowTable};
use super::settings::Settings;
use crate::engine::measure::Rules;
use crate::engine::measure::epoch::shuffled;
use crate::engine::plan::schedule::{ATTEMPTS, Effort};
use record::error::Result;
use record::suite::Case;

/// The state of a run in which every case has its first epoch.
pub(super) struct Passes<'r, 'a> {
    pub(super) runs: &'r mut [ApiRun<'a>],
    pub(super) cases: &'r [Case],
    pub(super) rows: &'r mut RowTable,
    pub(super) settings: &'r Settings,
    pub(super) observer: &'r mut dyn Observer,
    /// End of the run, if it has a time limit.
    pub(super) end: Option<Instant>,
    /// Slots that cannot have another epoch.
    pub(super) stopped: HashSet<usize>,
    /// Time that the last epoch of a case took.
    pub(super) costs: HashMap<usize, Duration>,
}

impl Passes<'_, '_> {
    /// Adds epochs until every row has enough or the time limit ends the run. Returns whether it was interrupted.
    pub(super) async fn run(&mut self) -> Result<bool> {
        // A run that another process resumes has other orders and positions there.
        let epochs = self.rows.records().iter().map(|record| record.epochs_ns.len());
        let first = epochs.filter(|count| *count > 0).min().unwrap_or(1);
        for pass in first as u64.. {
            let (place, mut due) = shuffled(self.cases.len(), self.settings.seed, pass);
            due.retain(|index| !self.wanting(*index).is_empty());
            if due.is_empty() || self.is_over() {
                return Ok(false);
            }
            for run in self.runs.iter_mut() {
                run.move_to(place).await;
            }
            self.observer.plan(&self.expected());
            self.observer.pass(pass as usize + 1, due.len());
            for (done, index) in due.iter().enumerate() {
                if self.observer.is_interrupted() {
                    self.settle()?;
                    return Ok(true);
                }
                if self.is_over() || self.runs.iter().all(|run| run.session.is_err()) {
                    break;
                }
                self.epoch(*index, pass, due.len() - done).await?;
            }
            self.settle()?;
            if self.runs.iter().all(|run| run.session.is_err()) {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// The APIs through which the case at `index` needs another epoch: all that can have one if any needs one, so that
    /// their epochs stay in pairs.
    fn wanting(&self, index: usize) -> Vec<usize> {
        let apis = self.runs.len();
        let can = |api: &usize| {
            let has_figures = self.rows.get(index, *api).is_some_and(|record| !record.epochs_ns.is_empty());
            has_figures && self.runs[*api].session.is_ok() && !self.stopped.contains(&(index * apis + api))
        };
        let able: Vec<usize> = (0..apis).filter(can).collect();
        let wants = |api: &usize| self.rows.get(index, *api).is_some_and(|record| self.settings.epochs.wants(record));
        if able.iter().any(wants) { able } else { Vec::new() }
    }

    fn expected(&self) -> Vec<Expected> {
        let epochs = self.settings.epochs;
        let epochs_of = |index| if self.wanting(index).is_empty() { 0 } else { self.rows.expected(index, epochs) };
        (0..self.cases.len()).map(|index| Expected { is_new: false, epochs: epochs_of(index) }).collect()
    }

    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// The limits for one of `waiting` cases; `None` if it does not fit in the time that is left.
    fn effort(&self, index: usize, waiting: usize) -> Option<Effort> {
        let rules = self.settings.rules;
        let Some(end) = self.end else {
            return Some(Effort { rules, attempts: ATTEMPTS - 1, longest_launch_ns: None });
        };
        let left = end.checked_duration_since(Instant::now())?;
        let share_ns = 0.6 * left.as_nanos() as f64 / waiting as f64;
        let budget_ns = share_ns.clamp(10e6_f64.min(rules.budget_ns), rules.budget_ns);
        let fits = self.costs.get(&index).is_none_or(|cost| *cost < left);
        fits.then_some(Effort { rules: Rules { budget_ns, ..rules }, attempts: 1, longest_launch_ns: None })
    }

    async fn epoch(&mut self, index: usize, pass: u64, waiting: usize) -> Result<()> {
        let Some(effort) = self.effort(index, waiting) else {
            // Less time will be left in later passes.
            self.stopped.extend((0..self.runs.len()).map(|api| index * self.runs.len() + api));
            return Ok(());
        };
        let (case, apis, start) = (&self.cases[index], self.runs.len(), Instant::now());
        let wanting = self.wanting(index);
        let mut changes = ChangedRows::default();
        // Another API is first in each pass.
        for api in turns(index + pass as usize, apis).filter(|api| wanting.contains(api)) {
            let Some(record) = self.rows.get(index, api) else { continue };
            let mut record = record.clone();
            self.observer.start(index, case, &record);
            if self.runs[api].epoch(case, &effort, &mut record).await? {
                self.rows.put(index, api, record, &mut changes);
            } else {
                self.stopped.insert(index * apis + api);
            }
        }
        self.costs.insert(index, start.elapsed());
        self.observer.finish(self.rows.records(), &self.rows.changes(&changes))
    }

    /// Estimates all rows from their epochs, and compares them with the ceilings from these.
    fn settle(&mut self) -> Result<()> {
        let mut changes = ChangedRows::default();
        self.rows.settle(self.cases, self.runs, &mut changes);
        self.observer.finish_pass(self.rows.records(), &self.rows.changes(&changes))
    }
}
