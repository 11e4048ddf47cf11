//! Writes records as JSON (the CSV columns and all samples), and reads them.

use std::borrow::Cow;
use std::path::Path;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::accepted::{AcceptedRows, Cell, Parsed, column, quoted};
use record::error::{Error, Result, visible};
use record::{COLUMNS, Record};

/// An array with one object per record: the CSV columns by name (null for missing figures), `samples_ns`, and
/// `epoch_samples`, the number of samples in each epoch; `picture_hash` if the kernel made an image; `conditions`
/// before and after the case if the device reports them.
#[must_use]
pub fn write(records: &[Record]) -> Vec<u8> {
    let object = |record: &Record| {
        let mut object = columns(record);
        object.insert("samples_ns".to_owned(), record.all_samples_ns.clone().into());
        object.insert("epoch_samples".to_owned(), record.epoch_samples.clone().into());
        if let Some(hash) = &record.picture_hash {
            object.insert("picture_hash".to_owned(), hash.clone().into());
        }
        if let Some(conditions) = &record.conditions {
            object.insert("conditions".to_owned(), serde_json::to_value(conditions).unwrap_or_default());
        }
        Value::Object(object)
    };
    let mut text = serde_json::to_vec_pretty(&records.iter().map(object).collect::<Vec<_>>()).unwrap_or_default();
    text.push(b'\n');
    text
}

/// The columns of a row by name; null for missing figures.
#[must_use]
pub fn columns(record: &Record) -> Map<String, Value> {
    COLUMNS.iter().map(|column| (column.name.to_owned(), (column.json)(record))).collect()
}

/// Reads a report by the rules of [`csv::read`](super::csv::read).
///
/// # Errors
/// [`Error::Report`] with `path`, line and column.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Parsed> {
    let fault = |line: usize, message: String| Error::Report { path: path.to_owned(), line: line as u64, message };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        fault(line, "the file is not UTF-8".to_owned())
    })?;
    let text = text.trim_start_matches('\u{feff}');
    // Keeps the raw text of each row, so that errors can name its line.
    let rows: Vec<&RawValue> = serde_json::from_str(text).map_err(|error| fault(error.line(), not_json(&error)))?;
    let mut accepted_rows = AcceptedRows::default();
    // Lines are counted from the previous row: counting from the start would take quadratic time.
    let (mut counted, mut line) = (0, 1);
    for row in rows {
        let start = row.get().as_ptr() as usize - text.as_ptr() as usize;
        line += text[counted..start].bytes().filter(|byte| *byte == b'\n').count();
        counted = start;
        add(&mut accepted_rows, line as u64, row.get()).map_err(|message| fault(line, message))?;
    }
    Ok(accepted_rows.report())
}

fn not_json(error: &serde_json::Error) -> String {
    match error.classify() {
        serde_json::error::Category::Data => "not a shaderbench report: it is not an array of rows".to_owned(),
        serde_json::error::Category::Eof => "the file is cut off".to_owned(),
        _ => format!("invalid JSON at character {}", error.column()),
    }
}

fn add(accepted_rows: &mut AcceptedRows, line: u64, text: &str) -> Result<(), String> {
    let object: Map<String, Value> =
        serde_json::from_str(text).map_err(|_| "a row must be an object whose keys are column names".to_owned())?;
    let cells: Vec<Cell> =
        COLUMNS.iter().filter_map(|column| Some((column, text_of(object.get(column.name)?)))).collect();
    if cells.is_empty() {
        return Err("not a shaderbench report: a row has no known column".to_owned());
    }
    let unknown: Vec<String> = object.keys().filter(|key| !is_known(key)).map(|key| quoted(key)).collect();
    accepted_rows.columns(&unknown, |name| object.contains_key(name));
    accepted_rows.row(line, &cells, |record| complete(record, &object))
}

fn is_known(key: &str) -> bool {
    column(key).is_some() || ["samples_ns", "epoch_samples", "picture_hash", "conditions"].contains(&key)
}

/// The text of a value, as in a CSV.
fn text_of(value: &Value) -> Result<Cow<'_, str>, String> {
    match value {
        Value::Null => Ok(Cow::Borrowed("")),
        Value::String(text) => Ok(Cow::Borrowed(text)),
        Value::Number(number) => Ok(Cow::Owned(number.to_string())),
        Value::Array(items) if items.iter().all(Value::is_number) => {
            Ok(Cow::Owned(items.iter().map(Value::to_string).collect::<Vec<_>>().join(";")))
        }
        other => Err(format!("{} is neither a string nor a number", quoted(&other.to_string()))),
    }
}

