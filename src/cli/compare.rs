//! `compare`: reads reports, compares them and prints the comparison.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::format::By;
use super::output::{print, print_json, say, terminal};
use super::references::{is_example, shipped};
use super::reports::{or_meant, read_all};
use super::values::percentage;
use answers::compare::text::{OutputFormat, Sort, View, regression_lines, undecided, write};
use answers::compare::{Comparison, Report, Rules, compare_by};
use answers::references;
use answers::report::{Medium, reader, sort_records};
use gpu::engine::plan::filter::Filter;
use gpu::engine::plan::unknown_benchmark;
use kernels::FAMILIES;
use record::error::{Error, Result, usage};
use record::format::distinct;
use record::{MARGIN, MARGIN_IN_TURNS, Record};

/// Exit code for a case slower than the limit, beyond the noise of the runs.
const REGRESSION: u8 = 4;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Reports or folders of reports, baseline first, then filters as in `run`
    ///
    /// A report is a CSV or JSON file; a folder selects its CSV reports. Runs with the same card, API, driver and
    /// shaderbench version are pooled. If you name one report, its APIs, cards or compilers are compared with each
    /// other. If it has a single API, card and compiler, its headline figures are compared with built-in reports of the
    /// same model.
    #[arg(value_name = "FILE|DIR|FILTER", required_unless_present = "baseline")]
    files_and_filters: Vec<String>,
    /// Baseline report; repeat the option to pool several [default: the first report]
    #[arg(long, value_name = "FILE")]
    baseline: Vec<PathBuf>,
    /// Exit with code 4 if a case is slower by more than PCT percent
    ///
    /// Only times from the device's clock count. A slow-down must exceed the limit by more than the measured noise,
    /// corrected for the number of cases. With one run per side, the slow-down may still be run-to-run variation. The
    /// exit code is 1 if no case can be judged.
    #[arg(long, value_name = "PCT", value_parser = percentage)]
    fail_on_regression: Option<f64>,
    /// Treat differences below this many percent as no change [default: 1.25; 0.5 for runs with --against]
    #[arg(long, value_name = "PCT", value_parser = percentage)]
    margin: Option<f64>,
    /// Pool the runs of each card, or of all cards of a model
    #[arg(long, value_enum, default_value_t)]
    by: By,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: OutputFormat,
    /// Sort order of the rows [default: family]
    #[arg(long, value_enum)]
    sort: Option<Sort>,
    /// Show every row, not only changed rows
    #[arg(long)]
    all: bool,
}

/// Compares the two sides of an --against run, and returns the exit code.
pub(super) fn compare_turns(report: Report, fail_on_regression: Option<f64>) -> Result<u8> {
    let reports = [report];
    let comparison = compare_by(&Rules { margin: MARGIN_IN_TURNS, ..Rules::default() }, &reports, &[]);
    let limit = fail_on_regression.map(|percent| percent / 100.0);
    let view =
        View { terminal: terminal(), sort: Sort::default(), has_all_rows: false, by_kernel: &by_kernel(), limit };
    print(&write(&comparison, view, OutputFormat::Table))?;
    exit_code(&comparison, limit)
}

/// The families whose rows are grouped by kernel.
fn by_kernel() -> Vec<&'static str> {
    FAMILIES.iter().filter(|family| family.is_by_kernel).map(|family| family.name).collect()
}

/// Returns [`REGRESSION`] if a case is certainly slower by more than the limit. Fails if no case can be judged.
fn exit_code(comparison: &Comparison, limit: Option<f64>) -> Result<u8> {
    let Some(limit) = limit else { return Ok(0) };
    if comparison.regressions(limit).iter().any(|regression| regression.is_certain) {
        return Ok(REGRESSION);
    }
    // A check that could not fail must not look like one that passed.
    undecided(comparison).map_or(Ok(0), |sentence| Err(Error::Undecided(sentence)))
}

