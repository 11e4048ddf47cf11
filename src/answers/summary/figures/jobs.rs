//! The fastest kernel of each job.

use kernels::{FAMILIES, benchmark, headlines, is_library};
use record::stats::{self, Estimate};
use record::suite::{Benchmark, Headline};
use record::{Ranking, Record, Status, byte_rate, flop_rate, ranking, time};

/// The fastest kernel of a job.
#[derive(Debug, Clone)]
pub struct Best<'a> {
    /// The job.
    pub job: &'static Headline,
    /// The row of the fastest kernel.
    pub row: &'a Record,
    pub(crate) ranking: Ranking<&'a Record>,
    /// Whether no other kernel of the job has a rate.
    pub is_only: bool,
    /// Whether the row is smaller than the largest size of the profile quick, at which the rate saturates.
    pub is_small: bool,
    /// Speed relative to the naive kernel at the same type, size and parameters, if the two certainly differ.
    pub over_naive: Option<Estimate>,
}

impl Best<'_> {
    /// Whether another kernel ties.
    #[must_use]
    pub fn is_tied(&self) -> bool {
        self.ranking.ties.iter().any(|(other, _)| other.benchmark != self.row.benchmark)
    }
}

/// Rows of the same work: type, precision, size, values of the job's parameters, bytes and operations.
#[derive(Debug, Clone)]
pub(crate) struct Contest<'a> {
    #[cfg_attr(target_family = "wasm", expect(dead_code, reason = "only `explain` shows them"))]
    pub(crate) given: Given,
    pub(crate) rows: Vec<&'a Record>,
    pub(crate) ranking: Ranking<&'a Record>,
}

/// Bytes per second if the job asks for the largest size; otherwise (GEMM) operations per second.
pub(crate) fn rate(job: &Headline, row: &Record) -> Option<Estimate> {
    if job.is_largest { byte_rate(row) } else { flop_rate(row) }
}

/// Whether two kernels of a family agree in type, size and common parameters: rotations by 5° and 90° do not.
pub(super) fn is_same_case(a: &Record, b: &Record) -> bool {
    let have_one_value = a.params.iter().all(|(name, value)| b.params.get(name).is_none_or(|other| other == value));
    (a.dtype, a.n) == (b.dtype, b.n) && have_one_value
}

/// The fastest kernel of each job in `rows` of one device and API. Only rows that are `ok` count; libraries do not.
#[must_use]
pub fn best<'a>(rows: &[&'a Record]) -> Vec<Best<'a>> {
    headlines().into_iter().filter_map(|(family, job)| best_of(family, job, rows)).collect()
}

type Given = Vec<(&'static str, f64)>;

/// The contests of a job by type and size; `rows` are of one device through one API.
pub(crate) fn contests<'a>(family: &str, job: &Headline, rows: &[&'a Record]) -> Vec<Contest<'a>> {
    let parameters = parameters(family, job);
    let mut found: Vec<(Given, Vec<(&Record, Estimate)>)> = Vec::new();
    for row in counted(family, job, rows) {
        let Some(time) = time(row) else { continue };
        let value = |name: &&'static str| Some((*name, *row.params.get(*name)?));
        let given: Vec<(&str, f64)> = parameters.iter().filter_map(value).collect();
        let bits = |row: &Record| benchmark(&row.family, &row.benchmark).and_then(|own| own.significant_bits);
        let work = |row: &Record| (row.dtype, bits(row), row.n, row.bytes, row.flops);
        match found.iter_mut().find(|(known, timed)| *known == given && work(timed[0].0) == work(row)) {
            Some((_, timed)) => timed.push((row, time)),
            None => found.push((given, vec![(row, time)])),
        }
    }
    let size = |row: &Record| (row.dtype_name(), row.n.map(|n| n.count()), row.n, row.bytes);
    found.sort_by_key(|(_, timed)| size(timed[0].0));
    let contest = |(given, timed): (_, Vec<(&'a Record, Estimate)>)| {
        let rows = timed.iter().map(|(row, _)| *row).collect();
        Some(Contest { given, rows, ranking: ranking(timed)? })
    };
    found.into_iter().filter_map(contest).collect()
}

