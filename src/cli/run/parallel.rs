//! `run --device all --parallel`: all cards of a host at once, by one worker a card, in step.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::arguments::Arguments;
use super::card::{Card, End};
use super::devices::{date, now, settings};
use super::meetings::{Meetings, Release};
use super::planned::{cases_for, profile_for};
use super::running::{RunOrder, Running};
use super::supervisor::{Company, Supervisor};
use crate::answers::outliers::in_step::text::{HostCard, host};
use crate::answers::outliers::{Host, HostRules};
use crate::backend::Device;
use crate::cli::again::Typed;
use crate::cli::bar::Bar;
use crate::cli::interrupt::{self, Interrupt};
use crate::cli::messages::smaller_workgroups;
use crate::cli::output::{complain, is_quiet, print, say, say_whole};
use crate::cli::outputs::{ANOTHER_FILE, Files, LockedFile, Paths, check_new, default_csv};
use crate::cli::progress::Progress;
use crate::cli::values::plural;
use crate::cli::worker::Listed;
use crate::engine::{EarlierRows, Expected, Fitted, Point, Way};
use crate::error::{Error, Result};
use crate::record::Record;
use crate::report::{self, CsvFile};

/// Maximum time that cards wait for one that does not come: longer than a kernel takes to compile.
const PATIENCE: Duration = Duration::from_secs(120);

/// Exit code if there is a slow card, as of `outliers`.
const SLOW: u8 = 4;

/// Refuses command lines that name one device.
pub(super) fn check(arguments: &Arguments) -> Result<()> {
    match arguments.device.as_deref() {
        Some("all") => Ok(()),
        _ => Err(Error::Usage("--parallel runs all cards of the host at once: write --device all".to_owned())),
    }
}

/// The tables of a card's rows.
type Tables<'t> = dyn Fn(&[Record]) -> Result<String> + 't;

/// Runs on each card of `runs`, indices into the devices of `listed`, and returns the exit code.
pub(super) fn run(
    arguments: &Arguments,
    runs: &[Vec<usize>],
    listed: Listed,
    files: &Files,
    tables: &Tables<'_>,
) -> Result<u8> {
    if arguments.own.is_some() {
        return Err(Error::Usage("--parallel is for the suite's benchmarks: run bench on each card".to_owned()));
    }
    if let [run] = runs {
        let name = &listed.devices[run[0]].name;
        return Err(Error::Usage(format!(
            "--parallel needs two cards: {name} is the only one, run without --parallel"
        )));
    }
    let interrupt = Interrupt::listen()?;
    let mut parts: Vec<Option<LockedFile>> = Vec::new();
    for run in runs {
        let part = arguments.out.as_deref().map(|out| part(out, run[0]));
        if let Some(part) = &part {
            check_new(part, arguments.force, &left(part, run[0]))?;
        }
        let paths = Paths { out: part.as_deref(), resume: None, json: None, images: None, has_force: arguments.force };
        parts.push(paths.open()?.csv);
    }
    let shown = runs.iter().map(|run| Shown::of(run[0], &listed.devices[run[0]])).collect();
    let mut host = InStep::new(shown, interrupt.clone());
    let bar = Rc::clone(&host.bar);
    let (now, mut seed) = (now()?, arguments.seed);
    let mut prepare = |index: usize, devices: Vec<Device>| {
        // A second apart, so that the rows of cards without a name are of different runs.
        let date = date(now + Duration::from_secs(index as u64));
        let shown = (Rc::clone(&bar), format!("device {}: ", runs[index][0]));
        let running = prepare(arguments, devices, (date, &mut seed), &mut parts[index], shown, &interrupt)?;
        interrupt.commands().push(rest(runs[index][0], &running.run.report));
        Ok(running)
    };
    let mut supervisor = Supervisor::new(listed, runs, arguments, &interrupt);
    supervisor.measure(&mut prepare, &mut host);
    interrupt.end();
    host.bar.end();
    let cards: Vec<Card> = supervisor.cards.drain(..).collect();
    host.end(cards, arguments, files, tables)
}

/// Prepares the run of a card. All have one seed.
fn prepare(
    arguments: &Arguments,
    devices: Vec<Device>,
    (date, seed): (String, &mut Option<u64>),
    part: &mut Option<LockedFile>,
    (bar, prefix): (Rc<Bar>, String),
    interrupt: &Interrupt,
) -> Result<Running> {
    let profile = profile_for(arguments, &devices[0]);
    let known: Vec<&Device> = devices.iter().collect();
    let fitted = cases_for(arguments, profile, None, &known)?;
    smaller_workgroups(&fitted, &known).iter().for_each(|note| say(note));
    let Fitted { cases, .. } = fitted;
    let settings = settings(arguments, profile, None, &devices)?;
    let seed = *seed.get_or_insert(settings.seed);
    if part.is_none() {
        *part = Some(default_csv(&devices, &date[..10], "", None)?);
    }
    let file = part.as_ref().map(|part| part.output.clone());
    let file = file.ok_or_else(|| Error::Usage("there is no file for the report".to_owned()))?;
    let report = file.path().to_owned();
    let csv = CsvFile::create(file, Vec::new(), &[])?;
    let progress = Progress::in_step(bar, prefix, csv, interrupt.clone());
    let order = RunOrder { date, seed, time: None, report, pictures: None, is_in_step: true };
    Ok(Running::new(cases, devices, progress, EarlierRows::default(), order, settings.epochs.most))
}