pub(super) fn compare(arguments: &Arguments) -> Result<u8> {
    let (files, filters): (Vec<&String>, Vec<&String>) =
        arguments.files_and_filters.iter().partition(|argument| is_report(argument));
    let files = files.into_iter().map(PathBuf::from).collect();
    let (baseline, others) =
        split(&arguments.baseline, files).map_err(|error| or_meant(error, &arguments.files_and_filters))?;
    let (mut baseline, mut others) = (read_all(&baseline)?, read_all(&others)?);
    baseline.iter_mut().chain(&mut others).for_each(|report| sort_records(&mut report.records));
    let selecting = filters_of(&[&baseline, &others], &filters)?;
    let is_compared =
        |record: &Record| selecting.is_empty() || selecting.iter().any(|filter| filter.matches(&record.name()));
    // A kernel of the user's own has the name that the user gave it.
    let is_named = |record: &Record| {
        FAMILIES.iter().all(|family| family.name != record.family)
            || filters.iter().any(|filter| ***filter == record.name())
    };
    let has_turns = |report: &Report| report.records.iter().any(|row| row.is_against());
    let usual = if others.is_empty() && baseline.iter().any(has_turns) { MARGIN_IN_TURNS } else { MARGIN };
    let rules = Rules {
        margin: arguments.margin.map_or(usual, |percent| percent / 100.0),
        is_compared: &is_compared,
        is_named: &is_named,
        is_by_model: arguments.by == By::Model,
        ..Rules::default()
    };
    let comparison = compare_by(&rules, &baseline, &others);
    if comparison.matches.is_empty() {
        let has_limit = arguments.fail_on_regression.is_some();
        if filters.is_empty() && !has_limit && beside_references(baseline.iter().chain(&others), arguments.format)? {
            return Ok(0);
        }
        let named: Vec<_> = baseline.iter().chain(&others).map(|report| report.name.as_str()).collect();
        return Err(usage!(
            "nothing to compare: all rows of {} have the same {}, API, driver and version; name another report",
            named.join(", "),
            if arguments.by == By::Model { "model" } else { "card" }
        ));
    }
    let limit = arguments.fail_on_regression.map(|percent| percent / 100.0);
    let view = View {
        terminal: terminal(),
        sort: arguments.sort.unwrap_or_default(),
        // A user who names rows or their order wants to see them.
        has_all_rows: arguments.all || !filters.is_empty() || arguments.sort.is_some(),
        by_kernel: &by_kernel(),
        limit,
    };
    print(&write(&comparison, view, arguments.format))?;
    if let (Some(limit), OutputFormat::Json) = (limit, arguments.format) {
        // JSON contains no sentences, so print them to stderr.
        regression_lines(&comparison, limit).iter().for_each(|line| say(&line.text));
    }
    exit_code(&comparison, limit)
}

/// Prints the headlines of each report beside those of the built-in reports. Returns whether there are any headlines.
fn beside_references<'a>(reports: impl Iterator<Item = &'a Report>, format: OutputFormat) -> Result<bool> {
    let references = shipped()?.runs;
    let runs: Vec<_> =
        reports.flat_map(|report| references::beside(&report.name, &report.records, &references)).collect();
    match format {
        _ if runs.is_empty() => return Ok(false),
        OutputFormat::Json => print_json(&runs)?,
        OutputFormat::Markdown => print(&references::write(&runs, Medium::Markdown))?,
        _ => print(&references::write(&runs, Medium::Terminal(terminal())))?,
    }
    Ok(true)
}

/// Whether an argument is a report or a folder of reports, not a filter.
fn is_report(argument: &str) -> bool {
    let path = Path::new(argument);
    // A pipe is a report too.
    let is_file = path.exists() && !path.is_dir();
    is_file || is_example(path) || reader::is_report_name(path) || path.is_dir() && reader::files(path).is_ok()
}

/// Splits files into baseline and others. Files given by --baseline are removed from the others.
fn split(baseline: &[PathBuf], mut files: Vec<PathBuf>) -> Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    if baseline.is_empty() {
        if files.is_empty() {
            return Err(usage!("compare needs a report: name a CSV or JSON file that `run` wrote"));
        }
        let others = files.split_off(1);
        return Ok((files, others));
    }
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    files.retain(|file| !baseline.iter().any(|report| whole(report) == whole(file)));
    Ok((baseline.to_vec(), files))
}

/// Filters for the rows' names. Fails if one of them matches no row.
fn filters_of(sides: &[&[Report]], texts: &[&String]) -> Result<Vec<Filter>> {
    let rows = || sides.iter().flat_map(|reports| reports.iter()).flat_map(|report| &report.records);
    let names: Vec<String> = rows().map(Record::name).collect::<BTreeSet<_>>().into_iter().collect();
    let filter = |text: &&String| {
        let filter = Filter::new(text, &names)?;
        let is_matching = names.iter().any(|name| filter.matches(name));
        if is_matching { Ok(filter) } else { Err(unmatched(text, rows())) }
    };
    texts.iter().map(filter).collect()
}

fn unmatched<'a>(filter: &str, rows: impl Iterator<Item = &'a Record>) -> Error {
    if Path::new(filter).is_dir() {
        return usage!("{filter} is a folder without reports: no file in the folder ends in .csv or .json");
    }
    let (families, names): (Vec<_>, Vec<_>) = rows.map(|row| (row.family.clone(), row.name())).unzip();
    let families = [distinct(families), distinct(names)].concat();
    let sentence = unknown_benchmark("family or benchmark", filter, &families);
    usage!("in these reports, {sentence} (a report is an existing file or a name that ends in .csv or .json)")
}
