//! Writes and reads records as CSV.

mod fields;
mod formula;
mod header;

use std::io::Read;
use std::path::Path;

use super::accepted::AcceptedRows;
pub use super::accepted::Parsed;
use fields::{Fields, Splitter};
pub use formula::neutral;
use header::Header;
use record::error::{Error, Result};
use record::{COLUMNS, Record};

/// The report: a header, then one row per record. Each row is complete and starts on a new line. A text that a
/// spreadsheet would evaluate as a formula is preceded by an apostrophe, see [`neutral`].
#[must_use]
pub fn write<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<u8> {
    let mut text = lines(std::iter::once(COLUMNS.iter().map(|column| column.name.to_owned()).collect()));
    text.extend(write_rows(records));
    text
}

/// The rows without a header, to append to a report.
#[must_use]
pub fn write_rows<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<u8> {
    lines(records.into_iter().map(|record| COLUMNS.iter().map(|column| neutral((column.get)(record))).collect()))
}

fn lines(rows: impl Iterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writes to a Vec cannot fail, and every row has as many fields as the header.
        let _ = writer.write_record(row);
    }
    writer.into_inner().unwrap_or_default()
}

/// Reads the report in the file at `path`; see [`read`].
///
/// # Errors
/// [`Error::Io`] if the file cannot be read, and the errors of [`read`].
pub fn open(path: &Path) -> Result<Parsed> {
    read(path, std::fs::File::open(path).map_err(Error::io("read", path))?)
}

/// Reads a report from `source`, row by row. `path` is used only in messages.
///
/// Columns are found by name, in any order, after any header line (concatenated reports have several). Unknown columns
/// are ignored. Missing columns stay empty; only family, benchmark and status are required. A last row without a line
/// end, as a killed run leaves it, is ignored. Of rows with the same case and run, the last counts. Rows of a newer
/// schema are read as far as this version knows the columns. [`Parsed::notes`] lists all of this.
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

#[derive(Default)]
struct Reader {
    header: Option<Header>,
    accepted_rows: AcceptedRows,
}

impl Reader {
    fn read_row(&mut self, row: &Fields) -> Result<(), String> {
        let Some(header) = self.header.as_ref().filter(|header| !header::is_header(row) || header.finds_status(row))
        else {
            return self.read_header(row);
        };
        if row.is_cut {
            if header.is_swallowing_rows(row) {
                return Err("a quote in this row is not closed".to_owned());
            }
            self.accepted_rows.note(format!("line {}: the last row is cut off, so it is ignored", row.line));
            return Ok(());
        }
        self.accepted_rows.row(row.line, &header.cells(row)?, |_| Ok(()))
    }

    fn read_header(&mut self, row: &Fields) -> Result<(), String> {
        if row.is_cut && header::is_part_of_header(row) {
            self.accepted_rows.note(format!("line {} is cut off, so the report has no rows", row.line));
            return Ok(());
        }
        let header = Header::read(row)?;
        header.note(&mut self.accepted_rows);
        self.header = Some(header);
        Ok(())
    }

    fn report(mut self) -> Parsed {
        if self.header.is_none() && self.accepted_rows.is_empty() {
            self.accepted_rows.note("the file is empty".to_owned());
        }
        self.accepted_rows.report()
    }
}

#[cfg(test)]
mod tests;
