//! Ctrl-C: the first one ends the run after the case in flight, the second one at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::error::{Error, Result};

/// The exit code of a run that was interrupted: that of a program which SIGINT ended.
pub(super) const EXIT_CODE: u8 = 130;

/// Whether the run was interrupted.
#[derive(Clone)]
pub(super) struct Interrupt {
    is_heard: Arc<AtomicBool>,
    /// Whether the run is over; locked while the interruption is reported.
    is_over: Arc<Mutex<bool>>,
}

impl Interrupt {
    /// Listens to Ctrl-C and to requests to terminate, and reports the first one.
    ///
    /// # Errors
    /// [`Error::Usage`] where the system does not let it.
    pub(super) fn listen() -> Result<Self> {
        let is_heard = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: only a signal that finds the flag up ends the program.
            flag::register_conditional_shutdown(signal, i32::from(EXIT_CODE), Arc::clone(&is_heard))
                .and_then(|_| flag::register(signal, Arc::clone(&is_heard)))
                .map_err(|error| Error::Usage(format!("cannot handle signal {signal}: {error}")))?;
        }
        let heard = Self { is_heard, is_over: Arc::default() };
        let watched = heard.clone();
        // A signal handler may not write, and the run sees the flag only between cases.
        std::thread::spawn(move || {
            while !watched.is_heard() {
                std::thread::sleep(Duration::from_millis(100));
            }
            if !*watched.over() {
                super::output::say("interrupted: finishing the current case (interrupt again to stop at once)");
            }
        });
        Ok(heard)
    }

    /// The run is over: an interruption that is not reported yet is old news.
    pub(super) fn end(&self) {
        *self.over() = true;
    }

    fn over(&self) -> MutexGuard<'_, bool> {
        self.is_over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_heard(&self) -> bool {
        self.is_heard.load(Ordering::Relaxed)
    }
}
