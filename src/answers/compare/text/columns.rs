//! Builds the columns of a table of cases.

use anstyle::{AnsiColor, Style};

use super::sentences::{labels, marked, name, none, short_change};
use super::view::{Sort, View};
use crate::compare::{CaseComparison, Comparison, Pair, Ratio, Side, Verdict};
use crate::report::layout::{Cell, Mark as RowMark, colored};
use crate::report::table;
use record::format::time;

pub(super) struct Column {
    pub(super) heading: String,
    pub(super) is_right: bool,
    pub(super) cells: Vec<Cell>,
}

pub(super) struct Block {
    /// Group title of each row; empty if rows have full names.
    pub(super) titles: Vec<String>,
    pub(super) marks: Vec<RowMark>,
    pub(super) names: Vec<String>,
    /// Groups of columns. Columns of one group stay in the same table on a narrow terminal.
    pub(super) groups: Vec<Vec<Column>>,
    pub(super) notes: Vec<String>,
}

/// The table of `cases`; `None` if no case has times on two sides.
pub(super) fn block(comparison: &Comparison, cases: &[&CaseComparison], view: View) -> Option<Block> {
    let is_shown = |case: &&&CaseComparison| {
        let sides = 0..comparison.sides.len();
        sides.filter(|side| case.timing(*side).is_some()).count() > 1
    };
    let shown: Vec<&CaseComparison> = cases.iter().filter(is_shown).copied().collect();
    if shown.is_empty() {
        return None;
    }
    let groups = match comparison.matches.as_slice() {
        [_] => pair(comparison, &shown),
        _ => sides(comparison, &shown),
    };
    let (titles, names) = shown.iter().map(|case| called(case, view)).unzip();
    let marks = shown.iter().map(|case| mark(case)).collect();
    Some(Block { titles, marks, names, groups, notes: shown.iter().map(|case| note(comparison, case)).collect() })
}

fn column(heading: &str, is_right: bool, cases: &[&CaseComparison], cell: impl Fn(&CaseComparison) -> Cell) -> Column {
    Column { heading: heading.to_owned(), is_right, cells: cases.iter().map(|case| cell(case)).collect() }
}

fn cell(text: impl Into<String>) -> Cell {
    Cell::from(text.into())
}

/// Two sides: both times, the ratio with its interval, and the verdict.
fn pair(comparison: &Comparison, cases: &[&CaseComparison]) -> Vec<Vec<Column>> {
    let sides = comparison.matches[0];
    let [a, b] = labels(comparison, 0);
    let time_of = |side: usize| {
        vec![column(&comparison.sides[side].label, true, cases, |case| {
            cell(case.timing(side).map_or_else(none, |timing| time(timing.median_ns)))
        })]
    };
    let mut groups = vec![time_of(sides.baseline), time_of(sides.side)];
    groups.push(vec![
        column(&format!("{b} against {a}"), true, cases, |case| {
            cell(case.pairs.get(0).map_or_else(none, |pair| short_change(&pair.ratio)))
        }),
        column("verdict", false, cases, |case| case.pairs.get(0).map_or_else(|| cell(""), verdict)),
    ]);
    groups
}

/// Several sides: times with the fastest marked, and the ratio of each match.
fn sides(comparison: &Comparison, cases: &[&CaseComparison]) -> Vec<Vec<Column>> {
    let best: Vec<Vec<usize>> = cases.iter().map(|case| case.fastest.clone()).collect();
    let of_side = |(side, is): (usize, &Side)| {
        let value = |case: &CaseComparison| case.timing(side).map(|timing| time(timing.median_ns));
        let mut columns = vec![starred(&is.label, side, cases, &best, value)];
        for of in (0..comparison.matches.len()).filter(|of| comparison.matches[*of].side == side) {
            let [a, b] = labels(comparison, of);
            let ratio = |case: &CaseComparison| case.pairs.get(of).map_or_else(|| cell(none()), short);
            columns.push(column(&format!("{b} against {a}"), true, cases, ratio));
        }
        columns
    };
    comparison.sides.iter().enumerate().map(of_side).collect()
}

/// A column of one side. The best values are starred.
fn starred(
    heading: &str,
    side: usize,
    cases: &[&CaseComparison],
    best: &[Vec<usize>],
    value: impl Fn(&CaseComparison) -> Option<String>,
) -> Column {
    let one = |(case, best): (&&CaseComparison, &Vec<usize>)| {
        let is_best = best.contains(&side);
        let star = if is_best { '*' } else { ' ' };
        let style = if is_best { colored(AnsiColor::Green) } else { Style::new() };
        Cell { text: format!("{}{star}", value(case).unwrap_or_else(none)), style, bar: None }
    };
    Column { heading: format!("{heading} "), is_right: true, cells: cases.iter().zip(best).map(one).collect() }
}

const fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Faster => colored(AnsiColor::Green),
        Verdict::Slower => colored(AnsiColor::Red),
        Verdict::Same => Style::new(),
        Verdict::Unclear => colored(AnsiColor::Yellow),
    }
}

fn verdict(pair: &Pair) -> Cell {
    Cell { text: pair.verdict.name().to_owned(), style: style(pair.verdict), bar: None }
}

/// The change with its verdict as a sign.
fn short(pair: &Pair) -> Cell {
    let value = Ratio { interval: None, ..pair.ratio };
    let text = format!("{} {}", short_change(&value), sign(pair.verdict));
    Cell { text, style: style(pair.verdict), bar: None }
}

/// A verdict as one character. Faster and slower need none: the sign of the change beside it shows the direction.
pub(super) const fn sign(verdict: Verdict) -> char {
    match verdict {
        Verdict::Faster | Verdict::Slower => ' ',
        Verdict::Same => '=',
        Verdict::Unclear => '?',
    }
}

fn mark(case: &CaseComparison) -> RowMark {
    let is_marked = case.pairs.values().any(|pair| !pair.marks.is_empty());
    if is_marked { RowMark::Note } else { RowMark::None }
}

fn called(case: &CaseComparison, view: View) -> (String, String) {
    if view.sort != Sort::Family {
        return (String::new(), name(case));
    }
    let is_by_kernel = view.by_kernel.contains(&case.row.family.as_str());
    (table::title(is_by_kernel, case.row), table::name(is_by_kernel, case.row))
}

fn note(comparison: &Comparison, case: &CaseComparison) -> String {
    let mut parts: Vec<String> = Vec::new();
    let is_single = comparison.matches.len() == 1;
    for (of, pair) in case.pairs.iter() {
        let [_, side] = labels(comparison, of);
        let marks = pair.marks.iter().map(|mark| marked(*mark)).chain(comparison.recompiled(case, of));
        let marks: Vec<_> = marks.collect();
        if !marks.is_empty() {
            let prefix = if is_single { String::new() } else { format!("{side}: ") };
            parts.push(format!("{prefix}{}", marks.join(", ")));
        }
    }
    for (side, entry) in case.entries.iter() {
        let reason = &entry.row().reason;
        if !reason.is_empty() {
            parts.push(format!("{}: {reason}", comparison.sides[side].label));
        }
    }
    parts.join("; ")
}
