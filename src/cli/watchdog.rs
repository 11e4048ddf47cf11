//! Ends runs whose driver does not return from a call: no time-out of an API does.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::results::Record;

/// How long a case may take: its samples, its oracle and its compilation together take a small part of it.
pub(super) const PATIENCE: Duration = Duration::from_secs(600);

/// What a case is run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// A choice of its parameters.
    Tuning,
    /// Its row.
    Measuring,
}

/// A thread that acts where a case takes too long.
pub(super) struct Watchdog {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    has_changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The row of the case in flight.
    watched: Option<(Record, Work)>,
    /// Its number, so that one case's patience is not another's.
    number: u64,
    is_over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watchdog {
    /// Calls `act` with the row of the first case that takes longer than `patience`, once.
    pub(super) fn new(patience: Duration, act: impl FnOnce(Record, Work) + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let seen = Arc::clone(&shared);
        std::thread::spawn(move || {
            if let Some((record, work)) = seen.overdue(patience) {
                act(record, work);
            }
        });
        Self { shared }
    }

    /// The case of this row starts.
    pub(super) fn watch(&self, row: &Record, work: Work) {
        let mut state = self.shared.lock();
        state.watched = Some((row.clone(), work));
        state.number += 1;
        self.shared.has_changed.notify_one();
    }

    /// It is done.
    pub(super) fn rest(&self) {
        self.shared.lock().watched = None;
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.has_changed.notify_one();
    }
}

impl Shared {
    /// The row of the first case that takes too long; `None` where there is none before the watch is over.
    fn overdue(&self, patience: Duration) -> Option<(Record, Work)> {
        // Patience passes in slices: a machine that slept through one has not waited.
        let slice = patience / 20;
        let (mut state, mut slices, mut number) = (self.lock(), 0, 0);
        while !state.is_over {
            if state.number != number || state.watched.is_none() {
                (slices, number) = (0, state.number);
            } else if slices == 20 {
                return state.watched.take();
            }
            let (next, waited) = self.has_changed.wait_timeout(state, slice).unwrap_or_else(PoisonError::into_inner);
            state = next;
            slices += u32::from(waited.timed_out());
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::suite::Extent;

    fn row(n: &str) -> Record {
        Record { n: Extent::parse(n).ok(), ..Record::default() }
    }

    #[test]
    fn a_case_that_does_not_come_back_is_reported_once() {
        let (sender, receiver) = mpsc::channel();
        let dog = Watchdog::new(Duration::from_millis(200), move |row, _| sender.send(row.n).expect("received"));
        for n in ["1", "2", "3"] {
            dog.watch(&row(n), Work::Measuring);
            std::thread::sleep(Duration::from_millis(50));
            dog.rest();
        }
        std::thread::sleep(Duration::from_millis(300));
        assert!(receiver.try_recv().is_err(), "no case is running");
        dog.watch(&row("4"), Work::Measuring);
        assert_eq!(receiver.recv_timeout(Duration::from_secs(5)), Ok(Some(Extent::Linear(4))));
        assert!(receiver.recv().is_err(), "once");
    }

    #[test]
    fn a_watch_that_is_over_reports_nothing() {
        let (sender, receiver) = mpsc::channel();
        let dog = Watchdog::new(Duration::from_millis(100), move |row, _| sender.send(row.n).expect("received"));
        dog.watch(&row("1"), Work::Measuring);
        drop(dog);
        assert!(receiver.recv().is_err());
    }
}
