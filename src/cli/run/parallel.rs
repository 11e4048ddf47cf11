//! `run --device all --parallel`: all cards of a host at once, by one process a card, in step.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::arguments::Arguments;
use super::devices::{date, seed};
use super::in_step::{END, GO, LATE, Message};
use super::meetings::{Meetings, Release};
use crate::answers::outliers::in_step::text::{HostCard, host};
use crate::answers::outliers::{Host, HostRules};
use crate::backend::Device;
use crate::cli::again::Typed;
use crate::cli::bar::Bar;
use crate::cli::interrupt::{self, Interrupt};
use crate::cli::output::{complain, is_quiet, print, say, say_whole};
use crate::cli::outputs::{ANOTHER_FILE, Files, check_new};
use crate::cli::values::plural;
use crate::engine::Expected;
use crate::error::{Error, Result};
use crate::record::Record;
use crate::report;

/// Maximum time that cards wait for one that does not come: longer than a kernel takes to compile.
const PATIENCE: Duration = Duration::from_secs(120);

/// Time between two looks at the clock and for interruptions.
const TICK: Duration = Duration::from_millis(100);

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

/// Runs on each card of `runs`, indices into `devices`, and returns the exit code.
pub(super) fn run(
    arguments: &Arguments,
    runs: &[Vec<usize>],
    devices: &[Device],
    files: &Files,
    tables: &Tables<'_>,
) -> Result<u8> {
    if arguments.own.is_some() {
        return Err(Error::Usage("--parallel is for the suite's benchmarks: run bench on each card".to_owned()));
    }
    if let [run] = runs {
        let name = &devices[run[0]].name;
        return Err(Error::Usage(format!(
            "--parallel needs two cards: {name} is the only one, run without --parallel"
        )));
    }
    let interrupt = Interrupt::listen()?;
    let seed = arguments.seed.unwrap_or_else(seed);
    let now = jiff::Timestamp::now();
    let (sender, events) = channel();
    let mut cards = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        let number = run[0];
        let part = arguments.out.as_deref().map(|out| part(out, number));
        if let Some(part) = &part {
            check_new(part, arguments.force, ANOTHER_FILE)?;
        }
        let mut command = Command::new(std::env::current_exe().map_err(unstarted)?);
        // A second apart, so that the rows of cards without a name are of different runs.
        let date = date(now + Duration::from_secs(index as u64));
        command.args(options(arguments, number, (seed, date), part.as_deref())?);
        cards.push(Card::start(command, index, number, &devices[number], &sender)?);
    }
    drop(sender);
    let mut parent = Parent::new(cards, interrupt);
    parent.listen(&events);
    parent.end(arguments, files, tables)
}

fn unstarted(source: std::io::Error) -> Error {
    Error::Io { action: "start", path: PathBuf::from("shaderbench"), source }
}

/// `r-device1.csv` for `r.csv`.
fn part(out: &Path, number: usize) -> PathBuf {
    let stem = out.file_stem().unwrap_or_default().to_string_lossy();
    let extension = out.extension().map_or_else(String::new, |extension| format!(".{}", extension.to_string_lossy()));
    out.with_file_name(format!("{stem}-device{number}{extension}"))
}

/// The command line of the process for the card `number`.
fn options(
    arguments: &Arguments,
    number: usize,
    (seed, date): (u64, String),
    part: Option<&Path>,
) -> Result<Vec<String>> {
    let text = |path: &Path| {
        let refused = || Error::Usage(format!("--parallel: {} is not a name in UTF-8", path.display()));
        path.to_str().map(str::to_owned).ok_or_else(refused)
    };
    let mut all = vec!["run".to_owned()];
    let mut add = |option: &str, value: String| all.push(format!("--{option}={value}"));
    add("in-step", date);
    add("device", number.to_string());
    add("seed", seed.to_string());
    if let Some(backend) = arguments.backend {
        add("backend", backend.name().to_owned());
    }
    if let Some(profile) = arguments.profile {
        add("profile", profile.name().to_owned());
    }
    arguments.tags.iter().for_each(|tag| add("tag", tag.name().to_owned()));
    arguments.sizes.iter().for_each(|size| add("size", size.to_string()));
    arguments.params.iter().for_each(|(name, value)| add("param", format!("{name}={value}")));
    arguments.epochs.iter().for_each(|epochs| add("epochs", epochs.to_string()));
    arguments.host.iter().for_each(|host| add("host", host.clone()));
    if let Some(shaders) = &arguments.shaders {
        add("shaders", text(shaders)?);
    }
    if let Some(part) = part {
        add("out", text(part)?);
    }
    for (is_set, flag) in [
        (arguments.unchecked, "--unchecked"),
        (arguments.anonymous, "--anonymous"),
        (arguments.energy, "--energy"),
        (arguments.force, "--force"),
        (is_quiet(), "--quiet"),
    ] {
        all.extend(is_set.then(|| flag.to_owned()));
    }
    all.push("--".to_owned());
    all.extend(arguments.filters.iter().cloned());
    Ok(all)
}

