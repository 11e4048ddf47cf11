//! Tables drawn by the library `tabled`: one style for terminals, one for Markdown.

use anstyle::Style as TextStyle;
use tabled::Table;
use tabled::builder::Builder;
use tabled::grid::config::Offset;
use tabled::settings::object::{Columns, Object, Rows};
use tabled::settings::peaker::Peaker;
use tabled::settings::style::LineChar;
use tabled::settings::{Alignment, Format, Padding, Span, Style, Width};
use textwrap::core::{Word, display_width};
use textwrap::{WordSeparator, WordSplitter};

use super::markdown::escape;
use super::terminal::{BOLD, DIM, Terminal, paint};
use record::format::joined;

/// Spaces between two columns.
const GAP: usize = 2;

/// The mark of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// No mark.
    None,
    /// The row has a note.
    Note,
    /// The row is wrong, failed or implausible.
    Fault,
}

impl Mark {
    /// Width of a mark.
    pub const WIDTH: usize = 2;

    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::None => "  ",
            Self::Note => "~ ",
            Self::Fault => "! ",
        }
    }
}

/// A column to the right of the names.
pub struct Column {
    /// Heading.
    pub heading: String,
    /// Whether it is aligned right.
    pub is_right: bool,
}

impl Column {
    /// A column that is aligned left.
    pub fn left(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), is_right: false }
    }

    /// A column of figures.
    pub fn right(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), is_right: true }
    }
}

/// A cell. A style and a bar appear only on a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Text.
    pub text: String,
    /// Style on a terminal; it applies to the bar if the cell has one.
    pub style: TextStyle,
    /// A bar before the text.
    pub bar: Option<String>,
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
}

/// A row of a grid.
pub struct Row {
    /// Title of the row's group; empty if it has none.
    pub group: String,
    /// Mark before the name.
    pub mark: Mark,
    /// Name.
    pub name: String,
    /// One cell per column.
    pub cells: Vec<Cell>,
}

impl Row {
    /// A row without a mark.
    pub fn new(
        group: impl Into<String>,
        name: impl Into<String>,
        cells: impl IntoIterator<Item = impl Into<Cell>>,
    ) -> Self {
        let cells = cells.into_iter().map(Into::into).collect();
        Self { group: group.into(), mark: Mark::None, name: name.into(), cells }
    }
}

/// A table with headings. Rows are grouped under titles.
pub struct Grid {
    /// The columns after the names.
    pub columns: Vec<Column>,
    /// Maximum width of the names; `None` if unlimited.
    pub widest_name: Option<usize>,
    /// Heading of the last column if it holds notes, which take the remaining width.
    pub note: Option<&'static str>,
    /// Whether marks precede the names.
    pub has_marks: bool,
    /// The rows. With notes, each row has one cell more than there are columns.
    pub rows: Vec<Row>,
}

/// Minimum width of a column that is folded or cut off.
const LEAST: usize = 12;

/// Folds the texts of a column to `room`, but not below [`LEAST`].
fn fold(table: &mut Table, column: usize, widest: usize, room: usize, indent: &'static str) {
    let room = room.max(LEAST);
    if room < widest {
        table.modify(Columns::one(column), Format::content(move |text| folded(text, room, indent)));
    }
}

/// `text` in lines of at most `width` columns, broken at spaces, `/` and `_`; `indent` precedes lines after the first.
fn folded(text: &str, width: usize, indent: &str) -> String {
    fn words(line: &str) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
        Box::new(line.split_inclusive([' ', '/', '_']).map(Word::from))
    }
    let separator = WordSeparator::Custom(words);
    let options = textwrap::Options::new(width).word_separator(separator).word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(text, options.subsequent_indent(indent))
}

fn widest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(display_width).max().unwrap_or(0)
}

