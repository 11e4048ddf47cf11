//! An epoch in step with other cards: all are loaded from before the first one's samples until after the last one's, and
//! for a measurement alone the others wait.

use super::meet::Meeting;
use super::pace::Way;
use super::session::Session;
use crate::backend::Prepared;
use crate::engine::measure::{self, Rules, Timer};
use crate::error::Result;
use crate::record::Record;
use crate::record::stats::{self, round_to_seven_digits};

impl Session<'_> {
    /// Waits until every card is about to measure the case. The device does nothing meanwhile.
    pub(super) fn gather(&self, Meeting { step, case }: Meeting<'_>) {
        if let (Some(pace), Some(step)) = (&self.settings.pace, step) {
            pace.arrive(step.point(step.together_phase()), Way::Together, case);
            pace.wait();
        }
    }

    /// Loads the device until the clocks of all cards have risen.
    ///
    /// # Errors
    /// If a launch fails.
    pub(super) async fn start(&self, at: Meeting<'_>, prepared: &mut dyn Prepared, launches: u32) -> Result<()> {
        self.loaded(at, 1, prepared, launches).await
    }

    /// Loads the device until all cards have their samples: none is measured while another one rests.
    ///
    /// # Errors
    /// If a launch fails.
    pub(super) async fn hold(&self, at: Meeting<'_>, prepared: &mut dyn Prepared, launches: u32) -> Result<()> {
        self.loaded(at, 2, prepared, launches).await
    }

    async fn loaded(
        &self,
        Meeting { step, case }: Meeting<'_>,
        phase: u64,
        prepared: &mut dyn Prepared,
        launches: u32,
    ) -> Result<()> {
        if let (Some(pace), Some(step)) = (&self.settings.pace, step) {
            pace.arrive(step.point(step.together_phase() + phase), Way::Together, case);
            while pace.released().is_none() {
                prepared.sample(launches).await?;
            }
        }
        Ok(())
    }

    /// Measures the case while the other cards wait, if its step has this measurement before the others' (`is_before`)
    /// or after it, and adds its median to the row.
    ///
    /// # Errors
    /// If a launch fails.
    pub(super) async fn alone(
        &mut self,
        Meeting { step, case }: Meeting<'_>,
        is_before: bool,
        prepared: &mut dyn Prepared,
        (timer, rules): (&Timer, &Rules),
        record: &mut Record,
    ) -> Result<()> {
        let Some(pace) = &self.settings.pace else { return Ok(()) };
        let Some((step, phase)) = step.and_then(|step| Some((step, step.alone_phase(is_before)?))) else {
            return Ok(());
        };
        pace.arrive(step.point(phase), Way::InTurn, case);
        let are_others_waiting = pace.wait();
        let launches = record.launches.and_then(|launches| u32::try_from(launches).ok());
        let known = Rules {
            first_launches: launches.unwrap_or(rules.first_launches),
            known_ns: record.median_ns.or(rules.known_ns),
            ..*rules
        };
        self.canary.ramp_up(&self.timer).await?;
        let series = measure::measure(prepared, timer, &known).await?;
        pace.arrive(step.point(phase + 1), Way::Together, case);
        pace.wait();
        if let Some(median) = stats::median(&series.samples_ns).filter(|_| are_others_waiting) {
            record.alone_epochs_ns.push(round_to_seven_digits(median));
        }
        Ok(())
    }
}
