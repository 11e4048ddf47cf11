//! Reports: pure functions of records, and the writers that put them on disk.

pub mod comparison;
pub mod csv;
pub mod json;
pub mod png;
pub mod table;
pub mod versus;

use std::io::Write;
use std::path::Path;

use crate::error::{Error, Result};
use crate::record::Record;
use table::Look;

/// A family's rows with what is to be said about them.
pub struct Section<'a> {
    /// The family.
    pub family: &'static str,
    /// One sentence: what it does.
    pub summary: &'static str,
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
        if !apis.contains(&record.backend.as_str()) {
            apis.push(&record.backend);
        }
    }
    apis
}

/// Every section as a table for a terminal; where its rows come from several APIs, these stand against each other, and the whole ends
/// with a table of all families.
#[must_use]
pub fn tables(sections: &[Section], look: Look) -> String {
    let draw = |section: &Section| {
        let apis = apis(section.rows.iter().copied());
        if apis.len() < 2 { table::section(section, look) } else { versus::section(section, &apis, look) }
    };
    let drawn = sections.iter().map(draw).chain(versus::overall(sections, look));
    drawn.collect::<Vec<_>>().join("\n")
}

/// Writes `text` beside `path` and renames it into place, so that whoever reads `path` finds the old text or the new one whole.
///
/// # Errors
/// [`Error::Io`] with the path.
pub fn replace_file(path: &Path, text: &[u8]) -> Result<()> {
    let io = |action: &'static str, at: &Path| {
        let path = at.to_owned();
        move |source| Error::Io { action, path, source }
    };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let mut file = std::fs::File::create(&part).map_err(io("create", &part))?;
    file.write_all(text).and_then(|()| file.sync_data()).map_err(io("write", &part))?;
    std::fs::rename(&part, path).map_err(io("rename to", path))
}
