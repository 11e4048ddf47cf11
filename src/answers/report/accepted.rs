//! The rules by which rows are accepted, the same for all formats.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use kernels::raise_roofs;
use record::error::visible;
use record::format::plural;
use record::{COLUMNS, Column, Record, SCHEMA};

pub(super) const NEEDED: [&str; 3] = ["family", "benchmark", "status"];

/// Unitless figures that are never negative, like figures with a unit. A drift may have either sign.
pub(super) const NOT_NEGATIVE: [&str; 7] =
    ["occupancy", "share", "model", "noise_within", "noise_between", "share_low", "share_high"];

/// Columns of the first release. A report without later columns gets no note.
const FIRST: usize = 40;

/// Maximum number of rows of a report: 250 runs of all sizes take 1 GB of memory.
const MOST_ROWS: usize = 350_000;

/// Maximum number of notes about columns, and of names in a note.
const MOST_NOTES: usize = 20;

/// Maximum number of characters of a message about one value.
const LONGEST: usize = 400;

/// The content of a report.
#[derive(Debug, Default)]
pub struct Parsed {
    /// Rows in file order.
    pub records: Vec<Record>,
    /// Notes for the user, one sentence each, such as ignored rows and unknown columns.
    pub notes: Vec<String>,
}

/// A column and its value, or why the value cannot be read.
pub(super) type Cell<'a> = (&'static Column, Result<Cow<'a, str>, String>);

#[derive(Default)]
pub(super) struct AcceptedRows {
    report: Parsed,
    /// For each case, by hash of its identity: the index of its row, and the line.
    indices: HashMap<u64, (usize, u64)>,
    hasher: RandomState,
    repeated: usize,
    /// Lines of the first repeated case: the dropped row, and the row that replaces it.
    first_repeated: Option<(u64, u64)>,
    not_understood: usize,
    /// The first error in these rows, with its line.
    first_fault: Option<(u64, String)>,
    noted: HashSet<u64>,
    more_notes: usize,
}

impl AcceptedRows {
    pub(super) fn note(&mut self, note: String) {
        if !self.noted.insert(self.hasher.hash_one(&note)) {
            return;
        }
        if self.report.notes.len() < MOST_NOTES {
            self.report.notes.push(note);
        } else {
            self.more_notes += 1;
        }
    }

    /// Adds notes about unknown columns, and about missing columns of the first release.
    pub(super) fn columns(&mut self, unknown: &[String], has: impl Fn(&str) -> bool) {
        let missing = COLUMNS.iter().take(FIRST).map(|column| column.name).filter(|name| !has(name));
        let missing: Vec<String> = missing.map(str::to_owned).collect();
        for (names, fate) in [(unknown, "unknown columns, ignored"), (&missing, "missing columns, left empty")] {
            if names.is_empty() {
                continue;
            }
            let shown = if fate.starts_with("unknown") { names.len().min(MOST_NOTES) } else { names.len() };
            let more = names.len() - shown;
            let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
            self.note(format!("{fate}: {}{rest}", names[..shown].join(", ")));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.report.notes.is_empty() && self.report.records.is_empty()
    }

    /// Adds the row that starts in `line`. `complete` adds the data that no column holds. In a row of a newer schema,
    /// invalid values stay empty; without a valid status, the row is dropped. Errors name the column.
    pub(super) fn row(
        &mut self,
        line: u64,
        cells: &[Cell],
        complete: impl FnOnce(&mut Record) -> Result<(), String>,
    ) -> Result<(), String> {
        if let Some(name) = NEEDED.iter().find(|name| !cells.iter().any(|(column, _)| column.name == **name)) {
            return Err(format!("column {name} is missing; every row must have {}", NEEDED.join(", ")));
        }
        if self.report.records.len() >= MOST_ROWS {
            return Err(format!(
                "the report has more than {MOST_ROWS} rows; split it by device or by run, or give the folder of the \
                 reports that it was merged from"
            ));
        }
        let is_newer = schema(cells).is_some_and(|schema| schema > SCHEMA);
        let (mut record, mut first_fault, mut has_status) = (Record::default(), None, true);
        for (column, value) in cells {
            let Err(message) = set(column, &mut record, value) else { continue };
            if !is_newer {
                return Err(message);
            }
            has_status &= column.name != "status";
            first_fault.get_or_insert(message);
        }
        match complete(&mut record) {
            Err(message) if !is_newer => return Err(message),
            Err(message) => _ = first_fault.get_or_insert(message),
            Ok(()) => {}
        }
        if let Some(message) = first_fault {
            self.not_understood += 1;
            self.first_fault.get_or_insert((line, message));
        }
        if has_status {
            self.push(line, record);
        }
        Ok(())
    }

    /// Of rows with the same identity, the last one counts: a resumed run may measure a case again.
    fn push(&mut self, line: u64, record: Record) {
        let identity = record.identity();
        let hash = self.hasher.hash_one(&identity);
        match self.indices.get_mut(&hash) {
            Some((index, known)) if self.report.records[*index].identity() == identity => {
                self.repeated += 1;
                self.first_repeated.get_or_insert((*known, line));
                *known = line;
                self.report.records[*index] = record;
            }
            _ => {
                self.indices.insert(hash, (self.report.records.len(), line));
                self.report.records.push(record);
            }
        }
    }

    pub(super) fn report(mut self) -> Parsed {
        raise_roofs(&mut self.report.records);
        let mut notes = Vec::new();
        if self.more_notes > 0 {
            notes.push(format!("{} more notes about columns", self.more_notes));
        }
        if let Some((dropped, kept)) = self.first_repeated {
            let rows = plural(self.repeated, "row repeats", "rows repeat");
            notes.push(format!(
                "{rows} a case of the same run; the last row counts (for example, line {kept} replaces line {dropped})"
            ));
        }
        if let Some((line, message)) = self.first_fault {
            notes.push(format!(
                "a newer version wrote this report: {} rows contain values that this version does not know \
                 (first in line {line}: {message})",
                self.not_understood
            ));
        } else if self.report.records.iter().any(|record| record.schema.is_some_and(|schema| schema > SCHEMA)) {
            notes.push(
                "a newer version wrote this report: values that this version does not know are ignored".to_owned(),
            );
        }
        self.report.notes.extend(notes);
        self.report
    }
}

pub(super) fn column(name: &str) -> Option<&'static Column> {
    COLUMNS.iter().find(|column| column.name == name)
}