/// The rows that count for a job: correct results of its kernels, with hot caches, without libraries.
pub(crate) fn counted<'a>(family: &str, job: &Headline, rows: &[&'a Record]) -> Vec<&'a Record> {
    let is_wanted = |row: &&&Record| {
        row.family == family
            && row.status == Status::Ok
            && !row.is_cold()
            && !is_library(row)
            && (job.benchmarks.is_empty() || job.benchmarks.contains(&row.benchmark.as_str()))
            && job.scalar.is_none_or(|scalar| row.dtype.is_some_and(|dtype| dtype.scalar() == scalar))
    };
    rows.iter().filter(is_wanted).copied().collect()
}

/// The parameters shared by a job's kernels and libraries. Others, such as the workgroup size, belong to one kernel.
fn parameters(family: &str, job: &Headline) -> Vec<&'static str> {
    let kernels = FAMILIES.iter().find(|known| known.name == family).map_or(&[][..], |family| family.benchmarks);
    let does_it = |kernel: &&Benchmark| {
        kernel.library.is_some() || job.benchmarks.is_empty() || job.benchmarks.contains(&kernel.name)
    };
    let names = |kernel: &Benchmark| -> Vec<&'static str> {
        kernel.blocks().flat_map(|(_, _, sets)| sets.iter().flat_map(|set| set.iter().map(|(name, _)| *name))).collect()
    };
    let mut kernels = kernels.iter().filter(does_it).map(names);
    let mut shared = kernels.next().unwrap_or_default();
    kernels.for_each(|own| shared.retain(|name| own.contains(name)));
    shared.sort_unstable();
    shared.dedup();
    shared
}

/// The rows that count, with their rates; only those of the largest size if the job asks for it.
pub(crate) fn rated<'a>(family: &str, job: &Headline, rows: &[&'a Record]) -> Vec<(&'a Record, Estimate)> {
    let counted = counted(family, job, rows).into_iter();
    let mut rated: Vec<(&Record, Estimate)> = counted.filter_map(|row| Some((row, rate(job, row)?))).collect();
    if job.is_largest {
        let most = rated.iter().filter_map(|(row, _)| row.bytes).max();
        rated.retain(|(row, _)| row.bytes == most);
    }
    rated
}

