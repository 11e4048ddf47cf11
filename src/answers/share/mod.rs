//! Whether a report can be one that a run wrote: one complete run of known kernels, whose columns follow from each other,
//! from the suite's declarations, and from the statistics that [`times`](crate::record::times) and
//! ceilings compute.
//!
//! Nothing in a report proves where it comes from: whoever has the program can compute every column of an invented one.
//! But a report that was edited by hand contradicts itself. An epoch that is changed changes the row's time, rate and
//! share, the intervals of all rows of its class, and, if the row is a ceiling, the shares of all rows below it.

mod case;
mod fault;
mod figures;
mod run;

use std::collections::HashMap;

pub use case::kernel_key;
pub use fault::{Checks, Fault, Kind};

use crate::record::{Record, Status};

/// The faults of a report's rows; empty if nothing contradicts anything.
#[must_use]
pub fn faults(records: &[Record], checks: &Checks) -> Vec<Fault> {
    let mut faults = Vec::new();
    run::check(records, checks, &mut faults);
    case::check(records, checks, &mut faults);
    figures::check(records, checks, &mut faults);
    faults
}

/// How many rows have the times of another report's rows, to the last digit, and how many rows both have; `None` if the
/// report is no copy of the other. Short kernels on a coarse clock may have equal times.
#[must_use]
pub fn copied_from(records: &[Record], others: &[Record]) -> Option<(usize, usize)> {
    /// Fewer equal rows show nothing.
    const LEAST: usize = 20;
    let known: HashMap<[String; 5], &Record> =
        others.iter().filter(|row| row.status == Status::Ok).map(|row| (key(row), row)).collect();
    let pairs: Vec<_> = records.iter().filter_map(|row| Some((row, *known.get(&key(row))?))).collect();
    let times = |row: &Record| (row.median_ns, row.stddev_ns);
    let equal = pairs.iter().filter(|(row, other)| row.median_ns.is_some() && times(row) == times(other)).count();
    (equal >= LEAST && 4 * equal > pairs.len()).then_some((equal, pairs.len()))
}

/// API, kernel, type, size and parameters.
fn key(row: &Record) -> [String; 5] {
    [row.api_name().to_owned(), row.name(), row.dtype_name().to_owned(), row.size(), row.params_text()]
}
