//! Output formats of commands, and how they pool runs.

use super::output::terminal;
use answers::report::Medium;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum TableFormat {
    /// A table for a terminal
    #[default]
    Table,
    /// GitHub Markdown, for an issue
    Markdown,
}

impl TableFormat {
    pub(super) fn medium(self) -> Medium {
        match self {
            Self::Table => Medium::Terminal(terminal()),
            Self::Markdown => Medium::Markdown,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Tables {
    /// Every family
    All,
    /// The families named by filters
    Family,
    /// Only the summary
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum By {
    /// Each card
    #[default]
    Card,
    /// All cards of a model
    Model,
}

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
    /// The output medium; `None` for JSON.
    pub(super) fn medium(self) -> Option<Medium> {
        match self {
            Self::Table => Some(TableFormat::Table.medium()),
            Self::Markdown => Some(Medium::Markdown),
            Self::Json => None,
        }
    }
}
