//! The kernels of a page: sources, and what `explain` says of them.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::compare::Comparison;
use kernels::benchmark;

/// A kernel.
#[derive(Serialize)]
pub struct Kernel {
    /// Its name: `transpose/tiled`.
    pub name: String,
    /// Its WGSL, else its GLSL; empty where there is none.
    pub wgsl: &'static str,
    /// Its CUDA C++; empty where there is none.
    pub cuda: &'static str,
    /// What `explain` says, as label and text.
    pub texts: Vec<(&'static str, String)>,
}

/// The suite's benchmarks that have rows, by name: those whose kernels the page can show.
#[must_use]
pub fn benchmarks<'a>(comparison: &Comparison<'a>) -> BTreeSet<(&'a str, &'a str)> {
    let names = comparison.cases.iter().map(|case| (case.row.family.as_str(), case.row.benchmark.as_str()));
    names.filter(|(family, name)| benchmark(family, name).is_some()).collect()
}
