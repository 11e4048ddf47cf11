//! Reads reports named on the command line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};

use rayon::prelude::*;

use super::output::say;
use super::references::{EXAMPLE, example, is_example};
use answers::compare::Report;
use answers::report::csv::Parsed;
use answers::report::reader;
use record::error::{Error, Result, shown, usage};
use record::format::joined;
use record::{Record, by_card, by_run, newest_runs};

/// Where runs write their reports by default. Git ignores it.
pub(super) const OWN: &str = "reports";

/// Folders to search for the newest report, the user's own first. `results/` has the committed reports, and those of
/// users of earlier versions.
pub(super) const FOLDERS: [&str; 2] = [OWN, "results"];

/// The report at `path`, or the newest one in the first of [`FOLDERS`] with wanted rows. In a folder, only reports
/// count that have at least half as many of the wanted benchmarks as any other: a run of one family does not hide a
/// whole run. `None` without one.
pub(super) fn named_or_newest(path: Option<&Path>, is_wanted: impl Fn(&Record) -> bool) -> Result<Option<Report>> {
    match path {
        Some(path) => Ok(Some(newest_run(read(path)?))),
        None => Ok(FOLDERS.iter().find_map(|folder| newest(Path::new(folder), &is_wanted))),
    }
}

/// The rows of the newest run of each card of a report.
fn newest_run(report: Report) -> Report {
    let Report { name, records } = report;
    let (newest, most) = newest_runs(&records);
    if most < 2 {
        return Report { name, records };
    }
    let day = newest.first().map_or("", |row| row.date.get(..10).unwrap_or(&row.date));
    say(&format!("{name} has {most} runs of the same card: showing the newest, {day}"));
    let records = newest.into_iter().cloned().collect();
    Report { name, records }
}

/// Reads the reports at these paths; without any, the newest report with wanted rows (see [`named_or_newest`]).
pub(super) fn all_or_newest(
    paths: &[PathBuf],
    is_wanted: impl Fn(&Record) -> bool,
    none: fn() -> Error,
) -> Result<Vec<Report>> {
    if paths.is_empty() { Ok(vec![named_or_newest(None, is_wanted)?.ok_or_else(none)?]) } else { read_all(paths) }
}

/// Splits a report with several runs of one card into a report for each run, of the same name (and card, if there are
/// several): rows of two runs are never compared as if they were one.
fn runs(report: Report) -> Vec<Report> {
    let (_, most) = newest_runs(&report.records);
    if most < 2 {
        return vec![report];
    }
    let runs = by_run(&report.records);
    let has_one_card = by_card(&report.records).len() == 1;
    let run = |rows: Vec<&Record>| {
        let id = rows[0].card_id();
        let facts = [report.name.as_str(), id.host, id.name];
        let name = if has_one_card { report.name.clone() } else { joined(facts, ", ") };
        Report { name, records: rows.into_iter().cloned().collect() }
    };
    runs.into_iter().map(run).collect()
}

/// Adds the start of the run to names that several runs share.
pub(super) fn name_runs(reports: &mut [(String, Vec<Record>)]) {
    let names: Vec<String> = reports.iter().map(|(name, _)| name.clone()).collect();
    for (name, records) in reports {
        if names.iter().filter(|other| *other == name).count() > 1 {
            let date = records.first().map_or("", |row| row.date.as_str());
            *name = format!("{name}, run of {}", date.get(..16).unwrap_or(date).replace('T', " "));
        }
    }
}

/// Reads a report and requires rows. The reader's notes go to stderr.
pub(super) fn read(path: &Path) -> Result<Report> {
    if is_example(path) {
        return example_report();
    }
    let report = reader::open(path).map_err(|error| {
        let is_name = path.extension().is_none() && path.components().count() == 1 && !path.exists();
        if !is_name {
            return error;
        }
        let meant = meant(&path.to_string_lossy());
        usage!("{}; {}", error.chain(), meant.as_deref().unwrap_or(BROUGHT_ALONG))
    })?;
    accepted(path, report)
}

