//! The parts of a report for people, laid out for a terminal or as Markdown.

use anstyle::{AnsiColor, Style as TextStyle};
use tabled::builder::Builder;
use tabled::settings::object::{Columns, Rows};
use tabled::settings::{Alignment, Modify, Padding, Style, Width};
use textwrap::core::display_width;

use super::markdown;

/// A terminal to draw on.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether to use ANSI colours.
    pub has_color: bool,
}

/// What a report is written for.
#[derive(Debug, Clone, Copy)]
pub enum Medium {
    /// A terminal.
    Terminal(Terminal),
    /// An issue or a page: GitHub's Markdown.
    Markdown,
}

impl Medium {
    /// How tables are made for it: Markdown has the columns of a narrow one, and neither colours nor a width.
    pub(super) const fn terminal(self) -> Terminal {
        match self {
            Self::Terminal(terminal) => terminal,
            Self::Markdown => Terminal { width: 120, has_color: false },
        }
    }
}

/// The cells of a bar, from an eighth to a whole.
pub(super) const BAR: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// How serious a remark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// The rows are measured.
    Note,
    /// The rows were skipped.
    Skipped,
    /// The rows are wrong, failed or implausible.
    Fault,
}

/// A line about some rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// How serious it is.
    pub severity: Severity,
    /// The APIs of the rows, with a colon; empty for all APIs.
    pub prefix: String,
    /// The sentence.
    pub text: String,
}

/// A part of a report.
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
    /// A line about some rows.
    Remark(Remark),
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
    /// A sentence or more.
    pub(super) fn text(text: &str) -> Self {
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
            Self::Remark(Remark { prefix, text, .. }) => {
                format!("- {}\n", markdown::escape(&format!("{prefix}{text}")))
            }
            Self::Text { text, .. } => format!("\n{}\n", markdown::escape(&text)),
            Self::Field { label, text } => format!("- **{label}**: {}\n", markdown::escape(&text)),
        }
    }
}

/// Columns of a label with the blanks around it.
const LABEL: usize = 12;

fn field(label: &str, text: &str, terminal: Terminal) -> String {
    let wrapped = wrap(text, terminal.width.saturating_sub(LABEL).max(20), "");
    let line = |(index, line): (usize, &str)| {
        let label = if index == 0 { label } else { "" };
        format!("  {}{line}", paint(terminal, DIM, &padded(label, LABEL - 2)))
    };
    wrapped.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// Lays `parts` out.
#[must_use]
pub fn lay_out(parts: Vec<Part>, medium: Medium) -> String {
    match medium {
        Medium::Terminal(terminal) => parts.into_iter().map(|part| part.draw(terminal)).collect(),
        Medium::Markdown => {
            let text: String = parts.into_iter().map(Part::markdown).collect();
            // A blank line parts two pieces, and never more than one.
            let mut tidy = text.replace("\n\n\n", "\n\n").trim_start().to_owned();
            tidy.truncate(tidy.trim_end().len());
            tidy + "\n"
        }
    }
}

/// Least width of the first and of the last column of a grid.
const LEAST: usize = 12;
/// Blanks between two columns.
const GAP: usize = 2;

/// A row's name on as many lines as `width` asks for: broken at blanks, after the family, and in a longer word after
/// underscores.
fn folded(name: &str, width: usize) -> String {
    const INDENT: usize = 2;
    if display_width(name) <= width {
        return name.to_owned();
    }
    let room = width - INDENT;
    let mut pieces: Vec<String> = Vec::new();
    for word in name.split_inclusive([' ', '/']) {
        if display_width(word.trim_end()) <= room {
            pieces.push(word.to_owned());
            continue;
        }
        for part in word.split_inclusive('_') {
            pieces.extend(
                textwrap::core::break_words([textwrap::core::Word::from(part)], room)
                    .iter()
                    .map(|piece| format!("{}{}", piece.word, piece.whitespace)),
            );
        }
    }
    let (mut out, mut column) = (String::new(), 0);
    for piece in pieces {
        let start = if out.contains('\n') { INDENT } else { 0 };
        if column > start && column + display_width(piece.trim_end()) > width {
            out.truncate(out.trim_end().len());
            out += &format!("\n{:INDENT$}", "");
            column = INDENT;
        }
        column += display_width(&piece);
        out += &piece;
    }
    out
}

/// What a row's name is marked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Nothing.
    None,
    /// There is a note on the row.
    Note,
    /// The row is wrong, failed or implausible.
    Fault,
}

