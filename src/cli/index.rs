//! `index`: the page about a folder of reports.

use std::path::{Path, PathBuf};

use super::print;
use crate::error::{Error, Result};
use crate::report::index::{Entry, Facts, MARK, write};
use crate::report::{apis, csv, replace_file};
use crate::results::Record;
use crate::results::findings::{bank_conflict, cache_curve};

/// Arguments of `index`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The folder; its reports are the CSV files in it and below
    #[arg(value_name = "DIR", default_value = "results")]
    folder: PathBuf,
}

/// Runs the command.
pub(super) fn index(arguments: &Arguments) -> Result<()> {
    let folder = &arguments.folder;
    let path = folder.join("README.md");
    if std::fs::read_to_string(&path).is_ok_and(|text| !text.starts_with(MARK)) {
        return Err(Error::Usage(format!(
            "{} was not written by `index`: move it away, or name another folder",
            path.display()
        )));
    }
    let entries = reports(folder)?.iter().map(|report| entry(folder, report)).collect::<Result<Vec<_>>>()?;
    if entries.is_empty() {
        return Err(Error::Usage(format!(
            "{} holds no report: `run` writes CSV files into results/",
            folder.display()
        )));
    }
    replace_file(&path, write(&entries).as_bytes())?;
    let reports = if entries.len() == 1 { "1 report".to_owned() } else { format!("{} reports", entries.len()) };
    print(&format!("{}: {reports}\n", path.display()))
}

/// The CSV files in a folder and below, in the order of their paths.
pub(super) fn reports(folder: &Path) -> Result<Vec<PathBuf>> {
    let fault = |source| Error::Io { action: "read", path: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        if path.is_dir() {
            found.extend(reports(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "csv") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn entry(folder: &Path, path: &Path) -> Result<Entry> {
    let records = csv::open(path)?.records;
    let below = path.strip_prefix(folder).unwrap_or(path);
    let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let facts = apis(&records).into_iter().map(|api| (api.to_owned(), facts(&records, api))).collect();
    Ok(Entry { path: parts.join("/"), records, facts })
}

fn facts(records: &[Record], api: &str) -> Facts {
    let of = |family: &str| -> Vec<&Record> {
        records.iter().filter(|row| row.api_name() == api && row.family == family).collect()
    };
    let levels = cache_curve::levels(&of("cache_curve"));
    let latency = |name: &str| levels.iter().find(|(own, _)| own == name).map(|(_, level)| level.latency_ns);
    Facts {
        banks: bank_conflict::inferred_banks(&of("bank_conflict")),
        l2_ns: latency("L2"),
        memory_ns: latency("memory"),
    }
}
