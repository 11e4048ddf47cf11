//! `cost`: the cost of the portable API, on one screen.

use std::path::{Path, PathBuf};

use super::format::Format;
use super::output::{print, print_json};
use super::references::is_example;
use super::reports::{all_or_newest, name_runs, or_meant};
use super::values::size;
use answers::compare::Report;
use answers::cost::{self, Cost};
use answers::report::Medium;
use gpu::engine::plan::{as_declared, select_tagged};
use kernels::jobs;
use record::error::{Error, Result, usage};
use record::format::joined;
use record::suite::{Api, Extent, Tag};
use record::{Record, by_card};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Reports with WGSL and CUDA rows, and filters as in `run` [default: the newest in reports/, then in results/]
    ///
    /// `run --backend all` writes such reports. Families, benchmarks, globs or parts of names select the jobs to show;
    /// without filters, only jobs that are slower in WGSL are shown. The default is the newest report that has WGSL
    /// and CUDA rows, and at least half as many benchmarks as the largest such report.
    #[arg(value_name = "FILE|DIR|FILTER")]
    names: Vec<String>,
    /// Show only families with this tag: peak, article, llm, primitive, memory or cost
    #[arg(long = "tag", value_name = "TAG", value_parser = Tag::parse, value_delimiter = ',')]
    tags: Vec<Tag>,
    /// Size to show, for example 2^20, 4096x4096 or 512x256x128 [default: as in `summary`]
    #[arg(long = "size", value_name = "N", value_parser = size, value_delimiter = ',')]
    sizes: Vec<Extent>,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
}

pub(super) fn cost(arguments: &Arguments) -> Result<()> {
    // A name with an extension is a file, so that an error names the file if it does not exist.
    let is_file = |name: &String| {
        let path = Path::new(name);
        path.exists() || is_example(path) || path.extension().is_some()
    };
    let (files, filters): (Vec<String>, Vec<String>) = arguments.names.iter().cloned().partition(is_file);
    let files: Vec<PathBuf> = files.into_iter().map(PathBuf::from).collect();
    let or_report = |error: Error| usage!("{} (a report is a file, a folder or `h100`)", error.chain());
    let selected = select_tagged(&filters, &arguments.tags).map_err(|error| or_meant(or_report(error), &filters))?;
    let is_size = |row: &Record, size: &Extent| row.n.is_some_and(|n| as_declared(*size, n) == Some(n));
    let is_wanted = |row: &Record| {
        selected.iter().any(|(family, benchmark)| (family.name, benchmark.name) == (&row.family, &row.benchmark))
            && (arguments.sizes.is_empty() || arguments.sizes.iter().any(|size| is_size(row, size)))
    };
    let has_filters = !(filters.is_empty() && arguments.tags.is_empty() && arguments.sizes.is_empty());
    let reports = all_or_newest(&files, is_of_both, none_of_both)?;
    let mut cards: Vec<(String, Vec<Record>)> = Vec::new();
    for Report { name, records } in &reports {
        let of_card = |rows: Vec<&Record>| (name.clone(), rows.into_iter().cloned().collect());
        cards.extend(by_card(records).into_iter().map(of_card));
    }
    name_runs(&mut cards);
    let costs: Vec<(&str, Cost)> =
        cards.iter().filter_map(|(name, records)| Some((name.as_str(), Cost::new(records, is_wanted)?))).collect();
    if costs.is_empty() {
        let jobs = joined(jobs().iter().map(|(_, job)| job.name), ", ");
        let why = "no job has both WGSL and CUDA rows from the same card: run `shaderbench run --backend all`";
        return Err(Error::Undecided(format!("{why}; the jobs are {jobs}")));
    }
    match arguments.format.medium() {
        None => print_json(&costs.iter().filter_map(|(name, of)| cost::json(of, name)).collect::<Vec<_>>()),
        Some(medium) => {
            let has_all = has_filters || matches!(medium, Medium::Markdown);
            let screens: Vec<String> = costs.iter().map(|(name, of)| cost::screen(of, name, has_all, medium)).collect();
            print(&screens.join("\n"))
        }
    }
}

fn none_of_both() -> Error {
    usage!(
        "no report in reports/ or results/ has WGSL and CUDA rows from the same card: run `shaderbench run --backend \
         all`, name a file, or use `h100`, the built-in report of an NVIDIA H100"
    )
}

/// Whether a row has a time, and its run measured CUDA and another API.
fn is_of_both(row: &Record) -> bool {
    let apis: Vec<&str> = row.apis.split('+').collect();
    row.median_ns.is_some() && apis.len() > 1 && apis.contains(&Api::Cuda.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_one_api_is_not_taken() {
        let row = |apis: &str| Record { apis: apis.to_owned(), median_ns: Some(1.0), ..Record::default() };
        assert!(is_of_both(&row("cuda+vulkan")) && is_of_both(&row("cuda+gl+vulkan")));
        assert!(!is_of_both(&row("cuda")) && !is_of_both(&row("gl+vulkan")) && !is_of_both(&row("")));
        assert!(!is_of_both(&Record { median_ns: None, ..row("cuda+vulkan") }));
    }
}
