//! The cases, rows and reports of a card during its run, updated by worker events.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::cli::progress::Progress;
use crate::cli::worker::{Death, Done, Event, Order, Run};
use gpu::backend::Device;
use gpu::engine::plan::CaseName;
use gpu::engine::{Changes, Epochs, Observer, RowTable, Slots};
use record::error::{Error, Result};
use record::suite::{Case, Toolchain};
use record::{Cause, Record, Status};

/// The side of an --against run whose worker measures.
#[derive(Debug, Clone)]
pub(super) struct Turn {
    /// 0 for this program, 1 for the command of `--against`.
    pub(super) side: usize,
    pub(super) build: String,
    /// Epochs that its rows have after this process.
    pub(super) epochs: usize,
}

pub(super) struct Running {
    pub(super) cases: Vec<Case>,
    pub(super) devices: Vec<Device>,
    pub(super) progress: Progress,
    pub(super) table: RowTable,
    places: Slots,
    /// Slots whose cases ended the process in an earlier run.
    crashed_before: BTreeSet<usize>,
    run: Run,
    /// With --against, the side that measures.
    pub(super) turn: Option<Turn>,
    /// Sides whose timers are known.
    timed_sides: BTreeSet<usize>,
    start: Instant,
    /// The case in progress, and its row as it began.
    pub(super) started: Option<(usize, Record)>,
    pub(super) done: Option<Done>,
}

impl Running {
    pub(super) fn new(cases: Vec<Case>, devices: Vec<Device>, progress: Progress, table: RowTable, run: Run) -> Self {
        let places = Slots::new(&cases, &devices);
        let has_crashed = |(_, row): &(usize, &Record)| row.cause == Some(Cause::Crashed);
        let crashed_before = table.iter().filter(has_crashed).map(|(slot, _)| slot).collect();
        let start = Instant::now();
        Self {
            cases,
            devices,
            progress,
            table,
            places,
            crashed_before,
            run,
            turn: None,
            timed_sides: BTreeSet::new(),
            start,
            started: None,
            done: None,
        }
    }

    pub(super) fn order(&self, compiles_ahead: bool) -> Order {
        let mut run = Box::new(self.run.clone());
        run.settings.compiles_ahead = compiles_ahead;
        run.settings.time = run.settings.time.map(|time| time.saturating_sub(self.start.elapsed()));
        let mut earlier = self.table.clone();
        if let Some(turn) = &self.turn {
            run.companions = 1;
            run.settings.tool_version.clone_from(&turn.build);
            run.settings.epochs = Epochs { least: turn.epochs, most: turn.epochs, target: 0.0 };
            earlier = with_equal_launches(earlier.with_apis(self.devices.len()), self.cases.len()).of_api(turn.side);
        }
        Order::Run { cases: self.cases.iter().map(CaseName::from).collect(), earlier, run }
    }

    pub(super) const fn seed(&self) -> u64 {
        self.run.settings.seed
    }

    /// The least number of epochs of a timed row; 0 while rows are missing or to be measured again.
    pub(super) fn epochs(&self) -> usize {
        let rows = self.table.records();
        let is_whole = rows.len() == self.cases.len() * self.devices.len() && self.table.repeats() == 0;
        let epochs = rows.iter().map(|row| row.epochs_ns.len()).filter(|count| *count > 0);
        if is_whole { epochs.min().unwrap_or(usize::MAX) } else { 0 }
    }

    /// A worker's row as the report has it: with --against, the other side's rows name their build as the compiler.
    fn of_side(&self, mut row: Record) -> Record {
        if self.side() > 0 {
            let compiler = self.devices[self.side()].kernel_compiler.clone();
            (row.compiler, row.compiler_version) = (compiler.name, compiler.version);
        }
        row
    }

    fn side(&self) -> usize {
        self.turn.as_ref().map_or(0, |turn| turn.side)
    }

    /// The position in the table of the row at `at` in a worker's table.
    fn position(&self, at: usize) -> Option<usize> {
        let Some(turn) = &self.turn else { return Some(at) };
        let slots = self.table.iter().map(|(slot, _)| slot % self.devices.len());
        slots.enumerate().filter(|(_, side)| *side == turn.side).nth(at).map(|(position, _)| position)
    }

    /// Whether the time limit is exceeded.
    pub(super) fn is_over(&self) -> bool {
        self.run.settings.time.is_some_and(|time| self.start.elapsed() > time)
    }

    /// Inserts a row, or replaces the one in its slot. Returns its position, and whether it is new.
    fn put(&mut self, record: Record) -> Option<(usize, bool)> {
        let slot = self.places.slot(&record)?;
        // Rows of other cases change only because a ceiling rose.
        if self.started.as_ref().is_some_and(|(index, _)| slot / self.devices.len() == *index) {
            self.table.is_measured(slot);
        }
        Some(self.table.insert(slot, record))
    }

