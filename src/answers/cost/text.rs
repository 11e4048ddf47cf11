//! The cost of the portable API on one screen.

use super::cases::{Case, Cost, JobCost, SMALL, is_behind};
use super::elsewhere::elsewhere;
use crate::report::layout::{Column, Grid, Part, Row};
use crate::report::{Medium, lay_out};
use crate::summary::size;
use record::format;
use record::stats::Estimate;

/// Lines of the screen. A terminal needs two more, for the command and the prompt.
pub const LINES: usize = 22;

/// Minimum terminal width for the size and the kernel of each job.
const WIDE: usize = 116;

/// Marks ports that are not like-for-like.
const DIFFERS: &str = "†";

/// Shown for ratios whose interval includes 1.
const AS_FAST: &str = "same";

/// The screen of a card: the answer in two sentences, one line per job with a noticeable loss (or per job with
/// `has_all`), and the meaning of the marks. `name` is the name of the report.
#[must_use]
pub fn screen(cost: &Cost, name: &str, has_all: bool, medium: Medium) -> String {
    if cost.jobs.iter().all(|job| job.shown.twin.is_none() && job.shown.library.is_none()) {
        return lay_out(vec![Part::text(&sentence(cost)), Part::text(name)], medium);
    }
    let is_wide = medium.terminal().width >= WIDE;
    let is_shown = |job: &&JobCost| {
        let mut ratios = job.ratios().into_iter().flatten().peekable();
        has_all || ratios.peek().is_none() || ratios.any(|ratio| ratio.high > 1.0 + SMALL)
    };
    let (shown, rest): (Vec<&JobCost>, Vec<&JobCost>) = cost.jobs.iter().partition(is_shown);
    let mut parts = vec![Part::text(&sentence(cost))];
    if !shown.is_empty() {
        parts.push(Part::Table(grid(cost, &shown, is_wide)));
    }
    let mut note = |text: String| parts.push(Part::Text { text, indent: "  " });
    let [portable, native] = [cost.portable.title(), cost.native.title()];
    note(format!("{portable} time ÷ {native} or library time at the largest size (GEMM, attention: best)."));
    if !rest.is_empty() {
        let names = format::joined(rest.iter().map(|job| job.name), ", ");
        note(format!("At most 10 % slower at that size: {names}. All: `shaderbench cost FILE '*'`."));
    }
    [different(&shown), beyond(cost), other_vulkan(cost)].into_iter().flatten().for_each(&mut note);
    if cost.without_library > 0 {
        let families = format::plural(cost.without_library, "more family", "more families");
        note(format!("For library times of {families}, run `shaderbench run --backend all --profile standard`."));
    }
    if let Some(row) = cost.jobs.first().map(|job| job.shown.row) {
        let day = row.date.get(..10).unwrap_or(&row.date);
        note(format!("{}: {name}", format::joined([row.device.as_str(), day], ", ")));
    }
    lay_out(parts, medium)
}

/// A ratio and its noise as text; `None` if it is too noisy to quote.
fn times(ratio: Estimate) -> Option<(String, String)> {
    if ratio.low <= 1.0 && ratio.high >= 1.0 {
        return is_even(ratio).then(|| (AS_FAST.to_owned(), String::new()));
    }
    Some((format::ratio_number(ratio.value), format::plus_minus(format::quotable(ratio)?)))
}

/// The answer: the jobs in which the portable API is slower than the libraries and than the ports, and by how much.
fn sentence(cost: &Cost) -> String {
    let sides = ["NVIDIA's libraries".to_owned(), format!("the {} port", cost.native.title())];
    let texts: Vec<String> = sides.iter().enumerate().filter_map(|(side, whose)| against(cost, side, whose)).collect();
    if texts.is_empty() {
        let [portable, native] = [cost.portable.title(), cost.native.title()];
        return format!("No job has both a {portable} time and a {native} time of the same kernel.");
    }
    texts.join("\n")
}

/// The jobs that are slower than one side, and the number of those that are not; `None` if there are none to compare.
fn against(cost: &Cost, side: usize, whose: &str) -> Option<String> {
    let (mut behind, mut even, mut faster, mut unclear) = (Vec::new(), 0, 0, 0);
    for job in &cost.jobs {
        let Some(ratio) = job.ratios()[side] else { continue };
        let text = || times(ratio).map_or_else(|| "(noisy)".to_owned(), |(text, noise)| format!("{text}×{noise}"));
        match () {
            () if is_behind(ratio) => behind.push((ratio.value, job, text())),
            () if is_even(ratio) => even += 1,
            () if ratio.high < 1.0 / (1.0 + SMALL) => faster += 1,
            () => unclear += 1,
        }
    }
    behind.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mark = |job: &JobCost| if side == TWIN && job.has_other_twin() { DIFFERS } else { "" };
    let named = behind.iter().map(|(_, job, text)| format!("{}{} {text}", job.name, mark(job)));
    let slower = if behind.is_empty() { "none".to_owned() } else { format::joined(named, ", ") };
    let job = |count: usize| format::plural(count, "job", "jobs");
    let counts = [
        (even, format!("{} within 10 %", job(even))),
        (faster, format!("{faster} faster")),
        (unclear, format!("{unclear} too close to call")),
    ];
    let counts = format::joined(counts.iter().filter(|(count, _)| *count > 0).map(|(_, text)| text), ", ");
    let is_none = behind.is_empty() && counts.is_empty();
    (!is_none).then(|| format!("Slower than {whose}: {}.", format::joined([slower, counts], "; ")))
}

