//! A case's turn: the ceilings that it needs, then the case, through each API.

use super::Observer;
use super::api_run::Lane;
use super::rows::{Rows, Touched};
use super::schedule::{Effort, Schedule};
use crate::error::Result;
use crate::suite::Case;

/// The APIs that have no row for case number `place`, in the order of their turns.
pub(super) fn missing(rows: &Rows, place: usize, apis: usize) -> Vec<usize> {
    turns(place, apis).filter(|api| rows.lacks(place, *api)).collect()
}

/// What cases take turns at.
pub(super) struct Turn<'r, 'a> {
    pub(super) lanes: &'r mut [Lane<'a>],
    pub(super) cases: &'r [Case],
    pub(super) rows: &'r mut Rows,
    pub(super) observer: &'r mut dyn Observer,
}

impl Turn<'_, '_> {
    /// Measures case number `index`, or in its place its kernel's small size, as far as the run's time allows.
    pub(super) async fn take(&mut self, schedule: &mut Schedule<'_>, index: usize) -> Result<()> {
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
        for ceiling in schedule.take_ceilings(index) {
            Box::pin(self.take(schedule, ceiling)).await?;
        }
        match schedule.effort(index) {
            Some(effort) => self.measure(index, &effort).await,
            None => Ok(false),
        }
    }

    /// Whether nothing that is known says that a launch of the case takes too long.
    fn fits(&self, index: usize, effort: &Effort) -> bool {
        self.lanes.iter().all(|lane| !lane.is_known_to_outlast(&self.cases[index], effort))
    }

    /// Measures case number `place` through the APIs that have no row for it; gives whether the run's time allowed it.
    async fn measure(&mut self, place: usize, effort: &Effort) -> Result<bool> {
        let (case, mut touched) = (&self.cases[place], Touched::default());
        let missing = missing(self.rows, place, self.lanes.len());
        if missing.is_empty() {
            return Ok(true);
        }
        for &api in &missing {
            self.observer.start(place, case, &self.lanes[api].blank(case));
            let measured = self.rows.measured(self.cases);
            let mut record = self.lanes[api].judged_row(case, effort, &measured, self.observer).await?;
            if self.lanes[api].is_out_of_memory && self.lanes.len() > 1 {
                // The others may hold what is missing.
                self.lanes.iter_mut().for_each(Lane::release);
                record = self.lanes[api].judged_row(case, effort, &measured, self.observer).await?;
            }
            let record = match record {
                Some(record) => record,
                None if touched.is_empty() => return Ok(false),
                // Another API has a row beside which this one's is missed.
                None => self.lanes[api].left_out(case),
            };
            self.rows.put(place, api, record, &mut touched);
        }
        self.rows.hold(self.cases, self.lanes, &mut touched);
        let fresh = self.rows.of(place).filter(|(api, _)| missing.contains(api));
        fresh.for_each(|(_, record)| self.observer.row(record));
        self.observer.finish(self.rows.records(), &self.rows.changes(&touched))?;
        Ok(true)
    }
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