impl Mark {
    /// Columns of the terminal for a mark.
    pub(super) const WIDTH: usize = 2;

    const fn text(self) -> &'static str {
        match self {
            Self::None => "  ",
            Self::Note => "~ ",
            Self::Fault => "! ",
        }
    }
}

/// A column beside the names.
pub(super) struct Column {
    /// Its heading.
    pub(super) heading: String,
    /// Whether it is aligned right.
    pub(super) is_right: bool,
}

/// A cell: its text, and what only a terminal shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell {
    /// The text.
    pub(super) text: String,
    /// How a terminal paints it; of a cell with a bar, the bar.
    pub(super) style: TextStyle,
    /// A bar in front of the text.
    pub(super) bar: Option<String>,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, style: TextStyle::new(), bar: None }
    }
}

impl Cell {
    fn draw(self, terminal: Terminal) -> String {
        match self.bar {
            Some(bar) => format!("{}{:>6}", paint(terminal, self.style, &bar), self.text),
            None => paint(terminal, self.style, &self.text),
        }
    }
}

/// A row of a grid.
pub(super) struct Row {
    /// Title of its group; empty for none.
    pub(super) group: String,
    /// Its mark.
    pub(super) mark: Mark,
    /// Its name.
    pub(super) name: String,
    /// A cell for each column.
    pub(super) cells: Vec<Cell>,
}

/// Rows under headings, each below the title of its group.
pub struct Grid {
    /// The columns beside the names.
    pub(super) columns: Vec<Column>,
    /// Most columns of the terminal for the names; `None` for all that the others leave.
    pub(super) widest_name: Option<usize>,
    /// Heading of the last column, where it holds notes and takes the rest of the width.
    pub(super) note: Option<&'static str>,
    /// Whether names have marks in front.
    pub(super) has_marks: bool,
    /// The rows; with notes, each has one cell more than there are columns.
    pub(super) rows: Vec<Row>,
}

