//! The commands and their arguments.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::format::ListForm;
use super::target::Through;
use super::{compare, explain, index, learn, report, run, show, summary};

const EXAMPLES: &str = "\
Examples:
  shaderbench                                   everything, on the first GPU
  shaderbench run transpose --profile quick     one family, and the ceilings it needs
  shaderbench run 'reduction/vec4*' --size 2^26 --size 1000003
  shaderbench run --backend all                 the first GPU through all of its APIs, compared
  shaderbench run --device all --backend all    the same for every GPU in turn
  shaderbench summary r.csv                     its headline figures on one screen
  shaderbench compare old.csv new.csv --fail-on-regression 5
  shaderbench compare results/*/*.csv --relative  each device as a share of its own ceilings
  shaderbench report results/*/*.csv            one page with tables and charts: report.html
  shaderbench devices                           device properties and limits
  shaderbench list --json                       every benchmark as JSON
  shaderbench explain transpose/tiled           what it measures, and the newest results
  shaderbench learn                             what five articles on CUDA memory claim, judged on this GPU
  shaderbench show transpose/tiled --lang hlsl --param PAD=1  the kernel as DirectX 12 compiles it

  shaderbench run transpose --resume r.csv      continue an interrupted `run transpose --out r.csv`

Exit codes: 0 success, 1 the run could not be done, 2 wrong usage, 3 a row is wrong, failed or implausible
(see --fail-on), 4 a certain regression (see --fail-on-regression), 130 interrupted.";

/// Compute-shader benchmarks: every result verified, every rate shown as a share of a measured peak.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(super) struct CommandLine {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) run: run::Arguments,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Run benchmarks, print a table and write a CSV report (the default command)
    Run(Box<run::Arguments>),
    /// Show the headline figures of a report on one screen, or of several side by side
    Summary(summary::Arguments),
    /// Compare reports
    Compare(compare::Arguments),
    /// Write an HTML page with tables and charts of reports
    Report(report::Arguments),
    /// Tour of five articles on CUDA memory: each claim judged by measurements of your GPU
    Learn(learn::Arguments),
    /// List families and benchmarks
    List {
        #[command(flatten)]
        form: ListForm,
        /// Show only benchmarks that answer this step or chapter of the tour: D5, D (see `learn`)
        #[arg(long, value_name = "ID")]
        source: Option<String>,
    },
    /// Show device properties and limits
    Devices {
        /// Show only devices of this API [default: all APIs]
        #[arg(long, value_parser = Through::parser())]
        backend: Option<Through>,
        #[command(flatten)]
        form: ListForm,
    },
    /// Explain what benchmarks measure, how to read the numbers, and the newest results
    Explain(explain::Arguments),
    /// Print a kernel as a platform compiles it
    Show(show::Arguments),
    /// Write README.md into a folder of reports: a list of reports and their headline figures
    Index(index::Arguments),
    /// Print a shell completion script
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one page per command
    Man {
        /// Folder to write one page per command to
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}
