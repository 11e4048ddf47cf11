//! What a run prints at its end: the number of rows, tables and the summary.

use std::time::Duration;

use super::Arguments;
use crate::cli::format::{TableFormat, Tables};
use crate::cli::output::{is_on_terminal, print, say, terminal};
use answers::report::{self, Part, lay_out};
use answers::summary::{self, card_within};
use answers::variants;
use gpu::engine::plan::select_tagged;
use record::Record;
use record::error::Result;
use record::format::plural;

/// Reports the number of rows of a complete run, and its time.
pub(super) fn say_complete(arguments: &Arguments, (rows, seconds, measuring): (usize, f64, Duration), path: &str) {
    let rows = plural(rows, "row", "rows");
    // A resumed run may have nothing left to measure.
    let share = 100.0 * measuring.as_secs_f64() / seconds;
    let time = format!("; {seconds:.0} s, {share:.0} % of that spent measuring");
    let time = if measuring.is_zero() { "" } else { &time };
    // The summary ends with the path.
    let place = if has_summary(arguments) { String::new() } else { format!(" in {path}") };
    say(&format!("{rows}{place}{time}"));
}

/// The next commands after a run of all sizes.
pub(super) const NEXT: &str = "next: shaderbench explain NAME, show NAME, report FILE, compare OLD NEW";

/// The tables to print. By default, a pipe gets all of them, for which a terminal has no room.
pub(super) fn tables(arguments: &Arguments, records: &[Record]) -> Result<String> {
    let usual = || match (is_on_terminal(), !arguments.names_benchmarks()) {
        (false, _) => Tables::All,
        (true, true) => Tables::None,
        (true, false) => Tables::Family,
    };
    let selected = select_tagged(&arguments.filters, &arguments.tags)?;
    let is_named = |row: &&Record| match arguments.kernels.own {
        Some(own) => row.family == own.name,
        None => selected.iter().any(|(family, benchmark)| row.family == family.name && row.benchmark == benchmark.name),
    };
    let mut sections = report::sections(records);
    let own_section =
        sections.iter().find(|section| arguments.kernels.own.is_some_and(|own| section.title == own.name));
    let answer = own_section.map_or_else(String::new, |section| {
        let mut lines = variants::verdict(&section.rows);
        let declared = arguments.kernels.own.and_then(|own| own.benchmarks.first()?.declared);
        let guesses = declared.map(|own| own.guesses().join(" and ")).filter(|guesses| !guesses.is_empty());
        lines.extend(guesses.map(|guesses| {
            format!("The rate is based on guessed {guesses}. Check {guesses} in the TOML file, then delete `guesses`.")
        }));
        let parts = lines.iter().map(|line| Part::text(line)).chain([Part::text("")]);
        lay_out(parts.collect(), arguments.format.medium())
    });
    match arguments.table.unwrap_or_else(usual) {
        Tables::All => {}
        Tables::Family => sections.retain(|section| section.rows.iter().any(is_named)),
        Tables::None => return Ok(answer),
    }
    Ok(answer + answers::write(&sections, arguments.format.medium()).as_str())
}

/// Whether the run ends with a summary: `explain` shows the rows itself, Markdown is for tables alone, and kernels of
/// `bench` do no job of the suite.
pub(super) fn has_summary(arguments: &Arguments) -> bool {
    let is_usual = arguments.kernels.own.is_none() && arguments.other_side().is_none();
    !arguments.is_quiet && arguments.format != TableFormat::Markdown && is_usual
}

/// Prints the summary, the next commands and the report's path, leaving room for `lines` lines below.
pub(super) fn print_summary(arguments: &Arguments, records: &[Record], after: &[String], lines: usize) -> Result<()> {
    if arguments.is_quiet || arguments.format == TableFormat::Markdown {
        return Ok(());
    }
    if !has_summary(arguments) {
        return print(&after.iter().map(|line| format!("{line}\n")).collect::<String>());
    }
    // On a terminal, the summary does not directly follow tables.
    let gap = if is_on_terminal() { "" } else { "\n" };
    let lines = summary::LINES.saturating_sub(lines);
    print(&format!("{gap}{}", card_within(records, after, lines, terminal())))
}
