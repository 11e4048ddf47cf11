//! The header line, and the rows below it.

use std::borrow::Cow;

use super::fields::Fields;
use super::formula::original;
use crate::report::accepted::{AcceptedRows, Cell, NEEDED, is_valid, quoted};
use record::{COLUMNS, Column};

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
    /// Parses the first row as a header, or returns why it is none.
    pub(super) fn read(row: &Fields) -> Result<Self, String> {
        let names: Vec<&[u8]> = row.iter().map(without_mark).collect();
        let first = names.first().copied().unwrap_or_default();
        if first.starts_with(b"\x1f\x8b") {
            return Err("the file is compressed; unpack the file first (gzip -d)".to_owned());
        }
        if first.starts_with(b"\xff\xfe") || first.starts_with(b"\xfe\xff") || first.contains(&0) {
            return Err("the file is UTF-16; save the file as UTF-8".to_owned());
        }
        let is_named =
            |index: usize, name: &[u8]| COLUMNS.get(index).is_some_and(|known| known.name.as_bytes() == name);
        // Most reports have every column in the order of this version.
        let find = |(index, name): (usize, &&[u8])| match is_named(index, name) {
            true => Some(index),
            false => (0..COLUMNS.len()).find(|known| is_named(*known, name)),
        };
        let found: Vec<Option<usize>> = names.iter().enumerate().map(find).collect();
        for (sign, name) in [(b';', "semicolons"), (b'\t', "tabs")] {
            if names.len() == 1 && first.contains(&sign) {
                return Err(format!("the fields are separated by {name}; save the file with commas"));
            }
        }
        if found.iter().all(Option::is_none) {
            return Err("not a shaderbench report: the first line names no known column".to_owned());
        }
        let mut seen = [false; COLUMNS.len()];
        for index in found.iter().flatten() {
            if std::mem::replace(&mut seen[*index], true) {
                return Err(format!("column {} occurs twice", COLUMNS[*index].name));
            }
        }
        let columns: Vec<_> = found.iter().map(|index| index.map(|index| &COLUMNS[index])).collect();
        if let Some(name) = NEEDED.iter().find(|name| !columns.iter().flatten().any(|column| column.name == **name)) {
            return Err(format!("column {name} is missing"));
        }
        let is_unknown = |(name, column): (&&[u8], &Option<_>)| column.is_none().then(|| text(name));
        let unknown = names.iter().zip(&columns).filter_map(is_unknown).collect();
        Ok(Self { columns, unknown })
    }

    pub(super) fn note(&self, accepted_rows: &mut AcceptedRows) {
        accepted_rows.columns(&self.unknown, |name| self.columns.iter().flatten().any(|column| column.name == name));
    }

    /// Whether the status field holds a valid status. Such a row is data even if its texts look like a header.
    pub(super) fn finds_status(&self, row: &Fields) -> bool {
        let mut fields = self.columns.iter().zip(row.iter());
        let status =
            fields.find_map(|(column, field)| column.filter(|column| column.name == "status").zip(Some(field)));
        status.is_some_and(|(column, field)| str::from_utf8(field).is_ok_and(|value| is_valid(column, value)))
    }

    /// The fields of a row with their columns, without unknown columns. The row must have as many fields as the header.
    pub(super) fn cells<'r>(&self, row: &'r Fields) -> Result<Vec<Cell<'r>>, String> {
        if row.len() != self.columns.len() {
            let (has, wants) = (row.len(), self.columns.len());
            return Err(format!("the row has {has} fields, but the header has {wants}"));
        }
        let cells = self.columns.iter().zip(row.iter());
        Ok(cells.filter_map(|(column, field)| Some(((*column)?, value(field)))).collect())
    }

    /// Whether the last field of a truncated row contains whole rows, because a quote is not closed.
    pub(super) fn is_swallowing_rows(&self, row: &Fields) -> bool {
        let Some(last) = row.iter().last() else { return false };
        let commas = |line: &[u8]| line.iter().filter(|byte| **byte == b',').count();
        last.split(|byte| matches!(byte, b'\n' | b'\r')).skip(1).any(|line| commas(line) + 1 >= self.columns.len())
    }
}

fn value(field: &[u8]) -> Result<Cow<'_, str>, String> {
    let value = str::from_utf8(field).map_err(|_| format!("'{}' is not UTF-8; save the file as UTF-8", text(field)))?;
    Ok(original(Cow::Borrowed(value)))
}

fn text(field: &[u8]) -> String {
    // A character has at most four bytes.
    quoted(&String::from_utf8_lossy(&field[..field.len().min(4 * 64)]))
}
