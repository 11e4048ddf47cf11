//! Lays out the parts of a report for a terminal or as Markdown.

use anstyle::{AnsiColor, Style as TextStyle};
use textwrap::core::display_width;

use super::markdown;

/// Properties of the terminal.
#[derive(Debug, Clone, Copy)]
pub struct Terminal {
    /// Width in columns.
    pub width: usize,
    /// Whether to use ANSI colours.
    pub has_color: bool,
}

/// The output medium of a report.
#[derive(Debug, Clone, Copy)]
pub enum Medium {
    /// A terminal.
    Terminal(Terminal),
    /// GitHub Markdown, for an issue or a page.
    Markdown,
}

impl Medium {
    /// The terminal properties for tables. Markdown uses the columns of a narrow terminal, without colours or a width
    /// limit.
    pub(crate) const fn terminal(self) -> Terminal {
        match self {
            Self::Terminal(terminal) => terminal,
            Self::Markdown => Terminal { width: 120, has_color: false },
        }
    }
}

/// Bar characters, from one eighth to a full cell.
pub(crate) const BAR: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

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
    pub(crate) fn text(text: &str) -> Self {
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
            Self::Table(grid) => grid.markdown() + "\n",
            Self::Remark(Remark { prefix, text, .. }) => {
                format!("- {}\n", markdown::escape(&format!("{prefix}{text}")))
            }
            Self::Text { text, .. } => format!("\n{}\n", markdown::escape(&text)),
            Self::Field { label, text } => format!("- **{label}**: {}\n", markdown::escape(&text)),
            // No line of a figure can be a fence: each starts with spaces.
            Self::Figure(lines) => format!("\n```text\n{lines}\n```\n\n"),
        }
    }
}

/// Width of a label with its indent and gap.
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
            // Separate parts by exactly one blank line.
            let mut tidy = text.replace("\n\n\n", "\n\n").trim_start().to_owned();
            tidy.truncate(tidy.trim_end().len());
            tidy + "\n"
        }
    }
}

/// Minimum width of the first and of the last column of a grid.
const LEAST: usize = 12;
/// Spaces between two columns.
const GAP: usize = 2;

/// Breaks a row's name into lines of at most `width` columns: at spaces, after the family, and, in longer words, after
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

/// The mark of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// No mark.
    None,
    /// The row has a note.
    Note,
    /// The row is wrong, failed or implausible.
    Fault,
}

impl Mark {
    /// Width of a mark.
    pub(crate) const WIDTH: usize = 2;

    const fn text(self) -> &'static str {
        match self {
            Self::None => "  ",
            Self::Note => "~ ",
            Self::Fault => "! ",
        }
    }
}

/// A column to the right of the names.
pub(crate) struct Column {
    /// Its heading.
    pub(crate) heading: String,
    /// Whether it is aligned right.
    pub(crate) is_right: bool,
}

/// A cell. A style and a bar appear only on a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    /// The text.
    pub(crate) text: String,
    /// Style on a terminal; it applies to the bar if the cell has one.
    pub(crate) style: TextStyle,
    /// A bar before the text.
    pub(crate) bar: Option<String>,
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, style: TextStyle::new(), bar: None }
    }
}

impl Cell {
    fn draw(&self, terminal: Terminal) -> String {
        match &self.bar {
            Some(bar) => format!("{}{:>6}", paint(terminal, self.style, bar), self.text),
            None => paint(terminal, self.style, &self.text),
        }
    }

    fn width(&self) -> usize {
        let bar = self.bar.as_ref().map(|bar| display_width(bar) + 6_usize.saturating_sub(display_width(&self.text)));
        bar.unwrap_or(0) + display_width(&self.text)
    }
}

/// A row of a grid.
pub(crate) struct Row {
    /// Title of the row's group; empty if it has none.
    pub(crate) group: String,
    /// The mark.
    pub(crate) mark: Mark,
    /// The name.
    pub(crate) name: String,
    /// One cell per column.
    pub(crate) cells: Vec<Cell>,
}

/// A table with headings. Rows are grouped under titles.
pub struct Grid {
    /// The columns after the names.
    pub(crate) columns: Vec<Column>,
    /// Maximum width of the names; `None` for all of the remaining width.
    pub(crate) widest_name: Option<usize>,
    /// Heading of the last column if that column holds notes. It takes the remaining width.
    pub(crate) note: Option<&'static str>,
    /// Whether marks precede the names.
    pub(crate) has_marks: bool,
    /// The rows. With notes, each row has one more cell than there are columns.
    pub(crate) rows: Vec<Row>,
}

