//! Comparisons as tables for a terminal.

use textwrap::core::display_width;

use super::answer::{answer, largest_by_kind, row};
use super::columns::{Block, Column, block, sign};
use super::sentences::{
    OTHER_SOURCE, changed_sources, count, days, has_other_caches, labels, left_out, marked, name, particulars,
    regression_lines, remarks, rule, some, tally_line, tally_lines, title, why_not,
};
use super::view::{Group, View, groups};
use crate::compare::{CaseComparison, ChangedKernel, Comparison, Mark, Pair, Verdict};
use crate::report::layout::{self, BOLD, Cell, DIM, Grid, Row, Terminal, paint, wrap};
use record::format::joined;
use record::suite::WorkKind;

const NAME: std::ops::RangeInclusive<usize> = 24..=56;

/// Maximum number of changed kernels that a table shows.
const CHANGED: usize = 12;

/// Writes the answer, the sides, the changed kernels, all rows if `view` asks for them, and what is not compared.
pub(super) fn write(comparison: &Comparison, view: View) -> String {
    let matches = 0..comparison.matches.len();
    let mut parts: Vec<String> = matches.clone().map(|of| bold(&answer(comparison, of).join(" "), view)).collect();
    parts.push(sides(comparison, view));
    parts.extend(matches.clone().filter_map(|of| kernels(comparison, of, view)));
    let has_all_rows = view.has_all_rows || matches.is_empty();
    if !has_all_rows && view.limit.is_none() && matches.clone().all(|of| comparison.is_of_a_copy(of)) {
        return parts.join("\n");
    }
    if has_all_rows {
        parts.extend(groups(comparison, view.sort).iter().filter_map(|group| section(comparison, group, view)));
    }
    let mut closing: Vec<String> = Vec::new();
    for of in matches.clone() {
        closing.extend(tally_lines(comparison, of));
        closing.extend(remarks(comparison, of));
    }
    if has_all_rows {
        closing.extend((0..comparison.matches.len()).flat_map(|of| left_out(comparison, of)));
    } else {
        let is_unlike = |case: &CaseComparison| {
            matches.clone().any(|of| why_not(comparison, of, case).as_deref() == Some(OTHER_SOURCE))
        };
        let left = || comparison.cases.iter().filter(|case| case.pairs.iter().next().is_none() && !is_unlike(case));
        let has_cold = comparison.cases.iter().any(|case| case.row.is_cold());
        let of_other_caches = |case: &&CaseComparison| {
            (0..comparison.matches.len()).any(|of| has_cold && has_other_caches(comparison, of, case))
        };
        let others = match left().filter(of_other_caches).count() {
            0 => String::new(),
            others => format!(", {others} of them with hot caches on one side and cold caches on the other"),
        };
        let why = |left: usize| format!("{} not compared{others}; `--all` shows why.", count(left));
        closing.extend(Some(left().count()).filter(|left| *left > 0).map(why));
        closing.push("`--all` shows every row; with `--sort ratio`, the largest slow-down first.".to_owned());
    }
    let lines = view.limit.into_iter().flat_map(|limit| regression_lines(comparison, limit));
    closing.extend(lines.map(|line| if line.is_item { format!("  {}", line.text) } else { line.text }));
    closing.push(reading(comparison));
    if !has_all_rows {
        closing.extend(matches.flat_map(|of| changed_sources(comparison, of)));
    }
    parts.push(closing.iter().map(|line| paragraph(line, "  ", view.terminal)).collect());
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn bold(text: &str, view: View) -> String {
    paint(view.terminal, BOLD, paragraph(text, "  ", view.terminal).trim_end()) + "\n"
}

fn kernels(comparison: &Comparison, of: usize, view: View) -> Option<String> {
    let all = comparison.changed_kernels(of);
    let [a, b] = labels(comparison, of);
    let row = |kernel: &ChangedKernel| {
        let [name, cases, change] = row(kernel);
        let group = match kernel.kind {
            WorkKind::Kernel => kernel.verdict.name().to_owned(),
            kind => format!("{}, {}", kind.plural(), kernel.verdict.name()),
        };
        Row::new(group, name, [cases, change])
    };
    let most = if view.has_all_rows { usize::MAX } else { CHANGED };
    let shown = largest_by_kind(&all, most);
    let columns = ["cases".to_owned(), format!("{b} against {a}")].map(layout::Column::right);
    let grid = Grid::new(columns, shown.iter().map(|kernel| row(kernel)));
    let drawn = Grid { widest_name: Some(*NAME.end()), ..grid }.draw(view.terminal);
    let hidden = all.len() - shown.len();
    let more = if hidden > 0 { format!("  and {hidden} more\n") } else { String::new() };
    (!all.is_empty()).then(|| format!("{drawn}\n{more}"))
}

/// Wraps `text` and indents all lines after the first by `indent`. Leading spaces of `text` indent every line.
fn paragraph(text: &str, indent: &str, terminal: Terminal) -> String {
    let body = text.trim_start_matches(' ');
    let leading = " ".repeat(text.len() - body.len());
    let lines = wrap(body, terminal.width.saturating_sub(leading.len()), indent);
    lines.lines().map(|line| format!("{leading}{line}\n")).collect()
}

fn sides(comparison: &Comparison, view: View) -> String {
    let mut text = String::new();
    for side in &comparison.sides {
        let origin = [side.driver.to_owned(), format!("shaderbench {}", side.tool_version)].into_iter();
        let facts = origin.chain(particulars(comparison, side)).chain([days(side), side.reports.join(", ")]);
        let line = format!("{}: {} ({})", side.label, title(side), joined(facts, "; "));
        let line = wrap(&line, view.terminal.width, "   ");
        text.push_str(&line.replacen(&side.label, &paint(view.terminal, BOLD, &side.label), 1));
        text.push('\n');
    }
    text
}

const MULTIPLE: &str = "×2 is twice the time, ÷2 half the time";

fn reading(comparison: &Comparison) -> String {
    match comparison.matches.as_slice() {
        [] => "Nothing to compare.".to_owned(),
        [_] => {
            let [a, b] = labels(comparison, 0);
            format!("{b} against {a}: change in time with its 95 % interval; {MULTIPLE}. {}", rule(comparison))
        }
        _ => {
            let signs =
                [Verdict::Same, Verdict::Unclear].map(|verdict| format!("{} {}", sign(verdict), verdict.name()));
            let best = "*: the shortest time, or equal within the noise";
            let signs = signs.join(", ");
            format!("Changes in run time; {MULTIPLE}; {signs}. {best}. {}", rule(comparison))
        }
    }
}

fn section(comparison: &Comparison, group: &Group, view: View) -> Option<String> {
    let block = block(comparison, &group.cases, view)?;
    let mut text = format!("{}\n", paint(view.terminal, BOLD, group.family.unwrap_or("all cases")));
    text.push_str(&draw(block, view.terminal));
    for line in marks(comparison, group) {
        text.push_str(&paint(view.terminal, DIM, paragraph(&line, "  ", view.terminal).trim_end()));
        text.push('\n');
    }
    // With a single family, the closing lines already have the tally.
    if let Some(family) = group.family.filter(|_| comparison.families().len() > 1) {
        let line = |of| tally_line(comparison, of, &comparison.tally(of, Some(family)));
        let lines = (0..comparison.matches.len()).filter_map(line);
        text.extend(lines.map(|line| paragraph(&line, "", view.terminal)));
    }
    Some(text)
}

fn marks(comparison: &Comparison, group: &Group) -> Vec<String> {
    let mut lines = Vec::new();
    for (of, mark) in (0..comparison.matches.len()).flat_map(|of| Mark::ALL.map(|mark| (of, mark))) {
        let has_mark = |pair: &Pair| pair.marks.contains(&mark);
        let marked_cases = group.cases.iter().filter(|case| case.pairs.get(of).is_some_and(has_mark));
        let names: Vec<_> = marked_cases.map(|case| name(case)).collect();
        if !names.is_empty() {
            let [a, b] = labels(comparison, of);
            lines.push(format!("~ {} in {b} than in {a}: {}", marked(mark), some(&names)));
        }
    }
    lines
}

/// Draws the rows; if the table is too wide, splits the columns into several tables.
fn draw(block: Block, terminal: Terminal) -> String {
    let Block { titles, marks, names, groups, .. } = block;
    let named = names
        .iter()
        .map(|name| layout::Mark::WIDTH + display_width(name))
        .chain(titles.iter().map(|title| display_width(title)));
    let longest = named.max().unwrap_or(0);
    let room = terminal.width.saturating_sub((*NAME.start()).min(longest) + 2);
    let mut tables: Vec<Vec<Column>> = vec![Vec::new()];
    for group in groups {
        let used: usize = tables.last().into_iter().flatten().map(width).sum();
        let more: usize = group.iter().map(width).sum();
        match tables.last_mut() {
            // The gap after the last column needs no space.
            Some(table) if table.is_empty() || used + more <= room + 2 => table.extend(group),
            _ => tables.push(group),
        }
    }
    let draw = |columns: Vec<Column>| {
        let rows = (0..names.len()).map(|row| {
            let cells = columns.iter().map(|column| column.cells[row].clone());
            Row { mark: marks[row], ..Row::new(&titles[row], &names[row], cells) }
        });
        let heads =
            columns.iter().map(|column| layout::Column { heading: column.heading.clone(), is_right: column.is_right });
        Grid { widest_name: Some(*NAME.end()), has_marks: true, ..Grid::new(heads, rows) }.draw(terminal) + "\n"
    };
    tables.into_iter().map(draw).collect()
}

fn width(column: &Column) -> usize {
    let cells = column.cells.iter().map(|cell: &Cell| display_width(&cell.text));
    cells.chain([display_width(&column.heading)]).max().unwrap_or(0) + 2
}
