//! The fastest WGSL kernel of each job at each size, compared with its CUDA port and the library.

use crate::report::toolchains;
use crate::summary::figures::{Beside, Contest, beside, best_of, beyond_wgsl, contests};
use crate::versus::Ratios;
use kernels::{FAMILIES, benchmark, is_library, jobs};
use record::Record;
use record::format::distinct;
use record::stats::Estimate;
use record::suite::{Api, Dtype, Headline, Toolchain};

/// The cost of the portable API on one card, by job, the largest ratio first.
pub struct Cost<'a> {
    pub(super) portable: Toolchain<'a>,
    pub(super) native: Toolchain<'a>,
    pub(super) jobs: Vec<JobCost<'a>>,
    /// Number of families that have a library in the suite, but no row of it here.
    pub(super) without_library: usize,
}

pub(super) struct JobCost<'a> {
    pub(super) name: &'static str,
    pub(super) family: &'static str,
    /// Why WGSL is slower than its CUDA port in the case shown; empty if it is not, or if the cause is unknown.
    pub(super) cause: &'static str,
    pub(super) shown: Case<'a>,
    /// All cases of the same type, including the one shown.
    pub(super) cases: Vec<Case<'a>>,
}

#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) row: &'a Record,
    /// WGSL time ÷ time of its CUDA port, if both were measured.
    pub(super) twin: Option<Estimate>,
    /// What the CUDA port does differently.
    pub(super) twin_differs: Option<&'static str>,
    pub(super) library: Option<Beside<'a>>,
    /// The kernel that only CUDA can express, and the time of `row` ÷ its time.
    pub(super) beyond: Option<(&'a Record, Estimate)>,
}

impl<'a> Cost<'a> {
    /// The cost in the rows of one card; `None` without jobs or CUDA rows. Only the first portable toolchain counts.
    /// `is_wanted` selects its rows; jobs and sizes without selected rows are left out.
    #[must_use]
    pub fn new(records: &'a [Record], is_wanted: impl Fn(&Record) -> bool) -> Option<Self> {
        let toolchains = toolchains(records);
        let first = |is_cuda: bool| toolchains.iter().copied().find(|of| (of.api == Api::Cuda) == is_cuda);
        let (portable, native) = (first(false)?, first(true)?);
        let all: Vec<&Record> = records.iter().collect();
        let is_own = |row: &&Record| row.toolchain() == Some(portable) && is_wanted(row);
        let rows: Vec<&Record> = all.iter().copied().filter(is_own).collect();
        let ratios = Ratios::new(&all, [portable, native]);
        let case = |row| Case {
            row,
            twin: ratios.of(row),
            twin_differs: benchmark(&row.family, &row.benchmark).and_then(|benchmark| benchmark.twin_differs),
            library: beside(row, &all),
            beyond: beyond_wgsl(row, &all),
        };
        let job = |(family, job): &(&'static str, &'static Headline)| {
            let best = best_of(family, job, &rows)?;
            let cases: Vec<Case> = fastest(contests(family, job, &rows), best.row.dtype).map(case).collect();
            let shown = *cases.iter().find(|case| std::ptr::eq(case.row, best.row))?;
            // The causes were shown only at sizes that saturate a GPU.
            let is_behind = !best.is_small && shown.twin.is_some_and(is_behind);
            Some(JobCost { name: job.name, family, cause: if is_behind { job.cause } else { "" }, shown, cases })
        };
        let mut costs: Vec<JobCost> = Vec::new();
        for cost in jobs().iter().filter_map(job) {
            // If the device cannot run a job's fastest kernel, the job would show the same row as an earlier job.
            if !costs.iter().any(|known| std::ptr::eq(known.shown.row, cost.shown.row)) {
                costs.push(cost);
            }
        }
        costs.sort_by(|a, b| b.worst().total_cmp(&a.worst()));
        let has_time = |family: &str| all.iter().any(|row| row.family == family && is_library(row));
        let lacks = |family: &&str| {
            let family = FAMILIES.iter().find(|known| known.name == *family);
            family.is_some_and(|of| of.benchmarks.iter().any(|of| of.library.is_some()) && !has_time(of.name))
        };
        let without_library =
            distinct(costs.iter().map(|cost| cost.family)).iter().filter(|family| lacks(family)).count();
        (!costs.is_empty()).then_some(Self { portable, native, jobs: costs, without_library })
    }
}

impl JobCost<'_> {
    /// The larger of the job's ratios; 0 without any.
    fn worst(&self) -> f64 {
        let library = self.shown.library.map(|beside| beside.ratio);
        [self.shown.twin, library].into_iter().flatten().map(|ratio| ratio.value).fold(0.0, f64::max)
    }
}

/// Losses up to this fraction are negligible for users.
pub(super) const SMALL: f64 = 0.1;

/// Whether a ratio of times certainly exceeds a negligible loss.
pub(super) fn is_behind(ratio: Estimate) -> bool {
    ratio.low > 1.0 + SMALL
}

pub(super) fn fastest<'a>(contests: Vec<Contest<'a>>, dtype: Option<Dtype>) -> impl Iterator<Item = &'a Record> {
    contests.into_iter().map(|contest| contest.ranking.best).filter(move |row| row.dtype == dtype)
}
