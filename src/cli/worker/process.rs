//! The program's side of the protocol: starts a worker, receives its events, and reports how it ended.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::link::WORD;
use super::protocol::{Activity, Event, MOST_MESSAGE, MOST_TEXT, Order, lines};
use crate::cli::output::say;
use record::Cause;
use record::error::{Error, Result, one_line, shown, usage, visible_lines};

/// A worker that sends nothing for this long is ended: no driver call can be cancelled, and no case takes so long, even
/// with compilation and verification.
pub(in crate::cli) const SILENCE: Duration = Duration::from_secs(600);

/// Variable with another limit, in seconds, for tests.
const SILENCE_VARIABLE: &str = "SHADERBENCH_SILENCE";

/// Time for a worker that has closed its streams to end.
const GRACE: Duration = Duration::from_secs(2);

/// Last lines of stderr that are kept to find the cause of a crash.
const KEPT: usize = 20;

/// The channel for messages of workers, each with its worker's number in the run.
pub(in crate::cli) type Messages = Sender<(usize, Message)>;

#[derive(Debug)]
pub(in crate::cli) enum Message {
    Event(Box<Event>),
    /// A line that a driver wrote.
    Text(String),
    /// Its streams are closed: it has ended.
    Gone,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Death {
    pub(in crate::cli) cause: Cause,
    /// `the driver ended the process (SIGSEGV) while compiling a kernel`.
    pub(in crate::cli) how: String,
}

#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct Start {
    /// Environment variables that exclude drivers which end the process.
    pub(super) environment: Vec<(&'static str, OsString)>,
    /// The command line of another build of the program, run by the system's shell; `None` for this program.
    pub(in crate::cli) command: Option<String>,
}

impl Start {
    fn process(&self) -> std::io::Result<Command> {
        let mut process = match &self.command {
            None => {
                let mut process = Command::new(program()?);
                #[cfg(unix)]
                std::os::unix::process::CommandExt::arg0(&mut process, "shaderbench");
                process.arg(WORD);
                process
            }
            Some(command) => {
                let [shell, option] = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
                let mut process = Command::new(shell);
                process.args([option, &format!("{command} {WORD}")]);
                process
            }
        };
        process.envs(self.environment.iter().map(|(name, value)| (name, value)));
        Ok(process)
    }
}

/// A process that opens devices and measures.
pub(in crate::cli) struct Worker {
    child: Child,
    /// `None` once it must end.
    stdin: Option<ChildStdin>,
    last_lines: Arc<Mutex<VecDeque<String>>>,
    doing: Activity,
    /// The message of its first panic, and what it was doing.
    panic: Option<(String, Activity)>,
}

impl Worker {
    /// Starts a worker that sends its events to `messages`.
    pub(in crate::cli) fn start(id: usize, messages: &Messages, start: &Start) -> Result<Self> {
        let fault = || Error::io("start", "shaderbench");
        let mut command = start.process().map_err(fault())?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(fault())?;
        let last_lines = Arc::<Mutex<VecDeque<String>>>::default();
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let kept = Arc::clone(&last_lines);
        let received = messages.clone();
        let (says_end, ended) = channel::<()>();
        std::thread::spawn(move || {
            for line in stderr.map(BufReader::new).into_iter().flat_map(|stream| lines(stream, MOST_TEXT)) {
                let line = String::from_utf8_lossy(&line).trim_end().to_owned();
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push_back(line.clone());
                if kept.len() > KEPT {
                    kept.pop_front();
                }
                drop(kept);
                // If the receiver is gone, no one needs the lines.
                let _ = received.send((id, Message::Text(line)));
            }
            drop(says_end);
        });
        let received = messages.clone();
        std::thread::spawn(move || {
            for line in stdout.map(BufReader::new).into_iter().flat_map(|stream| lines(stream, MOST_MESSAGE)) {
                let text = || Message::Text(String::from_utf8_lossy(&line[..line.len().min(MOST_TEXT)]).into_owned());
                let event = serde_json::from_slice(&line).ok().or_else(|| other_version(&line));
                let event = event.map_or_else(text, Message::Event);
                let _ = received.send((id, event));
                // No worker of this program writes so long a line: its stream is closed.
                if line.len() >= MOST_MESSAGE {
                    break;
                }
            }
            // The last lines of stderr come first. A process that the worker left behind may hold the stream.
            let _ = ended.recv_timeout(GRACE);
            let _ = received.send((id, Message::Gone));
        });
        Ok(Self { child, stdin, last_lines, doing: Activity::Running, panic: None })
    }

