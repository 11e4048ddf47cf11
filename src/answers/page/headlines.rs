//! The headline figures of a side with their intervals, for the chart that compares two sides and for links.

use serde::Serialize;

use super::figure::Figure;
use super::screen;
use crate::answers::compare::Comparison;
use crate::answers::summary::figures::{Best, Peak, Space, best, counted, peaks, rated, spaces};
use crate::answers::summary::{arithmetic_name, pair_of};
use crate::families;
use crate::record::Record;
use crate::record::stats::Estimate;
use crate::suite::{self, Limit, Scalar};

/// A headline figure, as the summary has it.
#[derive(Debug, Serialize)]
pub(super) struct Headline {
    /// What the reader calls it; the same on every side.
    name: String,
    /// `GB/s`, `GFLOP/s`, `GOP/s` or `ns`.
    unit: &'static str,
    value: Figure,
    /// Ends of the 95 % interval.
    low: Figure,
    high: Figure,
}

/// The headline figures of the rows of one side, by the names of the summary: memory, arithmetic, launch, jobs.
#[must_use]
pub(super) fn headlines(rows: &[&Record]) -> Vec<Headline> {
    let memory = spaces(rows).into_iter().flat_map(of_space).flatten();
    let arithmetic = peaks(rows).into_iter().filter_map(of_peak);
    let jobs = best(rows).into_iter().filter_map(|best| of_job(&best, rows));
    memory.chain(arithmetic).chain(jobs).collect()
}

/// A job of the summary, and the case by which each two sides compare it.
#[derive(Debug, Serialize)]
pub(super) struct JobPairs {
    name: &'static str,
    unit: &'static str,
    /// Whether the rate is one of bytes, else of operations.
    is_largest: bool,
    /// Two sides, the lower index first, and the index of the case of the fastest kernel of one source that both have.
    pairs: Vec<[usize; 3]>,
}

/// The jobs of the summary that a comparison has.
pub(super) fn jobs(comparison: &Comparison) -> Vec<JobPairs> {
    let sides = comparison.sides.len();
    let rows: Vec<Vec<&Record>> = (0..sides).map(|side| screen::rows(comparison, side)).collect();
    let cases: Vec<_> = (0..sides).map(|side| screen::cases_of(comparison, side)).collect();
    let job = |(family, job): (&str, &'static suite::Headline)| {
        let row = *rows.iter().find_map(|rows| counted(family, job, rows).first().copied()).as_ref()?;
        let unit = if job.is_largest { "GB/s" } else { operations(row.dtype.map(|dtype| dtype.scalar())) };
        let pair = |(a, b): (usize, usize)| {
            let [row, _] = pair_of(family, job, [&rows[a], &rows[b]])?;
            Some([a, b, *cases[a].get(&std::ptr::from_ref(row))?])
        };
        let pairs = (0..sides).flat_map(|b| (0..b).map(move |a| (a, b))).filter_map(pair).collect();
        Some(JobPairs { name: job.name, unit, is_largest: job.is_largest, pairs })
    };
    families::headlines().into_iter().filter_map(job).collect()
}

fn headline(name: impl Into<String>, unit: &'static str, estimate: Option<Estimate>) -> Option<Headline> {
    let Estimate { value, low, high } = estimate?;
    let [value, low, high] = [value, low, high].map(|end| Figure::new(end, 5));
    Some(Headline { name: name.into(), unit, value: value?, low: low?, high: high? })
}

fn of_space(space: Space) -> [Option<Headline>; 3] {
    let name = &space.name;
    [
        headline(format!("{name} read"), "GB/s", space.read),
        headline(format!("{name} copy"), "GB/s", space.copy),
        headline(format!("{name} latency"), "ns", space.latency),
    ]
}

fn of_peak(peak: Peak) -> Option<Headline> {
    match peak.limit {
        Limit::Fma => headline(format!("FMA {}", arithmetic_name(&peak)), operations(peak.scalar), peak.gflop_per_s),
        Limit::Tensor => headline(arithmetic_name(&peak), operations(peak.scalar), peak.gflop_per_s),
        Limit::Launch => headline("launch", "ns", peak.ns),
        // Figures of memory, and of tensor cores with other factors.
        _ => None,
    }
}

fn of_job(best: &Best, rows: &[&Record]) -> Option<Headline> {
    let all = rated(&best.row.family, best.job, rows);
    let (row, rate) = all.into_iter().find(|(row, _)| std::ptr::eq(*row, best.row))?;
    let unit = if best.job.is_largest { "GB/s" } else { operations(row.dtype.map(|dtype| dtype.scalar())) };
    headline(best.job.name, unit, Some(rate))
}

/// The unit of a rate of operations on a type; without one, of tensor cores.
fn operations(scalar: Option<Scalar>) -> &'static str {
    if scalar.is_none_or(Scalar::is_float) { "GFLOP/s" } else { "GOP/s" }
}
