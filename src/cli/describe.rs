//! Shell completions and manual pages.

use std::path::Path;

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};

use super::arguments::CommandLine;
use super::output::print;
use crate::engine::plan::all_names;
use crate::error::{Error, Result};

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
    let fault = |action, path: &Path| {
        let path = path.to_owned();
        move |source| Error::Io { action, path, source }
    };
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).map_err(fault("create", folder))?;
        return clap_mangen::generate_to(CommandLine::command(), folder).map_err(fault("write pages into", folder));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(CommandLine::command()).render(&mut page).map_err(fault("write", Path::new("the page")))?;
    print(&String::from_utf8_lossy(&page))
}
