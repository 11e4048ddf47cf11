//! The cost of the portable API on one screen.

use super::cases::{Case, Cost, JobCost};
use crate::report::layout::{Column, Grid, Part, Row};
use crate::report::{Medium, lay_out};
use crate::summary::size;
use record::format;
use record::stats::Estimate;

/// Lines of the screen: a terminal has two more, for the command and the prompt.
pub const LINES: usize = 22;

/// Minimum terminal width for the size and the kernel of each job.
const WIDE: usize = 116;

/// The mark of a twin that is another kernel.
const DIFFERS: &str = "†";

/// What a ratio reads as whose interval includes 1.
const AS_FAST: &str = "as fast";

/// The screen of a card: the answer in a sentence, a line for each job, and what its marks mean. `name` is that of the
/// report.
#[must_use]
pub fn screen(cost: &Cost, name: &str, medium: Medium) -> String {
    if cost.jobs.iter().all(|job| job.shown.twin.is_none() && job.shown.library.is_none()) {
        return lay_out(vec![Part::text(&sentence(cost)), Part::text(name)], medium);
    }
    let mut parts = vec![Part::text(&sentence(cost)), Part::Table(grid(cost, medium.terminal().width >= WIDE))];
    let which = if medium.terminal().width >= WIDE { "this size" } else { "the size in `summary`" };
    let [portable, native] = [cost.portable.title(), cost.native.title()];
    let meaning = format!(
        "{portable} time ÷ {native} or library time, at {which} and over all sizes; above 1, {portable} is slower."
    );
    parts.push(Part::text(&meaning));
    parts.extend(different(cost).map(|text| Part::Text { text, indent: "  " }));
    parts.extend(beyond(cost).map(|text| Part::Text { text, indent: "  " }));
    if cost.without_library > 0 {
        let jobs = if cost.without_library == 1 { "job" } else { "jobs" };
        let command = "shaderbench run --backend all --profile standard";
        parts.push(Part::text(&format!("libraries of {} more {jobs}: `{command}`", cost.without_library)));
    }
    if let Some(row) = cost.jobs.first().map(|job| job.shown.row) {
        let day = row.date.get(..10).unwrap_or(&row.date);
        parts.push(Part::text(&format!("{}: {name}", format::joined([row.device.as_str(), day], ", "))));
    }
    lay_out(parts, medium)
}

/// A ratio and what stands behind it, its noise; `None` if it is too noisy to quote.
fn times(ratio: Estimate) -> Option<(String, String)> {
    if ratio.low <= 1.0 && ratio.high >= 1.0 {
        // Noise that may hide a difference of a third is no answer.
        return (ratio.high / ratio.low < 4.0 / 3.0).then(|| (AS_FAST.to_owned(), String::new()));
    }
    Some((format::ratio_number(ratio.value), format::plus_minus(format::quotable(ratio)?)))
}

/// The answer: in how many jobs the portable API is slower, and by how much.
fn sentence(cost: &Cost) -> String {
    let [portable, native] = [cost.portable.title(), cost.native.title()];
    // The dearest is first.
    let judged: Vec<(&JobCost, Estimate, (String, String))> =
        cost.jobs.iter().filter_map(|job| Some((job, job.shown.twin?, times(job.shown.twin?)?))).collect();
    let dearer: Vec<_> = judged.iter().filter(|(_, ratio, _)| ratio.low > 1.0).collect();
    let all = format::plural(judged.len(), "job", "jobs");
    let named = |job: &JobCost| format!("{}{}", job.name, if job.has_other_twin() { DIFFERS } else { "" });
    let start = format!("{portable} is slower than {native} in {} of {all}", dearer.len());
    match dearer.as_slice() {
        [] if judged.is_empty() => format!("No job has both a {portable} time and a {native} time of the same kernel."),
        [] => format!("{portable} is as fast as {native} or faster in each of {all}."),
        [(job, _, (text, noise))] => format!("{start}: {} {text}×{noise}.", named(job)),
        [(job, _, (text, noise)), (_, _, (next, of_next)), ..] => {
            format!("{start}: {} {text}×{noise}, others up to {next}×{of_next}.", named(job))
        }
    }
}

impl JobCost<'_> {
    fn has_other_twin(&self) -> bool {
        self.shown.twin.is_some() && self.shown.twin_differs.is_some()
    }
}

