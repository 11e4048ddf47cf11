//! `report --format index`: the README.md of a folder of reports.

use std::path::Path;

use super::arguments::Arguments;
use crate::answers::index::{Entry, MARK, write};
use crate::cli::grouping::By;
use crate::cli::output::print;
use crate::cli::reports::{in_folder, none_readable};
use crate::error::{Error, Result, shown, usage};
use crate::record::Record;
use crate::record::format::plural;
use crate::report::{Target, reader, replace_file};

/// Writes the page of the folder, which is the only argument.
pub(super) fn index(arguments: &Arguments) -> Result<()> {
    let files = arguments.files()?;
    let [folder] = files.as_slice() else {
        return Err(usage!("the index is of one folder of reports: name one"));
    };
    if arguments.out.is_some() {
        return Err(usage!("the index is README.md in the folder of the reports: leave out --out"));
    }
    let path = folder.join("README.md");
    if !arguments.force && is_foreign(&path)? {
        return Err(usage!(
            "{} was not written by `report --format index`: move it away, or pass --force to overwrite it",
            shown(&path)
        ));
    }
    // Skip JSON: a run's JSON report has the same rows as its CSV.
    let reports = in_folder(folder, |path| reader::has_ending(path, "csv"))?;
    let entries: Vec<Entry> = reports.map(|(path, records)| entry(folder, &path, records)).collect();
    if entries.is_empty() {
        return Err(none_readable(folder, "CSV"));
    }
    replace_file(&path, write(&entries, arguments.by == By::Model).as_bytes())?;
    let reports = plural(entries.len(), "report", "reports");
    print(&format!("{}: {reports}\n", shown(&path)))
}

/// Whether there is a file that this program did not write. It may be no text at all.
fn is_foreign(path: &Path) -> Result<bool> {
    if !Target::of(path)?.is_taken() {
        return Ok(false);
    }
    Ok(!std::fs::read(path).map_err(Error::io("read", path))?.starts_with(MARK.as_bytes()))
}

fn entry(folder: &Path, path: &Path, records: Vec<Record>) -> Entry {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    Entry { path: parts.join("/"), records }
}
