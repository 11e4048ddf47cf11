//! Shell completions and manual pages.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::arguments::CommandLine;
use super::output::print;
use crate::engine::plan::all_names;
use crate::error::{Error, Result};
use crate::report::replace_file;

/// Name of the program.
const NAME: &str = env!("CARGO_PKG_NAME");

/// `completions`: a shell script that also completes families and benchmarks.
pub(super) fn completions(shell: clap_complete::Shell) -> Result<()> {
    // Only the script restricts values to names: the program also accepts globs.
    let mut command = CommandLine::command();
    for (name, argument) in [("run", "filters"), ("explain", "names"), ("show", "name")] {
        command = command.mut_subcommand(name, |command| with_names(command, argument));
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut with_names(command, "filters"), NAME, &mut script);
    print(&String::from_utf8_lossy(&script))
}

fn with_names(command: Command, argument: &str) -> Command {
    command.mut_arg(argument, |argument| argument.value_parser(PossibleValuesParser::new(all_names())))
}

/// `man`: the page of the program, or one page per command in a folder.
pub(super) fn man(folder: Option<&Path>) -> Result<()> {
    let Some(folder) = folder else {
        return print(&String::from_utf8_lossy(&page(&Man::new(CommandLine::command()))?));
    };
    let fault = |source| Error::Io { action: "create", path: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(fault)?;
    // As `clap_mangen::generate_to` does, which writes through links and leaves half a page on a full disk.
    let mut command = CommandLine::command().disable_help_subcommand(true);
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
    let fault = |source| Error::Io { action: "write", path: man.get_filename().into(), source };
    man.render(&mut page).map_err(fault)?;
    Ok(page)
}