    /// Gives an order. A worker that cannot be reached is about to end.
    pub(in crate::cli) fn order(&mut self, order: &Order) {
        if let Some(stdin) = &mut self.stdin {
            let mut line = serde_json::to_vec(order).unwrap_or_default();
            line.push(b'\n');
            let _ = stdin.write_all(&line).and_then(|()| stdin.flush());
        }
    }

    /// Updates the state of the process from an event.
    pub(in crate::cli) fn note(&mut self, event: &Event) {
        match event {
            Event::Activity(doing) => self.doing = *doing,
            // A later panic may follow from the first.
            Event::Panicked(text) => {
                self.panic.get_or_insert_with(|| (text.clone(), self.doing));
            }
            _ => {}
        }
    }

    /// Waits briefly for its end, and returns how it died.
    pub(in crate::cli) fn death(&mut self) -> Death {
        let start = Instant::now();
        let mut status = self.child.try_wait().ok().flatten();
        while status.is_none() && start.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(5));
            status = self.child.try_wait().ok().flatten();
        }
        let last = self.last_lines.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = last.iter().map(String::as_str).collect();
        match &self.panic {
            Some((text, doing)) => panicked(text, *doing),
            None => death(status, self.doing, &lines),
        }
    }

    /// Kills a silent worker without waiting for it to exit: a worker hung in the driver may survive.
    pub(in crate::cli) fn end_silent(&mut self, longest: Duration) -> Death {
        self.stdin = None;
        let _ = self.child.kill();
        let seconds = longest.as_secs_f64();
        Death { cause: Cause::TimedOut, how: Error::Timeout { seconds }.to_string() }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It has nothing to save: the program has the rows.
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.try_wait();
    }
}

/// The first message of a worker with another version of the protocol.
fn other_version(line: &[u8]) -> Option<Box<Event>> {
    let message: serde_json::Value = serde_json::from_slice(line).ok()?;
    let version = u32::try_from(message["Devices"]["version"].as_u64()?).ok()?;
    Some(Box::new(Event::Devices { version, build: String::new(), devices: Vec::new() }))
}

pub(in crate::cli) fn silence() -> Duration {
    set_silence().unwrap_or_default().unwrap_or(SILENCE)
}

/// The limit that the user sets, if any.
pub(super) fn set_silence() -> Result<Option<Duration>> {
    let Some(text) = std::env::var_os(SILENCE_VARIABLE) else { return Ok(None) };
    let seconds = text.to_str().and_then(|text| text.parse().ok()).filter(|seconds| *seconds > 0);
    let text = shown(std::path::Path::new(&text));
    let refusal = || usage!("{SILENCE_VARIABLE} is '{text}': use a whole number of seconds, 1 or more");
    seconds.map(Duration::from_secs).map(Some).ok_or_else(refusal)
}

/// This program, even if its file was replaced while it runs.
fn program() -> std::io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() { Ok(running) } else { std::env::current_exe() }
}

const fn during(doing: Activity) -> &'static str {
    match doing {
        Activity::Compiling => "while compiling a kernel",
        Activity::Running => "while running",
    }
}

/// The death of a worker that panicked with `text`: `panicked at FILE:LINE:COLUMN:` and the message. Files of another
/// crate are in a folder with the crate's name.
fn panicked(text: &str, doing: Activity) -> Death {
    let (place, message) = text.split_once('\n').unwrap_or(("", text));
    let folder = place.replace('\\', "/");
    let crate_name =
        folder.rsplit_once("/src/").and_then(|(folder, _)| folder.rsplit('/').next()).unwrap_or("the program");
    let how = format!("{crate_name} panicked {}: {}", during(doing), one_line(message));
    Death { cause: Cause::Crashed, how }
}

