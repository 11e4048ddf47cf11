//! Writes and reads records as CSV.

mod fields;
mod header;

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Result};
use crate::results::{COLUMNS, Record, SCHEMA};
use fields::{Fields, Splitter};
use header::Header;

/// The report: a header, then one row per record. Each row is complete and starts on a new line.
#[must_use]
pub fn write<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<u8> {
    let mut text = lines(std::iter::once(COLUMNS.iter().map(|column| column.name.to_owned()).collect()));
    text.extend(write_rows(records));
    text
}

/// The rows without a header, to append to a report.
#[must_use]
pub fn write_rows<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<u8> {
    lines(records.into_iter().map(|record| COLUMNS.iter().map(|column| (column.get)(record)).collect()))
}

fn lines(rows: impl Iterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writes to a Vec cannot fail, and every row has as many fields as the header.
        let _ = writer.write_record(row);
    }
    writer.into_inner().unwrap_or_default()
}

/// Maximum number of notes about headers.
const MOST_NOTES: usize = 20;

/// The content of a report file.
#[derive(Debug, Default)]
pub struct Parsed {
    /// Rows in file order.
    pub records: Vec<Record>,
    /// Notes for the user, one sentence each, such as ignored rows and unknown columns.
    pub notes: Vec<String>,
}

/// Reads the report in the file at `path`; see [`read`].
///
/// # Errors
/// [`Error::Io`] if the file cannot be read, and the errors of [`read`].
pub fn open(path: &Path) -> Result<Parsed> {
    let fault = |source| Error::Io { action: "read", path: path.to_owned(), source };
    read(path, std::fs::File::open(path).map_err(fault)?)
}

/// Reads a report from `source`, row by row. `path` is used only in messages.
///
/// Columns are found by name, in any order, after any header line (concatenated reports have several). Unknown columns
/// are ignored. Missing columns stay empty; only family, benchmark and status are required. A last row without a line
/// end is ignored: a killed run leaves such a row. If several rows have the same case and run, the last one counts.
/// Rows of a newer schema are read as far as this version knows the columns. [`Parsed::notes`] lists all of this.
///
/// # Errors
/// [`Error::Report`] with `path`, line and column: the file is not a report or not UTF-8, a row has the wrong number of
/// fields, a value is invalid for its column, or a row exceeds 1 MiB. [`Error::Io`] if `source` fails.
pub fn read(path: &Path, source: impl Read) -> Result<Parsed> {
    let mut reader = Reader::default();
    let mut splitter = Splitter::new(path, source);
    let mut row = Fields::default();
    while splitter.next(&mut row)? {
        reader.read_row(&row).map_err(|message| Error::Report { path: path.to_owned(), line: row.line, message })?;
    }
    Ok(reader.report())
}

/// State of the reader.
#[derive(Default)]
struct Reader {
    header: Option<Header>,
    report: Parsed,
    /// Index of each case's row, by the hash of its identity.
    indices: HashMap<u64, usize>,
    hasher: RandomState,
    repeated: usize,
    /// Number of newer-schema rows with invalid values.
    not_understood: usize,
    /// The first error in these rows, with its line.
    first_fault: Option<(u64, String)>,
}

impl Reader {
    fn read_row(&mut self, row: &Fields) -> Result<(), String> {
        let Some(header) = self.header.as_ref().filter(|header| !header::is_header(row) || header.finds_status(row))
        else {
            return self.read_header(row);
        };
        if row.is_cut {
            if header.is_swallowing_rows(row) {
                return Err("a quote that opens in this row is not closed".to_owned());
            }
            self.report.notes.push(format!("line {}: the last row is cut off and ignored", row.line));
            return Ok(());
        }
        let is_newer = header.schema(row).is_some_and(|schema| schema > SCHEMA);
        match header.record(row, is_newer)? {
            (Some(record), None) => self.push(record),
            (record, message) => {
                self.not_understood += 1;
                self.first_fault = self.first_fault.take().or_else(|| Some((row.line, message.unwrap_or_default())));
                record.into_iter().for_each(|record| self.push(record));
            }
        }
        Ok(())
    }

    fn read_header(&mut self, row: &Fields) -> Result<(), String> {
        if row.is_cut && header::is_part_of_header(row) {
            self.report.notes.push(format!("line {} is cut off: the report has no rows", row.line));
            return Ok(());
        }
        let header = Header::read(row)?;
        for note in header.notes() {
            if self.report.notes.len() < MOST_NOTES && !self.report.notes.contains(&note) {
                self.report.notes.push(note);
            }
        }
        self.header = Some(header);
        Ok(())
    }

    fn push(&mut self, record: Record) {
        let hash = self.hasher.hash_one(record.identity());
        match self.indices.get(&hash) {
            Some(index) if self.report.records[*index].identity() == record.identity() => {
                self.repeated += 1;
                self.report.records[*index] = record;
            }
            _ => {
                self.indices.insert(hash, self.report.records.len());
                self.report.records.push(record);
            }
        }
    }

    fn report(mut self) -> Parsed {
        if self.header.is_none() && self.report.notes.is_empty() {
            self.report.notes.push("the file is empty".to_owned());
        }
        if self.repeated > 0 {
            self.report
                .notes
                .push(format!("{} rows repeat a case of the same run: the last row counts", self.repeated));
        }
        if let Some((line, message)) = self.first_fault {
            self.report.notes.push(format!(
                "a newer version wrote this report: {} rows contain values that this version does not know, \
                 the first in line {line}: {message}",
                self.not_understood
            ));
        } else if self.report.records.iter().any(|record| record.schema.is_some_and(|schema| schema > SCHEMA)) {
            self.report.notes.push(
                "a newer version wrote this report: values that this version does not know are ignored".to_owned(),
            );
        }
        self.report
    }
}

#[cfg(test)]
mod tests;
