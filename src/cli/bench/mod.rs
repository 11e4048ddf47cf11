//! `bench`: kernels of the user's, timed and verified as the suite's own.

mod init;

use std::path::PathBuf;

use clap::{ArgMatches, FromArgMatches};

use super::compiler::Spec;
use super::declaration::{Own, family};
use super::run;
use crate::error::Result;

pub(super) use init::{Arguments as InitArguments, init};

/// Arguments of `bench`: the options of `run`, and what a TOML file can say.
pub(super) struct Arguments {
    run: run::Arguments,
    own: Own,
}

impl clap::Args for Arguments {
    fn augment_args(command: clap::Command) -> clap::Command {
        let files = "Kernels (.wgsl, .spv, .cu) to compare with the first, or their .toml";
        let more = "What a kernel's interface does not say is read from the .toml beside the first one.";
        let command = run::Arguments::augment_args(command)
            .mut_arg("filters", |arg| {
                arg.value_name("FILE").help(files).long_help(format!("{files}\n\n{more}")).required(true)
            })
            .mut_arg("profile", |arg| arg.help("How long to sample [default: standard on a GPU, else quick]"));
        let hidden = ["shaders", "save_image", "tune", "tags"];
        let command = hidden.into_iter().fold(command, |command, name| command.mut_arg(name, |arg| arg.hide(true)));
        let rare = ["json", "anonymous", "table", "dry_run", "resume"];
        let command =
            rare.into_iter().fold(command, |command, name| command.mut_arg(name, |arg| arg.hide_short_help(true)));
        let command = command.mut_arg("unchecked", |arg| {
            let help = "Run without run-time checks, like the suite's own kernels";
            let danger = "Out-of-bounds accesses are then undefined behavior.";
            arg.help(help).long_help(format!("{help}\n\n{danger}")).hide_short_help(false)
        });
        Own::augment_args(command)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Arguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { run: run::Arguments::from_arg_matches(matches)?, own: Own::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Runs the command and returns the exit code.
pub(super) fn bench(arguments: Arguments) -> Result<u8> {
    let Arguments { mut run, own } = arguments;
    let files: Vec<PathBuf> = run.take_filters().into_iter().map(PathBuf::from).collect();
    let (family, texts) = family(&files, &own)?;
    run.own = Some(family);
    run.spirv = texts.iter().filter_map(|text| text.spirv).collect();
    // As a file is meant to run: without checks, and without a detour through WGSL.
    if run.unchecked && run.compilers.is_empty() && !run.spirv.is_empty() {
        run.compilers.push(Spec::file());
    }
    run::run(&run)
}
