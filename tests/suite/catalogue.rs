//! The suite's benchmarks by name, and the repository's files.

#![allow(dead_code, unreachable_pub, reason = "each test program that includes this file uses its own part")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kernels::FAMILIES;
use record::suite::{Benchmark, Family};

/// Every benchmark with its family and its full name, such as `transpose/tiled`.
pub fn benchmarks() -> Vec<(String, &'static Family, &'static Benchmark)> {
    let of_family = |family: &'static Family| {
        family
            .benchmarks
            .iter()
            .map(move |benchmark| (format!("{}/{}", family.name, benchmark.name), family, benchmark))
    };
    FAMILIES.iter().copied().flat_map(of_family).collect()
}

pub fn benchmark(name: &str) -> (&'static Family, &'static Benchmark) {
    let found = benchmarks().into_iter().find(|(known, ..)| known == name);
    found.map(|(_, family, benchmark)| (family, benchmark)).expect("a benchmark of that name")
}

pub fn family(name: &str) -> &'static Family {
    FAMILIES.iter().find(|family| family.name == name).expect("a family of that name")
}

/// Maximum rounds of kernels that repeat accesses: timing needs thousands, minutes on a software device; a check does
/// not.
const FEW_ROUNDS: f64 = 4.0;

/// Declared parameters with few rounds; `bank_conflict`, with a thousand by default, gets 64 unless declared.
pub fn few_rounds(family: &str, declared: impl Iterator<Item = (String, f64)>) -> BTreeMap<String, f64> {
    let own = (family == "bank_conflict").then(|| ("ROUNDS".to_owned(), 64.0));
    let few =
        |(name, value): (String, f64)| if name == "ROUNDS" { (name, value.min(FEW_ROUNDS)) } else { (name, value) };
    own.into_iter().chain(declared.map(few)).collect()
}

/// Every file below a folder with this extension, sorted.
pub fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path());
    let mut found: Vec<PathBuf> = entries
        .flat_map(|path| if path.is_dir() { files_below(&path, extension) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    found.sort();
    found
}