impl Grid {
    /// Draws the table without trailing spaces.
    pub(crate) fn draw(self, terminal: Terminal) -> String {
        let width_of = |index: usize, column: &Column| {
            let cells = self.rows.iter().map(|row| row.cells[index].width());
            cells.chain([display_width(&column.heading)]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = self.columns.iter().enumerate().map(|(index, own)| width_of(index, own)).collect();
        let used: usize = widths.iter().map(|width| GAP + width).sum();
        let least_note = if self.note.is_some() { GAP + LEAST } else { 0 };
        let most = self.widest_name.unwrap_or(usize::MAX);
        let most = terminal.width.saturating_sub(used + least_note).min(most).max(LEAST);
        let mark_width = if self.has_marks { Mark::WIDTH } else { 0 };
        let longest = |row: &Row| display_width(&row.group).max(mark_width + display_width(&row.name));
        let longest = self.rows.iter().map(longest).max().unwrap_or(0);
        let note = terminal.width.saturating_sub(used + longest.min(most) + GAP).max(LEAST);
        // Lines of the name, the cells, and lines of the note.
        let mut rows = Vec::new();
        let columns = || self.columns.iter().zip(&widths).map(|(column, width)| (*width, column.is_right));
        let heading = |text: &str| paint(terminal, TextStyle::new().underline(), text);
        let headings = self.columns.iter().map(|column| heading(&column.heading)).collect();
        rows.push((vec![String::new()], headings, self.note.map(heading).into_iter().collect()));
        let mut group = "";
        for row in &self.rows {
            if row.group != group {
                let lines = broken(&row.group, most).into_iter().map(|line| paint(terminal, BOLD, &line));
                rows.push((lines.collect(), Vec::new(), Vec::new()));
                group = &row.group;
            }
            let mark = if self.has_marks { row.mark.text() } else { "" };
            let indent = format!("\n{:mark_width$}", "");
            let lines = mark.to_owned() + &folded(&row.name, most - mark_width).replace('\n', &indent);
            let cells = row.cells.iter().take(widths.len()).map(|cell| cell.draw(terminal));
            let notes = row.cells.get(widths.len()).map_or_else(Vec::new, |cell| broken(&cell.text, note));
            let style = row.cells.last().map_or_else(TextStyle::new, |cell| cell.style);
            let notes = notes.into_iter().map(|line| paint(terminal, style, &line)).collect();
            rows.push((lines.split('\n').map(str::to_owned).collect(), cells.collect(), notes));
        }
        let name = rows.iter().flat_map(|(lines, ..)| lines).map(|line| display_width(line)).max().unwrap_or(0);
        let gap = " ".repeat(GAP);
        let mut drawn = String::new();
        for (lines, cells, notes) in rows {
            for at in 0..lines.len().max(notes.len()) {
                let mut text = padded(lines.get(at).map_or("", String::as_str), name);
                for (index, (width, is_right)) in columns().enumerate() {
                    let cell = cells.get(index).filter(|_| at == 0).map_or("", String::as_str);
                    let blank = " ".repeat(width.saturating_sub(display_width(cell)));
                    text += &if is_right { gap.clone() + &blank + cell } else { gap.clone() + cell + &blank };
                }
                text += &notes.get(at).map_or_else(String::new, |note| gap.clone() + note);
                drawn += text.trim_end();
                drawn.push('\n');
            }
        }
        drawn.truncate(drawn.trim_end().len());
        drawn
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
            // Notes follow on separate lines.
            let mark = if row.mark == Mark::Fault { "!" } else { "" };
            let name = [mark, &row.group, &row.name].into_iter().filter(|text| !text.is_empty());
            let name = name.collect::<Vec<_>>().join(" ");
            std::iter::once(name).chain(row.cells.into_iter().map(|cell| cell.text)).collect()
        };
        let rows: Vec<Vec<String>> = self.rows.into_iter().map(row).collect();
        markdown::table(&heading, &right, &rows)
    }
}

/// Bold style.
pub(crate) const BOLD: TextStyle = TextStyle::new().bold();
/// Dimmed style.
pub(crate) const DIM: TextStyle = TextStyle::new().dimmed();

/// A style with a foreground colour.
pub(crate) const fn colored(color: AnsiColor) -> TextStyle {
    TextStyle::new().fg_color(Some(anstyle::Color::Ansi(color)))
}

pub(crate) fn paint(terminal: Terminal, style: TextStyle, text: &str) -> String {
    if terminal.has_color && style != TextStyle::new() { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// Wraps `text` at spaces to lines of at most `width` columns; longer words stay whole. Lines after the first start
/// with `indent`. A number and its percent sign stay together.
pub(crate) fn wrap(text: &str, width: usize, indent: &str) -> String {
    let options = textwrap::Options::new(width)
        .subsequent_indent(indent)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(&text.replace(" %", "\u{a0}%"), options).replace("\u{a0}%", " %")
}

/// The lines of `text` in `width` columns, broken at spaces and in longer words.
fn broken(text: &str, width: usize) -> Vec<String> {
    let options = textwrap::Options::new(width).word_separator(textwrap::WordSeparator::AsciiSpace);
    let options = options.word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::wrap(text, options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// Pads `text` with spaces to `width` columns.
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