fn death(status: Option<ExitStatus>, doing: Activity, last: &[&str]) -> Death {
    let crashed = |how: String| Death { cause: Cause::Crashed, how };
    let during = during(doing);
    if let Some(line) = last.iter().rev().find(|line| line.contains("memory allocation of")) {
        let line = visible_lines(line);
        return crashed(format!("the process ran out of memory {during} ({line}): raise the memory limit (ulimit -v)"));
    }
    let Some(status) = status else {
        return crashed(format!("the process closed its streams {during}"));
    };
    let name = ending(status);
    #[cfg(unix)]
    if std::os::unix::process::ExitStatusExt::signal(&status) == Some(libc::SIGKILL) {
        return crashed(format!("the process was killed ({name}) {during}: the system does this when memory runs out"));
    }
    crashed(format!("the driver ended the process ({name}) {during}"))
}

/// `SIGSEGV`, or `exit code 3`.
fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return signal_hook::low_level::signal_name(signal).map_or_else(|| format!("signal {signal}"), str::to_owned);
    }
    match status.code() {
        // Windows exceptions.
        Some(code) if code < 0 => format!("exception {:#010x}", code.cast_unsigned()),
        Some(code) => format!("exit code {code}"),
        None => status.to_string(),
    }
}

/// Time after which a note says that the program waits for the driver.
const PATIENCE: Duration = Duration::from_secs(5);

/// Waits at most `longest` for the next event of a worker. Notes go to stderr.
pub(super) fn next(
    worker: &mut Worker,
    received: &Receiver<(usize, Message)>,
    longest: Duration,
) -> Result<Event, Stopped> {
    // A device that measures may send nothing for long.
    let (mut waited, longest) = (longest >= SILENCE, silence().min(longest));
    loop {
        let limit = if waited { longest } else { longest.min(PATIENCE) };
        match received.recv_timeout(limit) {
            Err(RecvTimeoutError::Timeout) if limit < longest => {
                waited = true;
                say("waiting for the driver");
            }
            Ok((_, Message::Event(event))) => {
                worker.note(&event);
                match *event {
                    Event::Note(text) => say(&text),
                    Event::Failed { message, is_usage } => {
                        let error = if is_usage { Error::Usage(message) } else { Error::NoDevice(message) };
                        return Err(Stopped::Refused(error));
                    }
                    event => return Ok(event),
                }
            }
            Ok((_, Message::Text(line))) => say(&line),
            Err(RecvTimeoutError::Timeout) => return Err(Stopped::Died(worker.end_silent(longest))),
            Ok((_, Message::Gone)) | Err(RecvTimeoutError::Disconnected) => return Err(Stopped::Died(worker.death())),
        }
    }
}

/// Why an order was not carried out.
#[derive(Debug)]
pub(in crate::cli) enum Stopped {
    Refused(Error),
    Died(Death),
}

impl Stopped {
    pub(in crate::cli) fn into_error(self) -> Error {
        match self {
            Self::Refused(error) => error,
            Self::Died(death) => Error::NoDevice(death.how),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_death_is_told_in_words() {
        let how = |raw, doing, last: &[&str]| death(Some(ExitStatus::from_raw(raw)), doing, last).how;
        assert_eq!(
            how(11, Activity::Compiling, &[]),
            "the driver ended the process (SIGSEGV) while compiling a kernel"
        );
        assert_eq!(how(3 << 8, Activity::Running, &[]), "the driver ended the process (exit code 3) while running");
        assert!(how(9, Activity::Running, &[]).starts_with("the process was killed (SIGKILL) while running: "));
        let text = "panicked at /home/a/.cargo/registry/src/x/naga-30.0.1/src/back/block.rs:3847:56:\nno\n\u{1b}end";
        assert_eq!(
            panicked(text, Activity::Compiling).how,
            "naga-30.0.1 panicked while compiling a kernel: no \\u{1b}end"
        );
        let text = "panicked at src/cli/run.rs:1:1:\nno";
        assert_eq!(panicked(text, Activity::Running).how, "the program panicked while running: no");
        let starved = how(6, Activity::Compiling, &["memory allocation of 99 bytes failed", "x"]);
        assert_eq!(
            starved,
            "the process ran out of memory while compiling a kernel (memory allocation of 99 bytes failed): raise the \
             memory limit (ulimit -v)"
        );
    }
}
