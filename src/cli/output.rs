//! Writes to stdout and stderr.

use std::ffi::OsString;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::ColorChoice;

use answers::report::Terminal;
use answers::report::wrap;
use record::error::{Error, Result, usage, visible, visible_styled};

/// Options of every command.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(super) struct Global {
    /// When to use colors: auto, always or never
    ///
    /// auto: colors on a terminal, unless NO_COLOR or TERM=dumb is set.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t, hide_possible_values = true)]
    color: ColorChoice,
    /// Print results and errors only: no progress, no notes
    #[arg(long, short, global = true)]
    quiet: bool,
}

static GLOBAL: OnceLock<Global> = OnceLock::new();

/// Sets the options of every command, once.
pub(super) fn set_global(options: Global) {
    // A second call could only repeat the same command line.
    let _ = GLOBAL.set(options);
}

pub(super) fn is_quiet() -> bool {
    GLOBAL.get().is_some_and(|options| options.quiet)
}

/// The value of `--color`, for the parser's own messages, which would color a terminal without colors if `CI` is set.
pub(super) fn color_among(arguments: &[OsString]) -> ColorChoice {
    let texts: Vec<&str> = arguments.iter().take_while(|text| *text != "--").filter_map(|text| text.to_str()).collect();
    let value = texts.iter().enumerate().find_map(|(index, text)| match *text {
        "--color" => texts.get(index + 1).copied(),
        text => text.strip_prefix("--color="),
    });
    match value.and_then(|value| value.parse().ok()).unwrap_or_default() {
        ColorChoice::Auto if is_plain() => ColorChoice::Never,
        choice => choice,
    }
}

/// Where notes go instead of stderr.
static REDIRECTED: OnceLock<fn(&str)> = OnceLock::new();

/// Sends notes and errors to `to` from now on: a worker has no terminal.
pub(super) fn redirect(to: fn(&str)) {
    // A second call could only repeat the first.
    let _ = REDIRECTED.set(to);
}

/// Whether a report goes to stdout, so that nothing else may.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Stops other output to stdout if a report with this path goes there.
pub(super) fn leave_stdout_to(path: &Path) {
    #[cfg(unix)]
    if path == Path::new("/dev/stdout") {
        IS_TAKEN.store(true, Ordering::Relaxed);
    }
    let _ = path;
}

/// Writes to stdout. A closed pipe (`| head`) is not an error.
pub(super) fn print(text: &str) -> Result<()> {
    if IS_TAKEN.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    match out.write_all(visible_styled(text).as_bytes()).and_then(|()| out.flush()) {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => {
            Err(Error::Io { action: "write to", path: PathBuf::from("stdout"), source })
        }
        _ => Ok(()),
    }
}

/// Writes a note to stderr, except with `--quiet`.
pub(super) fn say(text: &str) {
    if !is_quiet() {
        complain(text);
    }
}

/// Writes an error to stderr, wrapped on a terminal. A lost message must not end a run.
pub(super) fn complain(text: &str) {
    if let Some(to) = REDIRECTED.get() {
        return to(text);
    }
    let _ = writeln!(std::io::stderr().lock(), "{}", wrapped(text));
}

/// Longest line of a message, in characters: a compiler quotes whole lines of a source.
const LONGEST_LINE: usize = 4000;

/// The lines of a message, each cut at `LONGEST_LINE`; wrapped at word boundaries if stderr is a terminal.
pub(super) fn wrapped(text: &str) -> String {
    let size = terminal_size::terminal_size_of(std::io::stderr());
    let width = size.map_or(usize::MAX, |(width, _)| usize::from(width.0));
    let cut = |line: &str| match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", visible(&line[..end])),
        None => visible(line).into_owned(),
    };
    text.lines().map(|line| wrap(&cut(line), width, "  ")).collect::<Vec<_>>().join("\n")
}

pub(super) fn is_on_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether the terminal has no escape sequences, and cannot replace lines.
pub(super) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
}

/// Whether the terminal has no colors, or the user wants none.
fn is_plain() -> bool {
    is_dumb() || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// Width of stdout (without a terminal, `COLUMNS`, else 80), and whether to use colors.
pub(super) fn terminal() -> Terminal {
    let size = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    let columns = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    Terminal {
        width: size.or_else(columns).filter(|width| *width > 0).unwrap_or(80),
        has_color: match GLOBAL.get().map(|options| options.color).unwrap_or_default() {
            ColorChoice::Auto => is_on_terminal() && !is_plain(),
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        },
    }
}

pub(super) fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).map_err(|error| usage!("cannot write JSON: {error}"))?;
    print(&format!("{text}\n"))
}
