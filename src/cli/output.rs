//! Writes to stdout and stderr.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::PathBuf;

use crate::error::{Error, Result, visible};
use crate::report::Terminal;
use crate::report::wrap;

/// Writes to stdout. A closed pipe (`| head`) is not an error.
///
/// # Errors
/// [`Error::Io`] for any other write error.
pub(super) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => {
            Err(Error::Io { action: "write to", path: PathBuf::from("stdout"), source })
        }
        _ => Ok(()),
    }
}

/// Writes a line to stderr, wrapped on a terminal. Errors are ignored: a lost message must not end a run.
pub(super) fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", wrapped(text));
}

/// Writes a command to stderr, on a line of its own that is not wrapped: a part of it would be another command.
pub(super) fn say_whole(command: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", visible(command));
}

/// The lines of a message, wrapped at words where stderr is a terminal: a log keeps them whole.
pub(super) fn wrapped(text: &str) -> String {
    let width = stderr_width();
    text.lines().map(|line| wrap(&visible(line), width, "  ")).collect::<Vec<_>>().join("\n")
}

/// Columns of stderr, without end if it is no terminal.
pub(super) fn stderr_width() -> usize {
    terminal_size::terminal_size_of(std::io::stderr()).map_or(usize::MAX, |(width, _)| usize::from(width.0))
}

/// Whether stdout is a terminal.
pub(super) fn is_on_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether the terminal can replace lines that it shows.
pub(super) fn can_redraw() -> bool {
    std::env::var_os("TERM").is_none_or(|name| name != "dumb")
}

/// Width of stdout (without a terminal `COLUMNS`, else 80) and colours (only on a terminal, without `NO_COLOR`).
pub(super) fn terminal() -> Terminal {
    let size = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    let columns = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    Terminal {
        width: size.or_else(columns).filter(|width| *width > 0).unwrap_or(80),
        has_color: is_on_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}

/// Prints the output of `list --json` and `devices --json`.
pub(super) fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&format!("{value:#}\n"))
}
