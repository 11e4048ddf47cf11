//! `report --format github`: times for github-action-benchmark.

use super::arguments::Arguments;
use crate::cli::output::print;
use crate::cli::outputs::{check_different, check_new};
use crate::cli::reports::{in_folder, none_readable, read};
use crate::error::{Result, shown, usage};
use crate::record::Record;
use crate::report::{github::write, reader, write_file};

/// Writes the reports to the file of `--out`, else to stdout.
pub(super) fn github(arguments: &Arguments) -> Result<()> {
    if let Some(path) = &arguments.out {
        check_new(path, arguments.force, "name another file with --out")?;
    }
    let mut records: Vec<Record> = Vec::new();
    for path in &arguments.files()? {
        if let Some(out) = &arguments.out {
            check_different(("FILE", path), ("--out", out))?;
        }
        if !path.is_dir() {
            records.extend(read(path)?.records);
            continue;
        }
        let earlier = records.len();
        // Skip JSON: a run's JSON report has the same rows as its CSV.
        in_folder(path, |path| reader::has_ending(path, "csv"))?.for_each(|(_, rows)| records.extend(rows));
        if records.len() == earlier {
            return Err(none_readable(path, "CSV"));
        }
    }
    if arguments.anonymous {
        records.iter_mut().for_each(Record::anonymize);
    }
    let has_time = records.iter().any(|row| row.status.is_timed() && row.median_ns.is_some());
    if !has_time {
        return Err(usage!("these reports have no row with a time: there is nothing to export"));
    }
    let text = write(&records);
    match &arguments.out {
        Some(path) => {
            write_file(path, text.as_bytes(), arguments.force)?;
            print(&format!("{}\n", shown(path)))
        }
        None => print(&text),
    }
}
