//! `report`: reads reports and writes an HTML page.

use std::path::{Path, PathBuf};

use super::output::print;
use super::outputs::{check_different, check_new};
use super::reports;
use crate::error::Result;
use crate::report::html;
use crate::report::{reader, replace_file};
use crate::results::compare::Report;

/// Arguments of `report`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Reports (CSV or JSON) or folders of reports; runs of the same device, API, driver and version are pooled
    #[arg(value_name = "FILE|DIR", required = true)]
    files: Vec<PathBuf>,
    /// Page to write
    #[arg(long, value_name = "PATH", default_value = "report.html")]
    out: PathBuf,
    /// Overwrite an existing page
    #[arg(long)]
    force: bool,
}

/// Runs the command and returns the exit code.
pub(super) fn report(arguments: &Arguments) -> Result<u8> {
    let out = &arguments.out;
    check_new(out, arguments.force, "name another file with --out")?;
    let mut reports: Vec<Report> = Vec::new();
    for path in files(&arguments.files)? {
        check_different(("FILE", &path), ("--out", out))?;
        reports.push(read(&path)?);
    }
    html::share_samples(&mut reports);
    let comparison = html::sides(&reports);
    let page = html::page(&html::data(&comparison));
    replace_file(out, page.as_bytes())?;
    print(&format!("{}\n", out.display()))?;
    Ok(0)
}

/// The named files, and all reports in the named folders.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            files.extend(reader::files(path)?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// Reads a report. Its name is only folder and file: the page must not show the author's paths.
fn read(path: &Path) -> Result<Report> {
    let folder = path.parent().and_then(Path::file_name).map(Path::new);
    let name = folder.map_or_else(PathBuf::new, Path::to_owned).join(path.file_name().unwrap_or_default());
    Ok(Report { name: name.display().to_string(), ..reports::read(path)? })
}
