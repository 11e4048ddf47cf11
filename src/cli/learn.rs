//! `learn`: a tour of five articles on CUDA memory, step by step, with the reader's own measurements.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, FromArgMatches};

use super::again::Typed;
use super::format::TableFormat;
use super::interrupt;
use super::output::{print, say};
use super::reports::{Measured, named_or_newest};
use super::run;
use super::steps::steps_named;
use crate::error::{Error, Result};
use crate::report::tour::{self, glossary, sides};
use crate::report::{Part, apis, lay_out, reader};
use crate::results::Record;
use crate::results::tour::{Step, steps};

/// Arguments of `learn`.
#[derive(Args)]
pub(super) struct Arguments {
    /// Chapters (D) or steps (D5) to read, glossary, or a report as for --report [default: the list of all steps with their
    /// verdicts]
    #[arg(value_name = "CHAPTER|ID")]
    names: Vec<String>,
    /// Report (CSV or JSON) to judge the claims by [default: the newest under results/ with rows of these steps]
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Measure the benchmarks of these steps first, in the profile quick
    #[arg(long, conflicts_with = "report")]
    run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
}

/// The name of the glossary among chapters and steps.
pub(super) const GLOSSARY: &str = "glossary";

/// Runs the command and returns the exit code.
pub(super) fn learn(arguments: &Arguments) -> Result<u8> {
    let medium = arguments.format.medium();
    if let [GLOSSARY] = arguments.names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return print(&glossary(medium)).map(|()| 0);
    }
    let is_report = |name: &&String| steps_named(name).is_err() && Path::new(name.as_str()).is_file();
    let (reports, names): (Vec<&String>, Vec<&String>) = arguments.names.iter().partition(is_report);
    if reports.len() + usize::from(arguments.report.is_some() || arguments.run) > 1 {
        return Err(Error::Usage("the tour judges one report: name one file".to_owned()));
    }
    let chosen = names.iter().map(|name| steps_named(name)).collect::<Result<Vec<_>>>()?.concat();
    let wanted: Vec<&'static Step> = if chosen.is_empty() { steps().collect() } else { chosen.clone() };
    let kernels: BTreeSet<&str> = wanted.iter().flat_map(|step| step.kernels).copied().collect();
    let mut code = 0;
    let mut path = reports.first().map(PathBuf::from).or_else(|| arguments.report.clone());
    if arguments.run {
        let new = measure(&kernels)?;
        code = new.0;
        path = new.1;
        if code == interrupt::EXIT_CODE {
            return Ok(code);
        }
    }
    // Device properties are in every row.
    let is_wanted = |row: &Record| kernels.is_empty() || kernels.contains(row.name().as_str());
    let measured = named_or_newest(path.as_deref(), is_wanted)?;
    let sides = measured.as_ref().map_or_else(Vec::new, |measured| sides(&measured.records));
    let mut blocks = vec![beginning(&chosen, measured.as_ref())];
    if chosen.is_empty() {
        blocks.push(tour::overview(&sides));
        blocks.push(vec![next()]);
    }
    blocks.extend(chosen.iter().map(|step| tour::step(step, &sides)));
    let texts: Vec<String> = blocks.into_iter().map(|parts| lay_out(parts, medium)).collect();
    print(&texts.join("\n"))?;
    Ok(code)
}

/// The chapter, if all steps are of one, and the report that the verdicts come from.
fn beginning(chosen: &[&'static Step], measured: Option<&Measured>) -> Vec<Part> {
    let rest = measured.and_then(|Measured { path, records }| {
        let first = records.first()?;
        let names: Vec<&str> = apis(records).iter().map(|api| api.title()).collect();
        let date = first.date.get(..10).unwrap_or(&first.date);
        Some(format!("{}, {}, {date} ({path})", first.device, names.join(" and ")))
    });
    let rest = rest.unwrap_or_else(|| "none yet under results/: `shaderbench learn --run` measures one".to_owned());
    let name = match chosen {
        [first, rest @ ..] if rest.iter().all(|step| step.chapter() == first.chapter()) => {
            tour::chapter(first.chapter())
        }
        _ => "CUDA memory in five chapters".to_owned(),
    };
    vec![Part::Heading { name, rest: String::new() }, Part::Field { label: "report", text: rest }]
}

fn next() -> Part {
    let text = "`shaderbench learn D` reads a chapter, `learn D5` one step; `learn D5 --run` measures its kernels on \
                this machine; `learn glossary` lists CUDA's names beside WGSL's.";
    Part::Field { label: "next", text: text.to_owned() }
}

/// Runs the benchmarks; the exit code and the report.
fn measure(kernels: &BTreeSet<&str>) -> Result<(u8, Option<PathBuf>)> {
    if kernels.is_empty() {
        say("these steps have no benchmarks: nothing to measure");
        return Ok((0, None));
    }
    let reports = || reader::files(Path::new("results")).map_or_else(|_| Vec::new(), |found| found.reports);
    let known: BTreeSet<PathBuf> = reports().into_iter().collect();
    let words = || ["run", "--profile", "quick"].into_iter().chain(kernels.iter().copied());
    let command = run::Arguments::augment_args(clap::Command::new("run"));
    let fault = |error: clap::Error| Error::Usage(error.to_string());
    let matches = command.try_get_matches_from(words()).map_err(fault)?;
    let mut arguments = run::Arguments::from_arg_matches(&matches).map_err(fault)?;
    arguments.is_quiet = true;
    arguments.typed = Some(Typed::of_arguments(words()));
    let code = run::run(&arguments)?;
    Ok((code, reports().into_iter().find(|path| !known.contains(path))))
}