    /// Marks the row of the case in progress as failed. Returns whether there is such a case.
    pub(super) fn blame(&mut self, death: &Death) -> Result<bool> {
        let Some((_, start)) = self.started.clone() else { return Ok(false) };
        let slot = self.places.slot(&start);
        let at = slot.and_then(|slot| self.table.at(slot));
        let mut row = at.map_or(start, |at| self.table.records()[at].clone());
        row.drop_figures();
        row.status = if death.cause == Cause::TimeLimit { Status::Skipped } else { Status::Failed };
        let is_again = slot.is_some_and(|slot| self.crashed_before.contains(&slot));
        row.cause = Some(if is_again && death.cause == Cause::Crashed { Cause::CrashedAgain } else { death.cause });
        row.reason = if is_again { format!("{}; it crashed in an earlier run", death.how) } else { death.how.clone() };
        let Some((at, is_new)) = self.put(row) else { return Ok(false) };
        self.started = None;
        let (added, changed) = if is_new { (vec![at], Vec::new()) } else { (Vec::new(), vec![at]) };
        self.progress.row(&self.table.records()[at]);
        self.progress.finish(self.table.records(), &Changes { added, changed })?;
        Ok(true)
    }

    pub(super) fn on_event(&mut self, event: Event) -> Result<()> {
        match event {
            // Every worker of a side has the same timer.
            Event::Timer { .. } if self.timed_sides.contains(&self.side()) => {}
            Event::Timer { api, compiler, timer } => {
                let side = self.side();
                let compiler = if side > 0 { self.devices[side].kernel_compiler.name.clone() } else { compiler };
                self.progress.timer(Toolchain { api, compiler: &compiler }, &timer);
            }
            Event::Plan(expected) => {
                self.timed_sides.insert(self.side());
                // With --against, all epochs were planned at the start.
                if self.turn.is_none() {
                    self.progress.plan(&expected);
                }
            }
            Event::Start { index, row } => {
                let row = self.of_side(*row);
                let Some(case) = self.cases.get(index) else { return Err(unknown()) };
                self.progress.start(index, case, &row);
                self.started = Some((index, row));
            }
            Event::Row(row) => self.progress.row(&self.of_side(*row)),
            // Both sides report each pass.
            Event::Pass { .. } if self.side() > 0 => {}
            Event::Pass { number, count } => self.progress.pass(number, count),
            Event::LeftOut { index } => {
                let Some(case) = self.cases.get(index) else { return Err(unknown()) };
                self.started = None;
                self.progress.left_out(index, case);
            }
            Event::Unwritten(why) => self.progress.note(Err(Error::NoDevice(why))),
            Event::Rows { added, changed, ends_pass } => {
                let mut changes = Changes::default();
                for (at, sent) in added {
                    let record = self.of_side(sent.complete(None).ok_or_else(unknown)?);
                    let (put, _) = self.put(record).ok_or_else(unknown)?;
                    if self.position(at) != Some(put) {
                        return Err(unknown());
                    }
                    changes.added.push(put);
                }
                for (at, sent) in changed {
                    let at = self.position(at).ok_or_else(unknown)?;
                    let record = self.of_side(sent.complete(self.table.records().get(at)).ok_or_else(unknown)?);
                    self.put(record).filter(|(put, _)| *put == at).ok_or_else(unknown)?;
                    changes.changed.push(at);
                }
                if ends_pass {
                    self.progress.finish_pass(self.table.records(), &changes)?;
                } else {
                    self.started = None;
                    self.progress.finish(self.table.records(), &changes)?;
                }
            }
            Event::Done(done) => self.done = Some(*done),
            _ => {}
        }
        Ok(())
    }
}

/// Gives both sides' rows equally many launches per sample: on an H200, a kernel of 219 µs took 1 % longer alone than
/// as one of two, and the least time of a sample, 200 µs, is near. Only the first epoch may differ.
fn with_equal_launches(mut table: RowTable, cases: usize) -> RowTable {
    for slots in (0..cases).map(|index| [2 * index, 2 * index + 1]) {
        let rows = slots.map(|slot| table.at(slot).map(|at| table.records()[at].clone()));
        let launches = rows.iter().flatten().filter_map(|row| row.launches).max();
        for (slot, row) in slots.into_iter().zip(rows).filter_map(|(slot, row)| Some((slot, row?))) {
            let launches = row.launches.and(launches);
            table.insert(slot, Record { launches, ..row });
        }
    }
    table
}

