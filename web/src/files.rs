//! Reads, writes and compares the report files of the page's user.

use std::path::Path;

use serde_json::{Value, json};
use shaderbench::answers::compare::text::{self as comparison, OutputFormat, Sort, View, write};
use shaderbench::answers::compare::{CaseComparison, Comparison, Pair, Report, Side, compare as compare_reports};
use shaderbench::answers::page as html;
use shaderbench::error::{Error, Result};
use shaderbench::families::FAMILIES;
use shaderbench::record::Record;
use shaderbench::report::{Terminal, table};
use shaderbench::report::{csv as csv_report, json as json_report, reader};

/// Converts a JSON report to CSV.
pub(crate) fn csv(json: &str) -> Result<String> {
    let records = json_report::read(Path::new("this run"), json.as_bytes())?.records;
    Ok(String::from_utf8_lossy(&csv_report::write(&records)).into_owned())
}

/// The rows of a file, and notes about it for the user.
fn read(name: &str, text: &str) -> Result<(Vec<Record>, Vec<String>)> {
    let path = Path::new(name);
    let report = reader::with_rows(path, reader::read(path, text.as_bytes())?)?;
    Ok((report.records, report.notes))
}

/// A report's devices, date and number of rows, and notes about it.
pub(crate) fn inspect(name: &str, text: &str) -> Result<Value> {
    let (records, notes) = read(name, text)?;
    let mut devices: Vec<String> = Vec::new();
    for record in &records {
        let device = format!("{} ({})", record.device, record.api_name());
        if !devices.contains(&device) {
            devices.push(device);
        }
    }
    Ok(json!({ "rows": records.len(), "devices": devices, "date": records[0].date, "notes": notes }))
}

/// The headline figures of a JSON report: what a link holds. `null` without any.
pub(crate) fn figures(json: &str) -> Result<Value> {
    let records = json_report::read(Path::new("this run"), json.as_bytes())?.records;
    let figures = html::headlines(&records.iter().collect::<Vec<_>>());
    let Some(run) = records.first().filter(|_| !figures.is_empty()) else { return Ok(Value::Null) };
    Ok(json!({
        "device": run.device, "driver": run.driver, "date": run.date.get(..10), "version": run.tool_version,
        "figures": figures,
    }))
}

fn reports(named: &[(String, String)]) -> Result<Vec<Report>> {
    let report = |(name, text): &(String, String)| Ok(Report { name: name.clone(), records: read(name, text)?.0 });
    named.iter().map(report).collect()
}

/// The data of the report page, as JSON.
pub(crate) fn charts(named: &[(String, String)]) -> Result<String> {
    let mut reports = reports(named)?;
    html::share_samples(&mut reports);
    let comparison = html::sides(&reports);
    Ok(serde_json::to_string(&html::data(&comparison)).unwrap_or_default())
}

/// Compares the reports, given as names and texts, with the first one.
pub(crate) fn compare(named: &[(String, String)]) -> Result<Value> {
    let mut reports = reports(named)?;
    let others = reports.split_off(reports.len().min(1));
    let comparison = compare_reports(&reports, &others);
    if comparison.matches.is_empty() {
        let names: Vec<_> = named.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(", ");
        return Err(Error::Usage(format!(
            "there is nothing to compare: the rows of {names} belong to one side: add another report"
        )));
    }
    let by_kernel: Vec<&str> = FAMILIES.iter().filter(|family| family.is_by_kernel).map(|family| family.name).collect();
    let terminal = Terminal { width: 100, has_color: false };
    let view = View { terminal, sort: Sort::Family, has_all_rows: true, by_kernel: &by_kernel, limit: None };
    let matches = 0..comparison.matches.len();
    let tally = |of| comparison::tally_lines(&comparison, of);
    let answer = |of| comparison::answer(&comparison, of).join(" ");
    Ok(json!({
        "sides": comparison.sides.iter().map(side).collect::<Vec<_>>(),
        "matches": comparison.matches.iter().map(|of| comparison.sides[of.side].label.as_str()).collect::<Vec<_>>(),
        "sentences": matches.clone().map(answer).chain(matches.clone().flat_map(tally)).collect::<Vec<_>>(),
        "rule": comparison::rule(&comparison),
        "left_out": matches.flat_map(|of| comparison::left_out(&comparison, of)).collect::<Vec<_>>(),
        "cases": comparison.cases.iter().filter_map(|one| case(&comparison, one, &by_kernel)).collect::<Vec<_>>(),
        "markdown": write(&comparison, view, OutputFormat::Markdown),
    }))
}

fn side(side: &Side) -> Value {
    let (title, days) = (comparison::title(side), comparison::days(side));
    json!({ "label": side.label, "title": title, "driver": side.driver, "days": days })
}

/// A case with times on both sides of at least one match; `None` for others.
fn case(comparison: &Comparison, case: &CaseComparison, by_kernel: &[&str]) -> Option<Value> {
    let pair = |pair: Option<&Pair>| {
        let pair = pair?;
        let marks: Vec<String> = pair.marks.iter().map(|mark| comparison::marked(*mark)).collect();
        Some(json!({ "ratio": comparison::change(&pair.ratio), "verdict": pair.verdict.name(), "marks": marks }))
    };
    case.pairs.values().next()?;
    let time = |side: usize| table::time(case.timing(side).map(|timing| timing.median_ns));
    let texts = table::texts(by_kernel.contains(&case.row.family.as_str()), &[], case.row);
    Some(json!({
        "family": case.row.family, "group": texts.group, "name": texts.name,
        "times": (0..comparison.sides.len()).map(time).collect::<Vec<_>>(),
        "pairs": (0..comparison.matches.len()).map(|of| pair(case.pairs.get(of))).collect::<Vec<_>>(),
    }))
}
