//! Reports: pure functions of records, and the writers that put them on disk.

pub mod comparison;
pub mod csv;
mod file;
pub mod html;
pub mod index;
pub mod json;
mod layout;
pub mod markdown;
pub mod png;
pub mod table;
pub mod versus;

use std::path::Path;

use crate::error::{Error, Result};
use crate::results::Record;
pub use file::{CsvFile, replace_file};
#[cfg(not(target_family = "wasm"))]
pub(crate) use layout::wrap;
pub use layout::{Medium, Part, lay_out};
use table::Look;

/// Reads the report in the file at `path`: JSON where its name ends so, else CSV.
///
/// # Errors
/// [`Error::Io`] where it cannot be read, and what [`csv::read`] and [`json::read`] give.
pub fn open(path: &Path) -> Result<csv::Report> {
    if !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json")) {
        return csv::open(path);
    }
    let fault = |source| Error::Io { action: "read", path: path.to_owned(), source };
    let records = json::read(path, &std::fs::read(path).map_err(fault)?)?;
    Ok(csv::Report { records, notes: Vec::new() })
}

/// A family's rows with what is to be said about them.
pub struct Section<'a> {
    /// The family.
    pub family: &'static str,
    /// One sentence: what it does.
    pub summary: &'a str,
    /// What the numbers show on this device, each with the API through which they were measured.
    pub findings: Vec<(String, String)>,
    /// Its rows, in order.
    pub rows: Vec<&'a Record>,
    /// Whether rows are grouped by kernel (ceilings) rather than by type and size.
    pub is_by_kernel: bool,
}

/// The APIs that `records` were measured through, in the order in which they occur.
pub fn apis<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<&'a str> {
    let mut apis: Vec<&str> = Vec::new();
    for record in records {
        if !apis.contains(&record.api_name()) {
            apis.push(record.api_name());
        }
    }
    apis
}

/// Every section as a table for a terminal; where its rows come from several APIs, these stand against each other, and the whole ends
/// with a table of all families.
#[must_use]
pub fn tables(sections: &[Section], look: Look) -> String {
    write(sections, Medium::Terminal(look))
}

/// The same for any medium.
#[must_use]
pub fn write(sections: &[Section], medium: Medium) -> String {
    let all = sections.iter().map(|one| section(one, medium)).chain(versus::overall(sections, medium.look()));
    all.map(|parts| lay_out(parts, medium)).collect::<Vec<_>>().join("\n")
}

/// One section: its table, what is to be known of its rows, and what they show.
#[must_use]
pub fn section(section: &Section, medium: Medium) -> Vec<Part> {
    let apis = apis(section.rows.iter().copied());
    let look = medium.look();
    if apis.len() < 2 { table::section(section, look) } else { versus::section(section, &apis, look) }
}
