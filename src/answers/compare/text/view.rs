//! Options of a printed comparison.

use crate::report::layout::Terminal;

/// The output format of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum OutputFormat {
    /// A table for a terminal
    #[default]
    Table,
    /// GitHub Markdown, for a pull request
    Markdown,
    /// All data of the comparison
    Json,
}

/// The order of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum Sort {
    /// By family, in the order of the tables of a run
    #[default]
    Family,
    /// By name
    Name,
    /// Largest slow-down first
    Ratio,
    /// Largest change first, in either direction
    Change,
}

/// Which data of a comparison to print, and how.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Width and colours of the terminal, for tables.
    pub terminal: Terminal,
    /// The order of the rows.
    pub sort: Sort,
    /// Whether a table shows every row; else those that changed, the largest slow-down first, below the totals.
    pub has_all_rows: bool,
    /// Families whose rows are grouped by kernel rather than by type and size.
    pub by_kernel: &'a [&'a str],
    /// The limit of --fail-on-regression as a fraction: 0.05 = 5 %.
    pub limit: Option<f64>,
}
