//! The process of one card in `run --parallel`: it tells the parent on stdout where it is, and reads on stdin when to go
//! on.

use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::cli::interrupt::Interrupt;
use crate::engine::{Pace, Point, Way};
use crate::suite::Case;

/// What a process tells its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Message {
    /// What it will do: number of cases, of APIs and of epochs, and its report.
    Plan { cases: usize, apis: usize, epochs: usize, path: String },
    /// It waits at a point, with this case.
    Ready { point: Point, way: Way, case: String },
}

/// Answers of the parent: all cards are in step; some are not; the run ends after the current case.
pub(super) const GO: &str = "go";
pub(super) const LATE: &str = "late";
pub(super) const END: &str = "end";

impl Message {
    /// The line of a message.
    pub(super) fn line(&self) -> String {
        match self {
            Self::Plan { cases, apis, epochs, path } => format!("plan {cases} {apis} {epochs} {path}"),
            Self::Ready { point: Point { pass, rank, turn, phase }, way, case } => {
                let way = if *way == Way::InTurn { "turn" } else { "all" };
                format!("ready {pass} {rank} {turn} {phase} {way} {case}")
            }
        }
    }

    /// The message of a line; `None` for any other text.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (kind, rest) = line.split_once(' ')?;
        match kind {
            "plan" => {
                let mut words = rest.splitn(4, ' ');
                let mut number = || words.next()?.parse().ok();
                let (cases, apis, epochs) = (number()?, number()?, number()?);
                Some(Self::Plan { cases, apis, epochs, path: words.next()?.to_owned() })
            }
            "ready" => {
                let mut words = rest.splitn(6, ' ');
                let mut number = || words.next()?.parse().ok();
                let point = Point { pass: number()?, rank: number()?, turn: number()?, phase: number()? };
                let way = match words.next()? {
                    "turn" => Way::InTurn,
                    "all" => Way::Together,
                    _ => return None,
                };
                Some(Self::Ready { point, way, case: words.next()?.to_owned() })
            }
            _ => None,
        }
    }
}

/// The parent, as a process of one card sees it.
#[derive(Debug, Clone, Default)]
pub(super) struct Parent {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    has_changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    answer: Option<bool>,
    /// Whether the parent is gone, or ends the run.
    is_over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.has_changed.notify_all();
    }
}

impl Parent {
    /// Reads stdin from now on. Where it ends, the parent is gone: the run then ends after the current case.
    pub(super) fn listen(interrupt: &Interrupt) -> Self {
        let parent = Self::default();
        let (shared, interrupt) = (Arc::clone(&parent.shared), interrupt.clone());
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                match line.as_str() {
                    GO => shared.set(|state| state.answer = Some(true)),
                    LATE => shared.set(|state| state.answer = Some(false)),
                    _ => break,
                }
            }
            interrupt.request();
            shared.set(|state| state.is_over = true);
        });
        parent
    }

    /// Tells the parent what this process will do.
    pub(super) fn plan(&self, cases: usize, apis: usize, epochs: usize, path: &Path) {
        self.tell(&Message::Plan { cases, apis, epochs, path: path.display().to_string() });
    }

    fn tell(&self, message: &Message) {
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{}", message.line()).and_then(|()| out.flush()).is_err() {
            self.shared.set(|state| state.is_over = true);
        }
    }
}

impl Pace for Parent {
    fn arrive(&self, point: Point, way: Way, case: &Case) {
        self.shared.set(|state| state.answer = None);
        self.tell(&Message::Ready { point, way, case: case.to_string() });
    }

    fn released(&self) -> Option<bool> {
        let state = self.shared.lock();
        if state.is_over { Some(false) } else { state.answer }
    }

    fn wait(&self) -> bool {
        let is_waiting = |state: &mut State| state.answer.is_none() && !state.is_over;
        let state = self.shared.has_changed.wait_while(self.shared.lock(), is_waiting);
        let state = state.unwrap_or_else(PoisonError::into_inner);
        !state.is_over && state.answer == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_they_were_written() {
        let point = Point { pass: 1, rank: 22, turn: 0, phase: 4 };
        for message in [
            Message::Plan { cases: 12, apis: 2, epochs: 4, path: "results/a card/r.csv".to_owned() },
            Message::Ready { point, way: Way::InTurn, case: "stream/copy f32 1048576".to_owned() },
            Message::Ready { point, way: Way::Together, case: "transpose/tiled f32 64x64 PAD=1".to_owned() },
        ] {
            assert_eq!(Message::parse(&message.line()), Some(message));
        }
        for text in ["", "ready", "ready 1 2 3", "ready 1 2 3 4 some case", "plan 1", "a driver's remark"] {
            assert_eq!(Message::parse(text), None, "{text}");
        }
    }
}