/// Whether times certainly differ by little: noise could hide more.
fn is_even(ratio: Estimate) -> bool {
    ratio.low >= 1.0 / (1.0 + SMALL) && ratio.high <= 1.0 + SMALL
}

const TWIN: usize = 1;

impl JobCost<'_> {
    /// WGSL time ÷ library time, and ÷ time of the port, in the case shown.
    fn ratios(&self) -> [Option<Estimate>; 2] {
        [self.shown.library.map(|beside| beside.ratio), self.shown.twin]
    }

    fn has_other_twin(&self) -> bool {
        self.shown.twin.is_some() && self.shown.twin_differs.is_some()
    }
}

fn grid(cost: &Cost, jobs: &[&JobCost], is_wide: bool) -> Grid {
    let of_wide = if is_wide { &["size", "kernel"][..] } else { &[] };
    let of_native = format!("÷ {} ", cost.native.title());
    let figures = ["÷ library", "all sizes", &of_native].map(Column::right);
    let rest = [Column::left("why"), Column::right("all sizes")];
    let columns = of_wide.iter().map(|heading| Column::left(*heading)).chain(figures).chain(rest);
    Grid::new(columns, jobs.iter().map(|job| row(job, is_wide)))
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
        library,
        range(job.cases.iter().filter_map(of_library)),
        format!("{twin}{mark}"),
        job.cause.to_owned(),
        range(job.cases.iter().filter_map(|case| case.twin)),
    ]);
    Row::new("", job.name, cells)
}

fn or_unclear(ratio: Estimate) -> String {
    times(ratio).map_or_else(|| "unclear".to_owned(), |(text, noise)| text + &noise)
}

/// The smallest and largest quotable ratio, as quoted: `0.972–1.46`. Empty if there are fewer than two.
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

fn different(jobs: &[&JobCost]) -> Option<String> {
    let jobs = jobs.iter().filter(|job| job.has_other_twin());
    let texts: Vec<String> =
        jobs.filter_map(|job| Some(format!("{} ({})", job.name, job.shown.twin_differs?))).collect();
    (!texts.is_empty()).then(|| format!("{DIFFERS} Not a like-for-like port: {}.", texts.join(", ")))
}

fn beyond(cost: &Cost) -> Option<String> {
    let mut of_kernels: Vec<(&str, Vec<String>)> = Vec::new();
    for job in &cost.jobs {
        // Such a kernel must also be faster than the CUDA port.
        let least = job.shown.twin.map_or(1.0, |twin| twin.high.max(1.0));
        let Some((row, ratio)) = job.shown.beyond.filter(|(_, ratio)| ratio.low > least) else { continue };
        let Some((times, noise)) = times(ratio) else { continue };
        match of_kernels.iter_mut().find(|(name, _)| *name == row.benchmark) {
            Some((_, texts)) => texts.push(format!("{times}×{noise} in {}", job.name)),
            None => of_kernels.push((&row.benchmark, vec![format!("{times}×{noise} as fast in {}", job.name)])),
        }
    }
    let texts: Vec<String> = of_kernels.iter().map(|(name, texts)| format!("{name} is {}", texts.join(", "))).collect();
    (!texts.is_empty()).then(|| format!("Possible only in {}: {}.", cost.native.title(), texts.join("; ")))
}

/// The rates of other programs through Vulkan in the same cases, each with that of the row.
fn other_vulkan(cost: &Cost) -> Option<String> {
    let of_case = |job: &JobCost, case: &Case| {
        let (other, own) = (elsewhere(job.name, case.row)?, case.row.gflop_per_s?);
        let [other_rate, own] = [other.gflop_per_s, own].map(|rate| format::operation_rate(rate, true));
        let case = format!("{} {}", job.name, size(case.row));
        Some((other, format!("{case} {other_rate} ({}), shaderbench {own}", other.program)))
    };
    let found: Vec<_> =
        cost.jobs.iter().flat_map(|job| job.cases.iter().filter_map(|case| of_case(job, case))).collect();
    let (first, _) = found.first()?;
    let texts = format::joined(found.iter().map(|(_, text)| text), "; ");
    Some(format!("Measured with other programs through Vulkan on {}, results not verified: {texts}.", first.date))
}
