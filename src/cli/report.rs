//! `report`: reads reports and writes an HTML page.

use std::path::{Path, PathBuf};

use super::grouping::By;
use super::output::print;
use super::outputs::{check_different, check_new};
use super::reports::{in_folder, none_readable, none_yet, read};
use crate::error::{Result, shown};
use crate::report::{html, replace_file};
use crate::results::Record;
use crate::results::compare::{Report, Rules};

/// Arguments of `report`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Reports or folders of reports [default: results/]
    ///
    /// CSV or JSON. Runs of the same card, API, driver and version are pooled.
    #[arg(value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    /// Page to write
    #[arg(long, short, value_name = "PATH", default_value = "report.html")]
    out: PathBuf,
    /// Pool the runs of each card, or those of all cards of a model
    #[arg(long, value_enum, default_value_t)]
    by: By,
    /// Leave hosts out, and replace each card's UUID by a hash
    #[arg(long)]
    anonymous: bool,
    /// Overwrite an existing page
    #[arg(long)]
    force: bool,
}

/// Runs the command and returns the exit code.
pub(super) fn report(arguments: &Arguments) -> Result<u8> {
    let out = &arguments.out;
    check_new(out, arguments.force, "name another file with --out")?;
    let mut reports: Vec<Report> = Vec::new();
    let usual = [PathBuf::from("results")];
    if arguments.files.is_empty() && !usual[0].is_dir() {
        return Err(none_yet());
    }
    for path in if arguments.files.is_empty() { &usual[..] } else { &arguments.files } {
        if !path.is_dir() {
            check_different(("FILE", path), ("--out", out))?;
            reports.push(Report { name: name(path), ..read(path)? });
            continue;
        }
        let earlier = reports.len();
        for (path, records) in in_folder(path, |_| true)? {
            check_different(("FILE", &path), ("--out", out))?;
            reports.push(Report { name: name(&path), records });
        }
        if reports.len() == earlier {
            return Err(none_readable(path, "CSV or JSON"));
        }
    }
    html::share_samples(&mut reports);
    if arguments.anonymous {
        reports.iter_mut().flat_map(|report| &mut report.records).for_each(Record::anonymize);
    }
    let is_by_model = arguments.by == By::Model;
    let rules = Rules { is_by_model, ..Rules::default() };
    let comparison = html::sides_by(&rules, &reports);
    let page = html::page(&html::data(&comparison));
    replace_file(out, page.as_bytes())?;
    print(&format!("{}\n", shown(out)))?;
    Ok(0)
}

/// Name of a report: only folder and file, because the page must not show the author's paths.
fn name(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).map(Path::new);
    shown(&folder.map_or_else(PathBuf::new, Path::to_owned).join(path.file_name().unwrap_or_default()))
}
