//! Comparisons of reports as tables, Markdown and JSON.

mod answer;
mod columns;
mod data;
mod groups;
mod markdown;
mod sentences;
mod table;
mod view;
mod write;

pub use answer::answer;
pub use sentences::{
    RegressionLine, change, days, left_out, marked, regression_lines, rule, tally_lines, title, undecided,
};
pub use view::{OutputFormat, Sort, View};
pub use write::write;
