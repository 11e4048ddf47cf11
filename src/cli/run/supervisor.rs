//! The program's side of `run`: gives orders to a worker, writes its results, and replaces a worker that dies or is
//! silent.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use super::arguments::Arguments;
use super::running::Running;
use crate::cli::interrupt::Interrupt;
use crate::cli::kernel_files::KernelFiles;
use crate::cli::output::say;
use crate::cli::worker::{Death, Done, Event, Listed, Message, Messages, Order, Start, Worker, check_version, silence};
use gpu::backend::Device;
use gpu::engine::Observer;
use gpu::engine::plan::CaseName;
use record::Cause;
use record::error::{Error, Result};
use record::suite::{Case, DeviceType};

/// Time between two checks of the clock and for interruptions.
const TICK: Duration = Duration::from_millis(100);

/// A worker whose case runs this long after the run's time limit is ended: a compiler may take minutes.
const OVERTIME: Duration = Duration::from_secs(60);

/// A run ends after this many workers that died before they opened the card.
const MOST_FAILED_STARTS: usize = 2;

/// A run ends after this many deaths in a row without a measured row between them.
const MOST_DEATHS: usize = 5;

/// How a run on a card ended: the worker's report, or why the card cannot be used or its rows cannot be kept.
pub(super) type End = Result<Done>;

/// A run on a card, as the first worker listed it, and its workers, one after another.
pub(super) struct Supervisor<'a> {
    /// Indices into the list of devices, one per API.
    indices: Vec<usize>,
    /// The same devices.
    listed: Vec<Device>,
    start: Start,
    pub(super) build: String,
    messages: Messages,
    received: Receiver<(usize, Message)>,
    arguments: &'a Arguments,
    files: KernelFiles,
    interrupt: &'a Interrupt,
    worker: Option<Worker>,
    workers: usize,
    /// Whether the worker opens its devices rather than lists them.
    is_opening: bool,
    /// How long the worker has been silent, without system sleep.
    silent: Duration,
    /// How far the run exceeds its time limit, without system sleep.
    late: Duration,
    compiles_ahead: bool,
    /// Workers that died since the last row.
    starts_without_a_row: usize,
    /// Whether a worker that had measured has died.
    has_restarted: bool,
    /// Whether the worker is to end after its case.
    is_stopped: bool,
    /// The devices as they opened, until [`Self::devices`] returns them.
    opened: Option<Vec<Device>>,
    /// Which of the cases its program knows, once reported.
    known: Option<Vec<bool>>,
    running: Option<Running>,
    /// With --against, whether this side measures or waits for its turn.
    turn: Option<Turn>,
    end: Option<End>,
}

/// The state of a side of an --against run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Own,
    /// The other side measures; this side's worker waits.
    Other,
}

impl<'a> Supervisor<'a> {
    /// Workers for a card: indices into the devices of `listed`, whose worker is the first one.
    pub(super) fn new(
        listed: Listed,
        indices: Vec<usize>,
        arguments: &'a Arguments,
        files: KernelFiles,
        interrupt: &'a Interrupt,
    ) -> Self {
        let Listed { devices, build, start, worker, messages: (messages, received) } = listed;
        let listed: Vec<Device> = indices.iter().map(|index| devices[*index].clone()).collect();
        // Without other threads, the case in progress always caused the death.
        let compiles_ahead = listed.iter().any(|device| device.kind != DeviceType::Software);
        Self {
            indices,
            listed,
            start,
            build,
            messages,
            received,
            arguments,
            files,
            interrupt,
            worker: Some(worker),
            workers: 0,
            is_opening: false,
            silent: Duration::ZERO,
            late: Duration::ZERO,
            compiles_ahead,
            starts_without_a_row: 0,
            has_restarted: false,
            is_stopped: false,
            opened: None,
            known: None,
            running: None,
            turn: None,
            end: None,
        }
    }

    /// The card among devices that another worker listed; `None` if one of its devices is gone.
    fn found(&self, devices: &[Device]) -> Option<Vec<usize>> {
        let is_it = |a: &Device, b: &Device| {
            (a.api, &a.name, &a.pci_address, &a.uuid) == (b.api, &b.name, &b.pci_address, &b.uuid)
        };
        let at = |index: &usize, listed: &Device| {
            let is_same_place = devices.get(*index).is_some_and(|device| is_it(device, listed));
            if is_same_place { Some(*index) } else { devices.iter().position(|device| is_it(device, listed)) }
        };
        self.indices.iter().zip(&self.listed).map(|(index, listed)| at(index, listed)).collect()
    }

    fn order(&mut self, order: &Order) {
        if let Some(worker) = &mut self.worker {
            worker.order(order);
        }
    }

