//! `list`: every family and benchmark.

use serde_json::{Value, json};

use super::format::ListFormat;
use super::output::{print, print_json};
use super::target::apis;
use crate::backend::Api;
use crate::engine::plan::params_of;
use crate::error::Result;
use crate::families::FAMILIES;
use crate::report::markdown::{escape, table};
use crate::suite::{Benchmark, Family};

pub(super) fn list(format: ListFormat) -> Result<()> {
    match format {
        ListFormat::Table => print(&plain()),
        ListFormat::Markdown => print(&markdown()),
        ListFormat::Json => {
            let of = |family: &'static Family| family.benchmarks.iter().map(move |benchmark| object(family, benchmark));
            print_json(&FAMILIES.iter().copied().flat_map(of).collect())
        }
    }
}

fn plain() -> String {
    let mut text = String::new();
    for family in FAMILIES {
        text.push_str(&format!("{}: {}\n", family.name, family.summary));
        for benchmark in family.benchmarks {
            text.push_str(&format!("  {:<24} {}\n", benchmark.name, benchmark.summary));
        }
    }
    text
}

fn markdown() -> String {
    let section = |family: &&Family| {
        let row = |benchmark: &Benchmark| vec![benchmark.name.to_owned(), benchmark.summary.to_owned()];
        let rows: Vec<_> = family.benchmarks.iter().map(row).collect();
        let table = table(&["benchmark", "what it does"].map(str::to_owned), &[false, false], &rows);
        format!("### {}\n\n{}\n\n{table}", escape(family.name), escape(family.summary))
    };
    FAMILIES.iter().map(section).collect::<Vec<_>>().join("\n")
}

fn object(family: &Family, benchmark: &Benchmark) -> Value {
    let is_runnable = |api: &Api| match api {
        // CUDA runs benchmarks with CUDA code, and copies, which need no kernel.
        Api::Cuda => !benchmark.cuda.is_empty() || benchmark.wgsl.is_empty(),
        _ => benchmark.only_cuda.is_none(),
    };
    let backends: Vec<_> = apis().into_iter().filter(is_runnable).map(Api::name).collect();
    json!({
        "family": family.name,
        "benchmark": benchmark.name,
        "summary": benchmark.summary,
        "sources": benchmark.sources,
        "dtypes": distinct(benchmark.cases.iter().flat_map(|cases| cases.dtypes).map(|dtype| dtype.name().to_owned())),
        "sizes": distinct(benchmark.cases.iter().flat_map(|cases| cases.extents).map(ToString::to_string)),
        "params": params_of(benchmark),
        "ceiling": benchmark.ceiling.map(crate::suite::Limit::name),
        "backends": backends,
    })
}

fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}
