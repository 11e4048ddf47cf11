//! The commands and their arguments.

use clap::{Parser, Subcommand, ValueEnum};

use super::output::Global;
use super::{bench, compare, cost, devices, explain, links, list, outliers, report, run, share, show, summary};

/// Benchmark compute shaders. Verifies every result and shows every rate as a share
/// of a peak measured on the same device.
#[derive(Parser)]
#[command(version = crate::BUILD, max_term_width = WIDTH, disable_help_subcommand = true, verbatim_doc_comment)]
pub(super) struct CommandLine {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) run: run::Arguments,
    /// Write the man page or a shell completion script
    #[arg(long, value_name = "WHAT", value_enum)]
    pub(super) generate: Option<Generated>,
    #[command(flatten)]
    pub(super) global: Global,
}

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
    /// Prints a summary and writes a CSV report. Without filters, measures the device's headline figures, at one size
    /// per job.
    Run(Box<run::Arguments>),
    /// Time and verify a kernel
    ///
    /// Measures your kernels the same way as the suite's own.
    Bench(Box<bench::Arguments>),
    /// Show headline figures
    ///
    /// The summary fits on one screen. Several reports are shown side by side.
    Summary(summary::Arguments),
    /// Compare reports
    ///
    /// Prints the kernels whose time changed, with 95 % intervals. The first report is the baseline.
    Compare(compare::Arguments),
    /// Show the cost of WGSL
    ///
    /// For each job, divides the time of the fastest WGSL kernel by the time of its CUDA port and by the time of the
    /// vendor's library. The largest ratio comes first.
    Cost(cost::Arguments),
    /// Render or merge reports
    ///
    /// Writes an HTML page with charts, one CSV file with all rows, an index of a folder, or a file for another tool.
    Report(report::Arguments),
    /// List benchmarks
    List(list::Arguments),
    /// Show devices and limits
    Devices(devices::Arguments),
    /// Measure links between cards
    ///
    /// Measures copies and loads between all pairs of cards through CUDA, in each direction and in both at once, with
    /// copy engines and with kernels. Prints one matrix per measurement.
    Links(links::Arguments),
    /// Explain kernels and claims
    ///
    /// Explains what benchmarks measure and how to read the numbers, and shows the newest results. Without a name,
    /// lists the claims of five articles on CUDA memory and checks each claim against measurements on your GPU.
    #[command(visible_alias = "learn")]
    Explain(explain::Arguments),
    /// Print a compiled kernel
    ///
    /// Prints the kernel in the form that the chosen API receives.
    Show(show::Arguments),
    /// Prepare a report to share
    ///
    /// Checks that the report is complete and has no faults. Writes an anonymous copy of the report, and text to paste
    /// into GitHub: with the profile quick, an issue that contains the report; otherwise, a pull request. Nothing is
    /// sent.
    Share(share::Arguments),
    /// Find slow cards
    ///
    /// Compares each card with the others of the same model. Exits with code 4 if a card is slow.
    Outliers(outliers::Arguments),
    /// Print help
    #[command(hide = true)]
    Help {
        /// Also show less common uses and the exit codes
        #[arg(long)]
        all: bool,
        /// The command to explain
        #[arg(value_name = "COMMAND", conflicts_with = "all")]
        command: Vec<String>,
    },
}