fn schema(cells: &[Cell]) -> Option<u64> {
    let (_, value) = cells.iter().find(|(column, _)| column.name == "schema")?;
    value.as_ref().ok()?.parse().ok()
}

pub(super) fn is_valid(column: &Column, value: &str) -> bool {
    (column.set)(&mut Record::default(), value).is_ok()
}

fn set(column: &Column, record: &mut Record, value: &Result<Cow<str>, String>) -> Result<(), String> {
    let fault = |message: &str| format!("column {}: {message}", column.name);
    let value = value.as_ref().map_err(|message| fault(message))?;
    let is_positive = !column.unit.is_empty() || NOT_NEGATIVE.contains(&column.name);
    if is_positive && value.split(';').any(|part| part.starts_with('-')) {
        return Err(fault(&format!("'{}' is negative", quoted(value))));
    }
    (column.set)(record, value).map_err(|message| {
        // The message quotes the value or part of it, which may be 1 MiB long.
        let message = message.replace(&**value, &quoted(value));
        let shown = visible(&message);
        if shown.chars().count() > LONGEST {
            return fault(&format!("'{}' is not a valid value", quoted(value)));
        }
        fault(&shown)
    })
}

pub(super) fn quoted(value: &str) -> String {
    let mut characters = value.chars();
    let start: String = characters.by_ref().take(60).collect();
    let rest = if characters.next().is_some() { "…" } else { "" };
    format!("{}{rest}", visible(&start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells<'a>(values: &[(&str, &'a str)]) -> Vec<Cell<'a>> {
        let cell = |(name, value): &(&str, &'a str)| (column(name).expect("known"), Ok(Cow::Borrowed(*value)));
        values.iter().map(cell).collect()
    }

    fn fault(name: &str, value: &str) -> String {
        let row = cells(&[("family", "a"), ("benchmark", "b"), ("status", "ok"), (name, value)]);
        AcceptedRows::default().row(2, &row, |_| Ok(())).expect_err(value)
    }

    #[test]
    fn figures_are_finite_and_only_a_drift_is_negative() {
        for (name, value, message) in [
            ("median_ns", "-1", "column median_ns: '-1' is negative"),
            ("epochs_ns", "5;-3", "column epochs_ns: '5;-3' is negative"),
            ("share", "-0.5", "column share: '-0.5' is negative"),
            ("model", "-0", "column model: '-0' is negative"),
            ("drift", "1e999", "column drift: '1e999' is not a finite number"),
            ("share_low", "nan", "column share_low: 'nan' is not a finite number"),
        ] {
            assert_eq!(fault(name, value), message);
        }
        let row = cells(&[("family", "a"), ("benchmark", "b"), ("status", "ok"), ("drift", "-0.5")]);
        AcceptedRows::default().row(2, &row, |_| Ok(())).expect("a drift");
    }

    #[test]
    fn a_sentence_shows_no_control_character_and_no_long_value() {
        assert_eq!(fault("tick_ns", "\x1b[31m"), r"column tick_ns: '\u{1b}[31m' is not a finite number");
        let parameter = r"column params: 'A\u{1b}=x' is not a parameter: give NAME=NUMBER, for example WG=128";
        assert_eq!(fault("params", "A\x1b=x;B=1"), parameter);
        for name in ["samples", "params", "n", "dtype"] {
            let message = fault(name, &"x".repeat(1 << 20));
            assert!(message.len() < 500 && message.starts_with(&format!("column {name}: '")), "{message}");
        }
    }

    #[test]
    fn a_row_without_a_status_is_no_row() {
        let row = cells(&[("family", "a"), ("benchmark", "b")]);
        let message = AcceptedRows::default().row(1, &row, |_| Ok(())).expect_err("no status");
        assert_eq!(message, "column status is missing; every row must have family, benchmark, status");
    }

    #[test]
    fn notes_that_are_cut_off_are_counted() {
        let mut accepted_rows = AcceptedRows::default();
        (0..MOST_NOTES + 7).for_each(|number| accepted_rows.note(format!("note {number}")));
        let notes = accepted_rows.report().notes;
        assert_eq!((notes.len(), notes[MOST_NOTES].as_str()), (MOST_NOTES + 1, "7 more notes about columns"));
    }
}
