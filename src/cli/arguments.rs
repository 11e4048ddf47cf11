//! The commands and their arguments.

use clap::{Parser, Subcommand, ValueEnum};

use super::output::Global;
use super::{bench, compare, cost, devices, explain, links, list, outliers, report, run, share, show, summary};

/// Compute-shader benchmarks: every result verified, every rate a share of a peak
/// measured on the same device.
#[derive(Parser)]
#[command(version = crate::BUILD, max_term_width = WIDTH, disable_help_subcommand = true, verbatim_doc_comment)]
pub(super) struct CommandLine {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) run: run::Arguments,
    /// Write the manual (man), or a completion script for a shell
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(super) generate: Option<Generated>,
    #[command(flatten)]
    pub(super) global: Global,
}

/// What `--generate` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Generated {
    Man,
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
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
    /// Time and verify a kernel
    Bench(Box<bench::Arguments>),
    /// Show headline figures
    ///
    /// On one screen; several reports side by side.
    Summary(summary::Arguments),
    /// Compare reports
    Compare(compare::Arguments),
    /// Show what WGSL costs
    ///
    /// What the portable API costs, by job: the time of the fastest WGSL kernel ÷ that of its CUDA twin, and ÷ that of the
    /// vendor's library, the dearest first.
    Cost(cost::Arguments),
    /// Write a page, or one file
    ///
    /// A page with charts, all rows in one CSV, the list of a folder, or the formats of other tools.
    Report(report::Arguments),
    /// List benchmarks
    List(list::Arguments),
    /// Show devices and limits
    Devices(devices::Arguments),
    /// Show rates between cards
    ///
    /// Measures copies and loads between all cards by CUDA, each way and both, by copy engines and by kernels, and prints a
    /// matrix of each.
    Links(links::Arguments),
    /// Explain kernels and claims
    ///
    /// Explains what benchmarks measure and how to read the numbers, and shows the newest results. Without a name: the claims of five
    /// articles on CUDA memory, each judged by measurements of your GPU.
    #[command(visible_alias = "learn")]
    Explain(explain::Arguments),
    /// Print a compiled kernel
    Show(show::Arguments),
    /// Prepare sharing a report
    Share(share::Arguments),
    /// Find slow cards
    Outliers(outliers::Arguments),
    /// Print help
    #[command(hide = true)]
    Help {
        /// Also show uses that most users never need, and the exit codes
        #[arg(long)]
        all: bool,
        /// The command to explain
        #[arg(value_name = "COMMAND", conflicts_with = "all")]
        command: Vec<String>,
    },
}
