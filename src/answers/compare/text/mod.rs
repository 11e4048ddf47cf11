//! Comparisons of reports as tables, Markdown and JSON.

mod answer;
mod columns;
mod data;
mod markdown;
mod sentences;
mod table;
mod view;

pub use answer::answer;
pub use sentences::{
    RegressionLine, change, days, left_out, marked, regression_lines, rule, tally_lines, title, undecided,
};
pub use view::{OutputFormat, Sort, View};

use super::Comparison;

/// Writes `comparison` in `format`.
#[must_use]
pub fn write(comparison: &Comparison, view: View, format: OutputFormat) -> String {
    match format {
        OutputFormat::Table => table::write(comparison, view),
        OutputFormat::Markdown => markdown::write(comparison, view),
        OutputFormat::Json => data::json(comparison, view),
    }
}
