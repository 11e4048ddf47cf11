//! `report`: reads reports and writes one page that shows them.

use std::path::{Path, PathBuf};

use super::{ReportArguments, print};
use crate::error::{Error, Result};
use crate::report::html;
use crate::report::{open, replace_file};
use crate::results::compare::Report;

/// Runs the command; gives the exit code.
pub(super) fn report(arguments: &ReportArguments) -> Result<u8> {
    let out = &arguments.out;
    if out.exists() && !arguments.force {
        let out = out.display();
        return Err(Error::Usage(format!(
            "{out} exists: name another file with --out, or pass --force to overwrite it"
        )));
    }
    let mut reports: Vec<Report> = Vec::new();
    for path in files(&arguments.files)? {
        reports.push(read(&path)?);
    }
    html::share_samples(&mut reports);
    let comparison = html::sides(&reports);
    let page = html::page(&html::data(&comparison));
    replace_file(out, page.as_bytes())?;
    print(&format!("{}\n", out.display()))?;
    Ok(0)
}

/// The named files, and the reports in named folders and the folders below them, sorted.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        collect(path, &mut files)?;
        if files.len() == before {
            return Err(Error::Usage(format!(
                "{} holds no report: there is no file in it that ends in .csv or .json",
                path.display()
            )));
        }
    }
    Ok(files)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let fault = |source| Error::Io { action: "read", path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(fault)?;
    let mut paths =
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<Vec<_>>>().map_err(fault)?;
    paths.sort();
    for path in paths {
        let is_report =
            path.extension().is_some_and(|own| ["csv", "json"].iter().any(|known| own.eq_ignore_ascii_case(known)));
        if path.is_dir() {
            collect(&path, files)?;
        } else if is_report {
            files.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Report> {
    let report = open(path)?;
    for note in &report.notes {
        super::say(&format!("{}: {note}", path.display()));
    }
    if report.records.is_empty() {
        return Err(Error::Usage(format!("{} has no rows: there is nothing to show", path.display())));
    }
    // Whoever sees the page need not know where its author keeps files.
    let folder = path.parent().and_then(Path::file_name).map(Path::new);
    let name = folder.map_or_else(PathBuf::new, Path::to_owned).join(path.file_name().unwrap_or_default());
    Ok(Report { name: name.display().to_string(), records: report.records })
}
