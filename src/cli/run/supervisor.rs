//! The program's part of `run`: it gives orders to a worker a card, writes what they measure, and starts another worker where
//! one dies or is silent.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::arguments::Arguments;
use super::card::{Card, End, State};
use super::meetings::Release;
use super::running::Running;
use crate::backend::Device;
use crate::cli::interrupt::Interrupt;
use crate::cli::output::say;
use crate::cli::worker::{Death, Done, Environment, Event, Id, Listed, Message, Messages, Order, Worker, silence};
use crate::engine::{LeftOut, Observer, Point, Way};
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
pub(super) type Prepare<'p> = dyn FnMut(usize, Vec<Device>) -> Result<Running> + 'p;

/// How the cards of a run are coordinated.
pub(super) trait Company {
    /// The card at this index is about to measure.
    fn begin(&mut self, card: usize, running: &Running);
    /// It has come to a point where it meets the others.
    fn arrive(&mut self, card: usize, point: Point, way: Way, case: &str) -> Vec<Release>;
    /// It has ended. `how` says so if it ended early.
    fn leave(&mut self, card: usize, how: Option<&str>) -> Vec<Release>;
    /// Time has passed.
    fn tick(&mut self) -> Vec<Release>;
    /// A note of its worker. Whether the company has shown it.
    fn says(&mut self, card: usize, text: &str) -> bool;
    /// Another worker goes on with the card, some cases later.
    fn restart(&mut self, card: usize) {
        let _ = card;
    }
    /// The user ends the run.
    fn stop(&mut self) {}
}

/// A card that is alone.
pub(super) struct Alone;

impl Company for Alone {
    fn begin(&mut self, _: usize, _: &Running) {}
    fn arrive(&mut self, card: usize, _: Point, _: Way, _: &str) -> Vec<Release> {
        vec![Release { card, is_in_step: false }]
    }
    fn leave(&mut self, _: usize, _: Option<&str>) -> Vec<Release> {
        Vec::new()
    }
    fn tick(&mut self) -> Vec<Release> {
        Vec::new()
    }
    fn says(&mut self, _: usize, _: &str) -> bool {
        false
    }
}

/// The workers of a run.
pub(super) struct Supervisor<'a> {
    pub(super) cards: Vec<Card>,
    environment: Environment,
    messages: Messages,
    received: Receiver<(Id, Message)>,
    words: Vec<std::ffi::OsString>,
    backend: Option<crate::cli::target::Through>,
    interrupt: &'a Interrupt,
    /// Whether the user has ended the run.
    is_stopped: bool,
}

impl<'a> Supervisor<'a> {
    /// Workers for `runs`, indices into the devices of `listed`. Its worker serves the first card.
    pub(super) fn new(listed: Listed, runs: &[Vec<usize>], arguments: &Arguments, interrupt: &'a Interrupt) -> Self {
        let Listed { devices, environment, worker, messages: (messages, received) } = listed;
        let mut cards: Vec<Card> = runs.iter().map(|run| Card::new(run.clone(), &devices)).collect();
        if let Some(first) = cards.first_mut() {
            first.worker = Some(worker);
        }
        let words = match &arguments.typed {
            Some(typed) => typed.arguments(),
            None => std::env::args_os().skip(1).collect(),
        };
        Self { cards, environment, messages, received, words, backend: arguments.backend, interrupt, is_stopped: false }
    }

