//! Reads reports named on the command line.

use std::path::Path;

use super::output::say;
use crate::error::Result;
use crate::report::reader;
use crate::results::compare::Report;

/// Reads a report and requires rows. The reader's notes go to stderr.
pub(super) fn read(path: &Path) -> Result<Report> {
    let report = reader::open(path)?;
    for note in &report.notes {
        say(&format!("{}: {note}", path.display()));
    }
    let records = reader::with_rows(path, report)?.records;
    Ok(Report { name: path.display().to_string(), records })
}
