//! The worker's side of the protocol: reads orders and sends events.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::protocol::{Activity, Event, MOST_MESSAGE, Order, VERSION, lines};
use crate::cli::target::{Target, targets};
use crate::cli::{interrupt, output};
use gpu::backend;
use record::error::{Error, Result};

/// The only argument of a worker.
pub(in crate::cli) const WORD: &str = "worker";

static LINK: OnceLock<Link> = OnceLock::new();

pub(in crate::cli) struct Link {
    out: Mutex<File>,
    orders: Mutex<Receiver<Order>>,
    /// One item for each unused [`Order::Continue`].
    continues: Mutex<Receiver<()>>,
    is_stopped: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Link {
    /// Sends an event. Ends this process if the program is gone.
    pub(in crate::cli) fn send(&self, event: &Event) {
        let mut line = serde_json::to_vec(event).unwrap_or_default();
        line.push(b'\n');
        if lock(&self.out).write_all(&line).is_err() {
            signal_hook::low_level::exit(1);
        }
    }

    pub(in crate::cli) fn send_and_wait(&self, event: &Event) {
        self.send(event);
        // The sender lives as long as this process.
        _ = lock(&self.continues).recv();
    }

    pub(in crate::cli) fn order(&self) -> Option<Order> {
        lock(&self.orders).recv().ok()
    }

    /// Whether the run ends after the current case.
    pub(in crate::cli) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}

/// Carries out an order for some of the listed devices.
pub(in crate::cli) type CarryOut = fn(&'static Link, Order, Vec<Option<Target>>) -> Result<()>;

/// Carries out the program's orders until there are no more.
pub(in crate::cli) fn serve(carry_out: CarryOut) -> ExitCode {
    if std::io::stdin().is_terminal() {
        output::complain("error: `worker` is for internal use only: run `shaderbench` to measure");
        return ExitCode::from(2);
    }
    end_with_the_program();
    let Ok(out) = own_stdout() else { return ExitCode::FAILURE };
    if interrupt::ignore().is_err() {
        return ExitCode::FAILURE;
    }
    let (orders, orders_from_program) = channel();
    let (continues, continues_from_program) = channel();
    let link = LINK.get_or_init(|| Link {
        out: Mutex::new(out),
        orders: Mutex::new(orders_from_program),
        continues: Mutex::new(continues_from_program),
        is_stopped: AtomicBool::new(false),
    });
    output::redirect(|text| {
        if let Some(link) = LINK.get() {
            link.send(&Event::Note(text.to_owned()));
        }
    });
    backend::watch(|doing: Activity| {
        if let Some(link) = LINK.get() {
            link.send(&Event::Activity(doing));
        }
    });
    std::panic::set_hook(Box::new(|panic| {
        if let Some(link) = LINK.get() {
            link.send(&Event::Panicked(panic.to_string()));
        }
    }));
    std::thread::spawn(move || {
        for line in lines(std::io::stdin().lock(), MOST_MESSAGE) {
            match serde_json::from_slice(&line) {
                Ok(Order::Continue) => _ = continues.send(()),
                Ok(Order::Stop) => link.is_stopped.store(true, Ordering::Relaxed),
                Ok(order) => _ = orders.send(order),
                Err(_) => break,
            }
        }
        // The program is gone, or has another version of the protocol.
        signal_hook::low_level::exit(1);
    });
    let done = work(link, carry_out);
    if let Err(error) = done {
        link.send(&Event::Failed { message: error.chain(), is_usage: matches!(error, Error::Usage(_)) });
    }
    link.send(&Event::End);
    // Ends without cleanup: drivers that crash at exit must not matter any more.
    signal_hook::low_level::exit(0)
}

fn work(link: &'static Link, carry_out: CarryOut) -> Result<()> {
    let mut found: Vec<Option<Target>> = Vec::new();
    while let Some(order) = link.order() {
        match order {
            Order::Devices { backend } => {
                found = targets(backend)?.into_iter().map(Some).collect();
                let devices = found.iter().flatten().map(|target| target.device().clone()).collect();
                link.send(&Event::Devices { version: VERSION, build: crate::BUILD.to_owned(), devices });
            }
            order => return carry_out(link, order, found),
        }
    }
    Ok(())
}

/// Makes the kernel kill this process when the program ends, even if it is stopped, and sets its name.
fn end_with_the_program() {
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "the standard library has no such call")]
    // SAFETY: both calls take numbers or a zero-terminated text, and change only this process. The thread that started
    // it lives as long as the program.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::prctl(libc::PR_SET_NAME, c"shaderbench".as_ptr());
    }
}

/// Reserves stdout for events: what drivers write there goes to stderr.
fn own_stdout() -> std::io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let out = std::io::stdout().as_fd().try_clone_to_owned()?;
        #[expect(unsafe_code, reason = "the standard library cannot replace a stream")]
        // SAFETY: both are streams of this process, and nobody holds another one that the call would close.
        let replaced = unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) };
        if replaced < 0 { Err(std::io::Error::last_os_error()) } else { Ok(File::from(out)) }
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::AsHandle;
        Ok(File::from(std::io::stdout().as_handle().try_clone_to_owned()?))
    }
}
