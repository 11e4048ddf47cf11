//! Runs one case through each API, after the ceilings that it needs.

use super::observer::Observer;
use super::one_api::ApiRun;
use super::rows::{ChangedRows, RowTable};
use crate::engine::plan::schedule::{Effort, Schedule};
use record::error::Result;
use record::suite::Case;

/// The APIs without a row for the case at `index`, in running order.
pub(super) fn missing(rows: &RowTable, index: usize, apis: usize) -> Vec<usize> {
    turns(index, apis).filter(|api| rows.lacks(index, *api)).collect()
}

pub(super) struct CaseRun<'r, 'a> {
    pub(super) runs: &'r mut [ApiRun<'a>],
    pub(super) cases: &'r [Case],
    pub(super) rows: &'r mut RowTable,
    pub(super) observer: &'r mut dyn Observer,
}

impl CaseRun<'_, '_> {
    /// Measures the case at `index`, or the largest smaller size that memory and the run's time limit allow.
    pub(super) async fn run_case(&mut self, schedule: &mut Schedule<'_>, index: usize) -> Result<()> {
        let mut next = Some(index);
        while let Some(size) = next {
            if self.try_measure(schedule, size).await? {
                if size != index {
                    schedule.leave_out(index, true);
                }
                return Ok(());
            }
            self.observer.left_out(size, &self.cases[size]);
            next = schedule.smaller(size);
        }
        schedule.leave_out(index, false);
        Ok(())
    }

    /// Measures the case at `index` after the ceilings that it needs. Returns whether it has its rows, new or earlier.
    async fn try_measure(&mut self, schedule: &mut Schedule<'_>, index: usize) -> Result<bool> {
        // A smaller size in place of another may have been measured in an earlier round.
        if missing(self.rows, index, self.runs.len()).is_empty() {
            return Ok(true);
        }
        // A case that is left out needs no ceilings.
        if !schedule.effort(index).is_some_and(|effort| self.fits(index, &effort)) {
            return Ok(false);
        }
        let has_smaller = schedule.smaller(index).is_some();
        if has_smaller && self.runs.iter().any(|run| run.is_too_large(&self.cases[index])) {
            return Ok(false);
        }
        for ceiling in schedule.pull_ceilings(index) {
            Box::pin(self.run_case(schedule, ceiling)).await?;
        }
        match schedule.effort(index) {
            Some(effort) => self.measure(index, &effort, has_smaller).await,
            None => Ok(false),
        }
    }

    fn fits(&self, index: usize, effort: &Effort) -> bool {
        self.runs.iter().all(|run| !run.exceeds_limit(&self.cases[index], effort))
    }

    /// Measures the case through the APIs without a row. Returns whether time, and memory if `has_smaller`, allowed it.
    async fn measure(&mut self, index: usize, effort: &Effort, has_smaller: bool) -> Result<bool> {
        let (case, mut changes) = (&self.cases[index], ChangedRows::default());
        let missing = missing(self.rows, index, self.runs.len());
        if missing.is_empty() {
            return Ok(true);
        }
        for &api in &missing {
            self.observer.start(index, case, &self.runs[api].blank(case));
            let measured = self.rows.measured(self.cases);
            let mut record = self.runs[api].judged_row(case, effort, &measured, self.observer).await?;
            if self.runs[api].is_out_of_memory && self.runs.len() > 1 {
                // The other APIs may have allocated the memory.
                self.runs.iter_mut().for_each(ApiRun::release);
                record = self.runs[api].judged_row(case, effort, &measured, self.observer).await?;
            }
            let is_first = changes.is_empty();
            let record = match record {
                Some(_) if is_first && has_smaller && self.runs[api].is_out_of_memory => return Ok(false),
                Some(record) => record,
                None if is_first => return Ok(false),
                // Another API has a row for the case, so this API gets one too.
                None => self.runs[api].left_out(case),
            };
            for (ceiling, again) in std::mem::take(&mut self.runs[api].again) {
                self.rows.put(ceiling, api, again, &mut changes);
            }
            self.rows.put(index, api, record, &mut changes);
        }
        self.rows.judge(self.cases, self.runs, &mut changes);
        let fresh = self.rows.of(index).filter(|(api, _)| missing.contains(api));
        fresh.for_each(|(_, record)| self.observer.row(record));
        self.observer.finish(self.rows.records(), &self.rows.changes(&changes))?;
        Ok(true)
    }
}

/// Indices of the APIs in running order for the case at `index`.
pub(super) fn turns(index: usize, apis: usize) -> impl Iterator<Item = usize> {
    (0..apis).map(move |turn| (first(index, apis) + turn) % apis)
}

/// The API that runs first for the case at `index`: the digit sum of `index` in base `apis`, modulo `apis`
/// (Prouhet-Thue-Morse sequence). In each block of `apis` cases every API is first once, as with simple alternation,
/// but the order has no period that could coincide with one of the plan (two types, two paddings).
const fn first(index: usize, apis: usize) -> usize {
    let (mut rest, mut sum) = (index, 0);
    while apis > 1 && rest > 0 {
        sum += rest % apis;
        rest /= apis;
    }
    if apis > 1 { sum % apis } else { 0 }
}
