//! `report` as a page with tables and charts.

use std::path::{Path, PathBuf};

use super::arguments::Arguments;
use crate::answers::compare::{Comparison, Report, Rules};
use crate::answers::page::{self as html, Kernel};
use crate::cli::explain::fields;
use crate::cli::grouping::By;
use crate::cli::output::print;
use crate::cli::outputs::{check_different, check_new};
use crate::cli::reports::{in_folder, none_readable, read};
use crate::error::{Result, shown};
use crate::families::FAMILIES;
use crate::record::Record;
use crate::report::write_file;
use crate::suite::{Benchmark, Family};

/// Writes the page, and returns the exit code.
pub(super) fn page(arguments: &Arguments) -> Result<u8> {
    let out = arguments.out.as_deref().unwrap_or(Path::new("report.html"));
    check_new(out, arguments.force, "name another file with --out")?;
    let mut reports: Vec<Report> = Vec::new();
    for path in &arguments.files()? {
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
    if arguments.anonymous {
        reports.iter_mut().flat_map(|report| &mut report.records).for_each(Record::anonymize);
    }
    let is_by_model = arguments.by == By::Model;
    let rules = Rules { is_by_model, ..Rules::default() };
    let comparison = html::sides_by(&rules, &reports);
    let page = html::page(&html::data(&comparison), &kernels(&comparison));
    write_file(out, page.as_bytes(), arguments.force)?;
    print(&format!("{}\n", shown(out)))?;
    Ok(0)
}

/// The suite's kernels that have rows, with what `explain` says of them.
fn kernels(comparison: &Comparison) -> Vec<Kernel> {
    let kernel = |(family, benchmark): (&'static Family, &'static Benchmark)| {
        let texts = fields(family, benchmark).into_iter().filter(|(_, text)| !text.is_empty());
        Kernel {
            name: format!("{}/{}", family.name, benchmark.name),
            wgsl: if benchmark.wgsl.is_empty() { benchmark.glsl } else { benchmark.wgsl },
            cuda: benchmark.cuda,
            texts: texts.collect(),
        }
    };
    let is_there = html::benchmarks(comparison);
    let all = FAMILIES.iter().flat_map(|family| family.benchmarks.iter().map(move |benchmark| (*family, benchmark)));
    all.filter(|(family, benchmark)| is_there.contains(&(family.name, benchmark.name))).map(kernel).collect()
}

/// Name of a report: only folder and file, because the page must not show the author's paths.
fn name(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).map(Path::new);
    shown(&folder.map_or_else(PathBuf::new, Path::to_owned).join(path.file_name().unwrap_or_default()))
}
