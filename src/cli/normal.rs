//! `summary --among`: how a report stands among others of the same model.

use std::path::{Path, PathBuf};

use super::format::Format;
use super::output::{print, print_json};
use super::references::shipped;
use super::reports::{self, in_folder, named_or_newest, none_readable, none_yet};
use crate::answers::among::Reference;
use crate::answers::among::text::{data, write};
use crate::error::Result;
use crate::report::reader;

/// The value of `--among` for the reports that the program brings along, which are always compared with.
pub(super) const REFERENCES: &str = "references";

/// Prints how each report stands among others.
pub(super) fn normal(files: &[PathBuf], others: &[PathBuf], format: Format) -> Result<()> {
    let mut references = shipped()?.runs;
    for path in others.iter().filter(|path| path.as_path() != Path::new(REFERENCES) || path.exists()) {
        add(path, &mut references)?;
    }
    let paths: Vec<Option<&Path>> = match files {
        [] => vec![None],
        files => files.iter().map(|path| Some(path.as_path())).collect(),
    };
    let mut figures = Vec::new();
    for (index, path) in paths.into_iter().enumerate() {
        let Some(report) = named_or_newest(path, |row| row.median_ns.is_some())? else {
            return Err(none_yet());
        };
        let Some(medium) = format.medium() else {
            figures.extend(data(&report.path, &report.records, &references));
            continue;
        };
        let gap = if index == 0 { "" } else { "\n" };
        print(&format!("{gap}{}", write(&report.path, &report.records, &references, medium)))?;
    }
    if format == Format::Json { print_json(&figures) } else { Ok(()) }
}

/// Adds a report, or the CSV reports of a folder.
fn add(path: &Path, references: &mut Vec<Reference>) -> Result<()> {
    if !path.is_dir() {
        references.extend(Reference::of_report(&reports::read(path)?.records));
        return Ok(());
    }
    // Skip JSON: a run's JSON report has the same rows as its CSV.
    let found: Vec<_> = in_folder(path, |path| reader::has_ending(path, "csv"))?.collect();
    if found.is_empty() {
        return Err(none_readable(path, "CSV"));
    }
    references.extend(found.iter().flat_map(|(_, records)| Reference::of_report(records)));
    Ok(())
}
