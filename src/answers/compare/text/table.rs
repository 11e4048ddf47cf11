//! Comparisons as tables for a terminal.

use textwrap::core::display_width;

use super::columns::{Block, Column, VERDICT, block, sign};
use super::groups::{Group, groups};
use super::sentences::{
    count, days, labels, left_out, marked, mean_shares, name, none, particulars, regression_lines, remarks, rule, some,
    tally_line, title, with_interval,
};
use super::view::{Sort, View};
use crate::answers::compare::{CaseComparison, Comparison, Mark, Pair, Ratio, Side, Verdict};
use crate::record::format::percent;
use crate::report::layout::{self, BOLD, Cell, DIM, Grid, Row, Terminal, paint, wrap};
use crate::report::table::WIDE;

/// Minimum and maximum width of row names.
const NAME: std::ops::RangeInclusive<usize> = 24..=56;

/// Writes the legend, one table per family, the table of all families, and the excluded cases; without all rows, the
/// totals first and then the rows that changed.
pub(super) fn write(comparison: &Comparison, view: View) -> String {
    if !view.has_all_rows && !view.is_relative && !comparison.matches.is_empty() {
        return short(comparison, view);
    }
    let mut parts = vec![legend(comparison, view)];
    parts.extend(groups(comparison, view.sort).iter().filter_map(|group| section(comparison, group, view)));
    if view.is_relative {
        parts.extend(shares(comparison, view.terminal));
    } else {
        parts.extend((0..comparison.matches.len()).filter_map(|of| overall(comparison, of, view.terminal)));
    }
    let mut closing: Vec<String> = (0..comparison.matches.len()).flat_map(|of| left_out(comparison, of)).collect();
    closing.extend(regressions(comparison, view));
    parts.push(closing.iter().map(|line| paragraph(line, "  ", view.terminal)).collect());
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn regressions(comparison: &Comparison, view: View) -> impl Iterator<Item = String> {
    let lines = view.limit.into_iter().flat_map(|limit| regression_lines(comparison, limit));
    lines.map(|line| if line.is_item { format!("  {}", line.text) } else { line.text })
}

/// Rows that a short comparison shows of those that changed.
const CHANGED: usize = 12;

/// How to see the others.
const ALL: &str = "`--all --sort ratio` shows every row in the order of the ratios";

/// Totals, the rows that changed with the largest slow-down first, and what was left out in one line.
fn short(comparison: &Comparison, view: View) -> String {
    let mut parts = vec![sides(comparison, view)];
    parts.extend((0..comparison.matches.len()).filter_map(|of| totals(comparison, of, view.terminal)));
    let has_changed = |case: &&CaseComparison| {
        case.pairs.iter().any(|(_, pair)| matches!(pair.verdict, Verdict::Faster | Verdict::Slower))
    };
    let by_ratio = groups(comparison, Sort::Ratio).into_iter().flat_map(|group| group.cases);
    let changed: Vec<&CaseComparison> = by_ratio.filter(has_changed).collect();
    let compared = comparison.cases.iter().filter(|case| case.pairs.iter().next().is_some()).count();
    let mut closing: Vec<String> = Vec::new();
    let view_of_changed = View { sort: Sort::Ratio, ..view };
    // The largest changes in both directions: slow-downs from the start of the list, speed-ups from its end.
    let (front, back) = (CHANGED.div_ceil(2), CHANGED / 2);
    let hidden = changed.len().saturating_sub(CHANGED);
    let shown: Vec<&CaseComparison> =
        if hidden == 0 { changed.clone() } else { [&changed[..front], &changed[changed.len() - back..]].concat() };
    if let Some(mut block) = block(comparison, &shown, view_of_changed, view.terminal.width >= WIDE) {
        if let [_] = comparison.matches.as_slice() {
            // The verdict as a title leaves room for the names.
            let verdict = |case: &&CaseComparison| case.pairs.get(0).map_or("", |pair| pair.verdict.name()).to_owned();
            block.titles = shown.iter().map(verdict).collect();
            block.groups.iter_mut().for_each(|group| group.retain(|column| column.heading != VERDICT));
        }
        let title = format!("{} changed", count(changed.len()));
        parts.push(format!("{}\n{}", paint(view.terminal, BOLD, &title), draw(block, view.terminal)));
    }
    if hidden > 0 {
        closing.push(format!("{hidden} more changed; {ALL}."));
    } else if compared > shown.len() {
        closing.push(format!("{ALL}."));
    }
    let left = comparison.cases.len() - compared;
    if left > 0 {
        closing.push(format!("{} not compared; `--all` says why.", count(left)));
    }
    closing.extend(regressions(comparison, view));
    closing.push(reading(comparison, view));
    parts.push(closing.iter().map(|line| paragraph(line, "  ", view.terminal)).collect());
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Cases by verdict, and the families with a change; `None` if no case is compared.
fn totals(comparison: &Comparison, of: usize, terminal: Terminal) -> Option<String> {
    let [a, b] = labels(comparison, of);
    let all = comparison.tally(of, None);
    let cases: usize = all.verdicts.iter().sum();
    if cases == 0 {
        return None;
    }
    let shown = Verdict::ALL.iter().zip(all.verdicts).map(|(verdict, count)| format!("{count} {}", verdict.name()));
    let line = format!("{b} against {a}: {}: {}", count(cases), shown.collect::<Vec<_>>().join(", "));
    let mut text = paint(terminal, BOLD, paragraph(&line, "  ", terminal).trim_end()) + "\n";
    // A mean that may be 1, or that looks like it, says nothing.
    let is_certain = |mean: &Ratio| mean.interval.is_some_and(|(low, high)| low > 1.005 || high < 0.995);
    let mean = |family: Option<&str>| comparison.tally(of, family).mean.filter(is_certain);
    let families = comparison.families().into_iter().filter_map(|family| Some((family, mean(Some(family))?)));
    let mut means: Vec<(&str, Ratio)> = families.collect();
    means.sort_by(|x, y| x.1.value.total_cmp(&y.1.value));
    if let Some(mean) = mean(None) {
        means.insert(0, ("all families", mean));
    }
    if !means.is_empty() {
        let parts: Vec<String> =
            means.iter().map(|(family, mean)| format!("{family} {}", with_interval(mean))).collect();
        text.push_str(&paragraph(&format!("Mean {a} ÷ {b}: {}.", parts.join(", ")), "  ", terminal));
    }
    text.extend(remarks(comparison, of).iter().map(|remark| paragraph(remark, "  ", terminal)));
    Some(text)
}

/// Wraps `text` and indents all lines after the first by `indent`. Leading spaces of `text` indent every line.
fn paragraph(text: &str, indent: &str, terminal: Terminal) -> String {
    let body = text.trim_start_matches(' ');
    let leading = " ".repeat(text.len() - body.len());
    let lines = wrap(body, terminal.width.saturating_sub(leading.len()), indent);
    lines.lines().map(|line| format!("{leading}{line}\n")).collect()
}

/// The sides, and how to read the tables.
fn legend(comparison: &Comparison, view: View) -> String {
    sides(comparison, view) + paragraph(&reading(comparison, view), "", view.terminal).as_str()
}

fn sides(comparison: &Comparison, view: View) -> String {
    let mut text = String::new();
    for side in &comparison.sides {
        let origin = [side.driver.to_owned(), format!("shaderbench {}", side.tool_version)].into_iter();
        let facts = origin.chain(particulars(comparison, side)).chain([days(side), side.reports.join(", ")]);
        let facts: Vec<String> = facts.filter(|fact| !fact.is_empty()).collect();
        let line = format!("{}: {} ({})", side.label, title(side), facts.join("; "));
        let line = wrap(&line, view.terminal.width, "   ");
        text.push_str(&line.replacen(&side.label, &paint(view.terminal, BOLD, &side.label), 1));
        text.push('\n');
    }
    text
}

fn reading(comparison: &Comparison, view: View) -> String {
    if view.is_relative {
        return "Each side's share of the peaks that it measured itself: how well each device is used, whatever its size. \
                *: the largest share, or within the margin of it."
            .to_owned();
    }
    match comparison.matches.as_slice() {
        [] => "Nothing to compare.".to_owned(),
        [_] => {
            let [a, b] = labels(comparison, 0);
            format!("{a} ÷ {b} is a ratio of times: above 1, {b} is faster. {}", rule(comparison))
        }
        _ => {
            let signs: Vec<_> =
                Verdict::ALL.iter().map(|verdict| format!("{} {}", sign(*verdict), verdict.name())).collect();
            let best = "*: the shortest time, or not certainly longer";
            format!(
                "Ratios of times: above 1, the second side is faster ({}). {best}. {}",
                signs.join(", "),
                rule(comparison)
            )
        }
    }
}

fn section(comparison: &Comparison, group: &Group, view: View) -> Option<String> {
    let is_wide = view.terminal.width >= WIDE;
    let block = block(comparison, &group.cases, view, is_wide)?;
    let mut text = format!("{}\n", paint(view.terminal, BOLD, group.family.unwrap_or("all cases")));
    text.push_str(&draw(block, view.terminal));
    if !is_wide && !view.is_relative {
        for line in marks(comparison, group) {
            text.push_str(&paint(view.terminal, DIM, paragraph(&line, "  ", view.terminal).trim_end()));
            text.push('\n');
        }
    }
    if let Some(family) = group.family {
        let lines = if view.is_relative {
            share_line(comparison, family).into_iter().collect()
        } else {
            let line = |of| tally_line(comparison, of, &comparison.tally(of, Some(family)));
            (0..comparison.matches.len()).filter_map(line).collect::<Vec<_>>()
        };
        text.extend(lines.iter().map(|line| paragraph(line, "", view.terminal)));
    }
    Some(text)
}

/// The rows that differ in more than time, one line per kind of difference.
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
    let Block { titles, marks, names, groups, notes } = block;
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
            // The gap after the last column takes no room.
            Some(table) if table.is_empty() || used + more <= room + 2 => table.extend(group),
            _ => tables.push(group),
        }
    }
    let last = tables.len() - 1;
    let draw = |(index, columns): (usize, Vec<Column>)| {
        let used: usize = columns.iter().map(width).sum();
        let rest = terminal.width.saturating_sub(used + (*NAME.end()).min(longest) + 4);
        let has_notes = index == last && terminal.width >= WIDE && rest >= *NAME.start();
        let mut rows: Vec<Row> = (0..names.len())
            .map(|row| Row {
                group: titles[row].clone(),
                mark: marks[row],
                name: names[row].clone(),
                cells: columns.iter().map(|column| column.cells[row].clone()).collect(),
            })
            .collect();
        if has_notes {
            rows.iter_mut().zip(&notes).for_each(|(row, note)| row.cells.push(note.clone().into()));
        }
        let columns = columns
            .into_iter()
            .map(|column| layout::Column { heading: column.heading, is_right: column.is_right })
            .collect();
        let grid =
            Grid { columns, widest_name: Some(*NAME.end()), note: has_notes.then_some("note"), has_marks: true, rows };
        grid.draw(terminal) + "\n"
    };
    tables.into_iter().enumerate().map(draw).collect()
}