/// The command that measures the rest of a card's report, with the sentence before it.
fn rest(number: usize, report: &Path) -> [String; 2] {
    let command = Typed::of_process().resume(report, None, Some(number));
    [format!("to measure the rest of device {number}, alone, type:"), command.to_string()]
}

/// What to do about a part that a killed run left.
fn left(part: &Path, number: usize) -> String {
    let [sentence, command] = rest(number, part);
    format!(
        "it may be of a --parallel run that was killed, {} `{command}`; `report` and `compare` read all parts together; \
         {ANOTHER_FILE}",
        sentence.trim_end_matches(", type:")
    )
}

/// `r-device1.csv` for `r.csv`.
fn part(out: &Path, number: usize) -> PathBuf {
    let stem = out.file_stem().unwrap_or_default().to_string_lossy();
    let extension = out.extension().map_or_else(String::new, |extension| format!(".{}", extension.to_string_lossy()));
    out.with_file_name(format!("{stem}-device{number}{extension}"))
}

/// A card as the run shows it.
struct Shown {
    number: usize,
    name: String,
    /// Number of cases, of APIs and of epochs.
    plan: Option<[usize; 3]>,
}

impl Shown {
    fn of(number: usize, device: &Device) -> Self {
        Self { number, name: device.name.clone(), plan: None }
    }
}

/// Cards in step.
struct InStep {
    cards: Vec<Shown>,
    meetings: Meetings,
    bar: Rc<Bar>,
    /// Number of cases that began.
    begun: usize,
    is_stopped: bool,
    /// Number of cards that ended early.
    gone: usize,
    /// The notes of workers, with the first card that has one: cards of one model say the same.
    said: HashMap<String, usize>,
    /// Whether a card ended early or lagged: the others' rows were then not measured beside it.
    is_uneven: bool,
    /// Whether the plan was shown.
    is_begun: bool,
    /// The case that was last begun: pass, rank and turn.
    last: Option<[u64; 3]>,
    start: Instant,
}

impl InStep {
    fn new(cards: Vec<Shown>, interrupt: Interrupt) -> Self {
        let bar = Rc::new(Bar::new(None, interrupt));
        let meetings = Meetings::new(cards.len(), PATIENCE);
        let (said, start) = (HashMap::new(), Instant::now());
        Self {
            cards,
            meetings,
            bar,
            begun: 0,
            is_stopped: false,
            gone: 0,
            said,
            is_uneven: false,
            is_begun: false,
            last: None,
            start,
        }
    }

    /// Shows what became of a card, also with --quiet.
    fn say(&self, line: &str) {
        if self.bar.is_hidden() { complain(line) } else { self.bar.say(line) }
    }

    /// Writes the report of all cards, prints the tables, and returns the exit code.
    fn end(&self, cards: Vec<Card>, arguments: &Arguments, files: &Files, tables: &Tables<'_>) -> Result<u8> {
        let (mut rows, mut paths, mut are_complete): (Vec<Vec<Record>>, Vec<_>, Vec<bool>) = Default::default();
        let mut written = Ok(());
        for card in cards {
            are_complete.push(matches!(card.end, Some(End::Done { is_interrupted: false, .. })));
            let (records, path) = card.running.map_or_else(
                || (Vec::new(), None),
                |mut running| {
                    let end = running.progress.end(&running.records);
                    written = std::mem::replace(&mut written, Ok(())).and(end);
                    (running.records, Some(running.run.report))
                },
            );
            rows.push(records);
            paths.push(path);
        }
        written?;
        let is_complete = are_complete.iter().all(|is_complete| *is_complete);
        let all: Vec<&Record> = rows.iter().flatten().collect();
        if all.is_empty() && !self.is_stopped {
            return Err(Error::Undecided("no card has a row".to_owned()));
        }
        if let Some(file) = &files.csv {
            file.output.replace(&report::csv::write(all.iter().copied()))?;
        }
        if arguments.table.is_some() {
            for records in &rows {
                print(&tables(records)?)?;
            }
        }
        let rules = HostRules::default();
        let mut judged = Host::judge(&rows, &rules);
        if self.is_uneven {
            judged.influences.clear();
            say("whether the cards slow each other down cannot be told: not all ran at once until the end");
        }
        let names: Vec<HostCard> = self.cards.iter().zip(&rows).map(|(card, rows)| card.named(rows)).collect();
        print(&format!("\n{}\n", host(&judged, &names, &rules, arguments.format.medium()).trim_end()))?;
        self.say_files(files, all.len(), &paths, &are_complete);
        let is_fault = |record: &&Record| arguments.fail_on.contains(&record.status);
        Ok(match () {
            () if self.is_stopped => interrupt::EXIT_CODE,
            () if !is_complete => 1,
            () if all.iter().any(is_fault) => 3,
            () if !judged.slow.is_empty() || !judged.uneven.is_empty() => SLOW,
            () => 0,
        })
    }

