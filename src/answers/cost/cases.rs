//! The fastest WGSL kernel of each job at each size, beside its twin and the library.

use std::sync::LazyLock;

use crate::report::toolchains;
use crate::summary::figures::{Beside, Contest, beside, best_of, beyond_wgsl, contests};
use crate::versus::Ratios;
use kernels::{FAMILIES, benchmark, headlines};
use record::Record;
use record::stats::Estimate;
use record::suite::{Api, Benchmark, Dtype, Family, Headline, Toolchain};

/// What the portable API costs on one card, by job, the dearest first.
pub struct Cost<'a> {
    /// What runs WGSL.
    pub(super) portable: Toolchain<'a>,
    /// What runs the twins.
    pub(super) native: Toolchain<'a>,
    pub(super) jobs: Vec<JobCost<'a>>,
    /// Jobs that have a library in the suite, but no time of one in these rows.
    pub(super) without_library: usize,
}

/// A job at all sizes.
pub(super) struct JobCost<'a> {
    pub(super) name: String,
    pub(super) family: &'static str,
    /// Why WGSL takes longer, where that is known; else empty.
    pub(super) cause: &'static str,
    /// The case that the summary shows.
    pub(super) shown: Case<'a>,
    /// All cases of its type, this one among them.
    pub(super) cases: Vec<Case<'a>>,
}

/// The fastest WGSL kernel of a job at one size.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) row: &'a Record,
    /// Its time ÷ that of its twin, if both were measured.
    pub(super) twin: Option<Estimate>,
    /// What the twin does that the kernel does not.
    pub(super) twin_differs: Option<&'static str>,
    pub(super) library: Option<Beside<'a>>,
    /// The kernel that only CUDA can express, and the time of `row` ÷ its time.
    pub(super) beyond: Option<(&'a Record, Estimate)>,
}

impl<'a> Cost<'a> {
    /// The cost in the rows of one card; `None` without rows of WGSL and of CUDA. With several portable toolchains, that of
    /// the first.
    #[must_use]
    pub fn new(records: &'a [Record]) -> Option<Self> {
        let toolchains = toolchains(records);
        let first = |is_cuda: bool| toolchains.iter().copied().find(|of| (of.api == Api::Cuda) == is_cuda);
        let (portable, native) = (first(false)?, first(true)?);
        let all: Vec<&Record> = records.iter().collect();
        let rows: Vec<&Record> = all.iter().copied().filter(|row| row.toolchain() == Some(portable)).collect();
        let ratios = Ratios::new(&all, [portable, native]);
        let case = |row| Case {
            row,
            twin: ratios.of(row),
            twin_differs: benchmark(&row.family, &row.benchmark).and_then(|benchmark| benchmark.twin_differs),
            library: beside(row, &all),
            beyond: beyond_wgsl(row, &all),
        };
        let job = |(family, job): &(&'static Family, &'static Headline)| {
            let kept = best_of(family.name, job, &rows)?.row;
            let cases: Vec<Case> = fastest(contests(family.name, job, &rows), kept.dtype).map(case).collect();
            let shown = *cases.iter().find(|case| std::ptr::eq(case.row, kept))?;
            let is_family = job.name.is_empty();
            let name = if is_family { family.name.replace('_', " ") } else { job.name.to_owned() };
            let cause = if is_family { family.cause } else { job.cause };
            Some(JobCost { name, family: family.name, cause, shown, cases })
        };
        let mut costs: Vec<JobCost> = jobs().iter().filter_map(job).collect();
        let twin_ratio = |cost: &JobCost| cost.shown.twin.map_or(0.0, |ratio| ratio.value);
        costs.sort_by(|a, b| twin_ratio(b).total_cmp(&twin_ratio(a)));
        let lacks = |cost: &&JobCost| {
            let family = FAMILIES.iter().find(|family| family.name == cost.family);
            let of_type = |library: &&Benchmark| {
                let dtype = cost.shown.row.dtype;
                library.blocks().any(|(dtypes, ..)| dtype.is_some_and(|dtype| dtypes.contains(&dtype)))
            };
            let has_one = family.is_some_and(|family| libraries(family).any(|library| of_type(&library)));
            has_one && cost.cases.iter().all(|case| case.library.is_none())
        };
        let without_library = costs.iter().filter(lacks).count();
        Some(Self { portable, native, jobs: costs, without_library })
    }
}

/// The jobs of the summary, and the families without one that have a vendor's library.
fn jobs() -> Vec<(&'static Family, &'static Headline)> {
    static JOBS: LazyLock<Vec<(&'static Family, &'static Headline)>> = LazyLock::new(|| {
        let family = |name: &str| FAMILIES.iter().copied().find(|family| family.name == name);
        let named = headlines().into_iter().filter_map(|(name, job)| Some((family(name)?, job)));
        let is_whole = |family: &&'static Family| family.headlines.is_empty() && libraries(family).next().is_some();
        named.chain(FAMILIES.iter().copied().filter(is_whole).map(|family| (family, &Headline::WHOLE))).collect()
    });
    JOBS.clone()
}

/// The libraries of a family that compute with its types as they are.
fn libraries(family: &'static Family) -> impl Iterator<Item = &'static Benchmark> {
    family.benchmarks.iter().filter(|benchmark| benchmark.library.is_some() && benchmark.factor_bits.is_none())
}

/// The fastest kernels of one type, in the order of the contests.
pub(super) fn fastest<'a>(contests: Vec<Contest<'a>>, dtype: Option<Dtype>) -> impl Iterator<Item = &'a Record> {
    contests.into_iter().map(|contest| contest.ranking.best).filter(move |row| row.dtype == dtype)
}
