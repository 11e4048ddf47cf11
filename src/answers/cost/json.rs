//! The cost of the portable API as JSON.

use serde::Serialize;

use super::cases::{Case, Cost, JobCost};
use super::elsewhere::{Elsewhere, elsewhere};
use record::stats::Estimate;

/// The cost on a card. Ratios are WGSL time ÷ time of the port, library or kernel it is compared with.
#[derive(Debug, Serialize)]
pub struct Costs<'a> {
    report: &'a str,
    device: &'a str,
    driver: &'a str,
    date: &'a str,
    api: &'static str,
    compiler: &'a str,
    twin_api: &'static str,
    jobs: Vec<Job<'a>>,
}

#[derive(Debug, Serialize)]
struct Job<'a> {
    job: &'a str,
    family: &'a str,
    cause: &'a str,
    cases: Vec<Size<'a>>,
}

#[derive(Debug, Serialize)]
struct Size<'a> {
    benchmark: &'a str,
    dtype: &'a str,
    n: String,
    params: String,
    median_ns: Option<f64>,
    is_headline: bool,
    twin_time_ratio: Option<Estimate>,
    /// What the CUDA port does differently.
    twin_differs: Option<&'static str>,
    library: Option<&'static str>,
    library_benchmark: Option<&'a str>,
    library_time_ratio: Option<Estimate>,
    beyond_benchmark: Option<&'a str>,
    beyond_time_ratio: Option<Estimate>,
    /// Another program's rate through the same API, not verified by the suite.
    elsewhere: Option<&'static Elsewhere>,
}

/// The figures of the screen, plus those of all sizes.
#[must_use]
pub fn json<'a>(cost: &'a Cost<'a>, report: &'a str) -> Option<Costs<'a>> {
    let first = cost.jobs.first()?.shown.row;
    Some(Costs {
        report,
        device: &first.device,
        driver: &first.driver,
        date: &first.date,
        api: cost.portable.api.name(),
        compiler: cost.portable.foreign(),
        twin_api: cost.native.api.name(),
        jobs: cost.jobs.iter().map(job).collect(),
    })
}

fn job<'a>(job: &'a JobCost<'a>) -> Job<'a> {
    let size = |case: &Case<'a>| Size {
        benchmark: &case.row.benchmark,
        dtype: case.row.dtype_name(),
        n: case.row.size(),
        params: case.row.params_text(),
        median_ns: case.row.median_ns,
        is_headline: std::ptr::eq(case.row, job.shown.row),
        twin_time_ratio: case.twin,
        twin_differs: case.twin_differs,
        library: case.library.map(|beside| beside.library.title()),
        library_benchmark: case.library.map(|beside| beside.row.benchmark.as_str()),
        library_time_ratio: case.library.map(|beside| beside.ratio),
        beyond_benchmark: case.beyond.map(|(row, _)| row.benchmark.as_str()),
        beyond_time_ratio: case.beyond.map(|(_, ratio)| ratio),
        elsewhere: elsewhere(job.name, case.row),
    };
    Job { job: job.name, family: job.family, cause: job.cause, cases: job.cases.iter().map(size).collect() }
}
