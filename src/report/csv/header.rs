//! The header line, and rows parsed by it.

use super::fields::Fields;
use crate::results::{COLUMNS, Column, Record};

/// Columns of the first release. Reports without later ones get no note.
const FIRST: usize = 40;

/// Columns that every report must have.
const NEEDED: [&str; 3] = ["family", "benchmark", "status"];

/// Maps fields to columns.
pub(super) struct Header {
    columns: Vec<Option<&'static Column>>,
    unknown: Vec<String>,
}

/// Whether the row is a header. Concatenated reports contain headers between rows.
pub(super) fn is_header(row: &Fields) -> bool {
    NEEDED.iter().all(|name| row.iter().any(|field| without_mark(field) == name.as_bytes()))
}

/// Strips the UTF-8 byte-order mark.
fn without_mark(field: &[u8]) -> &[u8] {
    field.strip_prefix(b"\xef\xbb\xbf").unwrap_or(field)
}

/// Whether the row is a prefix of the header.
pub(super) fn is_part_of_header(row: &Fields) -> bool {
    let mut columns = COLUMNS.iter().map(|column| column.name.as_bytes());
    row.len() <= COLUMNS.len() && row.iter().all(|field| columns.next().is_some_and(|name| name.starts_with(field)))
}

impl Header {
    /// Parses the first row as a header.
    ///
    /// # Errors
    /// Why the row is not a header.
    pub(super) fn read(row: &Fields) -> Result<Self, String> {
        let names: Vec<&[u8]> = row.iter().map(without_mark).collect();
        let first = names.first().copied().unwrap_or_default();
        if first.starts_with(b"\xff\xfe") || first.starts_with(b"\xfe\xff") || first.contains(&0) {
            return Err("the file is UTF-16: save it as UTF-8".to_owned());
        }
        let find = |name: &[u8]| COLUMNS.iter().find(|column| column.name.as_bytes() == name);
        let columns: Vec<_> = names.iter().map(|name| find(name)).collect();
        for (sign, name) in [(b';', "semicolons"), (b'\t', "tabs")] {
            if names.len() == 1 && first.contains(&sign) {
                return Err(format!("fields are separated by {name}: save the file with commas"));
            }
        }
        if columns.iter().all(Option::is_none) {
            return Err("not a shaderbench report: the first line names none of the columns".to_owned());
        }
        for (index, column) in columns.iter().enumerate() {
            let Some(column) = column else { continue };
            if columns[..index].iter().flatten().any(|other| other.name == column.name) {
                return Err(format!("column {} occurs twice", column.name));
            }
        }
        if let Some(name) = NEEDED.iter().find(|name| !columns.iter().flatten().any(|column| column.name == **name)) {
            return Err(format!("column {name} is missing"));
        }
        let is_unknown = |(name, column): (&&[u8], &Option<_>)| column.is_none().then(|| text(name));
        let unknown = names.iter().zip(&columns).filter_map(is_unknown).collect();
        Ok(Self { columns, unknown })
    }

    /// One note for unknown columns and one for missing columns.
    pub(super) fn notes(&self) -> Vec<String> {
        let is_there = |name: &str| self.columns.iter().flatten().any(|column| column.name == name);
        let missing: Vec<_> =
            COLUMNS.iter().take(FIRST).map(|column| column.name).filter(|name| !is_there(name)).collect();
        let note = |names: String, fate: &str| (!names.is_empty()).then(|| format!("{fate}: {names}"));
        let unknown = note(self.unknown.join(", "), "unknown columns, ignored");
        unknown.into_iter().chain(note(missing.join(", "), "missing columns, left empty")).collect()
    }

    /// Whether the status field holds a valid status. Such a row is data even if its texts look like a header.
    pub(super) fn finds_status(&self, row: &Fields) -> bool {
        let mut fields = self.columns.iter().zip(row.iter());
        let status =
            fields.find_map(|(column, field)| column.filter(|column| column.name == "status").zip(Some(field)));
        status.is_some_and(|(column, field)| set(column, &mut Record::default(), field).is_ok())
    }

    /// The schema number in the row.
    pub(super) fn schema(&self, row: &Fields) -> Option<u64> {
        let index = self.columns.iter().position(|column| column.is_some_and(|column| column.name == "schema"))?;
        text(row.iter().nth(index)?).parse().ok()
    }

    /// Parses a row. If the row `is_newer` than this version, invalid values stay empty and the first error is returned
    /// with the record. Without a valid status there is no record.
    ///
    /// # Errors
    /// What is invalid, with the column.
    pub(super) fn record(&self, row: &Fields, is_newer: bool) -> Result<(Option<Record>, Option<String>), String> {
        if row.len() != self.columns.len() {
            let (has, wants) = (row.len(), self.columns.len());
            return Err(format!("the row has {has} fields, the header has {wants}"));
        }
        let (mut record, mut first_fault, mut has_status) = (Record::default(), None, true);
        for (column, field) in self.columns.iter().zip(row.iter()) {
            let Some(column) = column else { continue };
            let Err(message) = set(column, &mut record, field) else { continue };
            let message = format!("column {}: {message}", column.name);
            if !is_newer {
                return Err(message);
            }
            has_status &= column.name != "status";
            first_fault.get_or_insert(message);
        }
        Ok((has_status.then_some(record), first_fault))
    }

    /// Whether the last field of a truncated row contains whole rows, so that a quote is not closed.
    pub(super) fn is_swallowing_rows(&self, row: &Fields) -> bool {
        let Some(last) = row.iter().last() else { return false };
        let commas = |line: &[u8]| line.iter().filter(|byte| **byte == b',').count();
        last.split(|byte| matches!(byte, b'\n' | b'\r')).skip(1).any(|line| commas(line) + 1 >= self.columns.len())
    }
}

fn set(column: &Column, record: &mut Record, field: &[u8]) -> Result<(), String> {
    let value = str::from_utf8(field).map_err(|_| format!("'{}' is not UTF-8: save the file as UTF-8", text(field)))?;
    if !column.unit.is_empty() && value.starts_with('-') {
        return Err(format!("'{}' is negative", text(field)));
    }
    (column.set)(record, value)
}

/// The first 60 characters of a field, escaped to one line for messages.
fn text(field: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(field).chars().take(60).collect();
    text.escape_debug().to_string()
}
