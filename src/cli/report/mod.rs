//! `report`: writes a page, one CSV, the index of a folder, or data for github-action-benchmark.

mod arguments;
mod merge;

use std::path::{Path, PathBuf};

use super::explain::fields;
use super::format::By;
use super::output::print;
use super::outputs::{check_different, check_new};
use super::references::shipped;
use super::reports::{in_folder, is_csv, none_readable, read};
use answers::compare::{Comparison, Report, Rules};
use answers::index::{self, Entry, MARK};
use answers::page::{self as html, Kernel};
use answers::report::{Target, github, replace_file, write_file};
pub(super) use arguments::Arguments;
use arguments::Format;
use kernels::FAMILIES;
use merge::merge;
use record::Record;
use record::error::{Error, Result, shown, usage};
use record::format::plural;
use record::suite::{Benchmark, Family};

pub(super) fn report(arguments: &Arguments) -> Result<u8> {
    let by_ending = || arguments.out.as_deref().map_or(Ok(Format::Html), Format::of);
    match arguments.format.map_or_else(by_ending, Ok)? {
        Format::Html => page(arguments).map(|()| 0),
        Format::Csv => merge(arguments),
        Format::Index => index(arguments).map(|()| 0),
        Format::Github => github(arguments).map(|()| 0),
    }
}

/// Reads all reports, and in folders the wanted ones, called `kind` in errors. Refuses to read `out`.
fn read_all(
    arguments: &Arguments,
    out: Option<&Path>,
    is_wanted: fn(&Path) -> bool,
    kind: &str,
) -> Result<Vec<(PathBuf, Vec<Record>)>> {
    let check = |path: &Path| out.map_or(Ok(()), |out| check_different(("FILE", path), ("--out", out)));
    let mut all = Vec::new();
    for path in arguments.files()? {
        if !path.is_dir() {
            check(&path)?;
            let records = read(&path)?.records;
            all.push((path, records));
            continue;
        }
        let earlier = all.len();
        all.extend(in_folder(&path, is_wanted)?);
        all[earlier..].iter().try_for_each(|(path, _)| check(path))?;
        if all.len() == earlier {
            return Err(none_readable(&path, kind));
        }
    }
    if arguments.anonymous {
        all.iter_mut().flat_map(|(_, records)| records).for_each(Record::anonymize);
    }
    Ok(all)
}

fn page(arguments: &Arguments) -> Result<()> {
    let out = arguments.out.as_deref().unwrap_or(Path::new("report.html"));
    check_new(out, arguments.force, "name another file with --out")?;
    let reports = read_all(arguments, Some(out), |_| true, "CSV or JSON")?;
    let reports: Vec<Report> =
        reports.into_iter().map(|(path, records)| Report { name: name(&path), records }).collect();
    let rules = Rules { is_by_model: arguments.by == By::Model, ..Rules::default() };
    let comparison = html::sides_by(&rules, &reports);
    let page = html::page(&html::data(&comparison).beside(&comparison, &shipped()?.runs), &kernels(&comparison));
    write_file(out, page.as_bytes(), arguments.force)?;
    print(&format!("{}\n", shown(out)))
}

/// The suite's kernels that have rows, with their explanations.
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

/// Writes the times for github-action-benchmark to the file of `--out`, else to stdout.
fn github(arguments: &Arguments) -> Result<()> {
    let out = arguments.out.as_deref();
    out.map_or(Ok(()), |path| check_new(path, arguments.force, "name another file with --out").map(drop))?;
    let records = read_all(arguments, out, is_csv, "CSV")?;
    let records: Vec<Record> = records.into_iter().flat_map(|(_, records)| records).collect();
    if !records.iter().any(|row| row.status.is_timed() && row.median_ns.is_some()) {
        return Err(usage!("these reports have no timed row, so there is nothing to export"));
    }
    let text = github::write(&records);
    let Some(path) = out else { return print(&text) };
    write_file(path, text.as_bytes(), arguments.force)?;
    print(&format!("{}\n", shown(path)))
}

/// Writes README.md into the folder of reports that is the only argument.
fn index(arguments: &Arguments) -> Result<()> {
    let files = arguments.files()?;
    let [folder] = files.as_slice() else {
        return Err(usage!("--format index takes one folder of reports"));
    };
    if folder.is_file() {
        return Err(usage!("{} is a file: name a folder of reports", shown(folder)));
    }
    if arguments.out.is_some() {
        return Err(usage!("the index is always README.md in that folder: leave out --out"));
    }
    let path = folder.join("README.md");
    if !arguments.force && is_foreign(&path)? {
        return Err(usage!(
            "{} was not written by `report --format index`: move it away, or pass --force to overwrite it",
            shown(&path)
        ));
    }
    let reports = in_folder(folder, is_csv)?;
    let entries: Vec<Entry> = reports.map(|(path, records)| entry(folder, &path, records)).collect();
    if entries.is_empty() {
        return Err(none_readable(folder, "CSV"));
    }
    replace_file(&path, index::write(&entries, arguments.by == By::Model).as_bytes())?;
    let reports = plural(entries.len(), "report", "reports");
    print(&format!("{}: {reports}\n", shown(&path)))
}

/// Whether there is a file that this program did not write. It may not be text.
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