impl Grid {
    /// Draws it; lines have no blanks at their ends.
    pub(super) fn draw(self, terminal: Terminal) -> String {
        let figures = self.columns.len();
        let mut headings: Vec<String> = vec![String::new()];
        headings.extend(self.columns.iter().map(|column| column.heading.clone()));
        headings.extend(self.note.map(str::to_owned));
        let rows: Vec<(String, String, Vec<String>)> = self
            .rows
            .into_iter()
            .map(|row| {
                let mark = if self.has_marks { row.mark.text() } else { "" };
                let cells = row.cells.into_iter().map(|cell| cell.draw(terminal)).collect();
                (row.group, format!("{mark}{}", row.name), cells)
            })
            .collect();
        let width_of = |column: usize| {
            let cells = rows.iter().map(|(_, _, cells)| display_width(&cells[column]));
            cells.chain([display_width(&headings[column + 1])]).max().unwrap_or(0)
        };
        let used: usize = (0..figures).map(|column| GAP + width_of(column)).sum();
        let name = terminal.width.saturating_sub(used).min(self.widest_name.unwrap_or(usize::MAX)).max(LEAST);
        let longest =
            rows.iter().map(|(group, name, _)| display_width(group).max(display_width(name))).max().unwrap_or(0);
        let note = terminal.width.saturating_sub(used + name.min(longest) + GAP).max(LEAST);
        let mut builder = Builder::default();
        let columns = headings.len();
        builder.push_record(headings);
        let mut group = String::new();
        let mut titles = Vec::new();
        for (title, name_text, cells) in rows {
            if title != group {
                titles.push(builder.count_records());
                let mut cells = vec![String::new(); columns];
                cells[0].clone_from(&title);
                builder.push_record(cells);
                group = title;
            }
            let mark_width = if self.has_marks { Mark::WIDTH } else { 0 };
            let (mark, text) = name_text.split_at(mark_width);
            let lines = folded(text, name - mark_width);
            let first = std::iter::once(mark.to_owned() + &lines.replace('\n', &format!("\n{:mark_width$}", "")));
            builder.push_record(first.chain(cells));
        }
        let mut table = builder.build();
        table.with(Style::empty()).with(Padding::new(0, GAP, 0, 0));
        for (index, _) in self.columns.iter().enumerate().filter(|(_, column)| column.is_right) {
            table.with(Modify::new(Columns::one(index + 1)).with(Alignment::right()));
        }
        let wrapped = |width: usize| Width::wrap(width).keep_words(true);
        table.with(Modify::new(Columns::first()).with(wrapped(name)));
        if self.note.is_some() {
            table.with(Modify::new(Columns::one(columns - 1)).with(wrapped(note)));
        }
        if terminal.has_color {
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
        let has_group = self.rows.iter().any(|row| !row.group.is_empty());
        let mut heading = vec![if has_group { "case".to_owned() } else { String::new() }];
        heading.extend(self.columns.iter().map(|column| column.heading.clone()));
        heading.extend(self.note.map(str::to_owned));
        let mut right = vec![false];
        right.extend(self.columns.iter().map(|column| column.is_right));
        right.extend(self.note.map(|_| false));
        let row = |row: Row| {
            // Notes have lines of their own.
            let mark = if row.mark == Mark::Fault { "!" } else { "" };
            let name = [mark, &row.group, &row.name].into_iter().filter(|text| !text.is_empty());
            let name = name.collect::<Vec<_>>().join(" ");
            std::iter::once(name).chain(row.cells.into_iter().map(|cell| cell.text)).collect()
        };
        let rows: Vec<Vec<String>> = self.rows.into_iter().map(row).collect();
        markdown::table(&heading, &right, &rows)
    }
}

/// Bold.
pub(super) const BOLD: TextStyle = TextStyle::new().bold();
/// Dimmed.
pub(super) const DIM: TextStyle = TextStyle::new().dimmed();

/// A colour as a style.
pub(super) const fn colored(color: AnsiColor) -> TextStyle {
    TextStyle::new().fg_color(Some(anstyle::Color::Ansi(color)))
}

pub(super) fn paint(terminal: Terminal, style: TextStyle, text: &str) -> String {
    if terminal.has_color && style != TextStyle::new() { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// Breaks `text` at spaces so that no line is wider than `width`, a longer word excepted; lines after the first start
/// with `indent`. A number and its percent sign stay on one line.
pub(crate) fn wrap(text: &str, width: usize, indent: &str) -> String {
    let options = textwrap::Options::new(width)
        .subsequent_indent(indent)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(&text.replace(" %", "\u{a0}%"), options).replace("\u{a0}%", " %")
}

/// `text` followed by blanks up to `width` columns.
pub(crate) fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(display_width(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK: Terminal = Terminal { width: 40, has_color: false };

    #[test]
    fn lines_break_by_display_width_and_keep_numbers_whole() {
        assert_eq!(wrap("one two three", 7, "  "), "one two\n  three");
        assert_eq!(wrap("デバイス 名前", 10, ""), "デバイス\n名前");
        assert_eq!(wrap("it takes 98 %", 12, ""), "it takes\n98 %");
        assert_eq!(wrap("pre-built", 4, ""), "pre-built");
    }

    #[test]
    fn wide_characters_align() {
        let row = |name: &str| Row {
            group: String::new(),
            mark: Mark::None,
            name: name.to_owned(),
            cells: vec![Cell::from("1.0".to_owned())],
        };
        let grid = Grid {
            columns: vec![Column { heading: "n".to_owned(), is_right: true }],
            widest_name: None,
            note: None,
            has_marks: true,
            rows: vec![row("plain name"), row("显卡 9000"), row("card 🚀")],
        };
        let drawn = grid.draw(LOOK);
        let ends: Vec<usize> = drawn.lines().map(display_width).collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "{drawn}");
    }

    #[test]
    fn a_name_that_is_too_wide_is_folded_by_display_width() {
        for name in ["a_name_that_is_far_too_long_for_it", "显卡显卡显卡显卡显卡显卡显卡"] {
            assert!(folded(name, 16).lines().all(|line| display_width(line) <= 16), "{}", folded(name, 16));
        }
    }
}
