//! The command line.

mod choose;
mod compare;
mod describe;
mod devices;
mod explain;
mod format;
mod index;
mod interrupt;
mod list;
mod progress;
mod report;
mod run;
mod shaders;
mod show;
mod target;
mod watchdog;

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::error::{Error, Result};
use crate::report::comparison::{Format, Sort};
use crate::report::table::Look;
use crate::report::wrap;
use crate::results::Status;
use crate::suite::{Extent, Profile};
use format::{ListForm, TableFormat};
use target::Through;

const EXAMPLES: &str = "\
Examples:
  shaderbench                                   everything, on the first GPU
  shaderbench run transpose --profile quick     one family (and the ceilings it is held against)
  shaderbench run 'reduction/vec4*' --size 2^26 --size 1000003
  shaderbench run --backend all                 the first GPU through every API in turns, against each other
  shaderbench run --device all --backend all    so with every GPU, one after the other
  shaderbench compare old.csv new.csv --fail-on-regression 5
  shaderbench compare results/*/*.csv --relative  each device against its own ceilings
  shaderbench report results/*/*.csv            one page with all their tables and charts, report.html
  shaderbench devices                           what the devices tell of themselves
  shaderbench list --json                       every benchmark, for a program
  shaderbench explain transpose/tiled           what it measures, what to look for, and what was measured
  shaderbench show transpose/tiled --lang hlsl --param PAD=1  the kernel as DirectX gets it

  shaderbench run transpose --resume r.csv      completes the run that left r.csv, started by `run transpose --out r.csv`

Exit codes: 0 all measured rows are fine, 1 the run could not be done, 2 usage, 3 some row is wrong, failed or implausible
(--fail-on), 4 a certain regression past --fail-on-regression, 130 interrupted.";

/// Compute-shader benchmarks that verify every result and hold it against measured ceilings.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Subcommand)]
enum Command {
    /// Measure, print a table, write a CSV (the default command)
    Run(Box<RunArguments>),
    /// Hold reports against each other
    Compare(CompareArguments),
    /// Write a page that shows reports: tables and charts in one HTML file
    Report(ReportArguments),
    /// List families and benchmarks
    List {
        #[command(flatten)]
        form: ListForm,
    },
    /// Show everything that the devices tell
    Devices {
        /// Through this API alone [default: through every one]
        #[arg(long, value_parser = Through::parser())]
        backend: Option<Through>,
        #[command(flatten)]
        form: ListForm,
    },
    /// Say what benchmarks measure, what to look for in their numbers, and what the newest report has of them
    Explain(explain::Arguments),
    /// Print a kernel as a platform gets it
    Show(show::Arguments),
    /// Write README.md into a folder of reports: what each holds, and its headline figures
    Index(index::Arguments),
    /// Print a script that completes commands in a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one for each command
    Man {
        /// Folder for the pages of all commands
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

#[derive(Args)]
struct RunArguments {
    /// Family (transpose), benchmark (transpose/tiled) or glob ('*/vec4*'); none = everything
    #[arg(value_name = "FILTER")]
    filters: Vec<String>,
    /// How much, and how long on each case [default: standard on a GPU, quick on a software device]
    #[arg(long, value_enum)]
    profile: Option<Profile>,
    /// Device by number or part of its name (see `devices`), or all [default: the first GPU]
    #[arg(long, value_name = "NAME|INDEX|all")]
    device: Option<String>,
    /// API to run through; all = each that the card has, case by case in turns [default: the device's best]
    #[arg(long, value_parser = Through::parser())]
    backend: Option<Through>,
    /// Sizes instead of the profile's: 1000003, 2^20, rows x columns for matrices (512x2000), or MxNxK for matrix products
    #[arg(long = "size", value_name = "N", num_args = 1.., value_parser = size, value_delimiter = ',')]
    sizes: Vec<Extent>,
    /// Parameters for the kernels that have them (WG=128)
    #[arg(long = "param", value_name = "K=V", num_args = 1.., value_parser = param, value_delimiter = ',')]
    params: Vec<(String, f64)>,
    /// Time limit of the whole run (90s, 5m): larger sizes that take too long for it are left out [default: 55s for the profile `quick` on
    /// a software device, else none]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    time: Option<Duration>,
    /// Try other workgroup sizes first, and measure kernels with those that are fastest on this device
    #[arg(long, conflicts_with = "dry_run")]
    tune: bool,
    /// Folder of kernels to run in place of the suite's: FAMILY/BENCHMARK.wgsl, .cu. WGSL runs with all run-time checks; CUDA has none
    #[arg(long, value_name = "DIR")]
    shaders: Option<PathBuf>,
    /// Run the WGSL of --shaders without run-time checks, like the suite's own. Out-of-bounds accesses are then undefined behavior
    #[arg(long, requires = "shaders")]
    unchecked: bool,
    /// CSV to write, instead of a fresh one under `results/`
    #[arg(long, value_name = "PATH", help = "CSV to write [default: results/<device>/<date>-<backend>.csv]")]
    out: Option<PathBuf>,
    /// Complete the run that left this CSV, in it; give the other arguments as that run had them
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "dry_run"])]
    resume: Option<PathBuf>,
    /// Overwrite the files named by --out and --json
    #[arg(long)]
    force: bool,
    /// JSON to write as well, with every sample
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Folder for the pictures that kernels make (family texture), as PNG files
    #[arg(long, value_name = "DIR")]
    save_image: Option<PathBuf>,
    /// What makes the exit code 3, of wrong, failed, implausible and skipped: rows with one of these
    #[arg(long, value_name = "STATUS,…", value_parser = fail_on, value_delimiter = ',',
          default_values = ["wrong", "failed", "implausible"], hide_default_value = true)]
    fail_on: Vec<Status>,
    /// How to print the tables
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    /// Print the cases that would run, and run none
    #[arg(long)]
    dry_run: bool,
}

