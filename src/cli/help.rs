//! The help of the program: its commands in groups, with an example of each.

use clap::{Command, CommandFactory};

use super::arguments::{CommandLine, WIDTH};
use super::output::print;
use gpu::engine::plan::all_names;
use record::error::{Result, usage};

const GROUPS: &[(&str, &[(&str, &str)])] = &[
    (
        "Measure",
        &[
            ("run", "shaderbench run transpose"),
            ("devices", "shaderbench devices --all"),
            ("list", "shaderbench list --tag llm"),
            ("links", "shaderbench links"),
        ],
    ),
    (
        "Read a report",
        &[
            ("summary", "shaderbench summary r.csv"),
            ("compare", "shaderbench compare old.csv new.csv"),
            ("cost", "shaderbench cost h100"),
            ("explain", "shaderbench explain transpose/tiled"),
            ("report", "shaderbench report r.csv"),
        ],
    ),
    ("Share a report", &[("share", "shaderbench share r.csv")]),
    ("Many reports", &[("outliers", "shaderbench outliers reports/")]),
    ("Develop kernels", &[("bench", "shaderbench bench mine.wgsl"), ("show", "shaderbench show fft/stockham")]),
];

/// Less common uses, for `help --all`.
const MORE: &[(&str, &str)] = &[
    ("shaderbench compare r.csv", "compare the APIs in one report"),
    ("shaderbench explain D5", "explain a claim (alias: learn)"),
    ("shaderbench explain D5 --run", "measure a claim now"),
    ("shaderbench explain glossary", "list CUDA terms with WGSL names"),
    ("shaderbench summary h100", "show the built-in H100 report"),
    ("shaderbench run --backend all", "compare all APIs of the GPU"),
    ("shaderbench run --device all", "measure every card in turn"),
    ("shaderbench run scan --resume r.csv", "continue an interrupted run"),
    ("shaderbench report reports/ -o all.csv.gz", "merge reports into one file"),
    ("shaderbench report reports/ --format index", "write a report index, README.md"),
    ("shaderbench report r.csv --format github", "feed github-action-benchmark"),
    ("shaderbench bench init mine", "write an example kernel"),
    ("shaderbench bench replay r-wrong/CASE", "rerun a wrong result"),
    ("shaderbench --generate bash", "write shell completions"),
    ("shaderbench --generate man -o DIR", "write manual pages"),
];

const USAGE: &str = "\
Usage: shaderbench [COMMAND] [OPTIONS]

  shaderbench               measure this device (run --profile quick)
  shaderbench transpose     measure all sizes of a family (run transpose)
  shaderbench r.csv         show the summary of a report (summary r.csv)
";

const OPTIONS: &str = "\
Options of every command:
  -q, --quiet               print results and errors only
      --color WHEN          auto, always or never
  -h, --help                print help: short with -h, long with --help
  -V, --version             print the version
";

const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    the command failed
  2    invalid arguments
  3    a row is wrong, failed or implausible (run: see --fail-on)
  4    a case is too slow (compare, run) or a card is slow (outliers)
  130  interrupted
";

/// The command line: the commands with their examples, and the program's own help.
pub(super) fn command() -> Command {
    let mut command = CommandLine::command().after_help(EXIT_CODES);
    for (name, example) in GROUPS.iter().flat_map(|(_, entries)| *entries) {
        command = command.mut_subcommand(name, |of| of.after_help(format!("Example: {example}")));
    }
    let help = text(&command, false);
    command.override_help(help)
}

fn text(command: &Command, is_long: bool) -> String {
    let mut text = format!("{}\n\n{USAGE}", command.get_about().map(ToString::to_string).unwrap_or_default());
    for (title, entries) in GROUPS {
        text.push_str(&format!("\n{title}:\n"));
        text.extend(entries.iter().map(|(name, example)| line(command, name, example)));
    }
    if !is_long {
        return format!("{text}\n{OPTIONS}\nMore uses and the exit codes: shaderbench help --all\n");
    }
    let more: String = MORE.iter().map(|(example, meaning)| format!("  {example:<45} {meaning}\n")).collect();
    format!("{text}\nMore uses:\n{more}\n{OPTIONS}\n{EXIT_CODES}")
}

/// A command, its purpose, and its example on the same line if it fits.
fn line(command: &Command, name: &str, example: &str) -> String {
    const NAME: usize = 10;
    const ABOUT: usize = 27;
    let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
    let about = about.unwrap_or_default();
    let start = format!("  {name:<NAME$}{about:<ABOUT$}");
    if start.len() + 1 + example.len() <= WIDTH {
        return format!("{start} {example}\n");
    }
    format!("{}\n{example:>WIDTH$}\n", start.trim_end())
}

/// Prints the help of the program or of a command.
pub(super) fn help(is_long: bool, path: &[String]) -> Result<()> {
    let program = command();
    if path.is_empty() {
        return print(&text(&program, is_long));
    }
    let mut found = &program;
    for name in path {
        let unknown = || usage!("there is no command '{name}': see `shaderbench help --all`");
        found = found.find_subcommand(name).ok_or_else(unknown)?;
    }
    // Prints what the command itself prints for `--help`.
    let words = ["shaderbench"].into_iter().chain(path.iter().map(String::as_str)).chain(["--help"]);
    let help = program.clone().try_get_matches_from(words).map_or_else(|help| help.to_string(), |_| String::new());
    print(&help)
}

/// The command that a misspelt word stands for; `None` if a family or benchmark is more similar.
pub(super) fn nearest(word: &str) -> Option<String> {
    /// The least Jaro-Winkler similarity of a misspelt word.
    const LEAST: f64 = 0.8;
    let like = |name: &str| strsim::jaro_winkler(word, name);
    let program = command();
    let names = || program.get_subcommands().flat_map(|of| std::iter::once(of.get_name()).chain(of.get_all_aliases()));
    // Two letters swapped, or one letter too many, missing or wrong.
    if let Some(name) = names().find(|name| strsim::damerau_levenshtein(word, name) == 1) {
        return Some(name.to_owned());
    }
    let (best, name) = names().map(|name| (like(name), name)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let benchmarks = all_names();
    let parts = benchmarks.iter().flat_map(|name| name.split('/').chain([name.as_str()]));
    (best > LEAST && parts.map(like).all(|other| other < best)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_command_is_in_one_group() {
        let program = command();
        let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
        let known: BTreeSet<&str> = shown.map(Command::get_name).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, entries)| *entries).map(|(name, _)| *name).collect();
        assert_eq!(grouped.len(), known.len(), "a command twice");
        assert_eq!(grouped.into_iter().collect::<BTreeSet<_>>(), known);
    }

    #[test]
    fn a_misspelt_command_is_known_and_a_misspelt_family_is_none() {
        for (word, command) in [
            ("sumary", "summary"),
            ("comapre", "compare"),
            ("devcies", "devices"),
            ("lst", "list"),
            ("leran", "learn"),
            ("rnu", "run"),
        ] {
            assert_eq!(nearest(word).as_deref(), Some(command));
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
