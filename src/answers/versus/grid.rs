//! The table of one family through two toolchains.

use super::pair::Pair;
use super::texts::{by_lane, none, with_interval};
use crate::record::Record;
use crate::report::Section;
use crate::report::layout::{Cell, Column, Grid, Mark, Row, Terminal};
use crate::report::table::{Firsts, WIDE, WIDE_NAME, model, name, noise, rate, share, time, title};
use crate::suite::Toolchain;

/// Minimum terminal width for the columns `speed` and `model`.
const ROOMY: usize = 100;

/// Minimum terminal width for the end-to-end times.
const WIDEST: usize = 200;

/// The columns of a table: more of them on wider terminals.
#[derive(Clone, Copy)]
struct Shown {
    has_speed: bool,
    has_model: bool,
    is_wide: bool,
    has_end_to_end: bool,
}

impl Shown {
    fn new(pairs: &[&Pair], terminal: Terminal) -> Self {
        let has = |is_there: fn(&Record) -> bool| pairs.iter().any(|pair| pair.sides().any(is_there));
        Self {
            has_speed: terminal.width >= ROOMY,
            has_model: terminal.width >= ROOMY && has(|row| row.model.is_some()),
            is_wide: terminal.width >= WIDE,
            has_end_to_end: terminal.width >= WIDEST && has(|row| row.end_to_end_ns.is_some()),
        }
    }

    /// Headings of the columns after the time of each toolchain.
    fn of_toolchain(self) -> Vec<&'static str> {
        let mut headings = Vec::new();
        if self.is_wide {
            headings.extend(["±", "rate", "of ceiling"]);
        }
        headings.extend(self.has_speed.then_some("speed"));
        headings.extend(self.has_end_to_end.then_some("end to end"));
        headings
    }
}

pub(super) fn table(section: &Section, pairs: &[&Pair], toolchains: [Toolchain; 2], terminal: Terminal) -> Grid {
    let shown = Shown::new(pairs, terminal);
    let mut columns: Vec<Column> = Vec::new();
    let mut push = |heading: &str| {
        columns.push(Column { heading: heading.to_owned(), is_right: heading != "of ceiling" });
    };
    for toolchain in toolchains {
        push(&toolchain.title());
        shown.of_toolchain().into_iter().for_each(&mut push);
    }
    if shown.has_model {
        push("model");
    }
    push(&toolchains.map(|toolchain| toolchain.title()).join(" ÷ "));
    let sides: [for<'a> fn(&Pair<'a>) -> Option<&'a Record>; 2] = [|pair| pair.first, |pair| pair.second];
    let firsts = sides.map(|side| Firsts::new(section.is_by_kernel, pairs.iter().filter_map(|pair| side(pair))));
    Grid {
        columns,
        widest_name: shown.is_wide.then_some(WIDE_NAME),
        note: shown.is_wide.then_some("note"),
        has_marks: true,
        rows: pairs.iter().filter_map(|pair| row(section, pair, toolchains, &firsts, shown)).collect(),
    }
}

fn row(section: &Section, pair: &Pair, toolchains: [Toolchain; 2], firsts: &[Firsts; 2], shown: Shown) -> Option<Row> {
    let any = pair.sides().next()?;
    let mark = if pair.sides().any(|row| row.status.is_fault()) {
        Mark::Fault
    } else if pair.sides().any(|row| !row.reason.is_empty()) || pair.has_two_clocks() {
        Mark::Note
    } else {
        Mark::None
    };
    let mut cells: Vec<Cell> = Vec::new();
    for (side, firsts) in [pair.first, pair.second].into_iter().zip(firsts) {
        let measured = side.filter(|row| row.median_ns.is_some());
        cells.push(measured.map_or_else(none, |row| time(row.median_ns)).into());
        let cell = |heading: &str| match (measured, heading) {
            (None, _) => String::new().into(),
            (Some(row), "±") => noise(row).into(),
            (Some(row), "rate") => rate(row).into(),
            (Some(row), "of ceiling") => share(row),
            (Some(row), "speed") => firsts.speed(row).into(),
            (Some(row), _) => time(row.end_to_end_ns).into(),
        };
        cells.extend(shown.of_toolchain().into_iter().map(cell));
    }
    if shown.has_model {
        cells.push(pair.sides().find(|row| row.model.is_some()).map_or_else(String::new, model).into());
    }
    cells.push(pair.gap().map_or_else(none, |gap| with_interval(gap.ratio)).into());
    if shown.is_wide {
        // Remarks below the table cover rows without a time.
        let notes = pair.sides().filter(|row| row.median_ns.is_some() && !row.reason.is_empty());
        let notes =
            by_lane(notes.filter_map(|row| Some((row.toolchain()?, row.reason.clone()))).collect(), &toolchains);
        let notes: Vec<_> = notes.iter().map(|(prefix, note)| format!("{prefix}{note}")).collect();
        cells.push(notes.join("; ").into());
    }
    Some(Row { group: title(section.is_by_kernel, any), mark, name: name(section.is_by_kernel, any), cells })
}
