//! Reports: pure functions of records, and the writers that put them on disk.

pub mod csv;
pub mod json;
pub mod png;
pub mod table;

use std::io::Write;
use std::path::Path;

use crate::error::{Error, Result};
use crate::record::Record;

/// A family's rows with what is to be said about them.
pub struct Section<'a> {
    /// The family.
    pub family: &'static str,
    /// One sentence: what it does.
    pub summary: &'static str,
    /// What the numbers show on this device.
    pub finding: Option<String>,
    /// Its rows, in order.
    pub rows: Vec<&'a Record>,
    /// Whether rows are grouped by kernel (ceilings) rather than by type and size.
    pub is_by_kernel: bool,
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
