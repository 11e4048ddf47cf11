//! Comparisons of reports as tables, Markdown, CSV and JSON.

mod columns;
mod data;
mod groups;
mod markdown;
mod sentences;
mod table;
mod view;
mod write;

pub use sentences::{
    RegressionLine, days, left_out, marked, regression_lines, rule, tally_line, title, undecided, with_interval,
};
pub use view::{OutputFormat, Sort, View};
pub use write::write;
