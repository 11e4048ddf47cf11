//! Reads reports named on the command line.

use std::path::Path;

use super::output::say;
use crate::error::Result;
use crate::report::reader;
use crate::results::Record;
use crate::results::compare::Report;

/// A report with its path.
pub(super) struct Measured {
    pub(super) path: String,
    pub(super) records: Vec<Record>,
}

/// The report at `path`, or the newest one under `results/` with rows that are wanted; `None` without one.
pub(super) fn named_or_newest(path: Option<&Path>, is_wanted: impl Fn(&Record) -> bool) -> Result<Option<Measured>> {
    match path {
        Some(path) => Ok(Some(Measured { path: path.display().to_string(), records: read(path)?.records })),
        None => Ok(newest(Path::new("results"), is_wanted)),
    }
}

/// Reads a report and requires rows. The reader's notes go to stderr.
pub(super) fn read(path: &Path) -> Result<Report> {
    let report = reader::open(path)?;
    for note in &report.notes {
        say(&format!("{}: {note}", path.display()));
    }
    let records = reader::with_rows(path, report)?.records;
    Ok(Report { name: path.display().to_string(), records })
}

/// The newest report in a folder that has matching rows, by the date of its newest matching row. Unreadable reports are
/// skipped with a note.
fn newest(folder: &Path, is_wanted: impl Fn(&Record) -> bool) -> Option<Measured> {
    let mut newest: Option<(String, Measured)> = None;
    let reports = reader::files(folder).unwrap_or_default();
    // Skip JSON: a run's JSON report has the same rows as its CSV.
    for path in reports.into_iter().filter(|path| reader::has_ending(path, "csv")) {
        let records = match reader::open(&path) {
            Ok(report) => report.records,
            Err(error) => {
                say(&format!("skipped a report: {}", error.chain()));
                continue;
            }
        };
        let date = records.iter().filter(|row| is_wanted(row)).map(|row| row.date.clone()).max();
        if let Some(date) = date.filter(|date| newest.as_ref().is_none_or(|(known, _)| date >= known)) {
            newest = Some((date, Measured { path: path.display().to_string(), records }));
        }
    }
    newest.map(|(_, measured)| measured)
}
