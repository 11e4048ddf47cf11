//! The commands and their arguments.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::output::Global;
use super::{
    bench, bisect, bundle, compare, devices, explain, export, index, learn, list, merge, normal, outliers, report, run,
    share, show, summary,
};

/// Compute-shader benchmarks: every result verified, every rate a share of a peak
/// measured on the same device.
#[derive(Parser)]
#[command(version, max_term_width = WIDTH, disable_help_subcommand = true, verbatim_doc_comment)]
pub(super) struct CommandLine {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) run: run::Arguments,
    #[command(flatten)]
    pub(super) global: Global,
}

/// Width of help texts, in columns.
pub(super) const WIDTH: usize = 80;

/// The commands. `help::GROUPS` orders them and has an example of each.
#[derive(Subcommand)]
pub(super) enum Command {
    /// Run benchmarks
    ///
    /// Prints a summary and writes a CSV report. Without filters: what the device can do, one size for each job.
    Run(Box<run::Arguments>),
    /// Time and verify your kernels
    Bench(Box<bench::Arguments>),
    /// Write a kernel and its TOML file to begin with
    Init(bench::InitArguments),
    /// Run a wrong result again
    Replay(bundle::Arguments),
    /// Show the headline figures
    Summary(summary::Arguments),
    /// Compare with other cards
    Normal(normal::Arguments),
    /// Compare reports
    Compare(compare::Arguments),
    /// Find the version that is slower
    ///
    /// Finds the version of a program or driver at which a case became slower or wrong.
    Bisect(bisect::Arguments),
    /// Write a page with charts
    Report(report::Arguments),
    /// Judge claims on CUDA memory
    ///
    /// Tour of five articles on CUDA memory: each claim judged by measurements of your GPU.
    Learn(learn::Arguments),
    /// List families and benchmarks
    List(list::Arguments),
    /// Show devices and their limits
    Devices(devices::Arguments),
    /// Explain benchmarks and rows
    ///
    /// Explains what benchmarks measure, how to read the numbers, and shows the newest results.
    Explain(explain::Arguments),
    /// Print a compiled kernel
    Show(show::Arguments),
    /// Prepare sharing a report
    Share(share::Arguments),
    /// Write the page of a folder
    Index(index::Arguments),
    /// Merge reports into one
    Merge(merge::Arguments),
    /// Find slow cards
    Outliers(outliers::Arguments),
    /// Write formats of other tools
    Export(export::Arguments),
    /// Print a shell completion script
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man {
        /// Folder to write one page per command to
        #[arg(long, short, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Print help
    Help {
        /// Also list the commands and options that most users never need
        #[arg(long)]
        all: bool,
        /// The command to explain
        #[arg(value_name = "COMMAND", conflicts_with = "all")]
        command: Vec<String>,
    },
}