/// Sets the fields that only JSON has.
fn complete(record: &mut Record, object: &Map<String, Value>) -> Result<(), String> {
    if let Some(samples) = object.get("samples_ns") {
        record.all_samples_ns = samples_of(samples).ok_or("`samples_ns` must be an array of positive times")?;
    }
    if let Some(counts) = object.get("epoch_samples") {
        let counts = serde_json::from_value(counts.clone());
        record.epoch_samples = counts.map_err(|_| "`epoch_samples` must be an array of counts")?;
    }
    record.picture_hash = object.get("picture_hash").and_then(Value::as_str).map(|hash| visible(hash).into_owned());
    Ok(())
}

fn samples_of(value: &Value) -> Option<Vec<f64>> {
    if value.is_null() {
        return Some(Vec::new());
    }
    value.as_array()?.iter().map(|sample| sample.as_f64().filter(|ns| *ns > 0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Status;
    use record::suite::Extent;

    fn read_text(text: &str) -> Result<Parsed> {
        read(Path::new("r.json"), text.as_bytes())
    }

    fn records(bytes: &[u8]) -> Vec<Record> {
        let report = read(Path::new("r.json"), bytes).expect("own report");
        assert_eq!(report.notes, Vec::<String>::new());
        report.records
    }

    #[test]
    fn what_is_written_is_read_back() {
        let record = Record {
            schema: Some(1),
            device: "A \"quoted\" name".to_owned(),
            status: Status::Implausible,
            median_ns: Some(0.1 + 0.2),
            samples: Some(2),
            all_samples_ns: vec![0.25, 0.35],
            picture_hash: Some("abc".to_owned()),
            ..Record::default()
        };
        let all = vec![record, Record::default()];
        assert_eq!(records(&write(&all)), all);
        assert_eq!(records(&write(&[])), []);
    }

    /// Rows from the JSON and the CSV of a run must compare equal to be recognized as the same measurement.
    #[test]
    fn a_figure_is_read_back_to_the_last_bit() {
        // Thousands of fractions from an additive sequence: an inexact parser rounds only a few of them incorrectly.
        let all: Vec<Record> = (1..5000_u32)
            .map(|i| Record {
                n: Some(Extent::Linear(i.into())),
                median_ns: Some(1e6 * (f64::from(i) * 0.618_033_988_749_895).fract()),
                ..Record::default()
            })
            .collect();
        assert_eq!(records(&write(&all)), all);
    }

    #[test]
    fn unknown_and_missing_keys_and_a_byte_order_mark_are_no_fault() {
        let text = "\u{feff}[{\"family\": \"a\", \"benchmark\": \"tiled\", \"status\": \"ok\", \"watts\": [1]}]";
        let report = read_text(text).expect("a report");
        assert_eq!(report.records[0].benchmark, "tiled");
        assert_eq!(report.notes[0], "unknown columns, ignored: watts");
        assert!(report.notes[1].starts_with("missing columns, left empty: schema, "), "{:?}", report.notes);
    }

    #[test]
    fn faults_say_where() {
        fn row(rest: &str) -> String {
            format!("{{\"family\": \"a\", \"benchmark\": \"b\", \"status\": \"ok\", {rest}}}")
        }
        for (text, sentence) in [
            (
                &*format!("[\n{},\n{}]", row("\"median_ns\": 1"), row("\"median_ns\": \"x\"")),
                "r.json, line 3: column median_ns: 'x' is not a finite number",
            ),
            (&format!("[\n{}]", row("\"n\": true")), "r.json, line 2: column n: true is neither a string nor a number"),
            (&format!("[{}]", row("\"min_ns\": -1")), "r.json, line 1: column min_ns: '-1' is negative"),
            (
                "[{\"family\": \"a\", \"benchmark\": \"b\"}]",
                "r.json, line 1: column status is missing; every row must have family, benchmark, status",
            ),
            ("[\n{\"median_ns\": 1", "r.json, line 2: the file is cut off"),
            ("[\n{\"n\": NaN}]", "r.json, line 2: invalid JSON at character 7"),
            ("{\"n\": 1}", "r.json, line 1: not a shaderbench report: it is not an array of rows"),
            ("[{\"x\": 1}]", "r.json, line 1: not a shaderbench report: a row has no known column"),
            ("[7]", "r.json, line 1: a row must be an object whose keys are column names"),
            (
                &format!("[{}]", row("\"samples_ns\": [1, -2]")),
                "r.json, line 1: `samples_ns` must be an array of positive times",
            ),
            ("", "r.json, line 1: the file is cut off"),
        ] {
            assert_eq!(read_text(text).expect_err(text).to_string(), sentence);
        }
        let error = read(Path::new("r.json"), b"[\n\xff]").expect_err("no UTF-8");
        assert_eq!(error.to_string(), "r.json, line 2: the file is not UTF-8");
    }
}