/// What the process of a card does.
enum Event {
    /// A line on stdout.
    Tells(String),
    /// A line on stderr.
    Says(String),
    /// Its stdout is closed: it ends.
    Closes,
}

/// A card and its process.
struct Card {
    number: usize,
    name: String,
    child: Child,
    /// Where the process reads when to go on; `None` once it has ended.
    stdin: Option<ChildStdin>,
    /// Number of cases, of APIs and of epochs.
    plan: Option<[usize; 3]>,
    /// The report.
    path: Option<PathBuf>,
    status: Option<ExitStatus>,
}

impl Card {
    fn start(
        mut command: Command,
        index: usize,
        number: usize,
        device: &Device,
        events: &Sender<(usize, Event)>,
    ) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(unstarted)?;
        let stdin = child.stdin.take();
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let lines = |stream: Option<Box<dyn Read + Send>>, event: fn(String) -> Event, end: Option<Event>| {
            let events = events.clone();
            std::thread::spawn(move || {
                let lines = stream.map(BufReader::new).into_iter().flat_map(BufRead::lines);
                // A receiver that is gone needs no lines.
                for line in lines.map_while(std::result::Result::ok) {
                    let _ = events.send((index, event(line)));
                }
                let _ = end.map(|end| events.send((index, end)));
            });
        };
        lines(err.map(|stream| Box::new(stream) as Box<dyn Read + Send>), Event::Says, None);
        lines(out.map(|stream| Box::new(stream) as Box<dyn Read + Send>), Event::Tells, Some(Event::Closes));
        let name = device.name.clone();
        Ok(Self { number, name, child, stdin, plan: None, path: None, status: None })
    }

    /// Answers the process. One that cannot be reached is about to end.
    fn answer(&mut self, answer: &str) {
        if let Some(stdin) = &mut self.stdin {
            let _ = writeln!(stdin, "{answer}").and_then(|()| stdin.flush());
        }
    }

    /// Whether it measured all that it could.
    fn is_complete(&self) -> bool {
        matches!(self.status.and_then(|status| status.code()), Some(0 | 3))
    }
}

