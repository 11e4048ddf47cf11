//! A case's turn: the ceilings that it needs, then the case, through each API.

use super::api_run::ApiRun;
use super::observer::Observer;
use super::rows::{Rows, Touched};
use super::schedule::{Effort, Schedule};
use crate::error::Result;
use crate::suite::Case;

/// The APIs that have no row for case number `index`, in the order of their turns.
pub(super) fn missing(rows: &Rows, index: usize, apis: usize) -> Vec<usize> {
    turns(index, apis).filter(|api| rows.lacks(index, *api)).collect()
}

/// What cases take turns at.
pub(super) struct Turn<'r, 'a> {
    pub(super) runs: &'r mut [ApiRun<'a>],
    pub(super) cases: &'r [Case],
    pub(super) rows: &'r mut Rows,
    pub(super) observer: &'r mut dyn Observer,
}

impl Turn<'_, '_> {
    /// Measures case `index`, or its kernel's small size instead, where the run's time limit demands it.
    pub(super) async fn run_case(&mut self, schedule: &mut Schedule<'_>, index: usize) -> Result<()> {
        let mut next = Some(index);
        while let Some(index) = next {
            if self.is_measured(schedule, index).await? {
                return Ok(());
            }
            next = schedule.leave_out(index);
        }
        self.observer.left_out(&self.cases[index]);
        Ok(())
    }

    /// Measures case number `index`, before it the ceilings that it needs and that wait; gives whether the run's time allowed it.
    async fn is_measured(&mut self, schedule: &mut Schedule<'_>, index: usize) -> Result<bool> {
        // A case that is left out needs no ceilings.
        if !schedule.effort(index).is_some_and(|effort| self.fits(index, &effort)) {
            return Ok(false);
        }
        for ceiling in schedule.pull_ceilings(index) {
            Box::pin(self.run_case(schedule, ceiling)).await?;
        }
        match schedule.effort(index) {
            Some(effort) => self.measure(index, &effort).await,
            None => Ok(false),
        }
    }

    /// Whether nothing that is known says that a launch of the case takes too long.
    fn fits(&self, index: usize, effort: &Effort) -> bool {
        self.runs.iter().all(|run| !run.exceeds_limit(&self.cases[index], effort))
    }

    /// Measures case number `index` through the APIs that have no row for it; gives whether the run's time allowed it.
    async fn measure(&mut self, index: usize, effort: &Effort) -> Result<bool> {
        let (case, mut touched) = (&self.cases[index], Touched::default());
        let missing = missing(self.rows, index, self.runs.len());
        if missing.is_empty() {
            return Ok(true);
        }
        for &api in &missing {
            self.observer.start(index, case, &self.runs[api].blank(case));
            let measured = self.rows.measured(self.cases);
            let mut record = self.runs[api].judged_row(case, effort, &measured, self.observer).await?;
            if self.runs[api].is_out_of_memory && self.runs.len() > 1 {
                // The others may hold what is missing.
                self.runs.iter_mut().for_each(ApiRun::release);
                record = self.runs[api].judged_row(case, effort, &measured, self.observer).await?;
            }
            let record = match record {
                Some(record) => record,
                None if touched.is_empty() => return Ok(false),
                // Another API has a row beside which this one's is missed.
                None => self.runs[api].left_out(case),
            };
            self.rows.put(index, api, record, &mut touched);
        }
        self.rows.judge(self.cases, self.runs, &mut touched);
        let fresh = self.rows.of(index).filter(|(api, _)| missing.contains(api));
        fresh.for_each(|(_, record)| self.observer.row(record));
        self.observer.finish(self.rows.records(), &self.rows.changes(&touched))?;
        Ok(true)
    }
}

/// The APIs by number, in the order in which they take their turns in case number `index`.
fn turns(index: usize, apis: usize) -> impl Iterator<Item = usize> {
    (0..apis).map(move |turn| (first(index, apis) + turn) % apis)
}

/// Which of several APIs goes first in case number `index`: by the sum of the number's digits to the base of their count (the sequence of
/// Prouhet, Thue and Morse). Each goes first equally often in every block of as many cases, as when they simply alternate; but no period
/// of the plan (two types, two paddings) falls into step with it.
const fn first(index: usize, apis: usize) -> usize {
    let (mut rest, mut sum) = (index, 0);
    while apis > 1 && rest > 0 {
        sum += rest % apis;
        rest /= apis;
    }
    if apis > 1 { sum % apis } else { 0 }
}