/// Width of a column and its gap.
fn width(column: &Column) -> usize {
    let cells = column.cells.iter().map(|cell: &Cell| display_width(&cell.text));
    cells.chain([display_width(&column.heading)]).max().unwrap_or(0) + 2
}

/// One match in a table of families; `None` if no case is compared.
fn overall(comparison: &Comparison, of: usize, terminal: Terminal) -> Option<String> {
    let [a, b] = labels(comparison, of);
    let row = |name: &str, family: Option<&str>| {
        let tally = comparison.tally(of, family);
        let mut cells = vec![tally.cases.to_string()];
        cells.push(tally.mean.map_or_else(none, |mean| with_interval(&mean)));
        cells.extend(tally.verdicts.map(|count| if count == 0 { none() } else { count.to_string() }));
        plain_row(name, cells)
    };
    let all = comparison.tally(of, None);
    if all.verdicts.iter().sum::<usize>() == 0 {
        return None;
    }
    let mut headings: Vec<String> = vec!["cases".to_owned(), format!("{a} ÷ {b}")];
    headings.extend(Verdict::ALL.map(|verdict| verdict.name().to_owned()));
    let mut rows: Vec<_> = comparison.families().into_iter().map(|family| row(family, Some(family))).collect();
    rows.push(row("all", None));
    let drawn = figures(headings, rows).draw(terminal);
    let mut text = format!("{}\n{drawn}\n", paint(terminal, BOLD, &format!("all families: {b} against {a}")));
    text.extend(tally_line(comparison, of, &all).map(|line| paragraph(&line, "", terminal)));
    Some(text)
}

