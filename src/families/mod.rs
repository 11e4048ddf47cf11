//! The families: one file each, with benchmarks as literals and their oracles; `shaders/` has a folder for each.

pub mod atomics;
pub mod attention;
pub mod bank_conflict;
pub mod barrier;
pub mod cache_curve;
pub mod ceiling;
pub mod coalescing;
pub mod fft;
pub mod gemv;
pub mod histogram;
pub mod matmul;
pub mod memory_spaces;
pub mod pitched;
pub mod radix_sort;
pub mod reduction;
pub mod rmsnorm;
pub mod roofline;
pub mod safety_tax;
pub mod scan;
pub mod softmax;
pub mod spmv;
pub mod stencil;
pub mod stream;
pub mod sum_of_cubes;
pub mod texture;
pub mod transfer;
pub mod transpose;
pub mod workgroup_memory;

use crate::record::Record;
use crate::suite::{Benchmark, Family, Shape, Traffic};

/// Every family, in the order of a run. Ceilings come first: the shares of the other rows need them.
pub const FAMILIES: &[&Family] = &[
    &ceiling::FAMILY,
    &reduction::FAMILY,
    &transpose::FAMILY,
    &stream::FAMILY,
    &sum_of_cubes::FAMILY,
    &scan::FAMILY,
    &histogram::FAMILY,
    &radix_sort::FAMILY,
    &matmul::FAMILY,
    &stencil::FAMILY,
    &fft::FAMILY,
    &spmv::FAMILY,
    &gemv::FAMILY,
    &softmax::FAMILY,
    &rmsnorm::FAMILY,
    &attention::FAMILY,
    &bank_conflict::FAMILY,
    &coalescing::FAMILY,
    &workgroup_memory::FAMILY,
    &memory_spaces::FAMILY,
    &cache_curve::FAMILY,
    &pitched::FAMILY,
    &texture::FAMILY,
    &atomics::FAMILY,
    &barrier::FAMILY,
    &roofline::FAMILY,
    &safety_tax::FAMILY,
    &transfer::FAMILY,
];

/// The benchmark of this name.
#[must_use]
pub fn benchmark(family: &str, name: &str) -> Option<&'static Benchmark> {
    let family = FAMILIES.iter().find(|known| known.name == family)?;
    family.benchmarks.iter().find(|benchmark| benchmark.name == name)
}
/// Time of one load of a row in nanoseconds, for latency benchmarks: chains of dependent 4-byte loads.
#[must_use]
pub fn load_ns(row: &Record) -> Option<f64> {
    let is_latency = benchmark(&row.family, &row.benchmark).is_some_and(|benchmark| benchmark.is_latency);
    let loads = row.bytes.filter(|bytes| *bytes > 0 && is_latency)? as f64 / 4.0;
    Some(row.median_ns? / loads)
}

/// The access of a subgroup to global memory that is coalesced worst, as the row's benchmark declares it. Not a column: it
/// follows from the case.
#[must_use]
pub fn traffic(row: &Record) -> Option<Traffic> {
    let traffic = benchmark(&row.family, &row.benchmark)?.traffic?;
    Some(traffic(&Shape::new(row.dtype?, row.n?, row.params.clone())))
}