pub(super) fn example_report() -> Result<Report> {
    Ok(Report { name: format!("{EXAMPLE}, the example"), records: example()?.records })
}

/// Asks whether the newest report in a folder of this name was meant.
fn meant(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let reports = |folder: &&str| reader::files(Path::new(folder)).map_or_else(|_| Vec::new(), |found| found.reports);
    let has_name = |path: &PathBuf| {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        is_csv(path) && folder.to_string_lossy().to_lowercase().contains(&name)
    };
    let found = FOLDERS.iter().flat_map(reports).filter(has_name);
    let newest = found.max_by_key(|path| path.file_name().map(ToOwned::to_owned))?;
    (name.len() > 1).then(|| format!("did you mean the report {}?", shown(&newest)))
}

/// The error for unknown names, with a suggestion if one of them is the folder of a report.
pub(super) fn or_meant(error: Error, names: &[String]) -> Error {
    let meant = |name: &String| Some(usage!("there is no report or benchmark '{name}': {}", meant(name)?));
    names.iter().find_map(meant).unwrap_or(error)
}

/// What to name in place of a report that does not exist.
const BROUGHT_ALONG: &str = "`h100` is a built-in report; `shaderbench run` writes reports to reports/";

/// Prints the reader's notes, and requires rows.
fn accepted(path: &Path, report: Parsed) -> Result<Report> {
    for note in &report.notes {
        say(&format!("{}: {note}", shown(path)));
    }
    let records = reader::with_rows(path, report)?.records;
    Ok(Report { name: shown(path), records })
}

/// Whether a file in a folder is read: a run's JSON report has the same rows as its CSV.
pub(super) fn is_csv(path: &Path) -> bool {
    reader::has_ending(path, "csv")
}

const FILES_AT_ONCE: usize = 32;

/// Reads the wanted reports of a folder, several at once, and returns them in order. A file that is no report is named
/// on stderr and skipped: anyone may have put it there.
pub(super) fn in_folder(
    folder: &Path,
    is_wanted: impl Fn(&Path) -> bool,
) -> Result<impl Iterator<Item = (PathBuf, Vec<Record>)>> {
    let found = reader::files(folder)?;
    found.notes.iter().for_each(|note| say(note));
    let open = |path: PathBuf| (reader::open(&path), path);
    let or_say = |(read, path): (Result<Parsed>, PathBuf)| match read.and_then(|report| accepted(&path, report)) {
        Ok(report) => Some((path, report.records)),
        Err(error) => {
            say(&format!("skipped a report: {}", error.chain()));
            None
        }
    };
    let wanted: Vec<PathBuf> = found.reports.into_iter().filter(|path| is_wanted(path)).collect();
    let parts: Vec<Vec<PathBuf>> = wanted.chunks(FILES_AT_ONCE).map(<[PathBuf]>::to_vec).collect();
    let read = move |part: Vec<PathBuf>| part.into_par_iter().map(open).collect::<Vec<_>>();
    Ok(parts.into_iter().flat_map(read).filter_map(or_say))
}

/// Reads the reports at these paths, and the CSV reports in folders: a report for each run of each card.
pub(super) fn read_all(paths: &[PathBuf]) -> Result<Vec<Report>> {
    let mut reports = Vec::new();
    for path in paths {
        if !path.is_dir() {
            reports.extend(runs(read(path)?));
            continue;
        }
        let earlier = reports.len();
        let found = in_folder(path, is_csv)?;
        reports.extend(found.flat_map(|(path, records)| runs(Report { name: shown(&path), records })));
        if reports.len() == earlier {
            return Err(none_readable(path, "CSV"));
        }
    }
    Ok(reports)
}

/// The error of a command that finds no report in [`FOLDERS`].
pub(super) fn none_yet() -> Error {
    usage!(
        "there is no report in reports/ or results/: run `shaderbench`, name a file, or use `h100`, the built-in \
         report of an NVIDIA H100"
    )
}

