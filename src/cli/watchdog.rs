//! Ends runs whose driver does not return from a call. No API has a time-out for this.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::record::Record;

/// Time-out of a case. Compilation, samples and verification together take a small part of it.
pub(super) const TIMEOUT: Duration = Duration::from_secs(600);

/// A thread that acts if a case exceeds the time-out.
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
    /// The row of the running case.
    watched: Option<Record>,
    /// Number of the case, so that each case has its full time-out.
    number: u64,
    is_over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watchdog {
    /// Calls `act` once, with the row of the first case that exceeds `timeout`.
    pub(super) fn new(timeout: Duration, act: impl FnOnce(Record) + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let seen = Arc::clone(&shared);
        std::thread::spawn(move || {
            if let Some(record) = seen.overdue(timeout) {
                act(record);
            }
        });
        Self { shared }
    }

    /// Starts the time-out of a case.
    pub(super) fn watch(&self, row: &Record) {
        let mut state = self.shared.lock();
        state.watched = Some(row.clone());
        state.number += 1;
        self.shared.has_changed.notify_one();
    }

    /// Ends the time-out of the case.
    pub(super) fn clear(&self) {
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
    /// The row of the first case that exceeds the time-out; `None` if the watchdog is dropped before.
    fn overdue(&self, timeout: Duration) -> Option<Record> {
        // Wait in slices: time in system sleep must not count.
        let slice = timeout / 20;
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
        let dog = Watchdog::new(Duration::from_millis(200), move |row| sender.send(row.n).expect("received"));
        for n in ["1", "2", "3"] {
            dog.watch(&row(n));
            std::thread::sleep(Duration::from_millis(50));
            dog.clear();
        }
        std::thread::sleep(Duration::from_millis(300));
        assert!(receiver.try_recv().is_err(), "no case is running");
        dog.watch(&row("4"));
        assert_eq!(receiver.recv_timeout(Duration::from_secs(5)), Ok(Some(Extent::Linear(4))));
        assert!(receiver.recv().is_err(), "once");
    }

    /// The time-out in the process that the next test stops.
    #[cfg(unix)]
    const STOPPED_TIMEOUT: Duration = Duration::from_secs(2);

    #[test]
    #[cfg(unix)]
    #[ignore = "a process that the next test starts and stops"]
    fn stopped_process() {
        let (sender, receiver) = mpsc::channel();
        let dog = Watchdog::new(STOPPED_TIMEOUT, move |row| sender.send(row.n).expect("received"));
        let start = std::time::Instant::now();
        dog.watch(&row("1"));
        println!("watching");
        while start.elapsed() < 2 * STOPPED_TIMEOUT {
            std::thread::sleep(Duration::from_millis(10));
        }
        // The process was stopped for most of this time.
        assert!(receiver.recv_timeout(STOPPED_TIMEOUT / 4).is_err(), "the time in which it was stopped counts");
        assert!(receiver.recv_timeout(2 * STOPPED_TIMEOUT).is_ok(), "the time in which it ran counts");
    }

    #[test]
    #[cfg(unix)]
    fn time_in_which_the_process_is_stopped_does_not_count() {
        use std::io::{BufRead, BufReader};
        use std::process::{Command, Stdio};
        let mut child = Command::new(std::env::current_exe().expect("this test's program"))
            .args(["--exact", "--ignored", "--nocapture", "cli::watchdog::tests::stopped_process"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.ends_with("watching")));
        let signal = |name: &str| {
            let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
            assert!(sent.expect("starts").success());
        };
        signal("-STOP");
        std::thread::sleep(2 * STOPPED_TIMEOUT);
        signal("-CONT");
        let rest: Vec<String> = lines.collect();
        assert!(child.wait().expect("ends").success(), "{rest:#?}");
    }

    #[test]
    fn a_watch_that_is_over_reports_nothing() {
        let (sender, receiver) = mpsc::channel();
        let dog = Watchdog::new(Duration::from_millis(100), move |row| sender.send(row.n).expect("received"));
        dog.watch(&row("1"));
        drop(dog);
        assert!(receiver.recv().is_err());
    }
}
