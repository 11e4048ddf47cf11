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
pub mod reader;
pub mod table;
mod tables;
pub mod versus;

use crate::results::Record;
pub use file::{CsvFile, replace_file};
#[cfg(not(target_family = "wasm"))]
pub(crate) use layout::wrap;
pub use layout::{Medium, Part, Terminal, lay_out};
pub use tables::{section, tables, write};

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
