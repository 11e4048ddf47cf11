//! Writes a comparison in any of its formats.

use super::view::{OutputFormat, View};
use crate::answers::compare::Comparison;
use crate::answers::compare::text::{data, markdown, table};

/// Writes `comparison` in `format`.
#[must_use]
pub fn write(comparison: &Comparison, view: View, format: OutputFormat) -> String {
    match format {
        OutputFormat::Table => table::write(comparison, view),
        OutputFormat::Markdown => markdown::write(comparison, view),
        OutputFormat::Json => data::json(comparison, view),
    }
}
