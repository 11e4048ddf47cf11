//! Ctrl-C: the first one ends the run after the current case. Once that is reported, the next one ends the run at once
//! and prints how to measure the rest. A lost terminal also ends the run after the current case.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::output::{complain, say};
use answers::report::remove_lock_files;
use record::error::{Result, usage};

/// Exit code of an interrupted run, as for a program ended by SIGINT.
pub(super) const EXIT_CODE: u8 = 130;

/// Signals within this time are one interruption: `timeout` signals the process, then its group.
const ONE: Duration = Duration::from_millis(100);

#[derive(Clone, Default)]
pub(super) struct Interrupt {
    is_requested: Arc<AtomicBool>,
    /// Whether a progress bar shows it: text beside the bar would be overwritten.
    is_shown: Arc<AtomicBool>,
    /// Whether the run has ended. Locked while the interruption is reported.
    is_over: Arc<Mutex<bool>>,
    /// A sentence on how to measure the rest if the run stops at once.
    rest: Arc<Mutex<Option<String>>>,
}

impl Interrupt {
    /// Installs handlers for Ctrl-C and termination requests. Reports the first signal.
    pub(super) fn listen() -> Result<Self> {
        let interrupt = Self { is_requested: flag()?, ..Self::default() };
        // A shell and the system both report a lost terminal: the second report must not end the program.
        #[cfg(unix)]
        if !ignores_hangup() {
            register(signal_hook::consts::SIGHUP, &interrupt.is_requested)?;
        }
        let watched = interrupt.clone();
        // A signal handler must not write, and the run checks the flag only between cases.
        std::thread::spawn(move || {
            while !watched.is_requested() {
                std::thread::sleep(Duration::from_millis(100));
            }
            std::thread::sleep(ONE);
            // From here, a signal ends the program (see the text below); a further one does even if this thread hangs.
            let is_again = Arc::new(AtomicBool::new(false));
            for signal in [SIGINT, SIGTERM] {
                // These signals have handlers, so that further ones can be installed.
                let _ = flag::register_conditional_shutdown(signal, i32::from(EXIT_CODE), Arc::clone(&is_again));
                let _ = register(signal, &is_again);
            }
            if !*watched.over() && !watched.is_shown.load(Ordering::Relaxed) {
                say("interrupted: finishing the current case (interrupt again to stop at once)");
            }
            while !is_again.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
            }
            watched.stop_at_once();
        });
        Ok(interrupt)
    }

    /// Leaves it to a progress bar to show the interruption.
    pub(super) fn show_in_bar(&self) {
        self.is_shown.store(true, Ordering::Relaxed);
    }

    pub(super) fn rest(&self) -> MutexGuard<'_, Option<String>> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the process in the middle of a case.
    fn stop_at_once(&self) {
        remove_lock_files();
        let rest = self.rest().clone();
        if !*self.over() {
            if self.is_shown.load(Ordering::Relaxed) {
                // Below the bar.
                complain("");
            }
            rest.iter().for_each(|sentence| say(sentence));
        }
        signal_hook::low_level::exit(i32::from(EXIT_CODE));
    }

    /// Marks the run as ended: later interruptions are not reported.
    pub(super) fn end(&self) {
        *self.over() = true;
    }

    fn over(&self) -> MutexGuard<'_, bool> {
        self.is_over.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_requested(&self) -> bool {
        self.is_requested.load(Ordering::Relaxed)
    }
}

/// A flag that SIGINT and SIGTERM set instead of ending the program, so that temporary files can be removed.
pub(super) fn flag() -> Result<Arc<AtomicBool>> {
    let is_requested = Arc::default();
    register(SIGINT, &is_requested)?;
    register(SIGTERM, &is_requested)?;
    Ok(is_requested)
}

/// Makes a worker ignore Ctrl-C and termination requests, which a terminal also sends to the program.
pub(super) fn ignore() -> Result<()> {
    flag()?;
    #[cfg(unix)]
    register(signal_hook::consts::SIGHUP, &Arc::default())?;
    Ok(())
}

fn register(signal: i32, flag: &Arc<AtomicBool>) -> Result<()> {
    let fault = |error: std::io::Error| usage!("cannot handle signal {signal}: {error}");
    flag::register(signal, Arc::clone(flag)).map(drop).map_err(fault)
}

/// Makes writes beyond the file size limit fail instead of ending the program. Ignores errors: such limits are rare.
pub(super) fn survive_file_limits() {
    #[cfg(unix)]
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Whether the program was started to outlive its terminal, for example by `nohup`.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    #[expect(unsafe_code, reason = "the standard library cannot query the action of a signal")]
    // SAFETY: all zeros are a valid `sigaction`. Without a new action the call only writes the current one to `action`,
    // which outlives it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGHUP, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}
