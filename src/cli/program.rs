//! Parses the command line and runs a command.

use std::process::ExitCode;

use clap::Parser;

use super::arguments::{Command, CommandLine};
use super::interrupt::survive_file_limits;
use super::output::say;
use super::{
    bench, bisect, bundle, compare, describe, devices, explain, export, index, learn, list, merge, normal, outliers,
    report, run, share, show, summary,
};

/// Parses the arguments, runs the command, prints any error and returns the exit code.
#[must_use]
pub fn main() -> ExitCode {
    quiet_mesa();
    survive_file_limits();
    let arguments = match CommandLine::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refused(&error),
    };
    let done = match arguments.command {
        None => run::run(&arguments.run),
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
        Some(Command::List { form, source, tags }) => list::list(form.format(), source.as_deref(), &tags).map(|()| 0),
        Some(Command::Devices { backend, all, form }) => devices::devices(backend, all, form.format()).map(|()| 0),
        Some(Command::Explain(arguments)) => explain::explain(&arguments).map(|()| 0),
        Some(Command::Show(arguments)) => show::show(&arguments).map(|()| 0),
        Some(Command::Share(arguments)) => share::share(&arguments),
        Some(Command::Index(arguments)) => index::index(&arguments).map(|()| 0),
        Some(Command::Merge(arguments)) => merge::merge(&arguments),
        Some(Command::Outliers(arguments)) => outliers::outliers(&arguments),
        Some(Command::Export(arguments)) => export::export(&arguments).map(|()| 0),
        Some(Command::Completions { shell }) => describe::completions(shell).map(|()| 0),
        Some(Command::Man { out }) => describe::man(out.as_deref()).map(|()| 0),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            say(&format!("error: {}", error.chain()));
            ExitCode::from(error.exit_code())
        }
    }
}

/// Prints the error of a command line, or the help that it asks for. The error quotes arguments, which may hold anything.
fn refused(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        say(&error.render().to_string());
    } else {
        // A closed stdout is no error.
        let _ = error.print();
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Stops Mesa's device-selection layer from writing to stderr at each enumeration without a desktop session.
fn quiet_mesa() {
    #[expect(unsafe_code, reason = "setting a variable is unsafe only beside other threads")]
    // SAFETY: `main` calls this first, before it starts any thread.
    unsafe {
        std::env::set_var("NODEVICE_SELECT", "1");
    }
}