    /// Measures all cards at once, and returns when all have ended.
    pub(super) fn measure(&mut self, prepare: &mut Prepare<'_>, company: &mut dyn Company) {
        for index in 0..self.cards.len() {
            if self.cards[index].worker.is_some() {
                self.open(index, self.cards[index].indices.clone());
            } else {
                self.start(index);
            }
        }
        let mut last = Instant::now();
        while self.cards.iter().any(|card| card.end.is_none()) {
            match self.received.recv_timeout(TICK) {
                Ok(((index, workers), received)) => {
                    if self.cards[index].workers == workers && self.cards[index].end.is_none() {
                        self.cards[index].silent = Duration::ZERO;
                        self.hear(index, received, prepare, company);
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            // Hours asleep pass between two looks at the clock.
            let passed = last.elapsed().min(2 * TICK);
            last = Instant::now();
            for index in 0..self.cards.len() {
                let card = &mut self.cards[index];
                if card.end.is_some() || card.is_waiting {
                    continue;
                }
                card.silent += passed;
                if card.running.as_ref().is_some_and(Running::is_over) {
                    card.late += passed;
                }
                if card.late > OVERTIME {
                    self.end_late(index, company);
                    continue;
                }
                if card.silent >= silence()
                    && let Some(worker) = &mut card.worker
                {
                    let death = worker.end_silent(silence());
                    self.died(index, &death, company);
                }
            }
            let releases = company.tick();
            self.release(&releases);
            self.check_stop(company);
        }
    }

    /// Starts another worker for the card.
    fn start(&mut self, index: usize) {
        let card = &mut self.cards[index];
        card.workers += 1;
        (card.state, card.silent, card.is_waiting) = (State::Listing, Duration::ZERO, false);
        match Worker::start((index, card.workers), &self.messages, &self.environment) {
            Ok(mut worker) => {
                worker.order(&Order::Devices { backend: self.backend });
                card.worker = Some(worker);
            }
            Err(error) => card.end(End::Error(error)),
        }
    }

    fn open(&mut self, index: usize, found: Vec<usize>) {
        let words = self.words.clone();
        self.cards[index].state = State::Opening;
        self.cards[index].order(&Order::Open { words, card: found });
    }

    fn hear(&mut self, index: usize, received: Message, prepare: &mut Prepare<'_>, company: &mut dyn Company) {
        match received {
            Message::Text(line) => self.say(index, &line, company),
            Message::Gone => {
                let Some(worker) = &mut self.cards[index].worker else { return };
                let death = worker.death();
                self.died(index, &death, company);
            }
            Message::Event(event) => {
                if let Some(worker) = &mut self.cards[index].worker {
                    worker.note(&event);
                }
                if let Err(error) = self.take(index, *event, prepare, company) {
                    self.finish(index, End::Error(error), company);
                }
            }
        }
    }

    /// Shows a note, above the bar if there is one.
    fn say(&self, index: usize, text: &str, company: &mut dyn Company) {
        if company.says(index, text) {
            return;
        }
        match &self.cards[index].running {
            Some(running) => running.progress.say(text),
            None => say(text),
        }
    }

    fn take(&mut self, index: usize, event: Event, prepare: &mut Prepare<'_>, company: &mut dyn Company) -> Result<()> {
        let card = &mut self.cards[index];
        match event {
            Event::Devices(devices) => match card.found(&devices) {
                Some(found) => self.open(index, found),
                None => {
                    let name = &card.listed[0].name;
                    return Err(Error::NoDevice(format!("{name} is no longer listed: its driver may need a restart")));
                }
            },
            Event::Opened(devices) => {
                if card.running.is_none() {
                    let running = prepare(index, devices)?;
                    company.begin(index, &running);
                    card.running = Some(running);
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
            Event::Note(text) => self.say(index, &text, company),
            Event::Meet { point, way, case } => {
                card.is_waiting = true;
                let releases = company.arrive(index, point, way, &case);
                self.release(&releases);
            }
            Event::End => {
                let done = card.running.as_mut().and_then(|running| running.done.take());
                // What earlier workers spent is not known.
                let has_ended = card.has_restarted;
                let done = done
                    .map(|done| Done { measuring: if has_ended { Duration::ZERO } else { done.measuring }, ..done });
                let end = done.map_or_else(|| End::Error(Error::NoDevice(UNFINISHED.to_owned())), of_done);
                self.finish(index, end, company);
            }
            event => {
                let Some(running) = &mut card.running else { return Ok(()) };
                let has_rows = matches!(&event, Event::Rows { .. });
                running.take(event)?;
                if has_rows {
                    card.barren = 0;
                    card.order(&Order::Continue);
                }
            }
        }
        Ok(())
    }

    fn release(&mut self, releases: &[Release]) {
        for Release { card, is_in_step } in releases {
            self.cards[*card].is_waiting = false;
            self.cards[*card].order(&Order::Go { is_in_step: *is_in_step });
        }
    }

    /// Ends a worker whose case does not end long after the run's time limit.
    fn end_late(&mut self, index: usize, company: &mut dyn Company) {
        let card = &mut self.cards[index];
        card.worker = None;
        let Some(running) = &mut card.running else { return };
        let late = Death { cause: Cause::TimeLimit, how: LATE.to_owned() };
        let end = match running.blame(&late) {
            Ok(_) => End::Done { left_out: LeftOut::default(), is_interrupted: false, measuring: Duration::ZERO },
            Err(error) => End::Error(error),
        };
        self.finish(index, end, company);
    }

    /// A worker has died: its case fails, and another worker goes on.
    fn died(&mut self, index: usize, death: &Death, company: &mut dyn Company) {
        let card = &mut self.cards[index];
        // Also where a report cannot be written.
        let is_stopped = self.is_stopped || card.is_stopped;
        let was = card.state;
        card.worker = None;
        card.barren += 1;
        let Some(running) = &mut card.running else {
            let name = &card.listed[0].name;
            let doing = if was == State::Listing { "listed" } else { "opened" };
            let how = death.how.replace("while it ran", &format!("while {name} was {doing}"));
            // Nothing is measured yet. A driver that fails twice may fail always.
            if card.barren < MOST_FAILED_STARTS && !is_stopped {
                self.say(index, &format!("{how}; a new worker starts"), company);
                self.start(index);
                return;
            }
            self.finish(index, End::Error(Error::NoDevice(how)), company);
            return;
        };
        if let Some(done) = running.done.take() {
            running.progress.say(&format!("not every wrong result has a bundle: {}", death.how));
            self.finish(index, of_done(done), company);
            return;
        }
        if is_stopped {
            let done = End::Done { left_out: LeftOut::default(), is_interrupted: true, measuring: Duration::ZERO };
            self.finish(index, done, company);
            return;
        }
        // Where kernels compile on other threads, the case in progress may have no part in it.
        let is_known = !card.compiles_ahead || death.cause == Cause::TimedOut;
        card.compiles_ahead = false;
        let blamed = if is_known { running.blame(death) } else { Ok(false) };
        running.started = None;
        let is_last = card.barren >= MOST_DEATHS;
        match blamed {
            Ok(is_blamed) => {
                // The row has said which case, and why.
                let how = if is_blamed { "the worker has ended" } else { death.how.as_str() };
                let next = if is_last { "" } else { "; a new one continues" };
                running.progress.say(&format!("{how}{next}"));
            }
            Err(error) => {
                self.finish(index, End::Error(error), company);
                return;
            }
        }
        if is_last {
            let how = format!("{MOST_DEATHS} workers ended in a row, the last one: {}", death.how);
            self.finish(index, End::Error(Error::NoDevice(how)), company);
            return;
        }
        self.cards[index].has_restarted = true;
        company.restart(index);
        let releases = company.tick();
        self.release(&releases);
        self.start(index);
    }

    fn finish(&mut self, index: usize, end: End, company: &mut dyn Company) {
        let how = match &end {
            End::Error(error) => Some(error.chain()),
            End::Done { .. } => None,
        };
        self.cards[index].end(end);
        let releases = company.leave(index, how.as_deref());
        self.release(&releases);
    }

    /// Tells the workers to end after their cases once the user or a full disk ends the run.
    fn check_stop(&mut self, company: &mut dyn Company) {
        if !self.is_stopped && self.interrupt.is_requested() {
            self.is_stopped = true;
            company.stop();
        }
        for card in &mut self.cards {
            let is_full = card.running.as_ref().is_some_and(|running| running.progress.is_interrupted());
            if (self.is_stopped || is_full) && !card.is_stopped {
                card.is_stopped = true;
                card.order(&Order::Stop);
            }
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
