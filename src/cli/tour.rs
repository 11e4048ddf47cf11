//! The tour of `explain`: five articles on CUDA memory, step by step, with the reader's own measurements.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::output::say;
use super::reports::OWN;
use super::run;
use super::selection::select_runs;
use super::worker::list;
use answers::articles::{self, Side};
use answers::compare::Report;
use answers::report::{Part, apis, reader};
use kernels::articles::{ids, named};
use record::claim::ArticleClaim;
use record::error::{Result, usage};
use record::suite::DeviceType;

/// The name of the glossary among chapters and steps.
pub(super) const GLOSSARY: &str = "glossary";

/// The list of all steps with their verdicts.
pub(super) fn all(sides: &[Side], measured: Option<&Report>) -> Vec<Vec<Part>> {
    let text = "`shaderbench explain D` reads a chapter, `explain D5` one step; `explain D5 --run` measures its kernels on \
                this machine; `explain glossary` lists CUDA's names beside WGSL's.";
    let next = Part::Field { label: "next", text: text.to_owned() };
    vec![beginning(&[], measured), articles::overview(sides), vec![next]]
}

/// Steps, each with its verdicts. A single one begins with its own title.
pub(super) fn each(steps: &[&'static ArticleClaim], sides: &[Side], measured: Option<&Report>) -> Vec<Vec<Part>> {
    if let [step] = steps {
        return vec![articles::step(step, sides), vec![report(measured)]];
    }
    let steps_of = steps.iter().map(|step| articles::step(step, sides));
    std::iter::once(beginning(steps, measured)).chain(steps_of).collect()
}

/// The chapter, if all steps are of one, and the report that the verdicts come from.
fn beginning(chosen: &[&'static ArticleClaim], measured: Option<&Report>) -> Vec<Part> {
    let name = match chosen {
        [first, rest @ ..] if rest.iter().all(|step| step.chapter() == first.chapter()) => {
            articles::chapter(first.chapter())
        }
        _ => "CUDA memory in five chapters".to_owned(),
    };
    vec![Part::Heading { name, rest: String::new() }, report(measured)]
}

/// The report that the verdicts come from.
fn report(measured: Option<&Report>) -> Part {
    let rest = measured.and_then(|Report { name, records }| {
        let first = records.first()?;
        let names: Vec<&str> = apis(records).iter().map(|api| api.title()).collect();
        let date = first.date.get(..10).unwrap_or(&first.date);
        Some(format!("{}, {}, {date} ({name})", first.device, names.join(" and ")))
    });
    let none = "none yet in reports/ or results/: `shaderbench explain --run` measures one, `--report h100` takes that of an NVIDIA H100";
    Part::Field { label: "report", text: rest.unwrap_or_else(|| none.to_owned()) }
}

/// Whether the name has the form of a step or chapter: one letter, and digits; or of an article, three digits.
pub(super) fn is_step(name: &str) -> bool {
    let are_digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let is_article = name.len() == 3 && are_digits(name);
    is_article || name.starts_with(|c: char| c.is_ascii_alphabetic()) && are_digits(&name[1..])
}

/// The steps of an id or a chapter.
pub(super) fn steps_named(name: &str) -> Result<Vec<&'static ArticleClaim>> {
    let steps = named(name);
    if steps.is_empty() {
        return Err(usage!("there is no step '{name}': the steps are {}", ids()));
    }
    Ok(steps)
}

/// What a run on the first device cannot judge; `None` where it is a GPU.
fn unjudged(steps: &[&ArticleClaim]) -> Result<Option<String>> {
    let devices = list(None)?.devices;
    let runs = select_runs(&devices, None, None)?;
    let device = &devices[runs[0][0]];
    let timed = steps.iter().filter(|step| step.is_timing).count();
    Ok((device.kind == DeviceType::Software && timed > 0).then(|| {
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
pub(super) fn measure(steps: &[&ArticleClaim], kernels: &BTreeSet<String>) -> Result<(u8, Option<PathBuf>)> {
    if kernels.is_empty() {
        say("these steps have no benchmarks: nothing to measure");
        return Ok((0, None));
    }
    unjudged(steps)?.iter().for_each(|note| say(note));
    let reports = || reader::files(Path::new(OWN)).map_or_else(|_| Vec::new(), |found| found.reports);
    let known: BTreeSet<PathBuf> = reports().into_iter().collect();
    let words = ["run", "--profile", "quick"].into_iter().chain(kernels.iter().map(String::as_str));
    let code = run::run(run::Arguments::without_tables(words)?)?;
    Ok((code, reports().into_iter().find(|path| !known.contains(path))))
}
