//! In which form a command prints what it has to show.

use super::look;
use crate::report::Medium;

/// The form of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum TableFormat {
    /// For a terminal
    #[default]
    Table,
    /// For an issue, as GitHub reads it
    Markdown,
}

impl TableFormat {
    /// What the table is written for.
    pub(super) fn medium(self) -> Medium {
        match self {
            Self::Table => Medium::Terminal(look()),
            Self::Markdown => Medium::Markdown,
        }
    }
}

/// The form of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum ListFormat {
    /// For a terminal
    #[default]
    Table,
    /// For an issue, as GitHub reads it
    Markdown,
    /// An array of objects, for a program
    Json,
}

/// How a list is printed.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct ListForm {
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: ListFormat,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl ListForm {
    /// What was asked for.
    pub(super) const fn chosen(self) -> ListFormat {
        if self.json { ListFormat::Json } else { self.format }
    }
}
