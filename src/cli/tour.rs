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
use answers::report::{Part, reader};
use kernels::articles::{ids, named};
use record::claim::ArticleClaim;
use record::error::{Result, usage};
use record::format::{joined, plural};
use record::is_software;
use record::suite::DeviceType;

/// The name of the glossary among chapters and steps.
pub(super) const GLOSSARY: &str = "glossary";

/// The name of the list of a report's columns.
pub(super) const COLUMNS: &str = "columns";

/// The label of the example beside a software device.
const EXAMPLE_LABEL: &str = "H100";

/// The heading that names the GPU, and its sides. The example is added for a software device, which cannot judge.
pub(super) fn beginning<'a>(measured: Option<&'a Report>, example: Option<&'a Report>) -> (Vec<Part>, Vec<Side<'a>>) {
    let mut own = measured.map_or_else(Vec::new, |measured| articles::sides(&measured.records));
    let named = |report: Option<&Report>, apis: &[Side]| {
        let Report { name, records } = report?;
        let first = records.first()?;
        let apis = joined(apis.iter().map(|side| side.label), " and ");
        let kind = if is_software(first) { ", a software device" } else { "" };
        Some(format!("{}{kind}, {apis}, {} ({name})", first.device, first.date.get(..10).unwrap_or(&first.date)))
    };
    let none = "No report yet in reports/ or results/: `shaderbench explain --run` creates one; `--report h100` \
                uses the built-in report of an NVIDIA H100";
    let mut lines = vec![named(measured, &own).map_or_else(|| none.to_owned(), |of| format!("Answers for {of}"))];
    if let Some(shown) = example {
        let first = articles::sides(&shown.records).into_iter().next();
        lines.extend(named(example, first.as_slice()).map(|of| format!("{EXAMPLE_LABEL}: {of}")));
        own.extend(first.map(|side| Side { label: EXAMPLE_LABEL, ..side }));
    }
    (lines.into_iter().map(|text| Part::Text { text, indent: "  " }).collect(), own)
}

pub(super) fn all(sides: &[Side]) -> Vec<Vec<Part>> {
    let text = "`shaderbench explain D` shows a chapter, `explain D5` one step. `explain D5 --run` measures the \
                step on this machine. `explain glossary` lists CUDA terms and their WGSL names.";
    let next = Part::Field { label: "next", text: text.to_owned() };
    vec![heading("CUDA memory in five chapters".to_owned()), articles::overview(sides), vec![next]]
}

/// Steps with their verdicts. Several steps of one chapter begin with its title.
pub(super) fn each(steps: &[&'static ArticleClaim], sides: &[Side]) -> Vec<Vec<Part>> {
    let chapter = match steps {
        [first, rest @ ..] if !rest.is_empty() && rest.iter().all(|step| step.chapter() == first.chapter()) => {
            Some(heading(articles::chapter(first.chapter())))
        }
        _ => None,
    };
    chapter.into_iter().chain(steps.iter().map(|step| articles::step(step, sides))).collect()
}

fn heading(name: String) -> Vec<Part> {
    vec![Part::Heading { name, rest: String::new() }]
}

/// Whether the name has the form of a step or chapter (a letter and digits) or of an article (three digits).
pub(super) fn is_step(name: &str) -> bool {
    let are_digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let is_article = name.len() == 3 && are_digits(name);
    is_article || name.starts_with(|c: char| c.is_ascii_alphabetic()) && are_digits(&name[1..])
}

/// The steps of a step's id, or of a chapter.
pub(super) fn steps_named(name: &str) -> Result<Vec<&'static ArticleClaim>> {
    let steps = named(name);
    if steps.is_empty() {
        return Err(usage!("there is no step '{name}': the steps are {}", ids()));
    }
    Ok(steps)
}

/// The name of the first device, if it is not a GPU.
fn software_device() -> Result<Option<String>> {
    let devices = list(None)?.devices;
    let runs = select_runs(&devices, None, None)?;
    let device = &devices[runs[0][0]];
    Ok((device.kind == DeviceType::Software).then(|| device.name.clone()))
}

/// Runs the benchmarks of these steps and the `further` ones; returns the exit code and the report. A software device
/// does not run those of claims about time.
pub(super) fn measure(steps: &[&ArticleClaim], further: &[String]) -> Result<(u8, Option<PathBuf>)> {
    let timed = steps.iter().filter(|step| step.is_timing).count();
    let software = if timed > 0 { software_device()? } else { None };
    if let Some(name) = &software {
        let claims = plural(timed, "claim about time is", "claims about time are");
        say(&format!("{name} is a software device: its times do not represent a GPU, so {claims} not measured"));
    }
    let run_steps = steps.iter().filter(|step| software.is_none() || !step.is_timing);
    let kernels: BTreeSet<&str> =
        run_steps.flat_map(|step| step.kernels).copied().chain(further.iter().map(String::as_str)).collect();
    if kernels.is_empty() {
        if software.is_none() {
            say("these steps have no benchmarks: nothing to measure");
        }
        return Ok((0, None));
    }
    let reports = || reader::files(Path::new(OWN)).map_or_else(|_| Vec::new(), |found| found.reports);
    let known: BTreeSet<PathBuf> = reports().into_iter().collect();
    let words = ["run", "--profile", "quick"].into_iter().chain(kernels);
    let code = run::run(run::Arguments::without_tables(words)?)?;
    Ok((code, reports().into_iter().find(|path| !known.contains(path))))
}