fn grid(cost: &Cost, is_wide: bool) -> Grid {
    let of_wide = if is_wide { &["size", "kernel"][..] } else { &[] };
    let of_native = format!("÷ {} ", cost.native.title());
    let figures = [&*of_native, "all sizes", "÷ library", "all sizes"].map(Column::right);
    let columns = of_wide.iter().map(|heading| Column::left(*heading)).chain(figures).chain([Column::left("why")]);
    Grid::new(columns, cost.jobs.iter().map(|job| row(job, is_wide)))
}

fn row(job: &JobCost, is_wide: bool) -> Row {
    let shown = &job.shown;
    let mark = if job.has_other_twin() { DIFFERS } else { " " };
    let twin = shown.twin.map_or_else(|| "–".to_owned(), or_unclear);
    let library = shown
        .library
        .map_or_else(String::new, |beside| format!("{} {}", beside.library.title(), or_unclear(beside.ratio)));
    let mut cells = if is_wide { vec![size(shown.row), shown.row.benchmark.clone()] } else { Vec::new() };
    let of_library = |case: &Case| case.library.map(|beside| beside.ratio);
    cells.extend([
        format!("{twin}{mark}"),
        range(job.cases.iter().filter_map(|case| case.twin)),
        library,
        range(job.cases.iter().filter_map(of_library)),
    ]);
    // A cause of nothing explains nothing.
    let is_slower = job.cases.iter().any(|case| case.twin.is_some_and(|ratio| ratio.low > 1.0));
    cells.push(if is_slower { job.cause.to_owned() } else { String::new() });
    Row::new("", &job.name, cells)
}

fn or_unclear(ratio: Estimate) -> String {
    times(ratio).map_or_else(|| "unclear".to_owned(), |(text, noise)| text + &noise)
}

/// The smallest and the largest of the ratios that can be quoted, as they are quoted, if there are two: `0.972–1.46`.
pub(super) fn range(ratios: impl Iterator<Item = Estimate>) -> String {
    let number = |ratio: Estimate| match times(ratio)? {
        (text, _) if text == AS_FAST => Some((1.0, "1".to_owned())),
        (text, _) => Some((ratio.value, text)),
    };
    let mut quoted: Vec<(f64, String)> = ratios.filter_map(number).collect();
    quoted.sort_by(|a, b| a.0.total_cmp(&b.0));
    match quoted.as_slice() {
        [(_, first), .., (_, last)] if first == last => first.clone(),
        [(_, first), .., (_, last)] => format!("{first}–{last}"),
        _ => String::new(),
    }
}

/// What twins do that their kernels do not.
fn different(cost: &Cost) -> Option<String> {
    let jobs = cost.jobs.iter().filter(|job| job.has_other_twin());
    let texts: Vec<String> =
        jobs.filter_map(|job| Some(format!("{} ({})", job.name, job.shown.twin_differs?))).collect();
    (!texts.is_empty()).then(|| format!("{DIFFERS} Not a like-for-like port: {}.", texts.join(", ")))
}

/// How fast kernels are that only CUDA can express.
fn beyond(cost: &Cost) -> Option<String> {
    let mut of_kernels: Vec<(&str, Vec<String>)> = Vec::new();
    for job in &cost.jobs {
        // What helps beyond WGSL is faster than CUDA with the same kernel, too.
        let least = job.shown.twin.map_or(1.0, |twin| twin.high.max(1.0));
        let Some((row, ratio)) = job.shown.beyond.filter(|(_, ratio)| ratio.low > least) else { continue };
        let Some((times, noise)) = times(ratio) else { continue };
        match of_kernels.iter_mut().find(|(name, _)| *name == row.benchmark) {
            Some((_, texts)) => texts.push(format!("{times}×{noise} in {}", job.name)),
            None => of_kernels.push((&row.benchmark, vec![format!("{times}×{noise} as fast in {}", job.name)])),
        }
    }
    let texts: Vec<String> = of_kernels.iter().map(|(name, texts)| format!("{name} is {}", texts.join(", "))).collect();
    (!texts.is_empty()).then(|| format!("Beyond WGSL, in {}: {}.", cost.native.title(), texts.join("; ")))
}
