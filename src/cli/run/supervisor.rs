//! The program's part of `run`: it gives orders to a worker, writes what it measures, and starts another worker where one
//! dies or is silent.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::arguments::Arguments;
use super::card::{Card, End, State};
use super::running::Running;
use crate::backend::Device;
use crate::cli::interrupt::Interrupt;
use crate::cli::output::say;
use crate::cli::worker::{
    Death, Done, Environment, Event, Listed, Message, Messages, Order, Worker, check_version, silence,
};
use crate::engine::{LeftOut, Observer};
use crate::error::{Error, Result};
use crate::record::Cause;

/// Time between two looks at the clock and for interruptions.
const TICK: Duration = Duration::from_millis(100);

/// A worker whose case goes on for so long after the run's time limit is ended: a compiler may take minutes.
const OVERTIME: Duration = Duration::from_secs(60);

/// A run whose workers die before they are open ends after so many of them.
const MOST_FAILED_STARTS: usize = 2;

/// A run ends after so many deaths in a row without a measured row between them.
const MOST_DEATHS: usize = 5;

/// Prepares a card's run on the devices as they opened.
pub(super) type Prepare<'p> = dyn FnMut(Vec<Device>) -> Result<Running> + 'p;

/// The workers of a run on a card, one after the other.
pub(super) struct Supervisor<'a> {
    pub(super) card: Card,
    environment: Environment,
    messages: Messages,
    received: Receiver<(usize, Message)>,
    arguments: &'a Arguments,
    interrupt: &'a Interrupt,
    /// Whether the user has ended the run.
    is_stopped: bool,
}

impl<'a> Supervisor<'a> {
    /// Workers for a card, indices into the devices of `listed`, whose worker is the first one.
    pub(super) fn new(listed: Listed, card: Vec<usize>, arguments: &'a Arguments, interrupt: &'a Interrupt) -> Self {
        let Listed { devices, environment, worker, messages: (messages, received) } = listed;
        let card = Card { worker: Some(worker), ..Card::new(card, &devices) };
        Self { card, environment, messages, received, arguments, interrupt, is_stopped: false }
    }

