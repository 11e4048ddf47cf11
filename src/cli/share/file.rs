//! Whether a file is a CSV as a run writes it, character by character.

use crate::error::is_hidden;
use crate::record::{COLUMNS, Record};
use crate::report::csv::{neutral, write};

/// Larger reports are not shared.
pub(super) const MOST_BYTES: u64 = 8 << 20;

/// Faults listed of each kind.
const MOST: usize = 3;

/// The faults of a file's lines, one sentence each. `records` are its rows.
pub(super) fn faults(text: &str, records: &[Record]) -> Vec<String> {
    let hidden = hidden(text);
    if !hidden.is_empty() {
        return hidden;
    }
    let formulas = formulas(text);
    if !formulas.is_empty() {
        return formulas;
    }
    let header: Vec<&str> = text.lines().next().unwrap_or_default().split(',').collect();
    let known: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
    if !known.starts_with(&header) {
        let strange = header.iter().zip(&known).find(|(own, known)| own != known);
        let strange = strange.map_or("more columns than known", |(own, _)| own);
        return vec![format!("the header is not that of any version of shaderbench: '{}'", cut(strange))];
    }
    as_written(text, records, header.len())
}

/// Control characters and others that are not shown.
fn hidden(text: &str) -> Vec<String> {
    let is_bad = |character: char| is_hidden(character) && character != '\n';
    let bad = text.lines().enumerate().filter_map(|(index, line)| {
        let character = line.chars().find(|character| is_bad(*character))?;
        Some(format!("line {}: the hidden character {}", index + 1, character.escape_unicode()))
    });
    // `lines` leaves out the CR of a CR LF.
    let line_ends =
        text.contains("\r\n").then(|| "lines end in CR LF: the file was saved by another program".to_owned());
    line_ends.into_iter().chain(bad).take(MOST).collect()
}

/// Fields that a spreadsheet computes.
fn formulas(text: &str) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut found = Vec::new();
    for (index, row) in reader.records().flatten().enumerate() {
        let formula = row.iter().find(|field| neutral((*field).to_owned()) != **field && !field.starts_with('\''));
        found
            .extend(formula.map(|field| {
                format!("line {}: '{}' begins as a formula of a spreadsheet does", index + 1, cut(field))
            }));
    }
    found.truncate(MOST);
    found
}

/// Columns that [`raise_roofs`](crate::families::raise_roofs) sets.
const OF_ROOFS: [&str; 4] = ["ceiling", "share", "share_low", "share_high"];

/// The first lines that differ from those that this program writes for the same rows.
fn as_written(text: &str, records: &[Record], columns: usize) -> Vec<String> {
    let written = write(records);
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(written.as_slice());
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in reader.records().flatten() {
        // Writes to memory cannot fail.
        let _ = writer.write_record(row.iter().take(columns));
    }
    let written = String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default();
    let (own, expected): (Vec<&str>, Vec<&str>) = (text.lines().collect(), written.lines().collect());
    let mut found = Vec::new();
    if own.len() != expected.len() {
        let (lines, rows) = (own.len(), expected.len().saturating_sub(1));
        found.push(format!("{lines} lines hold {rows} different rows: a row is repeated, or the header"));
        return found;
    }
    let names: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
    for (index, (own, expected)) in own.iter().zip(&expected).enumerate().filter(|(_, (own, expected))| own != expected)
    {
        let different = differences(own, expected);
        // Shares of arithmetic are computed from all rows when a report is read: earlier versions wrote others.
        let is_arithmetic = |row: &Record| row.ceiling.is_some_and(|bound| bound.limit.is_arithmetic());
        let is_share = |at: &usize| names.get(*at).is_some_and(|name| OF_ROOFS.contains(name));
        let row = index.checked_sub(1).and_then(|at| records.get(at));
        if row.is_some_and(is_arithmetic) && !different.is_empty() && different.iter().all(is_share) {
            continue;
        }
        let column = different.first().and_then(|at| names.get(*at)).copied().unwrap_or("quotes");
        found.push(format!("line {}: {column} is not written as shaderbench writes it", index + 1));
    }
    found.truncate(MOST);
    found
}

/// Indices of the fields in which two lines differ.
fn differences(own: &str, expected: &str) -> Vec<usize> {
    let fields = |line: &str| -> Vec<String> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
        reader.records().flatten().next().map(|row| row.iter().map(str::to_owned).collect()).unwrap_or_default()
    };
    let (own, expected) = (fields(own), fields(expected));
    (0..own.len().min(expected.len())).filter(|at| own[*at] != expected[*at]).collect()
}

/// The start of a text, for messages.
fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}
