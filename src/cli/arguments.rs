//! The commands and their arguments.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use super::format::ListForm;
use super::target::Through;
use super::values::tag;
use super::{
    bench, bisect, bundle, compare, explain, export, index, learn, merge, normal, outliers, report, run, share, show,
    summary,
};
use crate::suite::Tag;

/// Lines of at most [`WIDTH`] columns: clap would break longer ones without their indent.
const EXAMPLES: &str = "\
Examples:
  shaderbench                                   everything, on the first GPU
  shaderbench run transpose --profile quick     one family, and its ceilings
  shaderbench run --tag llm                     the kernels of language models
  shaderbench run 'reduction/vec4*' --size 2^26,1000003
  shaderbench run transpose --resume r.csv      continue the run that wrote it
  shaderbench run --backend all                 every API of the GPU, compared
  shaderbench run --device all --backend all    the same for every GPU in turn
  shaderbench summary r.csv                     headline figures on one screen
  shaderbench normal r.csv                      are these figures normal for it?
  shaderbench compare old.csv new.csv --fail-on-regression 5
  shaderbench compare results/*/*.csv --relative
                                                shares of each device's ceilings
  shaderbench bisect transpose/tiled --size 4096x4096 --dtype f32 --param PAD=1
              --programs v1 v2 v3 v4            the build that made it slower
  shaderbench report results/*/*.csv            a page with charts: report.html
  shaderbench merge results/ -o fleet.csv       thousands of reports in one file
  shaderbench outliers fleet.csv                the slow cards of a fleet
  shaderbench devices                           GPUs, and how to select one
  shaderbench list --json                       every benchmark as JSON
  shaderbench explain transpose/tiled           its model, and newest results
  shaderbench learn                             five articles on CUDA memory,
                                                judged by your GPU's rows
  shaderbench show transpose/tiled --lang hlsl --param PAD=1
                                                the kernel as DirectX 12 gets it

Exit codes:
  0    success
  1    the run could not be done
  2    wrong usage
  3    a row is wrong, failed or implausible (see --fail-on)
  4    a certain regression (compare), a slow card (outliers, --parallel)
  130  interrupted";

/// Width of help texts, in columns.
const WIDTH: usize = 80;

/// Compute-shader benchmarks: every result verified, every rate shown as a share of a measured peak.
#[derive(Parser)]
#[command(version, after_help = EXAMPLES, args_conflicts_with_subcommands = true, max_term_width = WIDTH)]
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
    /// Time and verify kernels of your own
    Bench(Box<bench::Arguments>),
    /// Write a kernel and its TOML file to begin with: NAME.wgsl, NAME.toml
    Init(bench::InitArguments),
    /// Run a wrong result again, from the folder that a run wrote
    Replay(bundle::Arguments),
    /// Show the headline figures of a report on one screen, or of several side by side
    Summary(summary::Arguments),
    /// Show how the headline figures of a report stand among other reports of the same model
    Normal(normal::Arguments),
    /// Compare reports
    Compare(compare::Arguments),
    /// Find the version of a program or driver at which a case became slower or wrong
    Bisect(bisect::Arguments),
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
        /// Show only families with this tag: peak, article, llm, primitive, memory, cost; repeat it or write llm,peak
        /// for several
        #[arg(long = "tag", value_name = "TAG", value_parser = tag, value_delimiter = ',')]
        tags: Vec<Tag>,
    },
    /// Show devices and the properties that benchmarks depend on
    Devices {
        /// Show only devices of this API [default: all APIs]
        #[arg(long, value_parser = Through::parser())]
        backend: Option<Through>,
        /// Show every limit and feature, too; JSON always has them
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        form: ListForm,
    },
    /// Explain what benchmarks measure, how to read the numbers, and the newest results
    Explain(explain::Arguments),
    /// Print a kernel as a platform compiles it
    Show(show::Arguments),
    /// Check a report, and prepare a pull request that shares it
    Share(share::Arguments),
    /// Write README.md into a folder of reports: a list of reports and their headline figures
    Index(index::Arguments),
    /// Write many reports into one CSV file
    Merge(merge::Arguments),
    /// Find cards that are slower than the others of their model
    Outliers(outliers::Arguments),
    /// Write reports in the format of another tool: OpenMetrics, JUnit, Bencher, github-action-benchmark
    Export(export::Arguments),
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
