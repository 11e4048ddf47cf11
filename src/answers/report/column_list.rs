//! The columns of a report as a table.

use super::layout::{Medium, headed};
use super::markdown;
use record::{COLUMNS, Column};

const HEADINGS: [&str; 3] = ["column", "unit", "content"];

/// A column of a report, for people.
#[derive(serde::Serialize)]
pub struct Described {
    /// Name in the CSV's first line.
    pub column: &'static str,
    /// Unit of its values; empty for text and numbers without unit.
    pub unit: &'static str,
    /// What its values are.
    pub content: &'static str,
}

/// The column of this name, or every column.
#[must_use]
pub fn named(name: Option<&str>) -> Vec<Described> {
    let found = COLUMNS.iter().filter(|column| name.is_none_or(|name| column.name == name));
    found.map(|Column { name, unit, doc, .. }| Described { column: name, unit, content: doc }).collect()
}

/// Columns with their units and descriptions.
#[must_use]
pub fn table(columns: &[Described], medium: Medium) -> String {
    let rows = columns.iter().map(|of| [of.column, of.unit, of.content].map(str::to_owned).into()).collect::<Vec<_>>();
    match medium {
        Medium::Terminal(terminal) => headed(&HEADINGS, rows, terminal) + "\n",
        Medium::Markdown => markdown::table(&HEADINGS.map(str::to_owned), &[false; 3], &rows),
    }
}
