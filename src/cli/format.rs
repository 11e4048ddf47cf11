//! Output formats of commands, and which runs they take together.

use super::output::terminal;
use answers::report::Medium;

/// Output formats of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum TableFormat {
    /// A table for a terminal
    #[default]
    Table,
    /// GitHub Markdown, for an issue
    Markdown,
}

impl TableFormat {
    /// The output medium of the format.
    pub(super) fn medium(self) -> Medium {
        match self {
            Self::Table => Medium::Terminal(terminal()),
            Self::Markdown => Medium::Markdown,
        }
    }
}

/// Which tables a run prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Tables {
    /// Every family
    All,
    /// The families named by filters
    Family,
    /// Only the summary
    None,
}

/// Which runs are taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum By {
    /// Each card
    #[default]
    Card,
    /// All cards of a model
    Model,
}

/// Output formats of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum Format {
    /// A table for a terminal
    #[default]
    Table,
    /// GitHub Markdown, for an issue
    Markdown,
    /// All figures, for programs
    Json,
}

impl Format {
    /// The medium of a text; `None` for JSON.
    pub(super) fn medium(self) -> Option<Medium> {
        match self {
            Self::Table => Some(TableFormat::Table.medium()),
            Self::Markdown => Some(Medium::Markdown),
            Self::Json => None,
        }
    }
}