impl Drop for Card {
    fn drop(&mut self) {
        // It ends by itself after the current case once stdin is closed; after an error here nobody waits for that.
        if self.status.is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The process that starts the others.
struct Parent {
    cards: Vec<Card>,
    meetings: Meetings,
    bar: Bar,
    /// Number of cases that began.
    begun: usize,
    interrupt: Interrupt,
    /// When the processes were told to end.
    ended: Option<Instant>,
    /// The lines that processes wrote to stderr, with the first one that did.
    said: HashMap<String, usize>,
    /// Whether a card ended early or lagged: the others' rows were then not measured beside it.
    is_uneven: bool,
    /// Whether the plan was shown.
    is_begun: bool,
    /// The case that was last begun: pass, rank and turn.
    last: Option<[u64; 3]>,
    start: Instant,
}

impl Parent {
    fn new(cards: Vec<Card>, interrupt: Interrupt) -> Self {
        let bar = Bar::new(None, interrupt.clone());
        let meetings = Meetings::new(cards.len(), PATIENCE);
        let (said, start) = (HashMap::new(), Instant::now());
        Self {
            cards,
            meetings,
            bar,
            begun: 0,
            interrupt,
            ended: None,
            said,
            is_uneven: false,
            is_begun: false,
            last: None,
            start,
        }
    }

    /// Shows what a process wrote to stderr, which with --quiet are errors alone, or what became of it.
    fn say(&self, line: &str) {
        if self.bar.is_hidden() { complain(line) } else { self.bar.say(line) }
    }

    fn note(&self, line: &str) {
        if !is_quiet() {
            self.say(line);
        }
    }

    /// Lets the processes meet until all have ended.
    fn listen(&mut self, events: &Receiver<(usize, Event)>) {
        loop {
            match events.recv_timeout(TICK) {
                Ok((card, event)) => self.take(card, event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let now = Instant::now();
            let (late, releases) = self.meetings.expire(now);
            for card in late {
                self.is_uneven = true;
                let (number, seconds) = (self.cards[card].number, PATIENCE.as_secs());
                self.say(&format!("device {number} did not come for {seconds} s: the others go on without it"));
            }
            self.release(&releases);
            self.check_interrupt(now);
        }
        self.interrupt.end();
        self.bar.end();
    }

    fn take(&mut self, card: usize, event: Event) {
        match event {
            Event::Says(line) => {
                let number = self.cards[card].number;
                // Cards of one model say the same.
                if *self.said.entry(line.clone()).or_insert(card) == card {
                    self.say(&format!("device {number}: {line}"));
                }
            }
            Event::Tells(line) => match Message::parse(&line) {
                Some(Message::Plan { cases, apis, epochs, path }) => {
                    self.cards[card].plan = Some([cases, apis, epochs]);
                    self.cards[card].path = Some(PathBuf::from(path));
                    self.begin();
                }
                Some(Message::Ready { point, way, case }) => {
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
                        self.bar.start(self.begun, &case);
                        self.begun += 1;
                    }
                    let releases = self.meetings.arrive(card, point, way, Instant::now());
                    self.release(&releases);
                }
                None => self.say(&line),
            },
            Event::Closes => {
                let ended = &mut self.cards[card];
                ended.stdin = None;
                ended.status = ended.child.wait().ok();
                if !ended.is_complete() && self.ended.is_none() {
                    self.is_uneven = true;
                    let (number, how) = (ended.number, ended.status.map_or_else(String::new, |how| how.to_string()));
                    self.say(&format!("device {number} ended early ({how}): the others go on without it"));
                }
                let releases = self.meetings.leave(card, Instant::now());
                self.release(&releases);
            }
        }
    }

    fn release(&mut self, releases: &[Release]) {
        for Release { card, is_in_step } in releases {
            self.cards[*card].answer(if *is_in_step { GO } else { LATE });
        }
    }

    /// Shows what the run will do, once all cards know.
    fn begin(&mut self) {
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
        self.note(&format!(
            "{} at once, {} in {} each; one case of each family also with the other cards waiting ({})",
            plural(self.cards.len(), "card", "cards"),
            plural(cases, "case", "cases"),
            plural(epochs, "epoch", "epochs"),
            names.join("; ")
        ));
    }

    /// Tells all processes to end after an interruption; one that does not is ended.
    fn check_interrupt(&mut self, now: Instant) {
        match self.ended {
            None if self.interrupt.is_requested() => {
                self.ended = Some(now);
                self.cards.iter_mut().for_each(|card| card.answer(END));
            }
            Some(ended) if now.duration_since(ended) > PATIENCE => {
                self.ended = Some(now);
                for card in self.cards.iter_mut().filter(|card| card.status.is_none()) {
                    say(&format!("device {} does not end: its process is ended", card.number));
                    let _ = card.child.kill();
                }
            }
            _ => {}
        }
    }

    /// Writes the report of all cards, prints the tables, and returns the exit code.
    fn end(&self, arguments: &Arguments, files: &Files, tables: &Tables<'_>) -> Result<u8> {
        let is_interrupted = self.ended.is_some();
        let mut rows: Vec<Vec<Record>> = Vec::new();
        for card in &self.cards {
            let read = card.path.as_deref().map(report::csv::open).transpose()?;
            rows.push(read.map_or_else(Vec::new, |report| report.records));
        }
        let all: Vec<&Record> = rows.iter().flatten().collect();
        let is_complete = self.cards.iter().all(Card::is_complete);
        if all.is_empty() && !is_interrupted {
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
        self.say_files(files, all.len());
        let is_fault = |record: &&Record| arguments.fail_on.contains(&record.status);
        Ok(match () {
            () if is_interrupted => interrupt::EXIT_CODE,
            () if !is_complete => 1,
            () if all.iter().any(is_fault) => 3,
            () if !judged.slow.is_empty() || !judged.uneven.is_empty() => SLOW,
            () => 0,
        })
    }

    /// Where the rows are, and how to go on with a card that has not all of them.
    fn say_files(&self, files: &Files, rows: usize) {
        let (rows, seconds) = (plural(rows, "row", "rows"), self.start.elapsed().as_secs());
        let paths: Vec<String> =
            self.cards.iter().filter_map(|card| card.path.as_ref()).map(|path| path.display().to_string()).collect();
        match &files.csv {
            Some(file) => say(&format!("{rows} in {}; {seconds} s", file.output.path().display())),
            None => say(&format!("{rows} in {}; {seconds} s", paths.join(", "))),
        }
        for card in &self.cards {
            let Some(path) = &card.path else { continue };
            if card.is_complete() && files.csv.is_some() {
                // The report of all cards has its rows.
                let _ = std::fs::remove_file(path);
            } else if !card.is_complete() {
                say(&format!("to measure the rest of device {}, alone, type:", card.number));
                say_whole(&format!("  {}", Typed::of_process().resume(path, None, Some(card.number))));
            }
        }
    }
}

impl Card {
    fn named(&self, rows: &[Record]) -> HostCard {
        let card = rows.first().map_or_else(String::new, |row| row.card.clone());
        HostCard { number: self.number, device: self.name.clone(), card }
    }
}
