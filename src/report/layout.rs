//! What a report for people consists of, laid out for a terminal or as Markdown.

use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Modify, Padding, Style, Width};

use super::markdown;

/// How to draw.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether to use ANSI colours.
    pub has_color: bool,
}

/// What a report is written for.
#[derive(Debug, Clone, Copy)]
pub enum Medium {
    /// A terminal.
    Terminal(Look),
    /// An issue or a page: GitHub's Markdown.
    Markdown,
}

impl Medium {
    /// How tables are made for it: Markdown has the columns of a narrow one, and neither colours nor a width.
    pub(super) const fn look(self) -> Look {
        match self {
            Self::Terminal(look) => look,
            Self::Markdown => Look { width: 120, has_color: false },
        }
    }
}

/// The cells of a bar, from an eighth to a whole.
pub(super) const BAR: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// A piece of a report.
pub enum Part {
    /// What something is called, and the rest of that line.
    Heading {
        /// The name.
        name: String,
        /// What it is; may be empty.
        rest: String,
    },
    /// Rows.
    Table(Grid),
    /// What is to be known of a row or some.
    Remark {
        /// The APIs that it is about, with a colon; empty where it is about all.
        prefix: String,
        /// The sentence.
        text: String,
        /// Whether it is about something that went wrong.
        is_fault: bool,
    },
    /// A sentence or more.
    Text {
        /// The sentences.
        text: String,
        /// What lines after the first start with.
        indent: &'static str,
    },
    /// Text under a label.
    Field {
        /// The label, of 8 letters at most.
        label: &'static str,
        /// The text.
        text: String,
    },
}

impl Part {
    /// One of the remarks on rows.
    pub(super) fn remark(text: String) -> Self {
        Self::remark_by("", &text)
    }

    /// The same behind a prefix.
    pub(super) fn remark_by(prefix: &str, text: &str) -> Self {
        let is_fault = !text.starts_with("skipped") && !text.starts_with('~');
        Self::Remark { prefix: prefix.to_owned(), text: text.to_owned(), is_fault }
    }

    /// A sentence or more.
    pub(super) fn text(text: &str) -> Self {
        Self::Text { text: text.to_owned(), indent: "" }
    }

    fn draw(self, look: Look) -> String {
        let drawn = match self {
            Self::Heading { name, rest } if rest.is_empty() => paint(look, "1", &wrap(&name, look.width, "  ")),
            Self::Heading { name, rest } => {
                let heading = wrap(&format!("{name}: {rest}"), look.width, "  ");
                heading.replacen(&name, &paint(look, "1", &name), 1)
            }
            Self::Table(grid) => grid.draw(look),
            Self::Remark { prefix, text, is_fault } => {
                paint(look, if is_fault { "31" } else { "2" }, &wrap(&format!("{prefix}{text}"), look.width, "  "))
            }
            Self::Text { text, indent } => wrap(&text, look.width, indent),
            Self::Field { label, text } => field(label, &text, look),
        };
        drawn + "\n"
    }

    fn markdown(self) -> String {
        match self {
            Self::Heading { name, rest } if rest.is_empty() => format!("### {}\n\n", markdown::escape(&name)),
            Self::Heading { name, rest } => {
                format!("### {}\n\n{}\n\n", markdown::escape(&name), markdown::escape(&rest))
            }
            Self::Table(grid) => grid.markdown() + "\n",
            Self::Remark { prefix, text, .. } => {
                format!("- {}\n", markdown::escape(&format!("{prefix}{}", text.trim_start_matches("~ "))))
            }
            Self::Text { text, .. } => format!("\n{}\n", markdown::escape(&text)),
            Self::Field { label, text } => format!("- **{label}**: {}\n", markdown::escape(&text)),
        }
    }
}

/// Columns of a label with the blanks around it.
const LABEL: usize = 12;

