//! One version of a bisection: how it is run, and what it measured.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::error::{Error, Result, shown};
use crate::record::Record;
use crate::report::reader;

/// What differs between the versions.
#[derive(Debug, Clone)]
pub(super) enum Version {
    /// A build of this program.
    Program(PathBuf),
    /// The manifest of a Vulkan driver (ICD file).
    Driver(PathBuf),
    /// A compiler from WGSL to SPIR-V, as `run --compiler` takes it.
    Compiler(String),
    /// A command of the shell, which writes a report to `{out}`.
    Command(String),
}

/// Where a command's report goes.
pub(super) const OUT: &str = "{out}";

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Program(path) | Self::Driver(path) => f.write_str(&shown(path)),
            Self::Compiler(text) | Self::Command(text) => f.write_str(text),
        }
    }
}

impl Version {
    /// Runs the version with the arguments of `run`, and reads the rows that it wrote to `out`.
    ///
    /// # Errors
    /// A sentence on why it has no rows. [`Error::Io`] if this program cannot be found.
    pub(super) fn measure(&self, arguments: &[String], out: &Path, limit: Duration) -> Result<Vec<Record>> {
        let mut command = self.command(arguments, out)?;
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let child = child.map_err(|error| unmeasured(format!("{self} does not start: {error}")))?;
        let (status, last_line) = end_of(child, limit)
            .map_err(|error| unmeasured(format!("{self} could not be waited for: {error}")))?
            .ok_or_else(|| unmeasured(format!("{self} did not end within {} s", limit.as_secs())))?;
        // A run with wrong rows ends with another code than 0, and writes them.
        let rows = reader::open(out).map(|report| report.records).unwrap_or_default();
        if rows.is_empty() {
            return Err(unmeasured(format!("{self} wrote no report ({status}): {last_line}")));
        }
        Ok(rows)
    }

    /// The kernel's text in a language, as this version shows it; `None` where it cannot.
    pub(super) fn shown(&self, arguments: &[String], limit: Duration) -> Option<String> {
        let mut command = match self {
            Self::Program(program) => Command::new(absolute(program)),
            Self::Compiler(spec) => {
                // Compilers differ in the SPIR-V that they write.
                if !arguments.ends_with(&["--lang".to_owned(), "spirv".to_owned()]) {
                    return None;
                }
                let mut command = Command::new(std::env::current_exe().ok()?);
                command.args(["show", "--compiler", spec.as_str()]);
                command
            }
            Self::Driver(_) | Self::Command(_) => return None,
        };
        if let Self::Program(_) = self {
            command.arg("show");
        }
        let file = tempfile::NamedTempFile::new().ok()?;
        let output = file.reopen().ok()?;
        command.args(arguments);
        let child = command.stdin(Stdio::null()).stdout(output).stderr(Stdio::piped()).spawn().ok()?;
        let (status, _) = end_of(child, limit).ok()??;
        status.success().then(|| std::fs::read_to_string(file.path()).ok())?
    }

    fn command(&self, arguments: &[String], out: &Path) -> Result<Command> {
        let run = |program: &Path| {
            let mut command = Command::new(absolute(program));
            command.arg("run").args(arguments).arg("--out").arg(out);
            command
        };
        Ok(match self {
            Self::Program(program) => run(program),
            Self::Compiler(spec) => {
                let mut command = run(&this_program()?);
                command.args(["--compiler", spec.as_str()]);
                command
            }
            Self::Driver(manifest) => {
                let mut command = run(&this_program()?);
                // Loaders before 1.3.207 know the second name alone.
                command.env("VK_DRIVER_FILES", absolute(manifest)).env("VK_ICD_FILENAMES", absolute(manifest));
                command
            }
            Self::Command(text) => {
                let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
                let mut command = Command::new(shell);
                command.arg(option).arg(text.replace(OUT, &quoted(out)));
                command
            }
        })
    }
}

fn this_program() -> Result<PathBuf> {
    std::env::current_exe().map_err(|source| Error::Io { action: "find", path: PathBuf::from("this program"), source })
}

/// A path for the shell. Temporary names have no quotes.
fn quoted(path: &Path) -> String {
    if cfg!(windows) { format!("\"{}\"", path.display()) } else { format!("'{}'", path.display()) }
}

/// `./program` is no name to search for.
fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn unmeasured(sentence: String) -> Error {
    Error::Unsupported(sentence)
}

/// Time for the last line of a program that has ended.
const GRACE: Duration = Duration::from_secs(1);

/// Waits for the end of a program, or ends it after `limit`. Returns its status and the last line that it wrote to
/// stderr; `None` if it was ended.
fn end_of(mut child: Child, limit: Duration) -> std::io::Result<Option<(ExitStatus, String)>> {
    // A full pipe would stop the program.
    let stderr = child.stderr.take();
    let (sender, last_line) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let text = stderr.and_then(|stderr| std::io::read_to_string(stderr).ok()).unwrap_or_default();
        let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no message").to_owned();
        // Nobody may wait any more.
        let _ = sender.send(last);
    });
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            // A process that it left behind may hold the pipe.
            return Ok(Some((status, last_line.recv_timeout(GRACE).unwrap_or_default())));
        }
        if start.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