impl Grid {
    /// A table without marks and notes, whose names take as much width as they need.
    pub fn new(columns: impl IntoIterator<Item = Column>, rows: impl IntoIterator<Item = Row>) -> Self {
        let (columns, rows) = (columns.into_iter().collect(), rows.into_iter().collect());
        Self { columns, widest_name: None, note: None, has_marks: false, rows }
    }

    /// Draws the table without trailing spaces.
    pub fn draw(self, terminal: Terminal) -> String {
        let name = usize::from(self.has_marks);
        let count = name + 1 + self.columns.len() + usize::from(self.note.is_some());
        let headings = self.columns.iter().map(|column| column.heading.as_str()).chain(self.note);
        let headings = headings.map(|heading| paint(terminal, TextStyle::new().underline(), heading));
        let mut builder = Builder::default();
        builder.push_record(vec![String::new(); name + 1].into_iter().chain(headings));
        let (mut group, mut titles) = ("", Vec::new());
        for row in &self.rows {
            if row.group != group {
                group = &row.group;
                titles.push(builder.count_records());
                let title = paint(terminal, BOLD, &folded(group, terminal.width.max(LEAST), ""));
                builder.push_record(std::iter::once(title).chain(vec![String::new(); count - 1]));
            }
            let mark = self.has_marks.then(|| row.mark.text().to_owned()).into_iter();
            let cells = row.cells.iter().map(|cell| cell.draw(terminal));
            builder.push_record(mark.chain([row.name.clone()]).chain(cells));
        }
        let mut table = builder.build();
        table.with(Style::empty()).with(Padding::new(GAP, 0, 0, 0));
        table.modify(Columns::new(..=name), Padding::zero());
        let right = self.columns.iter().enumerate().filter(|(_, column)| column.is_right);
        for (index, _) in right {
            table.modify(Columns::one(name + 1 + index), Alignment::right());
        }
        for title in titles {
            table.modify((title, 0), Span::column(count as isize));
        }
        // Figures stay whole. Notes get the width that names leave, but at least [`LEAST`], at the expense of names.
        let names = widest(self.rows.iter().map(|row| row.name.as_str()));
        let notes = self.rows.iter().filter_map(|row| row.cells.last()).map(|cell| cell.text.as_str());
        let notes = if self.note.is_some() { widest(notes) } else { 0 };
        let room = (terminal.width + names + notes).saturating_sub(table.total_width());
        let most = self.widest_name.map_or(names, |most| names.min(most));
        let of_notes = if self.note.is_some() { room.saturating_sub(most).clamp(LEAST.min(notes), notes) } else { 0 };
        if self.note.is_some() {
            fold(&mut table, count - 1, notes, of_notes, "");
        }
        fold(&mut table, name, names, room.saturating_sub(of_notes).min(most), "  ");
        text(&table)
    }

    pub(super) fn markdown(self) -> String {
        let has_group = self.rows.iter().any(|row| !row.group.is_empty());
        let mut heading = vec![if has_group { "case".to_owned() } else { String::new() }];
        heading.extend(self.columns.iter().map(|column| column.heading.clone()));
        heading.extend(self.note.map(str::to_owned));
        let right = self.columns.iter().map(|column| column.is_right);
        let right: Vec<bool> = std::iter::once(false).chain(right).chain(self.note.map(|_| false)).collect();
        let row = |row: Row| {
            // Only faults are marked: notes follow on separate lines.
            let mark = if row.mark == Mark::Fault { "!" } else { "" };
            let name = joined([mark, &row.group, &row.name], " ");
            std::iter::once(name).chain(row.cells.into_iter().map(|cell| cell.text)).collect()
        };
        let rows: Vec<Vec<String>> = self.rows.into_iter().map(row).collect();
        markdown(&heading, &right, &rows)
    }
}

