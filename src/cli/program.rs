//! Parses the command line and runs a command.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches};

use super::arguments::{Command, CommandLine};
use super::interrupt::survive_file_limits;
use super::output::{color_among, complain, set_global};
use super::references::is_example;
use super::{
    bench, bisect, bundle, compare, describe, devices, explain, export, help, index, learn, list, merge, normal,
    outliers, report, run, share, show, summary,
};
use crate::engine::plan::select;
use crate::error::{Error, Result};
use crate::report::reader;

/// Parses the arguments, runs the command, prints any error and returns the exit code.
#[must_use]
pub fn main() -> ExitCode {
    quiet_mesa();
    survive_file_limits();
    let words: Vec<OsString> = std::env::args_os().collect();
    let parser = help::command().color(color_among(&words));
    let parsed = parser.clone().try_get_matches_from(words);
    let parsed = parsed.and_then(|matches| Ok((CommandLine::from_arg_matches(&matches)?, matches)));
    let (arguments, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return refused(&error),
    };
    set_global(arguments.global);
    let options = options(&parser, &matches);
    let done = match arguments.command {
        None => without_command(&arguments.run, &options),
        Some(_) if !options.is_empty() => Err(before_command(&options, &matches)),
        Some(Command::Run(arguments)) => run::run(&arguments),
        Some(Command::Bench(arguments)) => bench::bench(*arguments),
        Some(Command::Init(arguments)) => bench::init(&arguments).map(|()| 0),
        Some(Command::Replay(arguments)) => bundle::replay(&arguments),
        Some(Command::Summary(arguments)) => summary::summary(&arguments).map(|()| 0),
        Some(Command::Normal(arguments)) => normal::normal(&arguments).map(|()| 0),
        Some(Command::Compare(arguments)) => compare::compare(&arguments),
        Some(Command::Bisect(arguments)) => bisect::bisect(&arguments),
        Some(Command::Report(arguments)) => report::report(&arguments),
        Some(Command::Learn(arguments)) => learn::learn(&arguments),
        Some(Command::List(arguments)) => list::list(&arguments).map(|()| 0),
        Some(Command::Devices(arguments)) => devices::devices(&arguments).map(|()| 0),
        Some(Command::Explain(arguments)) => explain::explain(&arguments).map(|()| 0),
        Some(Command::Show(arguments)) => show::show(&arguments).map(|()| 0),
        Some(Command::Share(arguments)) => share::share(&arguments),
        Some(Command::Index(arguments)) => index::index(&arguments).map(|()| 0),
        Some(Command::Merge(arguments)) => merge::merge(&arguments),
        Some(Command::Outliers(arguments)) => outliers::outliers(&arguments),
        Some(Command::Export(arguments)) => export::export(&arguments).map(|()| 0),
        Some(Command::Completions { shell }) => describe::completions(shell).map(|()| 0),
        Some(Command::Man { out }) => describe::man(out.as_deref()).map(|()| 0),
        Some(Command::Help { all, command }) => help::help(all, &command).map(|()| 0),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            complain(&format!("error: {}", error.chain()));
            ExitCode::from(error.exit_code())
        }
    }
}

/// The options of `run` that stand before any command, as the user writes them.
fn options(parser: &clap::Command, matches: &ArgMatches) -> Vec<String> {
    let is_given = |arg: &&clap::Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let given = parser.get_arguments().filter(|arg| !arg.is_global_set()).filter(is_given);
    given.filter_map(|arg| Some(format!("--{}", arg.get_long()?))).collect()
}

/// The error of options that stand before their command.
fn before_command(options: &[String], matches: &ArgMatches) -> Error {
    let (option, command) = (&options[0], matches.subcommand_name().unwrap_or_default());
    Error::Usage(format!("{option} stands before the command: write `shaderbench {command} {option}`"))
}

/// A command line without a command: benchmarks, or the summary of reports.
fn without_command(arguments: &run::Arguments, options: &[String]) -> Result<u8> {
    let words = arguments.filters();
    let Some(first) = words.first() else { return run::run(arguments) };
    if select(std::slice::from_ref(first)).is_ok() {
        return run::run(arguments);
    }
    let path = Path::new(first);
    let ending = path.extension().unwrap_or_default();
    if path.exists() && ["wgsl", "spv", "cu", "toml"].iter().any(|kernel| ending == *kernel) {
        return Err(Error::Usage(format!("{first} is a kernel: `shaderbench bench {first}` measures it")));
    }
    if path.exists() || reader::is_report_name(path) || is_example(path) {
        if let Some(option) = options.first() {
            return Err(Error::Usage(format!(
                "{first} is a report, and {option} is for a run: see `shaderbench summary -h`"
            )));
        }
        return summary::summary(&summary::Arguments::of(words)).map(|()| 0);
    }
    match help::nearest(first) {
        Some(command) => Err(Error::Usage(format!("there is no command '{first}': did you mean `{command}`?"))),
        None => run::run(arguments),
    }
}

/// Prints the error of a command line, or the help that it asks for. The error quotes arguments, which may hold anything.
fn refused(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        complain(&error.render().to_string());
    } else {
        // A closed stdout is no error.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Stops Mesa's device-selection layer from writing to stderr at each enumeration without a desktop session.
fn quiet_mesa() {
    #[expect(unsafe_code, reason = "setting a variable is unsafe only beside other threads")]
    // SAFETY: `main` calls this first, before it starts any thread; the one that started it only waits.
    unsafe {
        std::env::set_var("NODEVICE_SELECT", "1");
    }
}
