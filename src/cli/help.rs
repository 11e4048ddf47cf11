//! The help of the program: its commands in groups, with an example of each.

use clap::{Command, CommandFactory};

use super::arguments::{CommandLine, WIDTH};
use super::output::print;
use crate::engine::plan::all_names;
use crate::error::{Error, Result};

/// A command with an example.
struct Entry {
    name: &'static str,
    example: &'static str,
}

const fn entry(name: &'static str, example: &'static str) -> Entry {
    Entry { name, example }
}

/// The commands by what a user wants, each in one group.
const GROUPS: &[(&str, &[Entry])] = &[
    (
        "Measure",
        &[
            entry("run", "shaderbench run transpose"),
            entry("devices", "shaderbench devices --all"),
            entry("list", "shaderbench list --tag llm"),
        ],
    ),
    (
        "Read and share a report",
        &[
            entry("summary", "shaderbench summary r.csv"),
            entry("compare", "shaderbench compare old.csv new.csv"),
            entry("report", "shaderbench report r.csv"),
            entry("explain", "shaderbench explain transpose/tiled"),
            entry("learn", "shaderbench learn D5"),
            entry("normal", "shaderbench normal r.csv"),
            entry("share", "shaderbench share r.csv"),
        ],
    ),
    (
        "Many reports",
        &[
            entry("outliers", "shaderbench outliers reports/"),
            entry("merge", "shaderbench merge d/ -o all.csv"),
            entry("index", "shaderbench index results/"),
        ],
    ),
    (
        "Develop kernels",
        &[
            entry("bench", "shaderbench bench mine.wgsl"),
            entry("show", "shaderbench show fft/stockham"),
            entry("bisect", "shaderbench bisect --help"),
        ],
    ),
    (
        RARE,
        &[
            entry("init", "shaderbench init mine"),
            entry("replay", "shaderbench replay r-wrong/transpose-tiled-f32-64x96-PAD-1"),
            entry("export", "shaderbench export r.csv --format junit"),
            entry("completions", "shaderbench completions bash"),
            entry("man", "shaderbench man"),
            entry("help", "shaderbench help run"),
        ],
    ),
];

/// The group that only `help --all` shows.
const RARE: &str = "Rarely needed";

/// What a command line without a command does.
const USAGE: &str = "\
Usage: shaderbench [COMMAND] [OPTIONS]

  shaderbench               what this device can do: run --profile quick
  shaderbench r.csv         the summary of a report: summary r.csv
";

const OPTIONS: &str = "\
Options of every command:
  -q, --quiet               print results and errors only
      --color WHEN          auto, always or never
  -h, --help                help of a command: -h is short, --help is long
  -V, --version             print the version
";

const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    the run could not be done
  2    wrong usage
  3    a row is wrong, failed or implausible (run: see --fail-on)
  4    a certain regression (compare), a slow card (outliers, --parallel)
  130  interrupted
";

/// The command line, each command with its example, and the program with its own help.
pub(super) fn command() -> Command {
    let mut command = CommandLine::command().after_help(EXIT_CODES);
    for entry in GROUPS.iter().flat_map(|(_, entries)| *entries) {
        command = command.mut_subcommand(entry.name, |of| of.after_help(format!("Example: {}", entry.example)));
    }
    let help = text(&command, false);
    command.override_help(help)
}

/// The help of the program.
fn text(command: &Command, is_long: bool) -> String {
    let mut text = format!("{}\n\n{USAGE}", command.get_about().map(ToString::to_string).unwrap_or_default());
    for (title, entries) in GROUPS.iter().filter(|(title, _)| is_long || *title != RARE) {
        text.push_str(&format!("\n{title}:\n"));
        for entry in *entries {
            text.push_str(&line(command, entry));
        }
    }
    if is_long {
        return format!("{text}\n{OPTIONS}\n{EXIT_CODES}");
    }
    format!("{text}\n{OPTIONS}More commands and the exit codes: shaderbench help --all\n")
}

/// A command, what it does, and its example in the same line if it fits.
fn line(command: &Command, entry: &Entry) -> String {
    const NAME: usize = 11;
    const ABOUT: usize = 31;
    let about = command.find_subcommand(entry.name).and_then(Command::get_about).map(ToString::to_string);
    let about = about.unwrap_or_default();
    let start = format!("  {:<NAME$}{about:<ABOUT$}", entry.name);
    if start.len() + 1 + entry.example.len() <= WIDTH {
        return format!("{start} {}\n", entry.example);
    }
    format!("{}\n{:>WIDTH$}\n", start.trim_end(), entry.example)
}

/// `help`: the program's help, or that of a command.
pub(super) fn help(is_long: bool, path: &[String]) -> Result<()> {
    let program = command();
    if path.is_empty() {
        return print(&text(&program, is_long));
    }
    let mut found = &program;
    for name in path {
        let unknown = || Error::Usage(format!("there is no command '{name}': see `shaderbench help --all`"));
        found = found.find_subcommand(name).ok_or_else(unknown)?;
    }
    // As the command itself prints it.
    let words = ["shaderbench"].into_iter().chain(path.iter().map(String::as_str)).chain(["--help"]);
    let help = program.clone().try_get_matches_from(words).map_or_else(|help| help.to_string(), |_| String::new());
    print(&help)
}

/// The command that a word may stand for; `None` if it is more like a family or benchmark.
pub(super) fn nearest(word: &str) -> Option<&'static str> {
    /// Below this likeness of Jaro and Winkler, words are different ones.
    const LEAST: f64 = 0.8;
    let like = |name: &str| strsim::jaro_winkler(word, name);
    let commands = GROUPS.iter().flat_map(|(_, entries)| entries.iter().map(|entry| entry.name));
    let (best, name) = commands.map(|name| (like(name), name)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let benchmarks = all_names();
    let parts = benchmarks.iter().flat_map(|name| name.split('/').chain([name.as_str()]));
    (best > LEAST && parts.map(like).all(|other| other < best)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_is_in_one_group() {
        let program = command();
        let known: BTreeSet<&str> = program.get_subcommands().map(Command::get_name).collect();
        let grouped: Vec<&str> =
            GROUPS.iter().flat_map(|(_, entries)| entries.iter().map(|entry| entry.name)).collect();
        assert_eq!(grouped.len(), known.len(), "a command twice");
        assert_eq!(grouped.into_iter().collect::<BTreeSet<_>>(), known);
    }

    #[test]
    fn a_misspelt_command_is_known_and_a_misspelt_family_is_none() {
        for (word, command) in [("sumary", "summary"), ("comapre", "compare"), ("devcies", "devices"), ("lst", "list")]
        {
            assert_eq!(nearest(word), Some(command));
        }
        for word in ["tranpose", "reducton", "scann", "xylophone", "tild", "stream/cpoy", "histogramm"] {
            assert_eq!(nearest(word), None, "{word}");
        }
    }

    #[test]
    fn the_help_fits_one_screen() {
        let help = text(&command(), false);
        assert!(help.lines().count() <= 40, "{} lines\n{help}", help.lines().count());
        for text in [help, text(&command(), true)] {
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        }
    }
}