/// A table in GitHub Markdown. Columns with `right` = true are right-aligned. Cells may contain any text.
#[must_use]
pub fn markdown(heading: &[String], right: &[bool], rows: &[Vec<String>]) -> String {
    let rows = std::iter::once(heading).chain(rows.iter().map(Vec::as_slice));
    let mut table = Builder::from_iter(rows.map(|row| row.iter().map(|cell| escape(cell.trim())))).build();
    table.with(Style::markdown());
    for (column, _) in right.iter().enumerate().filter(|(_, is_right)| **is_right) {
        table.modify(Columns::one(column), Alignment::right());
        // `tabled` counts the line below the headings as the line above the first row.
        let line = LineChar::horizontal(':', Offset::End(0));
        table.modify(Rows::one(1).intersect(Columns::one(column)), line);
    }
    text(&table) + "\n"
}

/// Columns without headings or marks, within the width of the terminal; the last column takes the rest.
pub fn columns(rows: &[Vec<String>], indent: usize, terminal: Terminal) -> String {
    let mut table = Builder::from_iter(rows).build();
    table.with(Style::empty()).with(Padding::new(GAP, 0, 0, 0));
    table.modify(Columns::first(), Padding::new(indent, 0, 0, 0));
    let last = rows.iter().map(Vec::len).max().unwrap_or(1).saturating_sub(1);
    for column in [last, 0] {
        let column_width = widest(rows.iter().filter_map(|row| row.get(column)).flat_map(|text| text.lines()));
        let excess = table.total_width().saturating_sub(terminal.width);
        fold(&mut table, column, column_width, column_width.saturating_sub(excess), "");
    }
    text(&table)
}

/// Like [`columns`], below a dimmed line of headings.
pub fn headed(headings: &[&str], rows: Vec<Vec<String>>, terminal: Terminal) -> String {
    let headings = headings.iter().map(|heading| paint(terminal, DIM, heading)).collect();
    columns(&std::iter::once(headings).chain(rows).collect::<Vec<_>>(), 0, terminal)
}

/// Takes width only from this column.
struct Only(usize);

impl Peaker for Only {
    fn peak(&mut self, _: &[usize], widths: &[usize]) -> Option<usize> {
        (widths[self.0] > LEAST).then_some(self.0)
    }
}

/// Lines of columns separated by one space, within `width`; if it is too small, column `cut` is cut off.
pub fn fitted(rows: &[Vec<String>], right: &[usize], cut: usize, width: usize) -> Vec<String> {
    let mut table = Builder::from_iter(rows).build();
    table.with(Style::empty()).with(Padding::new(1, 0, 0, 0));
    table.modify(Columns::first(), Padding::zero());
    for column in right {
        table.modify(Columns::one(*column), Alignment::right());
    }
    table.with(Width::truncate(width).suffix("…").priority(Only(cut)));
    text(&table).lines().map(str::to_owned).collect()
}

fn text(table: &Table) -> String {
    let table = table.to_string();
    table.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_align() {
        let rows = ["plain name", "显卡 9000", "card 🚀"].map(|name| Row::new("", name, ["1.0".to_owned()]));
        let grid = Grid { has_marks: true, ..Grid::new([Column::right("n")], rows) };
        let drawn = grid.draw(Terminal { width: 40, has_color: false });
        let ends: Vec<usize> = drawn.lines().map(display_width).collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "{drawn}");
    }

    #[test]
    fn a_name_that_is_too_wide_is_folded_by_display_width() {
        assert_eq!(folded("naive_coalesced_read PAD=1", 16, "  "), "naive_coalesced_\n  read PAD=1");
        for name in ["a_name_that_is_far_too_long_for_it", "显卡显卡显卡显卡显卡显卡显卡"] {
            assert!(folded(name, 16, "").lines().all(|line| display_width(line) <= 16), "{}", folded(name, 16, ""));
        }
    }

    #[test]
    fn cells_of_markdown_are_text_whatever_they_hold() {
        let rows = [vec!["a|b".to_owned(), " 1".to_owned()]];
        let drawn = markdown(&["name".to_owned(), "n".to_owned()], &[false, true], &rows);
        assert_eq!(drawn, "| name | n |\n|------|--:|\n| a\\|b | 1 |\n");
    }
}