fn plain_row(name: &str, cells: Vec<String>) -> Row {
    let cells = cells.into_iter().map(Cell::from).collect();
    Row { group: String::new(), mark: layout::Mark::None, name: name.to_owned(), cells }
}

/// A table of numbers by family.
fn figures(headings: Vec<String>, rows: Vec<Row>) -> Grid {
    let columns = headings.into_iter().map(|heading| layout::Column { heading, is_right: true }).collect();
    Grid { columns, widest_name: Some(*NAME.start()), note: None, has_marks: false, rows }
}

/// Mean shares in a table of families.
fn shares(comparison: &Comparison, terminal: Terminal) -> Option<String> {
    let row = |name: &str, family: Option<&str>| {
        let (cases, means) = mean_shares(comparison, family);
        let mut cells = vec![cases.to_string()];
        cells.extend(means.into_iter().map(|mean| mean.map_or_else(none, percent)));
        (cases, plain_row(name, cells))
    };
    let mut headings = vec!["cases".to_owned()];
    headings.extend(comparison.sides.iter().map(|side| side.label.clone()));
    let of_families = comparison.families().into_iter().map(|family| row(family, Some(family)));
    let mut rows: Vec<_> = of_families.filter(|(cases, _)| *cases > 0).map(|(_, row)| row).collect();
    let (cases, all) = row("all", None);
    rows.push(all);
    let drawn = figures(headings, rows).draw(terminal);
    let title = "all families: geometric mean of the shares of ceilings, over cases that every side has";
    (cases > 0).then(|| format!("{}{drawn}\n", paint(terminal, BOLD, &paragraph(title, "  ", terminal))))
}

fn share_line(comparison: &Comparison, family: &str) -> Option<String> {
    let (cases, means) = mean_shares(comparison, Some(family));
    let of = |(side, mean): (&Side, Option<f64>)| Some(format!("{} {}", side.label, percent(mean?)));
    let means: Option<Vec<String>> = comparison.sides.iter().zip(means).map(of).collect();
    Some(format!("Geometric mean of {}: {}.", count(cases), means?.join(", ")))
}
