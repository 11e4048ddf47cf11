//! A comparison for a terminal.

use super::columns::{Block, Cell, Column, block, sign};
use super::{Group, View, count, days, groups, labels, left_out, marked, mean_shares, name, none, regression_lines};
use super::{rule, share, some, tally_line, title, with_interval};
use crate::report::layout::{Grid, Look, paint, wrap};
use crate::report::table::WIDE;
use crate::results::compare::{Comparison, Mark, Verdict};

/// What a table needs for its rows' names at least, and what it gives them at most.
const NAME: std::ops::RangeInclusive<usize> = 24..=56;

/// Legend, a table for each family, all families, and what was left out.
pub(super) fn write(comparison: &Comparison, view: View) -> String {
    let mut parts = vec![legend(comparison, view)];
    parts.extend(groups(comparison, view.sort).iter().filter_map(|group| section(comparison, group, view)));
    if view.is_relative {
        parts.extend(shares(comparison, view.look));
    } else {
        parts.extend((0..comparison.matches.len()).filter_map(|of| overall(comparison, of, view.look)));
    }
    let mut closing: Vec<String> = (0..comparison.matches.len()).flat_map(|of| left_out(comparison, of)).collect();
    closing.extend(view.limit.into_iter().flat_map(|limit| regression_lines(comparison, limit)));
    parts.push(closing.iter().map(|line| paragraph(line, "  ", view.look)).collect());
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// Lines of `text`, those after the first indented; a text that is itself indented stays so.
fn paragraph(text: &str, indent: &str, look: Look) -> String {
    let body = text.trim_start_matches(' ');
    let own = " ".repeat(text.len() - body.len());
    let lines = wrap(body, look.width.saturating_sub(own.len()), indent);
    lines.lines().map(|line| format!("{own}{line}\n")).collect()
}

/// Which letter is what, and how to read the tables.
fn legend(comparison: &Comparison, view: View) -> String {
    let mut text = String::new();
    for side in &comparison.sides {
        let facts: Vec<String> =
            [side.driver.to_owned(), format!("shaderbench {}", side.tool_version), days(side), side.reports.join(", ")]
                .into_iter()
                .filter(|fact| !fact.is_empty())
                .collect();
        let line = format!("{}: {} ({})", side.label, title(side), facts.join("; "));
        let line = wrap(&line, view.look.width, "   ");
        text.push_str(&line.replacen(&side.label, &paint(view.look, "1", &side.label), 1));
        text.push('\n');
    }
    text.push_str(&paragraph(&reading(comparison, view), "", view.look));
    text
}

fn reading(comparison: &Comparison, view: View) -> String {
    if view.is_relative {
        return "Shares of each side's own ceilings; *: the largest, or within the margin of it.".to_owned();
    }
    match comparison.matches.as_slice() {
        [] => "There is nothing to compare.".to_owned(),
        [_] => {
            let [a, b] = labels(comparison, 0);
            format!("{a} ÷ {b} is time over time: above 1 {b} is faster. {}", rule(comparison))
        }
        _ => {
            let signs: Vec<_> =
                Verdict::ALL.iter().map(|verdict| format!("{} {}", sign(*verdict), verdict.name())).collect();
            let best = "*: the shortest, or not certainly longer";
            format!(
                "Ratios are time over time: above 1 the second is faster ({}). {best}. {}",
                signs.join(", "),
                rule(comparison)
            )
        }
    }
}

fn section(comparison: &Comparison, group: &Group, view: View) -> Option<String> {
    let is_wide = view.look.width >= WIDE;
    let block = block(comparison, &group.cases, view, is_wide)?;
    let mut text = format!("{}\n", paint(view.look, "1", group.family.unwrap_or("all cases")));
    text.push_str(&draw(block, view.look));
    if !is_wide && !view.is_relative {
        for line in marks(comparison, group) {
            text.push_str(&paint(view.look, "2", paragraph(&line, "  ", view.look).trim_end()));
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
        text.extend(lines.iter().map(|line| paragraph(line, "", view.look)));
    }
    Some(text)
}

/// Which rows differ in more than time, a line for each kind of difference.
fn marks(comparison: &Comparison, group: &Group) -> Vec<String> {
    let mut lines = Vec::new();
    for (of, mark) in (0..comparison.matches.len()).flat_map(|of| Mark::ALL.map(|mark| (of, mark))) {
        let has_mark = |pair: &crate::results::compare::Pair| pair.marks.contains(&mark);
        let marked_cases = group.cases.iter().filter(|case| case.pairs[of].as_ref().is_some_and(has_mark));
        let names: Vec<_> = marked_cases.map(|case| name(case)).collect();
        if !names.is_empty() {
            let [a, b] = labels(comparison, of);
            lines.push(format!("~ {} in {b} than in {a}: {}", marked(mark), some(&names)));
        }
    }
    lines
}

/// The rows, in as many tables below each other as the width asks for.
fn draw(block: Block, look: Look) -> String {
    let Block { titles, names, groups, notes } = block;
    let longest = names.iter().chain(&titles).map(|name| name.chars().count()).max().unwrap_or(0);
    let room = look.width.saturating_sub((*NAME.start()).min(longest) + 2);
    let mut tables: Vec<Vec<Column>> = vec![Vec::new()];
    for group in groups {
        let used: usize = tables.last().into_iter().flatten().map(width).sum();
        let more: usize = group.iter().map(width).sum();
        match tables.last_mut() {
            // The gap behind the last column is not seen.
            Some(table) if table.is_empty() || used + more <= room + 2 => table.extend(group),
            _ => tables.push(group),
        }
    }
    let last = tables.len() - 1;
    let draw = |(place, columns): (usize, Vec<Column>)| {
        let used: usize = columns.iter().map(width).sum();
        let name = look.width.saturating_sub(used).clamp(*NAME.start(), *NAME.end());
        let rest = look.width.saturating_sub(used + name.min(longest) + 4);
        let notes = (place == last && look.width >= WIDE && rest >= *NAME.start()).then_some((notes.as_slice(), rest));
        grid(&titles, &names, columns, notes, name, look).draw(look) + "\n"
    };
    tables.into_iter().enumerate().map(draw).collect()
}

fn grid(
    titles: &[String],
    names: &[String],
    columns: Vec<Column>,
    notes: Option<(&[String], usize)>,
    name: usize,
    look: Look,
) -> Grid {
    let mut heading = vec![String::new()];
    heading.extend(columns.iter().map(|column| column.heading.clone()));
    let right = columns.iter().enumerate().filter(|(_, column)| column.is_right).map(|(place, _)| place + 1).collect();
    let mut rows: Vec<(String, Vec<String>)> =
        titles.iter().zip(names).map(|(title, row)| (title.clone(), vec![row.clone()])).collect();
    for column in columns {
        for ((_, row), cell) in rows.iter_mut().zip(column.cells) {
            let text = if cell.color.is_empty() { cell.text } else { paint(look, cell.color, &cell.text) };
            row.push(text);
        }
    }
    if let Some((notes, _)) = notes {
        heading.push("note".to_owned());
        rows.iter_mut().zip(notes).for_each(|((_, row), note)| row.push(note.clone()));
    }
    Grid { heading, right, name, note: notes.map(|(_, rest)| rest), rows }
}

/// Columns of the terminal that a column takes with its gap.
fn width(column: &Column) -> usize {
    let cells = column.cells.iter().map(|cell: &Cell| cell.text.chars().count());
    cells.chain([column.heading.chars().count()]).max().unwrap_or(0) + 2
}

/// A match in a table of families; `None` where nothing was compared.
fn overall(comparison: &Comparison, of: usize, look: Look) -> Option<String> {
    let [a, b] = labels(comparison, of);
    let row = |name: &str, family: Option<&str>| {
        let tally = comparison.tally(of, family);
        let mut cells = vec![name.to_owned(), tally.cases.to_string()];
        cells.push(tally.mean.map_or_else(none, |mean| with_interval(&mean)));
        cells.extend(tally.verdicts.map(|count| if count == 0 { none() } else { count.to_string() }));
        (String::new(), cells)
    };
    let all = comparison.tally(of, None);
    if all.verdicts.iter().sum::<usize>() == 0 {
        return None;
    }
    let mut heading: Vec<String> = ["", "cases", &format!("{a} ÷ {b}")].map(str::to_owned).into();
    heading.extend(Verdict::ALL.map(|verdict| verdict.name().to_owned()));
    let mut rows: Vec<_> = comparison.families().into_iter().map(|family| row(family, Some(family))).collect();
    rows.push(row("all", None));
    let drawn = Grid { heading, right: (1..=6).collect(), name: *NAME.start(), note: None, rows }.draw(look);
    let mut text = format!("{}\n{drawn}\n", paint(look, "1", &format!("all families: {b} against {a}")));
    text.extend(tally_line(comparison, of, &all).map(|line| paragraph(&line, "", look)));
    Some(text)
}

/// Mean shares in a table of families.
fn shares(comparison: &Comparison, look: Look) -> Option<String> {
    let row = |name: &str, family: Option<&str>| {
        let (cases, means) = mean_shares(comparison, family);
        let mut cells = vec![name.to_owned(), cases.to_string()];
        cells.extend(means.into_iter().map(|mean| mean.map_or_else(none, share)));
        (cases, (String::new(), cells))
    };
    let mut heading = vec![String::new(), "cases".to_owned()];
    heading.extend(comparison.sides.iter().map(|side| side.label.clone()));
    let of_families = comparison.families().into_iter().map(|family| row(family, Some(family)));
    let mut rows: Vec<_> = of_families.filter(|(cases, _)| *cases > 0).map(|(_, row)| row).collect();
    let (cases, all) = row("all", None);
    rows.push(all);
    let right = (1..heading.len()).collect();
    let drawn = Grid { heading, right, name: *NAME.start(), note: None, rows }.draw(look);
    let title = "all families: geometric mean of the shares of ceilings that every side has";
    (cases > 0).then(|| format!("{}{drawn}\n", paint(look, "1", &paragraph(title, "  ", look))))
}

fn share_line(comparison: &Comparison, family: &str) -> Option<String> {
    let (cases, means) = mean_shares(comparison, Some(family));
    let of =
        |(side, mean): (&crate::results::compare::Side, Option<f64>)| Some(format!("{} {}", side.label, share(mean?)));
    let means: Option<Vec<String>> = comparison.sides.iter().zip(means).map(of).collect();
    Some(format!("Geometric mean of {}: {}.", count(cases), means?.join(", ")))
}
