//! The families: each has a folder here, with its benchmarks, oracles and claims, and one in `shaders/`.

pub mod articles;
pub mod atomics;
pub mod attention;
pub mod bank_conflict;
pub mod barrier;
pub mod cache_curve;
pub mod ceiling;
pub mod claims;
pub mod coalescing;
mod device_articles;
pub mod fft;
pub mod gemv;
mod given;
mod header;
pub mod histogram;
pub mod host_cost;
pub mod matmul;
pub mod memory_spaces;
pub mod pitched;
#[cfg(test)]
mod planted;
pub mod radix_sort;
// Its texts would make the browser's page a tenth larger.
#[cfg(not(target_family = "wasm"))]
pub mod rates;
pub mod reduction;
pub mod rmsnorm;
mod roof;
pub mod roofline;
pub mod safety_tax;
pub mod scan;
mod shaders;
pub mod softmax;
pub mod spmv;
pub mod stencil;
pub mod stream;
pub mod sum_of_cubes;
pub mod texture;
pub mod transfer;
pub mod transpose;
pub mod workgroup_memory;

pub use header::Header;
pub use roof::{beyond_mma, raise_roofs};

use record::Record;
use record::claim::{Claim, Own, own_count, own_of};
use record::suite::{Benchmark, Dtype, Extent, Family, Headline, Shape, Traffic, WorkKind};

/// A family with the contents of its kernels' files.
macro_rules! complete {
    ($name:ident) => {{
        const FAMILY: Family = $name::FAMILY;
        const BENCHMARKS: &[Benchmark] =
            &shaders::with_shaders::<{ FAMILY.benchmarks.len() }>(FAMILY.name, FAMILY.benchmarks);
        &Family { benchmarks: BENCHMARKS, ..FAMILY }
    }};
}

/// The start of every CUDA twin.
pub const PRELUDE: &str = include_str!(concat!(env!("SHADERBENCH_SHADERS"), "/prelude.cuh"));

/// The families in the order of a run, and their claims. Those after the semicolon are not in the browser.
macro_rules! families {
    ($($name:ident),*; $($native:ident),*) => {
        /// Every family, in the order of a run. Ceilings come first: the shares of the other rows need them.
        pub static FAMILIES: &[&Family] =
            &[$(complete!($name),)* $(#[cfg(not(target_family = "wasm"))] complete!($native)),*];

        const CLAIMS: &[&[Claim]] =
            &[$($name::claims::CLAIMS,)* $(#[cfg(not(target_family = "wasm"))] $native::claims::CLAIMS),*];

        /// The suite's own claims, without those of articles.
        const MEASURED: &[(&str, &[Own])] = &[
            $((stringify!($name), &own_of::<{ own_count($name::claims::CLAIMS) }>($name::claims::CLAIMS)),)*
            $(#[cfg(not(target_family = "wasm"))]
            (stringify!($native), &own_of::<{ own_count($native::claims::CLAIMS) }>($native::claims::CLAIMS))),*
        ];
    };
}

families![
    ceiling,
    reduction,
    transpose,
    stream,
    sum_of_cubes,
    scan,
    histogram,
    radix_sort,
    matmul,
    stencil,
    fft,
    spmv,
    gemv,
    softmax,
    rmsnorm,
    attention,
    bank_conflict,
    coalescing,
    workgroup_memory,
    memory_spaces,
    cache_curve,
    pitched,
    texture,
    atomics,
    barrier,
    roofline,
    safety_tax,
    host_cost,
    transfer;
    rates
];

/// Every job with its family: first those of the summary in its order, then the others.
#[must_use]
pub fn jobs() -> Vec<(&'static str, &'static Headline)> {
    let of_family = |family: &&'static Family| family.headlines.iter().map(|headline| (family.name, headline));
    let mut all: Vec<_> = FAMILIES.iter().flat_map(of_family).collect();
    all.sort_by_key(|(_, headline)| headline.place);
    all
}

/// Every job of the summary with its family, in the order of the summary.
#[must_use]
pub fn headlines() -> Vec<(&'static str, &'static Headline)> {
    jobs().into_iter().filter(|(_, job)| job.place != Headline::NO_PLACE).collect()
}

/// The benchmark of this name.
#[must_use]
pub fn benchmark(family: &str, name: &str) -> Option<&'static Benchmark> {
    let family = FAMILIES.iter().find(|known| known.name == family)?;
    family.benchmarks.iter().find(|benchmark| benchmark.name == name)
}

/// What `explain` prints for a benchmark: its kernel's header, with the texts that the benchmark's literal replaces.
#[must_use]
pub fn header(benchmark: &Benchmark) -> Header {
    let text = [benchmark.wgsl, benchmark.glsl, benchmark.cuda].into_iter().find(|text| !text.is_empty());
    let mut header = Header::of(text.unwrap_or_default());
    let parts = [
        (&mut header.work, benchmark.work_text),
        (&mut header.look_for, benchmark.look_for),
        (&mut header.limits, benchmark.limited_by),
    ];
    for (part, literal) in parts.into_iter().filter(|(_, literal)| !literal.is_empty()) {
        literal.clone_into(part);
    }
    header
}

/// Whether a row is of a vendor's library, for comparison only.
#[must_use]
pub fn is_library(row: &Record) -> bool {
    benchmark(&row.family, &row.benchmark).is_some_and(|benchmark| benchmark.library.is_some())
}

/// What a row times; a kernel if the benchmark is not the suite's.
#[must_use]
pub fn work_kind(row: &Record) -> WorkKind {
    benchmark(&row.family, &row.benchmark).map_or(WorkKind::Kernel, Benchmark::work_kind)
}

/// Nanoseconds of one load, for rows of latency benchmarks: chains of dependent 4-byte loads.
#[must_use]
pub fn load_ns(row: &Record) -> Option<f64> {
    let is_latency = benchmark(&row.family, &row.benchmark).is_some_and(|benchmark| benchmark.is_latency);
    let loads = row.bytes.filter(|bytes| *bytes > 0 && is_latency)? as f64 / 4.0;
    Some(row.median_ns? / loads)
}

/// A subgroup's worst-coalesced access to global memory, as the benchmark declares it: a function of the case.
#[must_use]
pub fn traffic(row: &Record) -> Option<Traffic> {
    let traffic = benchmark(&row.family, &row.benchmark)?.traffic?;
    Some(traffic(&Shape::new(row.dtype?, row.n?, row.params.clone())))
}

/// The model's speed for one value of a parameter, relative to the family's first row; `None` without a model.
pub(crate) fn predicted(kernel: &str, name: &str, value: u64) -> Option<f64> {
    let (family, own) = kernel.split_once('/')?;
    let params = std::collections::BTreeMap::from([(name.to_owned(), value as f64)]);
    let model = benchmark(family, own)?.model?;
    Some(model(&Shape::new(Dtype::F32, Extent::Linear(1 << 20), params)))
}
