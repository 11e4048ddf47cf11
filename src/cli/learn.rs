//! `learn`: a tour of five articles on CUDA memory, step by step, with the reader's own measurements.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, FromArgMatches};

use super::again::Typed;
use super::explain::Explained;
use super::format::Format;
use super::interrupt;
use super::output::{print, print_json, say};
use super::references::is_example;
use super::reports::{Measured, named_or_newest};
use super::run;
use super::selection::select_runs;
use super::steps::steps_named;
use super::target::targets;
use crate::backend::{Device, DeviceType};
use crate::error::{Error, Result};
use crate::report::tour::{self, glossary, sides};
use crate::report::{Part, apis, lay_out, reader};
use crate::results::Record;
use crate::results::tour::{GLOSSARY as TERMS, Step, steps};

/// Arguments of `learn`.
#[derive(Args)]
pub(super) struct Arguments {
    /// Chapters (D), steps (D5), or glossary [default: all steps in a list]
    ///
    /// A name of a file is a report, as for --report.
    #[arg(value_name = "CHAPTER|ID")]
    names: Vec<String>,
    /// Report to judge the claims by, h100: an example [default: the newest in results/]
    ///
    /// The newest one with rows of these steps. h100 is the report of an NVIDIA H100 that this program brings along.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Measure the benchmarks of these steps first, in the profile quick
    #[arg(long, conflicts_with = "report")]
    run: bool,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
}

/// The name of the glossary among chapters and steps.
pub(super) const GLOSSARY: &str = "glossary";

/// Runs the command and returns the exit code.
pub(super) fn learn(arguments: &Arguments) -> Result<u8> {
    let medium = arguments.format.medium();
    if let [GLOSSARY] = arguments.names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return match medium {
            Some(medium) => print(&glossary(medium)),
            None => print_json(&TERMS),
        }
        .map(|()| 0);
    }
    let is_report = |name: &&String| {
        let path = Path::new(name.as_str());
        steps_named(name).is_err() && (path.is_file() || is_example(path))
    };
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
        let new = measure(&wanted, &kernels)?;
        code = new.0;
        path = new.1;
        if code == interrupt::EXIT_CODE {
            return Ok(code);
        }
    }
    // Device properties are in every row.
    let is_wanted = |row: &Record| kernels.is_empty() || kernels.contains(row.name().as_str());
    let measured = named_or_newest(path.as_deref(), is_wanted)?;
    let Some(medium) = medium else {
        print_json(&Explained::of(&wanted, measured.as_ref()))?;
        return Ok(code);
    };
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
    let none =
        "none yet under results/: `shaderbench learn --run` measures one, `--report h100` takes that of an NVIDIA H100";
    let rest = rest.unwrap_or_else(|| none.to_owned());
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

/// What a run on the first device cannot judge; `None` where it is a GPU.
fn unjudged(steps: &[&Step]) -> Result<Option<String>> {
    let devices: Vec<Device> = targets(None)?.iter().map(|target| target.device().clone()).collect();
    let runs = select_runs(&devices, None, None)?;
    let device = &devices[runs[0][0]];
    let timed = steps.iter().filter(|step| step.is_timing).count();
    let is_judge = device.kind != DeviceType::Software || timed == 0;
    Ok((!is_judge).then(|| {
        let which = match (timed, steps.len()) {
            (1, 1) => "this claim".to_owned(),
            (timed, all) if timed == all => "these claims".to_owned(),
            (timed, all) => format!("{timed} of these {all} claims"),
        };
        format!(
            "{} is a software device: its times do not represent a GPU, so the run cannot judge {which}; `--report h100` in place of \
             --run takes the times of an NVIDIA H100",
            device.name
        )
    }))
}

/// Runs the benchmarks; the exit code and the report.
fn measure(steps: &[&Step], kernels: &BTreeSet<&str>) -> Result<(u8, Option<PathBuf>)> {
    if kernels.is_empty() {
        say("these steps have no benchmarks: nothing to measure");
        return Ok((0, None));
    }
    unjudged(steps)?.iter().for_each(|note| say(note));
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
