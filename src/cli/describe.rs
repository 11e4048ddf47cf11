//! Shell completions and manual pages.

use std::path::Path;

use clap::Command;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use clap_mangen::Man;

use super::arguments::Generated;
use super::help;
use super::output::print;
use super::tour::{COLUMNS, GLOSSARY};
use answers::report::replace_file;
use gpu::engine::plan::all_names;
use kernels::articles::{ARTICLES, steps};
use record::error::{Error, Result};

const NAME: &str = env!("CARGO_PKG_NAME");

/// `--generate`: a completion script; the manual page, or one page per command in the folder `out`.
pub(super) fn generate(what: Generated, out: Option<&Path>) -> Result<()> {
    completions(match what {
        Generated::Man => return man(out),
        Generated::Bash => Shell::Bash,
        Generated::Elvish => Shell::Elvish,
        Generated::Fish => Shell::Fish,
        Generated::Powershell => Shell::PowerShell,
        Generated::Zsh => Shell::Zsh,
    })
}

/// A shell script that also completes families, benchmarks, and the steps of the tour.
fn completions(shell: Shell) -> Result<()> {
    // Only the script restricts values to names: the program also accepts globs.
    let mut command = help::command();
    let steps = || steps().into_iter().map(|step| step.id.to_owned());
    let chapters = ARTICLES.iter().map(|(letter, _)| letter.to_string());
    let lists = [GLOSSARY, COLUMNS].map(str::to_owned);
    let explained = all_names().into_iter().chain(chapters).chain(steps()).chain(lists).collect();
    let arguments = [("run", "filters", all_names()), ("explain", "names", explained), ("show", "name", all_names())];
    for (name, argument, values) in arguments {
        command = command.mut_subcommand(name, |command| with_values(command, argument, values));
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_values(command, "filters", all_names()), NAME, &mut script);
    print(&String::from_utf8_lossy(&script))
}

fn with_values(command: Command, argument: &str, values: Vec<String>) -> Command {
    command.mut_arg(argument, |argument| argument.value_parser(PossibleValuesParser::new(values)))
}

fn man(folder: Option<&Path>) -> Result<()> {
    let Some(folder) = folder else {
        return print(&String::from_utf8_lossy(&page(&Man::new(help::command()))?));
    };
    std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    // Replaces `clap_mangen::generate_to`, which writes through links and leaves half a page on a full disk.
    let mut command = help::command().disable_help_subcommand(true);
    command.build();
    pages(command, folder)
}

fn pages(command: Command, folder: &Path) -> Result<()> {
    for command in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        pages(command.clone(), folder)?;
    }
    let man = Man::new(command);
    replace_file(&folder.join(man.get_filename()), &page(&man)?)
}

fn page(man: &Man) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    man.render(&mut page).map_err(Error::io("write", man.get_filename()))?;
    Ok(page)
}