fn field(label: &str, text: &str, look: Look) -> String {
    let wrapped = wrap(text, look.width.saturating_sub(LABEL).max(20), "");
    let line = |(place, line): (usize, &str)| {
        let label = if place == 0 { label } else { "" };
        format!("  {}{line}", paint(look, "2", &format!("{label:<width$}", width = LABEL - 2)))
    };
    wrapped.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// Lays `parts` out.
#[must_use]
pub fn lay_out(parts: Vec<Part>, medium: Medium) -> String {
    match medium {
        Medium::Terminal(look) => parts.into_iter().map(|part| part.draw(look)).collect(),
        Medium::Markdown => {
            let text: String = parts.into_iter().map(Part::markdown).collect();
            // A blank line parts two pieces, and never more than one.
            let mut tidy = text.replace("\n\n\n", "\n\n").trim_start().to_owned();
            tidy.truncate(tidy.trim_end().len());
            tidy + "\n"
        }
    }
}

/// Columns of the terminal that the first and the last column of a grid have at least.
const LEAST: usize = 12;

/// The name of a row, on several lines where it is too long for `width`: broken at blanks, behind its family, and within a word that is too long
/// behind underscores. The mark of two columns stays in front, what goes on below is set further in.
fn folded(name: &str, width: usize) -> String {
    const MARK: usize = 2;
    const INDENT: usize = 4;
    let length = |text: &str| text.chars().count();
    if length(name) <= width {
        return name.to_owned();
    }
    let room = width - INDENT;
    let (mark, rest) = name.split_at_checked(MARK).unwrap_or(("", name));
    let mut pieces: Vec<String> = Vec::new();
    for word in rest.split_inclusive([' ', '/']) {
        if length(word.trim_end()) <= room {
            pieces.push(word.to_owned());
            continue;
        }
        for part in word.split_inclusive('_') {
            pieces.extend(part.chars().collect::<Vec<_>>().chunks(room).map(|piece| piece.iter().collect::<String>()));
        }
    }
    let (mut out, mut column) = (mark.to_owned(), MARK);
    for piece in pieces {
        if column > INDENT && column + length(piece.trim_end()) > width {
            out.truncate(out.trim_end().len());
            out += &format!("\n{:INDENT$}", "");
            column = INDENT;
        }
        column += length(&piece);
        out += &piece;
    }
    out
}

/// What is drawn: rows under a heading, each under the title of its group.
pub struct Grid {
    /// The heading of each column.
    pub(super) heading: Vec<String>,
    /// Columns that are set flush right.
    pub(super) right: Vec<usize>,
    /// Columns of the terminal for the first column.
    pub(super) name: usize,
    /// Columns of the terminal for the last column, where it is a note.
    pub(super) note: Option<usize>,
    /// Title of its group (empty: none) and cells of each row.
    pub(super) rows: Vec<(String, Vec<String>)>,
}

impl Grid {
    /// Draws it; lines have no blanks at their ends.
    pub(super) fn draw(self, look: Look) -> String {
        let columns = self.heading.len();
        let mut builder = Builder::default();
        builder.push_record(self.heading);
        let mut group = String::new();
        let mut titles = Vec::new();
        for (title, cells) in self.rows {
            if title != group {
                titles.push(builder.count_records());
                let mut cells = vec![String::new(); columns];
                cells[0].clone_from(&title);
                builder.push_record(cells);
                group = title;
            }
            let mut cells = cells;
            cells[0] = folded(&cells[0], self.name.max(LEAST));
            builder.push_record(cells);
        }
        let mut table = builder.build();
        table.with(Style::empty()).with(Padding::new(0, 2, 0, 0));
        for column in self.right {
            table.with(Modify::new(Columns::one(column)).with(Alignment::right()));
        }
        let wrapped = |width: usize| Width::wrap(width.max(LEAST)).keep_words(true);
        table.with(Modify::new(Columns::first()).with(wrapped(self.name)));
        if let Some(note) = self.note {
            table.with(Modify::new(Columns::one(columns - 1)).with(wrapped(note)));
        }
        if look.has_color {
            let bold = tabled::settings::Color::BOLD;
            table.with(Modify::new(Rows::first()).with(tabled::settings::Color::UNDERLINE));
            for title in titles {
                table.with(Modify::new(Rows::one(title)).with(bold.clone()));
            }
        }
        let drawn = table.to_string();
        drawn.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }
    fn markdown(self) -> String {
        let mut heading = self.heading;
        if heading[0].is_empty() && self.rows.iter().any(|(title, _)| !title.is_empty()) {
            "case".clone_into(&mut heading[0]);
        }
        let cell = |text: &str| text.trim_start_matches(|c| BAR.contains(&c) || c == ' ').to_owned();
        let row = |(title, cells): (String, Vec<String>)| {
            let mut cells: Vec<_> = cells.iter().map(|text| cell(text)).collect();
            // What is implausible is marked; notes have lines of their own.
            let (mark, name) =
                cells[0].split_at_checked(2).filter(|(mark, _)| *mark == "! ").unwrap_or(("", &cells[0]));
            cells[0] = [mark.trim(), &title, name.trim_start_matches("~ ")].join(" ").trim_start().replace("  ", " ");
            cells
        };
        let right: Vec<bool> = (0..heading.len()).map(|column| self.right.contains(&column)).collect();
        markdown::table(&heading, &right, &self.rows.into_iter().map(row).collect::<Vec<_>>())
    }
}

pub(super) fn paint(look: Look, code: &str, text: &str) -> String {
    if look.has_color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Breaks `text` at spaces so that no line passes `width`; lines after the first start with `indent`.
pub(crate) fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            out.push('\n');
            out.push_str(indent);
            column = indent.len();
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}