/// What [`stream`] read.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    pub(super) files: usize,
    pub(super) unreadable: usize,
}

/// Bytes of the files that are read at once.
const AT_ONCE: u64 = 16 << 20;

/// Reads the reports at these paths and in folders, except the file `except`, in order of the paths. Passes rows on
/// while further files are read, so that thousands of reports need little memory. A file in a folder that is no report
/// is named on stderr and counted.
pub(super) fn stream(
    paths: &[PathBuf],
    except: Option<&Path>,
    mut each: impl FnMut(Vec<Record>) -> Result<()>,
) -> Result<Streamed> {
    let mut files: Vec<(PathBuf, bool)> = Vec::new();
    for path in paths {
        if path.is_dir() {
            let found = reader::files(path)?;
            found.notes.iter().for_each(|note| say(note));
            files.extend(found.reports.into_iter().map(|path| (path, false)));
        } else {
            files.push((path.clone(), true));
        }
    }
    let whole = |path: &Path| path.canonicalize().ok();
    files.retain(|(path, is_named)| *is_named || except.is_none_or(|except| whole(path) != whole(except)));
    let (sender, receiver) = sync_channel(1);
    let mut streamed = Streamed::default();
    std::thread::scope(|scope| {
        scope.spawn(|| send(&files, sender));
        for (path, is_named, read) in receiver {
            match read {
                Ok(report) => {
                    report.notes.iter().for_each(|note| say(&format!("{}: {note}", shown(path))));
                    streamed.files += 1;
                    each(report.records)?;
                }
                Err(error) if is_named => return Err(error),
                Err(error) => {
                    say(&format!("skipped a report: {}", error.chain()));
                    streamed.unreadable += 1;
                }
            }
        }
        Ok(streamed)
    })
}

/// A file, whether the user named it, and its content.
type Sent<'a> = (&'a Path, bool, Result<Parsed>);

/// Reads the files, several at once, and sends their contents in order. Stops when the receiver is dropped.
fn send<'a>(files: &'a [(PathBuf, bool)], sender: SyncSender<Sent<'a>>) {
    let mut rest = files;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |(path, _): &&(PathBuf, bool)| {
            // A compressed report is a tenth as large.
            let factor = if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")) { 10 } else { 1 };
            bytes += factor * path.metadata().map_or(0, |metadata| metadata.len());
            bytes <= AT_ONCE
        };
        let (now, later) = rest.split_at(rest.iter().take_while(fits).count().max(1));
        rest = later;
        let reports: Vec<Sent> =
            now.par_iter().map(|(path, is_named)| (path.as_path(), *is_named, reader::open(path))).collect();
        for report in reports {
            if sender.send(report).is_err() {
                return;
            }
        }
    }
}

pub(super) fn none_readable(folder: &Path, kind: &str) -> Error {
    usage!("{} contains no readable {kind} report", shown(folder))
}

/// The newest report in `folder`, by its newest wanted row, among those that [`named_or_newest`] counts. Unreadable
/// reports are skipped with a note.
fn newest(folder: &Path, is_wanted: impl Fn(&Record) -> bool) -> Option<Report> {
    let reports = in_folder(folder, is_csv).ok()?;
    let mut found: Vec<(String, usize, PathBuf)> = Vec::new();
    for (path, records) in reports {
        let wanted = || records.iter().filter(|row| is_wanted(row));
        let benchmarks: BTreeSet<String> = wanted().map(Record::name).collect();
        found.extend(wanted().map(|row| row.date.clone()).max().map(|date| (date, benchmarks.len(), path)));
    }
    let most = found.iter().map(|(_, count, _)| *count).max()?;
    let (_, _, path) = found.into_iter().filter(|(_, count, _)| 2 * count >= most).max()?;
    Some(newest_run(Report { name: shown(&path), records: reader::open(&path).ok()?.records }))
}
