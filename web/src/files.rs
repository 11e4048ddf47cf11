//! Reads and writes the user's report files.

use std::path::Path;

use answers::compare::Report;
use answers::page as html;
use answers::report::{csv as csv_report, json as json_report, reader};
use record::Record;
use record::error::Result;
use serde_json::{Value, json};

pub(crate) fn csv(json: &str) -> Result<String> {
    let records = json_report::read(Path::new("this run"), json.as_bytes())?.records;
    Ok(String::from_utf8_lossy(&csv_report::write(&records)).into_owned())
}

/// A file's rows, and notes for the user.
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

fn reports(named: &[(String, String)]) -> Result<Vec<Report>> {
    let report = |(name, text): &(String, String)| Ok(Report { name: name.clone(), records: read(name, text)?.0 });
    named.iter().map(report).collect()
}

/// The report page's data, as JSON.
pub(crate) fn charts(named: &[(String, String)]) -> Result<String> {
    let reports = reports(named)?;
    let comparison = html::sides(&reports);
    Ok(serde_json::to_string(&html::data(&comparison)).unwrap_or_default())
}
