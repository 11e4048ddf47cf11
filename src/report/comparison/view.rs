//! What of a comparison is shown, and how.

use crate::report::layout::Look;

/// How a comparison is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum Format {
    /// For a terminal
    #[default]
    Table,
    /// For a pull request
    Markdown,
    /// A row for each case and pair of sides
    Csv,
    /// Everything that the comparison knows
    Json,
}

/// The order of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum Sort {
    /// Family by family, as the reports have them
    #[default]
    Family,
    /// By name
    Name,
    /// The largest slow-down first
    Ratio,
    /// The largest change first, whichever is faster
    Change,
}

/// What is shown of a comparison, and how.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Width and colours, for tables.
    pub look: Look,
    /// The order of the rows.
    pub sort: Sort,
    /// Whether each side's share of its own ceiling is shown instead of times.
    pub is_relative: bool,
    /// Families whose rows are grouped by kernel rather than by type and size.
    pub by_kernel: &'a [&'a str],
    /// The slow-down that was asked about, 0.05 = 5 %.
    pub limit: Option<f64>,
}
