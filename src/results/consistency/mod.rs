//! Whether a report can be one that a run wrote: its columns follow from each other, from the suite's declarations, and
//! from the statistics that [`estimate`](super::estimate) and [`ceilings`](super::ceilings) compute.
//!
//! Nothing in a report proves where it comes from: whoever has the program can compute every column of an invented one.
//! But an edited report contradicts itself. An epoch that is changed changes the row's time, rate and share, the
//! intervals of all rows of its class, and, if the row is a ceiling, the shares of all rows below it.

mod case;
mod copies;
mod fault;
mod figures;
mod run;

pub use case::{ADDED, kernel_key};
pub use copies::copied_from;
pub use fault::Checks;

use super::Record;
use fault::Faults;

/// The faults of a report's rows, one sentence each; empty if nothing contradicts anything.
#[must_use]
pub fn faults(records: &[Record], checks: &Checks) -> Vec<String> {
    let mut faults = Faults::default();
    if records.is_empty() {
        faults.add("rows", "the report has no rows".to_owned());
    }
    run::check(records, checks, &mut faults);
    case::check(records, checks, &mut faults);
    figures::check(records, &mut faults);
    faults.sentences()
}
