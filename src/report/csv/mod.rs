//! Records as CSV, and back.

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

/// The report: a header and one row a record, every row complete in itself and on lines of its own.
#[must_use]
pub fn write<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<u8> {
    let mut text = lines(std::iter::once(COLUMNS.iter().map(|column| column.name.to_owned()).collect()));
    text.extend(write_rows(records));
    text
}

/// The rows without the header, to append to a report.
#[must_use]
pub fn write_rows<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<u8> {
    lines(records.into_iter().map(|record| COLUMNS.iter().map(|column| (column.get)(record)).collect()))
}

fn lines(rows: impl Iterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for row in rows {
        // A Vec takes every write, and every row has as many fields as the header.
        let _ = writer.write_record(row);
    }
    writer.into_inner().unwrap_or_default()
}

/// How many notes about headers are enough.
const MOST_NOTES: usize = 20;

/// What a file holds.
#[derive(Debug, Default)]
pub struct Report {
    /// Its rows, in the order of the file.
    pub records: Vec<Record>,
    /// Notes for the user, a sentence each: ignored rows and unknown columns.
    pub notes: Vec<String>,
}

/// Reads the report in the file at `path`; see [`read`].
///
/// # Errors
/// [`Error::Io`] where it cannot be read, and what [`read`] gives.
pub fn open(path: &Path) -> Result<Report> {
    let fault = |source| Error::Io { action: "read", path: path.to_owned(), source };
    read(path, std::fs::File::open(path).map_err(fault)?)
}

/// Reads a report from `source`, row by row. `path` is for messages alone.
///
/// Columns are found by name, in any order, after any header line (concatenated reports have several). Unknown ones are
/// passed over; missing ones stay empty, but for the family, the benchmark and the status. A last row without an end of
/// its line is what a run leaves that was killed while it wrote: it is ignored. Of rows about one case of one run the
/// last one counts. Rows of a newer schema are read as far as this version knows them. [`Report::notes`] lists all of
/// this.
///
/// # Errors
/// [`Error::Report`] with `path`, line and column: no report, another encoding than UTF-8, another number of fields
/// than the header has, a value that its column cannot hold, a row of more than 1 MiB. [`Error::Io`] where `source`
/// fails.
pub fn read(path: &Path, source: impl Read) -> Result<Report> {
    let mut reader = Reader::default();
    let mut splitter = Splitter::new(path, source);
    let mut row = Fields::default();
    while splitter.next(&mut row)? {
        reader.read_row(&row).map_err(|message| Error::Report { path: path.to_owned(), line: row.line, message })?;
    }
    Ok(reader.report())
}

/// What has been read so far.
#[derive(Default)]
struct Reader {
    header: Option<Header>,
    report: Report,
    /// Where the row of a case lies, by the hash of what identifies it.
    indices: HashMap<u64, usize>,
    hasher: RandomState,
    repeated: usize,
    /// Rows of a newer schema that could not be understood in full; the first of these faults with its line.
    not_understood: usize,
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

    fn report(mut self) -> Report {
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
