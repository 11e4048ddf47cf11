//! Writes a comparison in any of its formats.

use super::view::{Format, View};
use super::{data, markdown, table};
use crate::results::compare::Comparison;

/// Writes `comparison` in `format`. CSV and JSON always contain both times and shares, and ignore the width.
#[must_use]
pub fn write(comparison: &Comparison, view: View, format: Format) -> String {
    match format {
        Format::Table => table::write(comparison, view),
        Format::Markdown => markdown::write(comparison, view),
        Format::Csv => data::csv(comparison, view.sort),
        Format::Json => data::json(comparison, view),
    }
}
