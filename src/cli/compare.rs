//! `compare`: reads reports, holds them against each other, writes what comes of it.

use std::path::{Path, PathBuf};

use super::{CompareArguments, look, print};
use crate::engine::plan::{matcher, unknown_benchmark};
use crate::error::{Error, Result};
use crate::families::FAMILIES;
use crate::report::comparison::{Format, View, regression_lines, write};
use crate::report::{csv, open};
use crate::results::Record;
use crate::results::compare::{Report, compare as compare_reports};

/// The exit code where a case is certainly slower than was asked about.
const REGRESSION: u8 = 4;

/// Runs the command; gives the exit code.
pub(super) fn compare(arguments: &CompareArguments) -> Result<u8> {
    let (files, filters): (Vec<&String>, Vec<&String>) =
        arguments.files_and_filters.iter().partition(|argument| is_report(argument));
    let (baseline, others) = split(&arguments.baseline, files.into_iter().map(PathBuf::from).collect())?;
    let mut baseline = baseline.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    let mut others = others.iter().map(|path| read(path)).collect::<Result<Vec<_>>>()?;
    keep(&mut [&mut baseline, &mut others], &filters)?;
    let comparison = compare_reports(&baseline, &others);
    if comparison.matches.is_empty() {
        let named: Vec<_> = baseline.iter().chain(&others).map(|report| report.name.as_str()).collect();
        return Err(Error::Usage(format!(
            "there is nothing to compare: the rows of {} are of one side: name another report",
            named.join(", ")
        )));
    }
    let by_kernel: Vec<&str> = FAMILIES.iter().filter(|family| family.is_by_kernel).map(|family| family.name).collect();
    let limit = arguments.fail_on_regression.map(|percent| percent / 100.0);
    let view =
        View { look: look(), sort: arguments.sort, is_relative: arguments.relative, by_kernel: &by_kernel, limit };
    print(&write(&comparison, view, arguments.format))?;
    let Some(limit) = limit else { return Ok(0) };
    if matches!(arguments.format, Format::Csv | Format::Json) {
        // What programs read has no place for sentences.
        regression_lines(&comparison, limit).iter().for_each(|line| super::say(&line.text));
    }
    let is_certain = comparison.regressions(limit).iter().any(|regression| regression.is_certain);
    Ok(if is_certain { REGRESSION } else { 0 })
}

/// A number of percent, with or without the sign.
pub(super) fn percentage(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim_end().parse::<f64>().ok();
    let fault = || format!("'{text}' is no percentage: write a number from 0 on, as in 5");
    number.filter(|percent| percent.is_finite() && *percent >= 0.0).ok_or_else(fault)
}

/// Whether an argument names a report rather than benchmarks.
fn is_report(argument: &str) -> bool {
    let path = Path::new(argument);
    let has_ending = |ending: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
    path.is_file() || has_ending("csv") || has_ending("json")
}

/// The baseline's files and the others'. A file that --baseline names stands on that side alone.
fn split(baseline: &[PathBuf], mut files: Vec<PathBuf>) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    if baseline.is_empty() {
        if files.is_empty() {
            return Err(Error::Usage("compare needs a report: name a CSV or JSON file that `run` wrote".to_owned()));
        }
        let others = files.split_off(1);
        return Ok((files, others));
    }
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    files.retain(|file| !baseline.iter().any(|own| whole(own) == whole(file)));
    Ok((baseline.to_vec(), files))
}

/// The report in a file; what its reader should know of it is said at once.
pub(super) fn read(path: &Path) -> Result<Report> {
    let csv::Report { records, notes } = open(path)?;
    for note in &notes {
        super::say(&format!("{}: {note}", path.display()));
    }
    if records.is_empty() {
        return Err(Error::Usage(format!("{} has no rows: there is nothing to compare", path.display())));
    }
    Ok(Report { name: path.display().to_string(), records })
}

/// Drops the rows that no filter matches.
fn keep(sides: &mut [&mut Vec<Report>], filters: &[&String]) -> Result<()> {
    let matchers = filters.iter().map(|filter| matcher(filter)).collect::<Result<Vec<_>>>()?;
    let rows = || sides.iter().flat_map(|reports| reports.iter()).flat_map(|report| &report.records);
    for (filter, matches) in filters.iter().zip(&matchers) {
        if !rows().any(|record| matches(&record.name())) {
            return Err(unmatched(filter, rows()));
        }
    }
    if !matchers.is_empty() {
        for report in sides.iter_mut().flat_map(|reports| reports.iter_mut()) {
            report.records.retain(|record| matchers.iter().any(|matches| matches(&record.name())));
        }
    }
    Ok(())
}

/// The sentence for a filter that matches no row.
fn unmatched<'a>(filter: &str, rows: impl Iterator<Item = &'a Record>) -> Error {
    if Path::new(filter).is_dir() {
        return Error::Usage(format!("{filter} is a folder: name the reports in it, as in {filter}/*.csv"));
    }
    let (mut families, mut names) = (Vec::new(), Vec::new());
    for record in rows {
        for (known, name) in [(&mut families, record.family.clone()), (&mut names, record.name())] {
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    families.extend(names);
    let sentence = unknown_benchmark("family or benchmark", filter, &families);
    Error::Usage(format!("in these reports {sentence} (a report must exist or end in .csv or .json)"))
}
