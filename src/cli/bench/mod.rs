//! `bench`: kernels of the user's, timed and verified as the suite's own.

mod builder;
mod init;

pub use builder::Bench;

use std::path::Path;

use clap::{ArgMatches, FromArgMatches, Subcommand};

use super::compare::compare_files;
use super::declaration::Own;
use super::output::say;
use super::reports::{FOLDERS, OWN};
use super::{bundle, run};
use record::error::{Error, Result, usage};
use record::suite::{Benchmark, Declaration};

/// Arguments of `bench`: the options of `run`, and what a TOML file can say.
pub(super) struct Arguments {
    run: run::Arguments,
    own: Own,
    task: Option<Task>,
}

/// What `bench` does besides measuring.
#[derive(Subcommand)]
enum Task {
    /// Write a kernel and its TOML file to begin with
    Init(init::Arguments),
    /// Run a wrong result again, from the folder that a run wrote
    Replay(bundle::Arguments),
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
        let hidden = ["shaders", "tags"];
        let command = hidden.into_iter().fold(command, |command, name| command.mut_arg(name, |arg| arg.hide(true)));
        let rare = ["time", "resume", "json", "anonymous", "table", "dry_run", "save_image"];
        let shorter = |command: clap::Command, name| command.mut_arg(name, |arg| arg.hide_short_help(true));
        let command = rare.into_iter().fold(command, shorter);
        let command = command.mut_arg("unchecked", |arg| {
            let help = "Run without run-time checks";
            let danger = "Like the suite's own kernels. Out-of-bounds accesses are then undefined behavior.";
            arg.help(help).long_help(format!("{help}\n\n{danger}")).hide_short_help(false)
        });
        Task::augment_subcommands(Own::augment_args(command)).subcommand_negates_reqs(true)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Arguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let task = matches.subcommand().is_some().then(|| Task::from_arg_matches(matches)).transpose()?;
        Ok(Self { run: run::Arguments::from_arg_matches(matches)?, own: Own::from_arg_matches(matches)?, task })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Runs the command and returns the exit code.
pub(super) fn bench(arguments: Arguments) -> Result<u8> {
    let Arguments { mut run, mut own, task } = arguments;
    match &task {
        Some(Task::Init(arguments)) => return init::init(arguments).map(|()| 0),
        Some(Task::Replay(arguments)) => return bundle::replay(arguments),
        None => {}
    }
    let baseline = own.baseline.take();
    let name = baseline.as_ref().or(own.save_baseline.as_ref()).cloned();
    let family = run.load_own(own)?;
    let is_reordered = |benchmark: &Benchmark| benchmark.declared.is_some_and(Declaration::is_reordered);
    if family.benchmarks.iter().any(is_reordered) {
        say("[verify] has no tolerance: floats may differ from the reference's as much as an f32 sum in another order");
    }
    let Some(name) = name else { return run::measure(&run) };
    let file =
        |folder: &str, end: &str| Path::new(folder).join("baselines").join(format!("{}-{name}{end}.csv", family.name));
    let (new, saved) = (file(OWN, ".new"), file(OWN, ""));
    let earlier = FOLDERS.iter().map(|folder| file(folder, "")).find(|path| path.exists());
    let compared = earlier.filter(|_| baseline.is_some());
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || !name.chars().all(is_name) {
        return Err(usage!("--baseline {name}: a name has letters, digits, '.', '_' and '-'"));
    }
    let folder = Path::new(OWN).join("baselines");
    std::fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
    run.save_as(new.clone());
    let code = run::measure(&run)?;
    if code != 0 {
        return Ok(code);
    }
    if let Some(baseline) = compared {
        return compare_files(&baseline, &new);
    }
    // A run with wrong results replaces no baseline.
    std::fs::rename(&new, &saved).map_err(Error::io("rename", &saved))?;
    say(&format!("saved as the baseline {name}: bench … --baseline {name} compares with it"));
    Ok(code)
}
