//! The kernels of a page: their sources and the texts of `explain`.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::compare::Comparison;
use kernels::benchmark;

/// A kernel.
#[derive(Serialize)]
pub struct Kernel {
    /// Its name: `transpose/tiled`.
    pub name: String,
    /// Its WGSL, else its GLSL; empty if it has neither.
    pub wgsl: &'static str,
    /// Its CUDA C++; empty if it has none.
    pub cuda: &'static str,
    /// The texts of `explain`, each with its label.
    pub texts: Vec<(&'static str, String)>,
}

/// Family and name of the suite's benchmarks that have rows: the page can show their kernels.
#[must_use]
pub fn benchmarks<'a>(comparison: &Comparison<'a>) -> BTreeSet<(&'a str, &'a str)> {
    let names = comparison.cases.iter().map(|case| (case.row.family.as_str(), case.row.benchmark.as_str()));
    names.filter(|(family, name)| benchmark(family, name).is_some()).collect()
}