#[derive(Args)]
struct CompareArguments {
    /// Reports, CSV or JSON, the first of which is the baseline; runs of one device, API, driver and version are pooled. Then filters, as
    /// in `run`
    #[arg(value_name = "FILE|FILTER", required_unless_present = "baseline")]
    files_and_filters: Vec<String>,
    /// The report that the others are held against; several are pooled [default: the first]
    #[arg(long, value_name = "FILE")]
    baseline: Vec<PathBuf>,
    /// End with exit code 4 where a case is certainly slower by more than so many percent
    #[arg(long, value_name = "PCT", value_parser = compare::percentage)]
    fail_on_regression: Option<f64>,
    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The order of the rows
    #[arg(long, value_enum, default_value_t)]
    sort: Sort,
    /// Each side's share of its own ceilings instead of times
    #[arg(long)]
    relative: bool,
}

#[derive(Args)]
struct ReportArguments {
    /// Reports, CSV or JSON; a folder stands for all reports in it. Runs of one device, API, driver and version are pooled
    #[arg(value_name = "FILE|DIR", required = true)]
    files: Vec<PathBuf>,
    /// The page to write
    #[arg(long, value_name = "PATH", default_value = "report.html")]
    out: PathBuf,
    /// Overwrite it where it exists
    #[arg(long)]
    force: bool,
}

/// `90`, `90s`, `2m`, `1h 30m`.
fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<u32>().ok().map(|seconds| Duration::from_secs(seconds.into()));
    let parsed = || text.parse::<jiff::SignedDuration>().ok().and_then(|duration| Duration::try_from(duration).ok());
    seconds
        .or_else(parsed)
        .filter(|time| *time >= Duration::from_secs(1))
        .ok_or_else(|| format!("'{text}' is no time limit of a second or more: write 90s, 5m or 1h"))
}

fn size(text: &str) -> Result<Extent, String> {
    Extent::parse(text).map_err(|error| error.to_string())
}

/// A status that makes a run end with exit code 3.
fn fail_on(text: &str) -> Result<Status, String> {
    let known = [Status::Wrong, Status::Failed, Status::Implausible, Status::Skipped];
    known.into_iter().find(|status| status.name() == text).ok_or_else(|| {
        format!("there is no status '{text}' to fail on: there are {}", known.map(Status::name).join(", "))
    })
}

fn param(text: &str) -> Result<(String, f64), String> {
    let pair = text.split_once('=').and_then(|(name, value)| Some((name.to_owned(), value.parse::<f64>().ok()?)));
    match pair {
        Some((name, value)) if value.is_finite() && !name.is_empty() => Ok((name, value)),
        _ => Err(format!("'{text}' is no parameter: write NAME=NUMBER, as in WG=128")),
    }
}

/// Parses the arguments, runs the command, prints the error if there is one, and gives the exit code.
#[must_use]
pub fn main() -> ExitCode {
    quiet_mesa();
    let arguments = Arguments::parse();
    let done = match arguments.command {
        None => run::run(&arguments.run),
        Some(Command::Run(arguments)) => run::run(&arguments),
        Some(Command::Compare(arguments)) => compare::compare(&arguments),
        Some(Command::Report(arguments)) => report::report(&arguments),
        Some(Command::List { form }) => list::list(form.chosen()).map(|()| 0),
        Some(Command::Devices { backend, form }) => devices::devices(backend, form.chosen()).map(|()| 0),
        Some(Command::Explain(arguments)) => explain::explain(&arguments).map(|()| 0),
        Some(Command::Show(arguments)) => show::show(&arguments).map(|()| 0),
        Some(Command::Index(arguments)) => index::index(&arguments).map(|()| 0),
        Some(Command::Completions { shell }) => describe::completions(shell).map(|()| 0),
        Some(Command::Man { out }) => describe::man(out.as_deref()).map(|()| 0),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            say(&format!("error: {}", error.chain()));
            ExitCode::from(error.exit_code())
        }
    }
}

/// Mesa's device-selection layer writes to stderr at each enumeration where there is no desktop session.
fn quiet_mesa() {
    #[expect(unsafe_code, reason = "setting a variable is unsafe only beside other threads")]
    // SAFETY: nothing has started a thread yet.
    unsafe {
        std::env::set_var("NODEVICE_SELECT", "1");
    }
}

/// Writes to stdout. A reader that has gone away (`| head`) is no error.
///
/// # Errors
/// [`Error::Io`] for anything else that goes wrong.
fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => {
            Err(Error::Io { action: "write to", path: PathBuf::from("stdout"), source })
        }
        _ => Ok(()),
    }
}

/// Writes a line to stderr. One that cannot be written (`2>&1 | head -1`, a terminal that is gone, a full disk) ends nothing.
/// On a terminal lines break between words.
fn say(text: &str) {
    let width =
        terminal_size::terminal_size_of(std::io::stderr()).map_or(usize::MAX, |(width, _)| usize::from(width.0));
    for line in text.lines() {
        let _ = writeln!(std::io::stderr().lock(), "{}", wrap(line, width, "  "));
    }
}

/// The look of stdout: its width (`COLUMNS` where it is no terminal, else 80), colours only on a terminal and not under `NO_COLOR`.
fn look() -> Look {
    let is_terminal = std::io::stdout().is_terminal();
    let size = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    let columns = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    Look {
        width: size.or_else(columns).filter(|width| *width > 0).unwrap_or(80),
        has_color: is_terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}

/// What `list --json` and `devices --json` print.
fn print_json(value: &serde_json::Value) -> Result<()> {
    print(&format!("{value:#}\n"))
}
