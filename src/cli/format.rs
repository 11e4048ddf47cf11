//! Output formats of commands.

use super::output::terminal;
use crate::report::Medium;

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
    /// None: the summary alone
    None,
}

/// Output formats of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum ListFormat {
    /// A table for a terminal
    #[default]
    Table,
    /// GitHub Markdown, for an issue
    Markdown,
    /// An array of objects
    Json,
}

/// How a list is printed.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct ListForm {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: ListFormat,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl ListForm {
    /// The selected format.
    pub(super) const fn format(self) -> ListFormat {
        if self.json { ListFormat::Json } else { self.format }
    }
}
