//! Reads reports named on the command line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::output::say;
use crate::error::{Error, Result, shown};
use crate::report::reader;
use crate::results::Record;
use crate::results::compare::Report;

/// A report with its path.
pub(super) struct Measured {
    pub(super) path: String,
    pub(super) records: Vec<Record>,
}

/// The report at `path`, or the newest one under `results/` that has rows of at least half as many of the wanted
/// benchmarks as any there has: a run of one family does not hide a whole run. `None` without one.
pub(super) fn named_or_newest(path: Option<&Path>, is_wanted: impl Fn(&Record) -> bool) -> Result<Option<Measured>> {
    match path {
        Some(path) => Ok(Some(Measured { path: shown(path), records: read(path)?.records })),
        None => Ok(newest(Path::new("results"), is_wanted)),
    }
}

/// Reads a report and requires rows. The reader's notes go to stderr.
pub(super) fn read(path: &Path) -> Result<Report> {
    let report = reader::open(path)?;
    for note in &report.notes {
        say(&format!("{}: {note}", shown(path)));
    }
    let records = reader::with_rows(path, report)?.records;
    Ok(Report { name: shown(path), records })
}

/// Reads the reports of a folder whose paths are wanted, one after the other. A file that is no report is named on stderr
/// and skipped: anyone may have put it there.
///
/// # Errors
/// [`Error::Io`] if the folder cannot be read, [`Error::Usage`] if it contains no report.
pub(super) fn in_folder(
    folder: &Path,
    is_wanted: impl Fn(&Path) -> bool + 'static,
) -> Result<impl Iterator<Item = (PathBuf, Vec<Record>)>> {
    let found = reader::files(folder)?;
    found.notes.iter().for_each(|note| say(note));
    let read_or_say = |path: PathBuf| match read(&path) {
        Ok(report) => Some((path, report.records)),
        Err(error) => {
            say(&format!("skipped a report: {}", error.chain()));
            None
        }
    };
    Ok(found.reports.into_iter().filter(move |path| is_wanted(path)).filter_map(read_or_say))
}

/// The error for a folder without a readable report.
pub(super) fn none_readable(folder: &Path, kind: &str) -> Error {
    Error::Usage(format!("{} contains no {kind} report that can be read", shown(folder)))
}

/// The report in a folder that [`named_or_newest`] takes, by the date of its newest matching row. Unreadable reports are
/// skipped with a note.
fn newest(folder: &Path, is_wanted: impl Fn(&Record) -> bool) -> Option<Measured> {
    // Skip JSON: a run's JSON report has the same rows as its CSV.
    let reports = in_folder(folder, |path| reader::has_ending(path, "csv")).ok()?;
    let mut found: Vec<(String, usize, PathBuf)> = Vec::new();
    for (path, records) in reports {
        let wanted = || records.iter().filter(|row| is_wanted(row));
        let benchmarks: BTreeSet<String> = wanted().map(Record::name).collect();
        found.extend(wanted().map(|row| row.date.clone()).max().map(|date| (date, benchmarks.len(), path)));
    }
    let most = found.iter().map(|(_, count, _)| *count).max()?;
    let (_, _, path) = found.into_iter().filter(|(_, count, _)| 2 * count >= most).max()?;
    Some(Measured { path: shown(&path), records: reader::open(&path).ok()?.records })
}