    fn finish(&mut self, end: End) {
        self.worker = None;
        self.end.get_or_insert(end);
    }

    pub(super) fn devices(&mut self) -> Result<Vec<Device>> {
        self.open(self.indices.clone());
        self.supervise();
        match (self.opened.take(), self.end.take()) {
            (Some(devices), _) => Ok(devices),
            (None, Some(Err(error))) => Err(error),
            (None, _) => Err(no_rows()),
        }
    }

    /// Which of these cases the workers' program knows.
    pub(super) fn known(&mut self, cases: &[Case]) -> Result<Vec<bool>> {
        self.order(&Order::Known { cases: cases.iter().map(CaseName::from).collect() });
        self.supervise();
        match (self.known.take(), self.end.take()) {
            (Some(known), _) if known.len() == cases.len() => Ok(known),
            (_, Some(Err(error))) => Err(error),
            _ => Err(no_rows()),
        }
    }

    /// Measures until the next case's rows arrive, or until the worker ends; returns how the worker ended, if it did.
    pub(super) fn take_turn(&mut self, running: Running) -> Result<(Running, Option<End>)> {
        let is_waiting = self.turn.replace(Turn::Own) == Some(Turn::Other);
        match self.worker {
            Some(_) if is_waiting => self.order(&Order::Continue),
            Some(_) => self.order(&running.order(false)),
            None => {}
        }
        self.compiles_ahead = false;
        self.running = Some(running);
        if self.worker.is_none() {
            self.start();
        }
        self.silent = Duration::ZERO;
        self.supervise();
        let end = self.end.take();
        if end.is_some() {
            self.turn = None;
        }
        Ok((self.running.take().ok_or_else(no_rows)?, end))
    }

    /// Measures the prepared run, and returns it when the card has ended.
    pub(super) fn measure(mut self, running: Running) -> Result<(Running, End)> {
        self.order(&running.order(self.compiles_ahead));
        self.running = Some(running);
        self.supervise();
        self.running.zip(self.end).ok_or_else(no_rows)
    }

    /// Handles the worker's events until it has answered, its turn is over, or the card has ended.
    fn supervise(&mut self) {
        let mut last = Instant::now();
        let has_answer = |of: &Self| of.opened.is_some() || of.known.is_some() || of.turn == Some(Turn::Other);
        while !has_answer(self) && self.end.is_none() {
            match self.received.recv_timeout(TICK) {
                Ok((workers, received)) if workers == self.workers => {
                    self.silent = Duration::ZERO;
                    self.on_message(received);
                }
                _ => {}
            }
            // Hours of system sleep may pass between two checks.
            let passed = last.elapsed().min(2 * TICK);
            last = Instant::now();
            if self.end.is_none() {
                self.check_clock(passed);
            }
            self.check_stop();
        }
    }

    /// Ends a worker that is late or silent.
    fn check_clock(&mut self, passed: Duration) {
        self.silent += passed;
        if self.running.as_ref().is_some_and(Running::is_over) {
            self.late += passed;
        }
        if self.late > OVERTIME {
            self.end_late();
        } else if self.silent >= silence()
            && let Some(worker) = &mut self.worker
        {
            let death = worker.end_silent(silence());
            self.died(&death);
        }
    }

    fn start(&mut self) {
        self.workers += 1;
        (self.is_opening, self.silent) = (false, Duration::ZERO);
        match Worker::start(self.workers, &self.messages, &self.start) {
            Ok(mut worker) => {
                worker.order(&Order::Devices { backend: self.arguments.backend });
                self.worker = Some(worker);
            }
            Err(error) => self.finish(Err(error)),
        }
    }

    fn open(&mut self, found: Vec<usize>) {
        self.is_opening = true;
        let (kernels, needs_energy) = (Box::new(self.files.clone()), self.arguments.energy);
        self.order(&Order::Open { card: found, kernels, needs_energy });
    }

    fn on_message(&mut self, received: Message) {
        match received {
            Message::Text(line) => self.say(&line),
            Message::Gone => {
                let Some(worker) = &mut self.worker else { return };
                let death = worker.death();
                self.died(&death);
            }
            Message::Event(event) => {
                if let Some(worker) = &mut self.worker {
                    worker.note(&event);
                }
                if let Err(error) = self.on_event(*event) {
                    self.finish(Err(error));
                }
            }
        }
    }

    /// Shows a note, above the bar if there is one.
    fn say(&self, text: &str) {
        match &self.running {
            Some(running) => running.progress.say(text),
            None => say(text),
        }
    }

