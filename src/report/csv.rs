//! Records as CSV, and back.

use std::path::Path;

use crate::error::{Error, Result};
use crate::record::{COLUMNS, Record};

/// The report: a header and one row a record, every row complete in itself.
#[must_use]
pub fn write(records: &[Record]) -> Vec<u8> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let rows = std::iter::once(COLUMNS.iter().map(|column| column.name.to_owned()).collect::<Vec<_>>())
        .chain(records.iter().map(|record| COLUMNS.iter().map(|column| (column.get)(record)).collect()));
    for row in rows {
        // A Vec takes every write, and every row has as many fields as the header.
        let _ = writer.write_record(row);
    }
    writer.into_inner().unwrap_or_default()
}

/// Reads a report. Columns are found by name, in any order; unknown ones are passed over, missing ones stay empty.
///
/// # Errors
/// [`Error::Report`] with `path`, line and column.
pub fn read(path: &Path, bytes: &[u8]) -> Result<Vec<Record>> {
    let fault = |line: u64, message: String| Error::Report { path: path.to_owned(), line, message };
    let mut reader = ::csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let header = reader.headers().map_err(|error| fault(1, error.to_string()))?.clone();
    let columns: Vec<_> = header.iter().map(|name| COLUMNS.iter().find(|column| column.name == name)).collect();
    if columns.iter().flatten().count() == 0 {
        return Err(fault(1, "this is no shaderbench report: its first line names none of the columns".to_owned()));
    }
    let mut records = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| {
            let line = error.position().map_or(0, ::csv::Position::line);
            fault(line, error.to_string())
        })?;
        let line = row.position().map_or(0, ::csv::Position::line);
        let mut record = Record::default();
        for (column, text) in columns.iter().zip(row.iter()) {
            if let Some(column) = column {
                (column.set)(&mut record, text)
                    .map_err(|message| fault(line, format!("column {}: {message}", column.name)))?;
            }
        }
        records.push(record);
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;

    fn record() -> Record {
        Record {
            schema: Some(1),
            device: "A \"quoted\", long name".to_owned(),
            status: Status::Implausible,
            reason: "two\nlines".to_owned(),
            median_ns: Some(0.1 + 0.2),
            samples: Some(10),
            share: Some(1.07),
            ..Record::default()
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let records = vec![record(), Record::default()];
        assert_eq!(read(Path::new("r.csv"), &write(&records)).expect("own report"), records);
    }

    #[test]
    fn columns_are_found_by_name() {
        let text = b"status,extra,benchmark\nok,1,tiled\n";
        let records = read(Path::new("r.csv"), text).expect("two known columns");
        assert_eq!((records[0].benchmark.as_str(), records[0].status), ("tiled", Status::Ok));
    }

    #[test]
    fn faults_say_where() {
        let error = read(Path::new("r.csv"), b"status,median_ns\nok,1\nok,NaN\n").expect_err("NaN");
        assert_eq!(error.to_string(), "r.csv, line 3: column median_ns: 'NaN' is not a finite number");
        assert!(read(Path::new("r.csv"), b"a,b\n1,2\n").is_err());
    }
}