    /// Where the rows are, and how to go on with a card that has not all of them.
    fn say_files(&self, files: &Files, rows: usize, paths: &[Option<PathBuf>], are_complete: &[bool]) {
        let (rows, seconds) = (plural(rows, "row", "rows"), self.start.elapsed().as_secs());
        let known: Vec<String> = paths.iter().flatten().map(|path| path.display().to_string()).collect();
        match &files.csv {
            Some(file) => say(&format!("{rows} in {}; {seconds} s", file.output.path().display())),
            None => say(&format!("{rows} in {}; {seconds} s", known.join(", "))),
        }
        for ((card, path), is_complete) in self.cards.iter().zip(paths).zip(are_complete) {
            let Some(path) = path else { continue };
            if *is_complete && files.csv.is_some() {
                // The report of all cards has its rows.
                let _ = std::fs::remove_file(path);
            } else if !is_complete {
                let [sentence, command] = rest(card.number, path);
                say(&sentence);
                say_whole(&format!("  {command}"));
            }
        }
    }
}

impl Company for InStep {
    /// Shows what the run will do, once all cards know.
    fn begin(&mut self, card: usize, running: &Running) {
        let count = running.cases.iter().filter(|case| !case.is_reserve).count();
        self.cards[card].plan = Some([count, running.devices.len(), running.epochs]);
        let plans: Vec<[usize; 3]> = self.cards.iter().filter_map(|card| card.plan).collect();
        if self.is_begun || plans.len() < self.cards.len() {
            return;
        }
        self.is_begun = true;
        let most = plans.iter().map(|plan| plan.iter().product::<usize>()).max().unwrap_or(0);
        self.bar.plan(&vec![Expected { is_new: false, epochs: 1 }; most]);
        let [cases, _, epochs] = plans[0];
        let names: Vec<String> =
            self.cards.iter().map(|card| format!("device {}: {}", card.number, card.name)).collect();
        if !is_quiet() {
            self.say(&format!(
                "{} at once, {} in {} each; one case of each family also with the other cards waiting ({})",
                plural(self.cards.len(), "card", "cards"),
                plural(cases, "case", "cases"),
                plural(epochs, "epoch", "epochs"),
                names.join("; ")
            ));
        }
    }

    fn arrive(&mut self, card: usize, point: Point, way: Way, case: &str) -> Vec<Release> {
        let started = [point.pass, point.rank, point.turn];
        if self.last.is_none_or(|last| last < started) {
            if self.last.is_some_and(|[pass, ..]| pass < point.pass) {
                let pass = point.pass as usize + 1;
                self.bar.pass(pass, 0);
                if self.bar.is_hidden() {
                    say(&format!("pass {pass}"));
                }
            }
            self.last = Some(started);
            self.bar.finish();
            self.bar.start(self.begun, case);
            self.begun += 1;
        }
        self.meetings.arrive(card, point, way, Instant::now())
    }

    fn leave(&mut self, card: usize, how: Option<&str>) -> Vec<Release> {
        if let Some(how) = how.filter(|_| !self.is_stopped) {
            self.is_uneven = true;
            self.gone += 1;
            let others = if self.gone < self.cards.len() { ": the others go on without it" } else { "" };
            self.say(&format!("device {} ended early ({how}){others}", self.cards[card].number));
        }
        self.meetings.leave(card, Instant::now())
    }

    fn tick(&mut self) -> Vec<Release> {
        let (late, releases) = self.meetings.expire(Instant::now());
        for card in late {
            self.is_uneven = true;
            let (number, seconds) = (self.cards[card].number, PATIENCE.as_secs());
            self.say(&format!("device {number} did not come for {seconds} s: the others go on without it"));
        }
        releases
    }

    fn restart(&mut self, card: usize) {
        self.is_uneven = true;
        self.meetings.lag(card);
    }

    fn says(&mut self, card: usize, text: &str) -> bool {
        let number = self.cards[card].number;
        if *self.said.entry(text.to_owned()).or_insert(card) == card && !is_quiet() {
            self.say(&format!("device {number}: {text}"));
        }
        true
    }

    fn stop(&mut self) {
        self.is_stopped = true;
    }
}

impl Shown {
    fn named(&self, rows: &[Record]) -> HostCard {
        let card = rows.first().map_or_else(String::new, |row| row.card.clone());
        HostCard { number: self.number, device: self.name.clone(), card }
    }
}
