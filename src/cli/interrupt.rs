//! Ctrl-C: the first one ends the run after the current case, one after the report of that ends it immediately, with the
//! sentence that says how to measure the rest. A terminal that goes away ends it after the current case too.

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

/// Signals this soon after the first are the same interruption: `timeout` signals the process, and then its group.
const ONE: Duration = Duration::from_millis(100);

/// State of an interruption by the user.
#[derive(Clone, Default)]
pub(super) struct Interrupt {
    is_requested: Arc<AtomicBool>,
    /// Whether a bar on the terminal shows it: text beside the bar would be overwritten.
    is_shown: Arc<AtomicBool>,
    /// Whether the run has ended. Locked while the interruption is reported.
    is_over: Arc<Mutex<bool>>,
    /// How to measure the rest if the run stops at once, in a sentence.
    rest: Arc<Mutex<Option<String>>>,
}

impl Interrupt {
    /// Installs handlers for Ctrl-C and termination requests. Reports the first signal.
    pub(super) fn listen() -> Result<Self> {
        let interrupt = Self { is_requested: flag()?, ..Self::default() };
        // A shell and the system both report a lost terminal: a second report must not end the program.
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
            // From here on a signal ends the program: the text below says so. A further one does so even if this thread hangs.
            let is_again = Arc::new(AtomicBool::new(false));
            for signal in [SIGINT, SIGTERM] {
                // Handlers of these signals are installed: further ones can be, too.
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

    /// Leaves it to a bar to show the interruption.
    pub(super) fn show_in_bar(&self) {
        self.is_shown.store(true, Ordering::Relaxed);
    }

    /// How to measure the rest if the run stops at once, in a sentence.
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

    /// Marks the run as ended. Later, interruptions are not reported.
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

/// Ignores Ctrl-C and termination requests, in a worker: a terminal sends them to all processes, and the program answers.
pub(super) fn ignore() -> Result<()> {
    flag()?;
    #[cfg(unix)]
    register(signal_hook::consts::SIGHUP, &Arc::default())?;
    Ok(())
}

/// Sets `flag` at a signal.
fn register(signal: i32, flag: &Arc<AtomicBool>) -> Result<()> {
    let fault = |error: std::io::Error| usage!("cannot handle signal {signal}: {error}");
    flag::register(signal, Arc::clone(flag)).map(drop).map_err(fault)
}

/// Lets writes beyond the limit of a file's size fail, instead of ending the program. Errors are ignored: the limit is
/// rare.
pub(super) fn survive_file_limits() {
    #[cfg(unix)]
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Whether the program was started to outlive its terminal, as by `nohup`.
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