    fn on_event(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Devices { version, devices, .. } => {
                check_version(version, self.start.command.as_deref())?;
                let Some(found) = self.found(&devices) else {
                    let name = &self.listed[0].name;
                    return Err(Error::NoDevice(format!("{name} disappeared: its driver may need a restart")));
                };
                self.open(found);
            }
            Event::Opened(devices) => match &self.running {
                None => self.opened = Some(devices),
                Some(running) => {
                    let order = running.order(self.compiles_ahead);
                    self.order(&order);
                }
            },
            Event::Known(known) => self.known = Some(known),
            Event::Failed { message, is_usage } => {
                return Err(if is_usage { Error::Usage(message) } else { Error::NoDevice(message) });
            }
            Event::Note(text) => self.say(&text),
            Event::End => {
                let mut done = self.running.as_mut().and_then(|running| running.done.take());
                if let (Some(done), true) = (&mut done, self.has_restarted) {
                    // The time that earlier workers spent measuring is unknown.
                    done.measuring = Duration::ZERO;
                }
                self.finish(done.map_or_else(|| Err(Error::NoDevice(UNFINISHED.to_owned())), of_done));
            }
            event => {
                let Some(running) = &mut self.running else { return Ok(()) };
                // The end of a pass changes only derived figures: no case was measured.
                let ends_pass = match &event {
                    Event::Rows { ends_pass, .. } => Some(*ends_pass),
                    _ => None,
                };
                running.on_event(event)?;
                let Some(ends_pass) = ends_pass else { return Ok(()) };
                self.starts_without_a_row = 0;
                match &mut self.turn {
                    Some(turn) if !ends_pass => *turn = Turn::Other,
                    _ => self.order(&Order::Continue),
                }
            }
        }
        Ok(())
    }

    /// Ends a worker whose case runs long after the run's time limit.
    fn end_late(&mut self) {
        self.worker = None;
        let Some(running) = &mut self.running else { return };
        let how = "the case was still running one minute after the time limit (--time)".to_owned();
        let late = Death { cause: Cause::TimeLimit, how };
        let end = running.blame(&late).map(|_| Done::default());
        self.finish(end);
    }

    /// Handles a worker's death: its case fails, and another worker continues.
    fn died(&mut self, death: &Death) {
        self.worker = None;
        self.starts_without_a_row += 1;
        let Some(running) = &mut self.running else {
            let name = &self.listed[0].name;
            let doing = if self.is_opening { "opening" } else { "listing" };
            let how = death.how.replace("while running", &format!("while {doing} {name}"));
            // Nothing is measured yet. A driver that fails twice may always fail.
            if self.starts_without_a_row < MOST_FAILED_STARTS && !self.is_stopped {
                self.say(&format!("{how}; starting a new worker"));
                return self.start();
            }
            return self.finish(Err(Error::NoDevice(how)));
        };
        if let Some(done) = running.done.take() {
            running.progress.say(&format!("some wrong results were not saved: {}", death.how));
            return self.finish(of_done(done));
        }
        if self.is_stopped {
            return self.finish(Ok(Done { is_interrupted: true, ..Done::default() }));
        }
        // If kernels compile on other threads, the case in progress may not be the cause.
        let is_known = !self.compiles_ahead || death.cause == Cause::TimedOut;
        self.compiles_ahead = false;
        let blamed = if is_known { running.blame(death) } else { Ok(false) };
        running.started = None;
        let is_last = self.starts_without_a_row >= MOST_DEATHS;
        let is_blamed = match blamed {
            Ok(is_blamed) => is_blamed,
            Err(error) => return self.finish(Err(error)),
        };
        // The row states the case and the cause.
        let how = if is_blamed { "the worker ended" } else { death.how.as_str() };
        let next = if is_last { "" } else { "; continuing with a new worker" };
        running.progress.say(&format!("{how}{next}"));
        if is_last {
            let how = format!("{MOST_DEATHS} workers failed in a row; the last failure: {}", death.how);
            return self.finish(Err(Error::NoDevice(how)));
        }
        self.has_restarted = true;
        self.start();
    }

    /// Orders the worker to end after its case once the user or a full disk ends the run.
    fn check_stop(&mut self) {
        let is_full = self.running.as_ref().is_some_and(|running| running.progress.is_interrupted());
        if !self.is_stopped && (is_full || self.interrupt.is_requested()) {
            self.is_stopped = true;
            self.order(&Order::Stop);
        }
    }
}

fn no_rows() -> Error {
    Error::NoDevice("the card produced no rows".to_owned())
}

const UNFINISHED: &str = "the worker ended before the run was complete";

fn of_done(mut done: Done) -> End {
    done.no_device.take().map_or(Ok(done), |why| Err(Error::NoDevice(why)))
}
