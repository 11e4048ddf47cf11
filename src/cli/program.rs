//! Parses the command line and runs a command.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches};

use super::arguments::{Command, CommandLine};
use super::interrupt::survive_file_limits;
use super::output::{color_among, complain, set_global};
use super::outputs::is_source;
use super::references::is_example;
use super::reports::or_meant;
use super::selection::no_device;
use super::target::Target;
use super::worker::{Link, Order, WORD, serve};
use super::{
    bench, bundle, compare, cost, describe, devices, explain, help, hints, links, list, outliers, report, run, share,
    show, summary,
};
use answers::report::reader;
use gpu::engine::plan::select;
use record::error::{Error, Result, usage};

/// Parses the arguments, runs the command, prints any error and returns the exit code.
#[must_use]
pub fn main() -> ExitCode {
    quiet_mesa();
    survive_file_limits();
    let words: Vec<OsString> = std::env::args_os().collect();
    if words.len() == 2 && words[1] == WORD {
        return serve(carry_out);
    }
    match run_words(words) {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(error)) => {
            complain(&format!("error: {}", error.chain()));
            ExitCode::from(error.exit_code())
        }
        Err(code) => code,
    }
}

/// Carries out an order in a worker.
fn carry_out(link: &'static Link, order: Order, mut found: Vec<Option<Target>>) -> Result<()> {
    let mut target = |index: usize| found.get_mut(index).and_then(Option::take);
    match order {
        Order::Open { card, kernels, needs_energy } => {
            run::serve(link, card.into_iter().filter_map(target).collect(), &kernels, needs_energy)
        }
        Order::Replay { device, bundle, is_unchecked } => {
            bundle::serve(link, target(device).ok_or_else(no_device)?, Path::new(&bundle), is_unchecked)
        }
        _ => Err(usage!("no device is open")),
    }
}

/// Runs a command line. The outer error is the exit code after clap's own message: an error, the help or the version.
fn run_words(words: Vec<OsString>) -> Result<Result<u8>, ExitCode> {
    if let Some(error) = words.get(1).and_then(|word| hints::command(word.to_str()?)) {
        return Ok(Err(error));
    }
    let parser = help::command().color(color_among(&words));
    let parsed = parser.clone().try_get_matches_from(words);
    let parsed = parsed.and_then(|matches| Ok((CommandLine::from_arg_matches(&matches)?, matches)));
    let (arguments, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return hints::option(&error).map_or_else(|| Err(refused(&error)), |error| Ok(Err(error))),
    };
    set_global(arguments.global);
    if let Some(error) = before_command(&parser, &matches) {
        return Ok(Err(error));
    }
    Ok(match arguments.command {
        None => match arguments.generate {
            Some(what) => describe::generate(what, arguments.run.out()).map(|()| 0),
            None => without_command(arguments.run, &options(&parser, &matches)),
        },
        Some(Command::Run(arguments)) => run::run(*arguments),
        Some(Command::Bench(arguments)) => bench::bench(*arguments),
        Some(Command::Summary(arguments)) => summary::summary(&arguments).map(|()| 0),
        Some(Command::Compare(arguments)) => compare::compare(&arguments),
        Some(Command::Cost(arguments)) => cost::cost(&arguments).map(|()| 0),
        Some(Command::Report(arguments)) => report::report(&arguments),
        Some(Command::List(arguments)) => list::list(&arguments).map(|()| 0),
        Some(Command::Devices(arguments)) => devices::devices(&arguments).map(|()| 0),
        Some(Command::Links(arguments)) => links::links(&arguments),
        Some(Command::Explain(arguments)) => explain::explain(&arguments),
        Some(Command::Show(arguments)) => show::show(&arguments).map(|()| 0),
        Some(Command::Share(arguments)) => share::share(&arguments),
        Some(Command::Outliers(arguments)) => outliers::outliers(&arguments),
        Some(Command::Help { all, command }) => help::help(all, &command).map(|()| 0),
    })
}

/// The options at this level of the command line, as the user writes them.
fn options(parser: &clap::Command, matches: &ArgMatches) -> Vec<String> {
    let is_given = |arg: &&clap::Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let given = parser.get_arguments().filter(|arg| !arg.is_global_set()).filter(is_given);
    given.filter_map(|arg| Some(format!("--{}", arg.get_long()?))).collect()
}

/// The error for an option before its command.
fn before_command(parser: &clap::Command, matches: &ArgMatches) -> Option<Error> {
    let (name, own) = matches.subcommand()?;
    match options(parser, matches).first() {
        Some(option) => Some(usage!("{option} goes after the command: `{name} {option}`")),
        None => before_command(parser.find_subcommand(name)?, own),
    }
}

/// A command line without a command: benchmarks, or the summary of reports.
fn without_command(arguments: run::Arguments, options: &[String]) -> Result<u8> {
    let words = arguments.filters();
    let Some(first) = words.first() else { return run::run(arguments) };
    if select(std::slice::from_ref(first)).is_ok() {
        return run::run(arguments);
    }
    let path = Path::new(first);
    if path.exists() && is_source(path) {
        return Err(usage!("{first} is a kernel: `shaderbench bench {first}` measures it"));
    }
    if path.exists() || is_example(path) || reader::is_report_name(path) {
        if let Some(option) = options.first() {
            return Err(usage!(
                "{first} is a report, but {option} is an option of `run`: see `shaderbench summary -h`"
            ));
        }
        return summary::summary(&summary::Arguments::of(words)).map(|()| 0);
    }
    match help::nearest(first) {
        Some(command) => Err(usage!("there is no command '{first}': did you mean `{command}`?")),
        None => {
            let names = words.to_vec();
            run::run(arguments).map_err(|error| or_meant(error, &names))
        }
    }
}

/// Prints clap's error, or the help that it stands for. The error quotes arguments, which may hold anything.
fn refused(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        // clap's tip to pass an unknown option as a value does not help here.
        let text = error.render().to_string();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("tip: to pass")).collect();
        complain(&lines.join("\n").replace("\n\n\n", "\n\n"));
    } else {
        // A closed stdout is not an error.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Switches Mesa's device-selection layer off: without a desktop session, it writes to stderr at each enumeration.
fn quiet_mesa() {
    #[expect(unsafe_code, reason = "setting a variable is unsafe only while other threads run")]
    // SAFETY: `main` calls this first, before it starts any thread; the one that started it only waits.
    unsafe {
        std::env::set_var("NODEVICE_SELECT", "1");
    }
}