/// The error for an event that does not fit the run.
fn unknown() -> Error {
    let why = "the worker sent rows of another run: check that only one version of the program is in use";
    Error::NoDevice(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::interrupt::Interrupt;
    use crate::cli::selection::fakes::device;
    use crate::cli::worker::Sent;
    use answers::report::{CsvFile, Output};
    use gpu::engine::Settings;
    use gpu::engine::measure::Timer;
    use gpu::engine::plan::{Request, plan};
    use record::suite::{Api, Profile};

    /// A run of a few cases, its folder, and the rows that a worker would send.
    fn running() -> (tempfile::TempDir, Running, Vec<Record>) {
        let folder = tempfile::tempdir().expect("a folder");
        let cases = plan(&Request::new(vec!["stream/copy".to_owned()], Profile::Quick)).expect("a plan");
        let report = folder.path().join("r.csv");
        let file = CsvFile::create(Output::open(&report).expect("writable"), Vec::new(), &[]).expect("written");
        let progress = Progress::new(1, None, file, Interrupt::default());
        let row = |case: &Case| Record {
            family: case.family.name.to_owned(),
            benchmark: case.benchmark.name.to_owned(),
            backend: Some(Api::Vulkan),
            dtype: Some(case.shape.dtype),
            n: Some(case.shape.extent),
            params: case.shape.params.clone(),
            ..Record::default()
        };
        let rows = cases.iter().map(row).collect();
        let settings = Settings::new(Profile::Quick, String::new(), String::new(), String::new());
        let run = Run { settings, report: report.into(), pictures: None, companions: 0 };
        let devices = vec![device("Fake 9000", Api::Vulkan, &[])];
        (folder, Running::new(cases, devices, progress, RowTable::default(), run), rows)
    }

    #[test]
    fn rows_go_to_their_places_and_a_death_fails_the_one_in_progress() {
        let (_folder, mut running, rows) = running();
        let start = |index: usize| Event::Start { index, row: Box::new(rows[index].clone()) };
        let sent = |at: usize, index: usize| (at, Sent::new(&rows[index], None));
        running.on_event(start(1)).expect("a case");
        running.on_event(Event::Rows { added: vec![sent(0, 1)], changed: Vec::new(), ends_pass: false }).expect("rows");
        running.on_event(start(0)).expect("a case");
        let death = Death { cause: Cause::Crashed, how: "it died".to_owned() };
        assert!(running.blame(&death).expect("written"));
        assert!(!running.blame(&death).expect("written"), "nothing is in progress");
        let names: Vec<_> = running.table.records().iter().map(|row| (row.n, row.status)).collect();
        assert_eq!(names, [(rows[0].n, Status::Failed), (rows[1].n, Status::Ok)]);
        assert_eq!(running.table.records()[0].reason, "it died");
    }

    #[test]
    fn both_sides_go_on_with_the_launches_of_the_one_that_needs_more() {
        let row = |launches| Record { launches, ..Record::default() };
        let rows = [(0, row(Some(1))), (1, row(Some(2))), (2, row(None)), (3, row(Some(5))), (4, row(Some(7)))];
        let table = with_equal_launches(RowTable::new(2, rows.to_vec(), BTreeSet::new()), 3);
        let launches: Vec<_> = table.records().iter().map(|row| row.launches).collect();
        assert_eq!(launches, [Some(2), Some(2), None, Some(5), Some(7)]);
        assert_eq!(table.of_api(1).records().len(), 2);
    }

    #[test]
    fn no_event_of_a_worker_ends_the_program() {
        arbtest::arbtest(|u| {
            let (_folder, mut running, rows) = running();
            for _ in 0..u.int_in_range(1..=12)? {
                let at: u8 = u.arbitrary()?;
                let index = usize::from(at) % (rows.len() + 2);
                let mut row = rows[index % rows.len()].clone();
                if u.arbitrary()? {
                    row.family = u.arbitrary::<&str>()?.to_owned();
                }
                row.all_samples_ns = u.arbitrary::<Vec<f64>>()?;
                let known = Record { all_samples_ns: row.all_samples_ns.clone(), ..Record::default() };
                let sent = Sent::new(&row, if u.arbitrary()? { Some(&known) } else { None });
                let place = if u.arbitrary()? { running.table.records().len() } else { u.arbitrary()? };
                let event = match u.int_in_range(0..=7)? {
                    0 => Event::Start { index, row: Box::new(row) },
                    1 => Event::Rows { added: vec![(place, sent)], changed: Vec::new(), ends_pass: u.arbitrary()? },
                    2 => Event::Rows { added: Vec::new(), changed: vec![(place, sent)], ends_pass: u.arbitrary()? },
                    3 => Event::LeftOut { index },
                    4 => Event::Row(Box::new(row)),
                    5 => Event::Plan(Vec::new()),
                    6 => Event::Timer { api: Api::Vulkan, compiler: String::new(), timer: Timer::wall() },
                    _ => Event::Pass { number: index, count: index },
                };
                // A refusal is an error, and the rows stay in their places.
                let _ = running.on_event(event);
                assert!(running.table.iter().map(|(slot, _)| slot).is_sorted());
            }
            Ok(())
        })
        .budget_ms(2_000);
    }
}