    /// Measures, and returns when the card has ended.
    pub(super) fn measure(&mut self, prepare: &mut Prepare<'_>) {
        self.open(self.card.indices.clone());
        let mut last = Instant::now();
        while self.card.end.is_none() {
            match self.received.recv_timeout(TICK) {
                Ok((workers, received)) => {
                    if self.card.workers == workers {
                        self.card.silent = Duration::ZERO;
                        self.on_message(received, prepare);
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            // Hours asleep pass between two looks at the clock.
            let passed = last.elapsed().min(2 * TICK);
            last = Instant::now();
            if self.card.end.is_none() {
                self.check_clock(passed);
            }
            self.check_stop();
        }
    }

    /// Ends a worker that is late or silent.
    fn check_clock(&mut self, passed: Duration) {
        let card = &mut self.card;
        card.silent += passed;
        if card.running.as_ref().is_some_and(Running::is_over) {
            card.late += passed;
        }
        if card.late > OVERTIME {
            self.end_late();
        } else if card.silent >= silence()
            && let Some(worker) = &mut card.worker
        {
            let death = worker.end_silent(silence());
            self.died(&death);
        }
    }

    /// Starts another worker for the card.
    fn start(&mut self) {
        let card = &mut self.card;
        card.workers += 1;
        (card.state, card.silent) = (State::Listing, Duration::ZERO);
        match Worker::start(card.workers, &self.messages, &self.environment) {
            Ok(mut worker) => {
                worker.order(&Order::Devices { backend: self.arguments.backend });
                card.worker = Some(worker);
            }
            Err(error) => card.end(End::Error(error)),
        }
    }

    fn open(&mut self, found: Vec<usize>) {
        self.card.state = State::Opening;
        let (kernels, needs_energy) = (self.arguments.files.clone(), self.arguments.energy);
        self.card.order(&Order::Open { card: found, kernels, needs_energy });
    }

    fn on_message(&mut self, received: Message, prepare: &mut Prepare<'_>) {
        match received {
            Message::Text(line) => self.say(&line),
            Message::Gone => {
                let Some(worker) = &mut self.card.worker else { return };
                let death = worker.death();
                self.died(&death);
            }
            Message::Event(event) => {
                if let Some(worker) = &mut self.card.worker {
                    worker.note(&event);
                }
                if let Err(error) = self.on_event(*event, prepare) {
                    self.finish(End::Error(error));
                }
            }
        }
    }

    /// Shows a note, above the bar if there is one.
    fn say(&self, text: &str) {
        match &self.card.running {
            Some(running) => running.progress.say(text),
            None => say(text),
        }
    }

    fn on_event(&mut self, event: Event, prepare: &mut Prepare<'_>) -> Result<()> {
        let card = &mut self.card;
        match event {
            Event::Devices { version, devices } => {
                check_version(version)?;
                let Some(found) = card.found(&devices) else {
                    let name = &card.listed[0].name;
                    return Err(Error::NoDevice(format!("{name} is no longer listed: its driver may need a restart")));
                };
                self.open(found);
            }
            Event::Opened(devices) => {
                if card.running.is_none() {
                    card.running = Some(prepare(devices)?);
                }
                if let Some(running) = &card.running {
                    let order = running.order(card.compiles_ahead);
                    card.state = State::Running;
                    card.order(&order);
                }
            }
            Event::Failed { message, is_usage } => {
                return Err(if is_usage { Error::Usage(message) } else { Error::NoDevice(message) });
            }
            Event::Note(text) => self.say(&text),
            Event::End => {
                let done = card.running.as_mut().and_then(|running| running.done.take());
                // What earlier workers spent is not known.
                let has_ended = card.has_restarted;
                let done = done
                    .map(|done| Done { measuring: if has_ended { Duration::ZERO } else { done.measuring }, ..done });
                let end = done.map_or_else(|| End::Error(Error::NoDevice(UNFINISHED.to_owned())), of_done);
                self.finish(end);
            }
            event => {
                let Some(running) = &mut card.running else { return Ok(()) };
                let has_rows = matches!(&event, Event::Rows { .. });
                running.on_event(event)?;
                if has_rows {
                    card.starts_without_a_row = 0;
                    card.order(&Order::Continue);
                }
            }
        }
        Ok(())
    }

    /// Ends a worker whose case does not end long after the run's time limit.
    fn end_late(&mut self) {
        let card = &mut self.card;
        card.worker = None;
        let Some(running) = &mut card.running else { return };
        let late = Death { cause: Cause::TimeLimit, how: LATE.to_owned() };
        let end = match running.blame(&late) {
            Ok(_) => End::Done { left_out: LeftOut::default(), is_interrupted: false, measuring: Duration::ZERO },
            Err(error) => End::Error(error),
        };
        self.finish(end);
    }

    /// A worker has died: its case fails, and another worker goes on.
    fn died(&mut self, death: &Death) {
        let card = &mut self.card;
        // Also where a report cannot be written.
        let is_stopped = self.is_stopped || card.is_stopped;
        let was = card.state;
        card.worker = None;
        card.starts_without_a_row += 1;
        let Some(running) = &mut card.running else {
            let name = &card.listed[0].name;
            let doing = if was == State::Listing { "listed" } else { "opened" };
            let how = death.how.replace("while it ran", &format!("while {name} was {doing}"));
            // Nothing is measured yet. A driver that fails twice may fail always.
            if card.starts_without_a_row < MOST_FAILED_STARTS && !is_stopped {
                self.say(&format!("{how}; a new worker starts"));
                self.start();
                return;
            }
            self.finish(End::Error(Error::NoDevice(how)));
            return;
        };
        if let Some(done) = running.done.take() {
            running.progress.say(&format!("not every wrong result has a bundle: {}", death.how));
            self.finish(of_done(done));
            return;
        }
        if is_stopped {
            let done = End::Done { left_out: LeftOut::default(), is_interrupted: true, measuring: Duration::ZERO };
            self.finish(done);
            return;
        }
        // Where kernels compile on other threads, the case in progress may have no part in it.
        let is_known = !card.compiles_ahead || death.cause == Cause::TimedOut;
        card.compiles_ahead = false;
        let blamed = if is_known { running.blame(death) } else { Ok(false) };
        running.started = None;
        let is_last = card.starts_without_a_row >= MOST_DEATHS;
        match blamed {
            Ok(is_blamed) => {
                // The row has said which case, and why.
                let how = if is_blamed { "the worker has ended" } else { death.how.as_str() };
                let next = if is_last { "" } else { "; a new one continues" };
                running.progress.say(&format!("{how}{next}"));
            }
            Err(error) => {
                self.finish(End::Error(error));
                return;
            }
        }
        if is_last {
            let how = format!("{MOST_DEATHS} workers ended in a row, the last one: {}", death.how);
            self.finish(End::Error(Error::NoDevice(how)));
            return;
        }
        self.card.has_restarted = true;
        self.start();
    }

    fn finish(&mut self, end: End) {
        self.card.end(end);
    }

    /// Tells the worker to end after its case once the user or a full disk ends the run.
    fn check_stop(&mut self) {
        self.is_stopped |= self.interrupt.is_requested();
        let card = &mut self.card;
        let is_full = card.running.as_ref().is_some_and(|running| running.progress.is_interrupted());
        if (self.is_stopped || is_full) && !card.is_stopped {
            card.is_stopped = true;
            card.order(&Order::Stop);
        }
    }
}

const LATE: &str = "the case was still running one minute after the time limit (--time)";

const UNFINISHED: &str = "the process ended before the run did";

fn of_done(Done { left_out, is_interrupted, no_device, measuring }: Done) -> End {
    match no_device {
        Some(why) => End::Error(Error::NoDevice(why)),
        None => End::Done { left_out, is_interrupted, measuring },
    }
}
