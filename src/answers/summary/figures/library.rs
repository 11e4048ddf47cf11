//! The vendor's library compared with the suite's kernels.

use super::jobs::is_same_case;
use kernels::benchmark;
use record::claim::time;
use record::stats::{self, Estimate};
use record::suite::{Benchmark, Library};
use record::{Record, Status};

/// A library in the same case as a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    /// The library.
    pub library: Library,
    /// The library's row.
    pub row: &'a Record,
    /// Time of the kernel ÷ time of the library; above 1, the library is faster.
    pub ratio: Estimate,
}

/// The fastest library row with a comparable time in the case of `row`; `rows` are of the same card, through any API.
#[must_use]
pub fn beside<'a>(row: &Record, rows: &[&'a Record]) -> Option<Beside<'a>> {
    let library = |benchmark: &'static Benchmark| benchmark.library.filter(|_| benchmark.significant_bits.is_none());
    let (library, other, ratio) = fastest(row, rows, library)?;
    Some(Beside { library, row: other, ratio })
}

/// The fastest row of the kernels that only CUDA can express, in the case of `row`, and the time of `row` ÷ its time.
#[must_use]
pub fn beyond_wgsl<'a>(row: &Record, rows: &[&'a Record]) -> Option<(&'a Record, Estimate)> {
    let is_beyond = |benchmark: &'static Benchmark| benchmark.only_cuda.filter(|_| benchmark.library.is_none());
    let (_, other, ratio) = fastest(row, rows, is_beyond)?;
    Some((other, ratio))
}

/// The fastest row in the case of `row` among benchmarks with a `kind`: kind, row, and the time of `row` ÷ its time.
fn fastest<'a, T>(
    row: &Record,
    rows: &[&'a Record],
    kind: impl Fn(&'static Benchmark) -> Option<T>,
) -> Option<(T, &'a Record, Estimate)> {
    let kernel_time = time(row)?;
    let compared = |other: &&'a Record| {
        let kind = kind(benchmark(&other.family, &other.benchmark)?)?;
        // Lower-bit weights make another job of the same type and size.
        let is_same_work = (other.bytes, other.flops) == (row.bytes, row.flops);
        let is_comparable = other.status == Status::Ok && other.timer == row.timer && other.is_cold() == row.is_cold();
        let ratio = stats::ratio(kernel_time, time(other)?)
            .filter(|_| is_comparable && is_same_work && is_same_case(other, row))?;
        Some((kind, *other, ratio))
    };
    let of_family = rows.iter().filter(|other| other.family == row.family);
    of_family.filter_map(compared).max_by(|a, b| a.2.value.total_cmp(&b.2.value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Clock;
    use record::suite::{Api, Dtype, Extent};

    fn row(family: &str, benchmark: &str, dtype: Dtype, n: u64, ns: f64) -> Record {
        Record {
            backend: Some(Api::Cuda),
            family: family.to_owned(),
            benchmark: benchmark.to_owned(),
            dtype: Some(dtype),
            n: Some(Extent::Linear(n)),
            timer: Some(Clock::Timestamp),
            median_ns: Some(ns),
            ci_low_ns: Some(ns * 0.99),
            ci_high_ns: Some(ns * 1.01),
            epochs_ns: vec![ns; 2],
            ..Record::default()
        }
    }

    fn found(own: &Record, others: &[Record]) -> Option<(String, f64)> {
        let rows: Vec<&Record> = others.iter().collect();
        beside(own, &rows).map(|beside| (beside.row.benchmark.clone(), beside.ratio.value))
    }

    #[test]
    fn a_library_is_compared_at_the_same_family_type_size_and_parameters() {
        let kernel = row("matmul", "tiled", Dtype::F32, 8, 300.0);
        let library = |dtype, n, ns| row("matmul", "cublas", dtype, n, ns);
        assert_eq!(found(&kernel, &[library(Dtype::F32, 8, 200.0)]), Some(("cublas".to_owned(), 1.5)));
        let others = [
            library(Dtype::F64, 8, 200.0),
            library(Dtype::F32, 9, 200.0),
            row("transpose", "cublas", Dtype::F32, 8, 200.0),
            row("matmul", "naive", Dtype::F32, 8, 200.0),
        ];
        assert_eq!(found(&kernel, &others), None);
        let with = |row: Record, params: &[(&str, f64)]| {
            let params = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
            Record { params, ..row }
        };
        let keys = with(row("radix_sort", "onesweep", Dtype::U32, 8, 300.0), &[("PAIRS", 1.0), ("WG", 256.0)]);
        let sort = |pairs: f64| with(row("radix_sort", "cub", Dtype::U32, 8, 150.0), &[("PAIRS", pairs)]);
        assert_eq!((found(&keys, &[sort(0.0)]), found(&keys, &[sort(1.0)]).map(|(_, ratio)| ratio)), (None, Some(2.0)));
    }

    #[test]
    fn wrong_or_rounding_libraries_and_other_clocks_are_not_compared() {
        let kernel = row("matmul", "tiled", Dtype::F32, 8, 300.0);
        let library = || row("matmul", "cublas", Dtype::F32, 8, 200.0);
        assert_eq!(found(&kernel, &[Record { status: Status::Wrong, ..library() }]), None);
        assert_eq!(found(&kernel, &[Record { timer: Some(Clock::Wall), ..library() }]), None);
        assert_eq!(found(&kernel, &[Record { ci_low_ns: None, ..library() }]), None, "no interval");
        assert_eq!(found(&kernel, &[Record { bytes: Some(9), ..library() }]), None, "other bytes");
        let rounded = row("matmul", "cublas_tf32", Dtype::F32, 8, 100.0);
        assert_eq!(found(&kernel, &[rounded, library()]), Some(("cublas".to_owned(), 1.5)));
    }
}
