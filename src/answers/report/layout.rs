//! Lays out the parts of a report for a terminal or as Markdown.

use anstyle::AnsiColor;

pub use super::grid::{Cell, Column, Grid, Mark, Row, columns, fitted, headed};
use super::markdown;
pub use super::terminal::Terminal;
pub use super::terminal::{BAR, BOLD, DIM, colored, padded, paint, wrap};

/// The output medium of a report.
#[derive(Debug, Clone, Copy)]
pub enum Medium {
    /// A terminal.
    Terminal(Terminal),
    /// GitHub Markdown, for an issue or a page.
    Markdown,
}

impl Medium {
    /// The terminal properties for tables. In Markdown: the columns of a narrow terminal, no colours, no width limit.
    pub const fn terminal(self) -> Terminal {
        match self {
            Self::Terminal(terminal) => terminal,
            Self::Markdown => Terminal { width: 120, has_color: false },
        }
    }
}

/// Severity of a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The rows have a time.
    Note,
    /// The rows were skipped.
    Skipped,
    /// The rows are wrong, failed or implausible.
    Fault,
}

/// A remark about some rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Severity.
    pub severity: Severity,
    /// The APIs of the rows, with a colon; empty for all APIs.
    pub prefix: String,
    /// The text.
    pub text: String,
}

/// One part of a report.
pub enum Part {
    /// A name, and the rest of its line.
    Heading {
        /// The name.
        name: String,
        /// The rest of the line; may be empty.
        rest: String,
    },
    /// A table.
    Table(Grid),
    /// A remark about some rows.
    Remark(Remark),
    /// One or more sentences.
    Text {
        /// The sentences.
        text: String,
        /// Indent of the lines after the first.
        indent: &'static str,
    },
    /// A label with text.
    Field {
        /// The label, at most 8 characters.
        label: &'static str,
        /// The text.
        text: String,
    },
    /// Lines that keep their spaces, at most 80 columns wide.
    Figure(String),
}

impl Part {
    /// A text part without indent.
    pub fn text(text: &str) -> Self {
        Self::Text { text: text.to_owned(), indent: "" }
    }

    fn draw(self, terminal: Terminal) -> String {
        let drawn = match self {
            Self::Heading { name, rest } if rest.is_empty() => {
                paint(terminal, BOLD, &wrap(&name, terminal.width, "  "))
            }
            Self::Heading { name, rest } => {
                let heading = wrap(&format!("{name}: {rest}"), terminal.width, "  ");
                heading.replacen(&name, &paint(terminal, BOLD, &name), 1)
            }
            Self::Table(grid) => grid.draw(terminal),
            Self::Remark(Remark { severity, prefix, text }) => {
                let (style, mark) = match severity {
                    Severity::Note => (DIM, Mark::Note.text()),
                    Severity::Skipped => (DIM, ""),
                    Severity::Fault => (colored(AnsiColor::Red), ""),
                };
                paint(terminal, style, &wrap(&format!("{prefix}{mark}{text}"), terminal.width, "  "))
            }
            Self::Text { text, indent } => wrap(&text, terminal.width, indent),
            Self::Field { label, text } => field(label, &text, terminal),
            Self::Figure(lines) => format!("\n{lines}"),
        };
        drawn + "\n"
    }

    fn markdown(self) -> String {
        match self {
            Self::Heading { name, rest } if rest.is_empty() => format!("### {}\n\n", markdown::escape(&name)),
            Self::Heading { name, rest } => {
                format!("### {}\n\n{}\n\n", markdown::escape(&name), markdown::escape(&rest))
            }
            Self::Table(grid) => format!("\n{}\n", grid.markdown()),
            Self::Remark(Remark { prefix, text, .. }) => {
                format!("- {}\n", markdown::escape(&format!("{prefix}{text}")))
            }
            Self::Text { text, .. } => format!("\n{}\n", markdown::escape(&text)),
            Self::Field { label, text } => format!("- **{label}**: {}\n", markdown::escape(&text)),
            // No line of a figure can be a fence, because each starts with spaces.
            Self::Figure(lines) => format!("\n```text\n{lines}\n```\n\n"),
        }
    }
}

/// Width of a label and of its indent.
const LABEL: usize = 8;
const GAP: usize = 2;

fn field(label: &str, text: &str, terminal: Terminal) -> String {
    let label = paint(terminal, DIM, &format!("{label:<LABEL$}"));
    let text = wrap(text, terminal.width.saturating_sub(LABEL + 2 * GAP).max(20), "");
    columns(&[vec![label, text]], GAP, terminal)
}

/// Lays out `parts` for `medium`.
#[must_use]
pub fn lay_out(parts: Vec<Part>, medium: Medium) -> String {
    match medium {
        Medium::Terminal(terminal) => parts.into_iter().map(|part| part.draw(terminal)).collect(),
        Medium::Markdown => {
            let text: String = parts.into_iter().map(Part::markdown).collect();
            // Parts are separated by exactly one blank line.
            let mut tidy = text.replace("\n\n\n", "\n\n").trim_start().to_owned();
            tidy.truncate(tidy.trim_end().len());
            tidy + "\n"
        }
    }
}
