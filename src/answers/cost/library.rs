//! The kernels of one family compared with the vendor's library.

use serde::Serialize;

use super::cases::fastest;
use crate::report::toolchains;
use crate::summary::figures::{beside, contests};
use crate::summary::{Compared, compared};
use record::stats::Estimate;
use record::suite::{Api, Family, Headline};
use record::{Record, by_card, format};

/// The fastest kernel of a type at the largest size at which the library was also measured.
#[derive(Debug, Serialize)]
pub struct BesideLibrary<'a> {
    family: &'static str,
    benchmark: &'a str,
    dtype: &'static str,
    n: String,
    params: String,
    library: &'static str,
    library_benchmark: &'a str,
    library_time_ratio: Estimate,
}

impl BesideLibrary<'_> {
    /// `cuBLAS is 1.48× faster than tiled PAD=1 at 4096x4096 (f32)`.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { benchmark, params, library, n, dtype, .. } = self;
        let kernel = format!("{benchmark} {params}");
        let kernel = kernel.trim_end();
        let answer = match compared(self.library_time_ratio, format::plus_minus) {
            Compared::Same => format!("{library} is as fast as {kernel}"),
            Compared::By(text) => format!("{library} is {text} than {kernel}"),
            Compared::Unclear => format!("too noisy to tell whether {library} is faster than {kernel}"),
        };
        format!("{answer} at {n} ({dtype})")
    }
}

/// The first card's rows of a family compared with the library: for each type and each value of the job's parameters,
/// the largest size that both have. The kernels are those in WGSL, or CUDA's if there are none.
#[must_use]
pub fn libraries<'a>(family: &'static Family, rows: &[&'a Record]) -> Vec<BesideLibrary<'a>> {
    let all = by_card(rows.iter().copied()).into_iter().next().unwrap_or_default();
    let toolchains = toolchains(all.iter().copied());
    let portable = toolchains.iter().find(|of| of.api != Api::Cuda).or_else(|| toolchains.first());
    let is_own = |row: &&Record| row.toolchain().as_ref() == portable && beside(row, &all).is_some();
    let compared_rows: Vec<&Record> = all.iter().copied().filter(is_own).collect();
    let line = |row: &'a Record| {
        let beside = beside(row, &all)?;
        Some(BesideLibrary {
            family: family.name,
            benchmark: &row.benchmark,
            dtype: row.dtype_name(),
            n: row.size(),
            params: row.params_text(),
            library: beside.library.title(),
            library_benchmark: &beside.row.benchmark,
            library_time_ratio: beside.ratio,
        })
    };
    let lines = |dtype| {
        let fastest: Vec<&Record> = fastest(contests(family.name, &Headline::WHOLE, &compared_rows), dtype).collect();
        let largest = fastest.last().and_then(|row| row.n);
        fastest.into_iter().filter(move |row| row.n == largest).filter_map(line)
    };
    format::distinct(compared_rows.iter().map(|row| row.dtype)).into_iter().flat_map(lines).collect()
}