/// The fastest kernel of a job; `None` if no row has a rate.
#[must_use]
pub fn best_of<'a>(family: &str, job: &'static Headline, rows: &[&'a Record]) -> Option<Best<'a>> {
    let rated = rated(family, job, rows);
    let (fastest, _) = rated.iter().max_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
    let has_it = |contest: &Contest| contest.rows.iter().any(|row| std::ptr::eq(*row, *fastest));
    let ranking = contests(family, job, rows).into_iter().find(has_it)?.ranking;
    let row = ranking.best;
    let is_other = |other: &Record| other.benchmark != row.benchmark;
    let naive = rows
        .iter()
        .filter(|other| other.benchmark == job.naive && other.family == family && other.status == Status::Ok)
        .filter(|other| is_same_case(other, row) && is_other(other))
        // The one with the fewest parameters: a parameter that the fastest kernel lacks may make the naive one slower.
        .min_by_key(|other| other.params.len());
    let over_naive = naive.and_then(|naive| stats::differ(time(naive)?, time(row)?, 0.0));
    Some(Best {
        job,
        row,
        is_only: !rated.iter().any(|(other, _)| is_other(other)),
        is_small: is_small(row),
        over_naive: over_naive.filter(|ratio| ratio.low > 1.0),
        ranking,
    })
}

/// Whether the row is smaller than the kernel's size in the profile quick, at the same type.
fn is_small(row: &Record) -> bool {
    let quick = benchmark(&row.family, &row.benchmark).map_or(&[][..], |benchmark| benchmark.quick);
    let quick_case = quick.iter().find(|quick| row.dtype.is_some_and(|dtype| quick.dtypes.contains(&dtype)));
    quick_case.zip(row.n).is_some_and(|(quick, n)| quick.extent.count() > n.count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::{Dtype, Extent};

    fn row(benchmark: &str, n: u64, gb_per_s: f64, noise: f64) -> Record {
        let ns = 4.0 * n as f64 / gb_per_s;
        Record {
            family: "reduction".to_owned(),
            benchmark: benchmark.to_owned(),
            dtype: Some(Dtype::F32),
            n: Some(Extent::Linear(n)),
            bytes: Some(4 * n),
            gb_per_s: Some(gb_per_s),
            median_ns: Some(ns),
            ci_low_ns: Some(ns * (1.0 - noise)),
            ci_high_ns: Some(ns * (1.0 + noise)),
            epochs_ns: vec![ns; 2],
            ..Record::default()
        }
    }

    fn job<'a>(name: &str, rows: &[&'a Record]) -> Option<Best<'a>> {
        let (family, job) = headlines().into_iter().find(|(_, job)| job.name == name).expect("a job");
        best_of(family, job, rows)
    }

    fn sum<'a>(rows: &'a [Record]) -> Option<Best<'a>> {
        job("sum", &rows.iter().collect::<Vec<_>>())
    }

    #[test]
    fn every_job_names_kernels_of_the_suite() {
        for (family, job) in headlines() {
            for name in job.benchmarks.iter().chain([&job.naive]).filter(|name| !name.is_empty()) {
                assert!(benchmark(family, name).is_some(), "{}: {name}", job.name);
            }
        }
    }

    #[test]
    fn the_fastest_of_the_largest_rows_is_compared_with_the_naive_kernel() {
        let rows = [
            row("interleaved_global", 1000, 10.0, 0.001),
            row("subgroup", 500, 900.0, 0.001),
            row("subgroup", 1000, 40.0, 0.001),
            row("atomic", 1000, 20.0, 0.001),
        ];
        let best = sum(&rows).expect("a row");
        assert_eq!((best.row.benchmark.as_str(), best.is_tied(), best.is_only), ("subgroup", false, false));
        let ratio = best.over_naive.expect("they differ");
        assert!((ratio.value - 4.0).abs() < 1e-9 && ratio.low > 3.9, "{ratio:?}");
    }

    #[test]
    fn rows_of_other_parameters_are_not_compared() {
        let with = |row: Record, name: &str, value: f64| Record { params: [(name.to_owned(), value)].into(), ..row };
        let angle = |benchmark: &str, angle: f64, gb_per_s: f64| {
            let row = Record { family: "texture".to_owned(), ..row(benchmark, 1000, gb_per_s, 0.001) };
            with(row, "ANGLE", angle)
        };
        let rows = [
            angle("rotate_by_hand", 5.0, 39.99),
            angle("rotate_by_hand", 90.0, 10.0),
            angle("rotate_sampled", 5.0, 39.0),
            angle("rotate_sampled", 90.0, 40.0),
        ];
        let best = job("rotation", &rows.iter().collect::<Vec<_>>()).expect("a row");
        let ratio = best.over_naive.expect("they differ").value;
        assert!((ratio - 4.0).abs() < 1e-9 && !best.is_tied(), "{best:?}");
        // A parameter that only one of the kernels has does not prevent the comparison.
        let naive = |gb_per_s: f64| row("interleaved_global", 1000, gb_per_s, 0.001);
        let rows = [with(naive(5.0), "INPUT", 0.5), naive(10.0), with(row("subgroup", 1000, 40.0, 0.001), "WG", 64.0)];
        let ratio = sum(&rows).expect("a row").over_naive.expect("they differ").value;
        assert!((ratio - 4.0).abs() < 1e-9, "{ratio}");
    }

    #[test]
    fn kernels_within_the_noise_are_tied_and_no_factor_comes_of_noise() {
        let rows = [row("subgroup", 1000, 40.0, 0.05), row("interleaved_global", 1000, 39.0, 0.05)];
        let best = sum(&rows).expect("a row");
        assert!(best.is_tied() && best.over_naive.is_none(), "{best:?}");
    }

    #[test]
    fn rows_that_are_not_right_and_libraries_do_not_count() {
        let mut rows =
            [row("subgroup", 1000, 40.0, 0.01), row("atomic", 1000, 20.0, 0.01), row("cub", 1000, 90.0, 0.01)];
        rows[0].status = Status::Wrong;
        assert_eq!(sum(&rows).expect("a row").row.benchmark, "atomic");
        assert!(sum(&rows[..1]).is_none());
        let best = sum(&rows[1..]).expect("a row");
        assert!(best.is_only && !best.is_tied(), "a library is none of the suite's: {best:?}");
    }

    #[test]
    fn a_size_below_that_of_the_profile_quick_is_small() {
        let kernel = benchmark("reduction", "subgroup").expect("a kernel");
        let largest = kernel.quick[0].extent.count();
        let is_small = |n: u64| sum(&[row("subgroup", n, 40.0, 0.01)]).expect("a row").is_small;
        assert_eq!([1, largest - 1, largest, 2 * largest].map(is_small), [true, true, false, false]);
    }
}
