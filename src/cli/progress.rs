//! Shows the progress of a run on stderr and updates the report files.

use std::time::{Duration, Instant};

use super::bar::Bar;
use super::interrupt::Interrupt;
use answers::report::{self, CsvFile, Output, table};
use gpu::engine::measure::Timer;
use gpu::engine::{Changes, Expected, Observer};
use record::Record;
use record::error::{Error, Result};
use record::format::plural;
use record::suite::{AGAINST, Case, Toolchain};

/// Minimum time between two writes of the JSON report, which cannot be appended to and contains every sample.
const JSON_INTERVAL: Duration = Duration::from_secs(10);

/// Minimum time between two replacements of the CSV for rows that only gained an epoch. A crash loses at most these.
const CSV_INTERVAL: Duration = Duration::from_secs(2);

/// Prints rows to stderr, with a progress bar on a terminal, and updates the reports.
pub(super) struct Progress {
    bar: Bar,
    has_limit: bool,
    csv: CsvFile,
    json: Option<Json>,
    /// When the whole CSV was last replaced because rows changed, and whether rows have changed since.
    replaced: (Option<Instant>, bool),
    apis: usize,
    /// The new rows of the current family, through the first API.
    family: Vec<Record>,
    /// The first write error. It ends the run after the current case.
    failure: Option<Error>,
    interrupt: Interrupt,
}

struct Json {
    output: Output,
    /// Rows of the previous devices.
    before: Vec<Record>,
    written: Option<Instant>,
}

impl Progress {
    pub(super) fn new(apis: usize, limit: Option<Duration>, csv: CsvFile, interrupt: Interrupt) -> Self {
        Self {
            bar: Bar::new(interrupt.clone()),
            has_limit: limit.is_some(),
            csv,
            json: None,
            replaced: (None, false),
            apis,
            family: Vec::new(),
            failure: None,
            interrupt,
        }
    }

    pub(super) const fn output(&self) -> &Output {
        self.csv.output()
    }

    pub(super) fn say(&self, text: &str) {
        self.bar.say(text);
    }

    /// Also writes a JSON report, which starts with the rows `before`.
    pub(super) fn write_json(&mut self, output: Output, before: Vec<Record>) {
        self.json = Some(Json { output, before, written: None });
    }

    /// Removes the bar and completes the reports. Tries to save the rows even after an earlier error.
    pub(super) fn end(&mut self, records: &[Record]) -> Result<()> {
        self.end_family();
        self.bar.end();
        let changed = if self.replaced.1 { self.csv.update(records, &[], true) } else { Ok(()) };
        let csv = changed.and_then(|()| self.csv.finish(records));
        let json = self.json.as_mut().map_or(Ok(()), |json| json.write(records));
        self.failure.take().map_or(Ok(()), Err).and(csv).and(json)
    }

    /// Keeps the first write error: the run then ends with its rows, as if it were interrupted.
    pub(super) fn note(&mut self, written: Result<()>) {
        if let Err(error) = written {
            self.replaced.1 = true;
            self.failure.get_or_insert(error);
        }
    }

    fn write(&mut self, records: &[Record], changes: &Changes) -> Result<()> {
        let (last, has_changed) = (self.replaced.0, self.replaced.1 || !changes.changed.is_empty());
        let is_early = last.is_some_and(|last| last.elapsed() < CSV_INTERVAL);
        if has_changed && changes.added.is_empty() && is_early {
            self.replaced.1 = true;
            return Ok(());
        }
        self.csv.update(records, &changes.added, has_changed)?;
        if has_changed {
            self.replaced = (Some(Instant::now()), false);
        }
        match &mut self.json {
            Some(json) if json.is_due() => json.write(records),
            _ => Ok(()),
        }
    }

    /// On a terminal, prints a family's headline when the next family starts; not with a time limit: families
    /// alternate.
    fn headline(&mut self, records: &[Record], changes: &Changes) {
        if self.bar.is_hidden() || self.has_limit {
            return;
        }
        for row in changes.added.iter().filter_map(|index| records.get(*index)).filter(|row| !row.is_against()) {
            match self.family.first() {
                Some(first) if first.family != row.family => self.end_family(),
                Some(first) if first.backend != row.backend => continue,
                _ => {}
            }
            self.family.push(row.clone());
        }
    }

    fn end_family(&mut self) {
        let rows: Vec<&Record> = self.family.iter().collect();
        let Some(first) = rows.first() else { return };
        let line = answers::summary::headline(&first.family, &rows);
        self.say(&line);
        self.family.clear();
    }

    /// The prefix with the API, or its compiler, if there are several APIs.
    fn of(&self, toolchain: Toolchain, then: &str) -> String {
        let name = || if toolchain.compiler.is_empty() { toolchain.api.name().into() } else { toolchain.title() };
        if self.apis > 1 { format!("{}{then}", name()) } else { String::new() }
    }

    fn of_row(&self, row: &Record) -> String {
        row.toolchain().map_or_else(String::new, |toolchain| self.of(toolchain, " "))
    }
}

impl Json {
    /// Whether to write it during the run. A device or pipe gets it once, at the end.
    fn is_due(&self) -> bool {
        self.output.file().is_some() && self.written.is_none_or(|written| written.elapsed() > JSON_INTERVAL)
    }

    fn write(&mut self, records: &[Record]) -> Result<()> {
        let all: Vec<Record> = self.before.iter().chain(records).cloned().collect();
        self.output.replace(&report::json::write(&all))?;
        self.written = Some(Instant::now());
        Ok(())
    }
}

impl Observer for Progress {
    fn timer(&mut self, toolchain: Toolchain<'_>, timer: &Timer) {
        let clock = if timer.is_device { "device timestamps" } else { "the host clock" };
        let why = timer.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
        let prefix = self.of(toolchain, ": ");
        self.say(&format!("{prefix}timing by {clock}{why}, resolution {}", table::time(Some(timer.tick_ns))));
    }

    fn plan(&mut self, cases: &[Expected]) {
        self.bar.plan(cases);
    }

    fn start(&mut self, index: usize, case: &Case, row: &Record) {
        self.bar.start(index, &format!("{}{case}", self.of_row(row)));
    }

    fn row(&mut self, record: &Record) {
        // On a terminal, the bar shows cases and the final tables show rows.
        if !self.bar.is_hidden() && !record.status.is_fault() {
            return;
        }
        let width = if self.apis > 1 { AGAINST.len() + 1 } else { 0 };
        self.say(&format!("{:width$}{}", self.of_row(record), table::line(record)));
    }

    fn left_out(&mut self, index: usize, _case: &Case) {
        self.bar.leave_out(index);
    }

    fn finish(&mut self, records: &[Record], changes: &Changes) -> Result<()> {
        self.bar.finish();
        self.headline(records, changes);
        if self.failure.is_none() {
            let written = self.write(records, changes);
            self.note(written);
        }
        Ok(())
    }

    fn pass(&mut self, number: usize, count: usize) {
        self.end_family();
        self.bar.pass(number);
        if self.bar.is_hidden() {
            self.bar.say(&format!("pass {number} measures {} again", plural(count, "case", "cases")));
        }
    }

    fn finish_pass(&mut self, records: &[Record], changes: &Changes) -> Result<()> {
        self.replaced.1 |= !changes.changed.is_empty();
        if self.failure.is_none() {
            let written = self.csv.update(records, &[], self.replaced.1);
            if written.is_ok() {
                self.replaced = (Some(Instant::now()), false);
            }
            self.note(written);
        }
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        self.failure.is_some() || self.interrupt.is_requested()
    }
}
