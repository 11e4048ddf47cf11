//! `cost`: what the portable API costs, on one screen.

use std::path::PathBuf;

use super::format::Format;
use super::output::{print, print_json};
use super::reports::{all_or_newest, name_runs};
use answers::compare::Report;
use answers::cost::{self, Cost};
use record::error::{Error, Result, usage};
use record::suite::Api;
use record::{Record, by_card};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Reports of WGSL and CUDA [default: the newest in reports/, then in results/]
    ///
    /// Those of `run --backend all`. The newest one with rows of both that has at least half as many benchmarks as any there.
    #[arg(value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
}

pub(super) fn cost(arguments: &Arguments) -> Result<()> {
    let reports = all_or_newest(&arguments.files, is_of_both, none_of_both)?;
    let mut cards: Vec<(String, Vec<Record>)> = Vec::new();
    for Report { name, records } in &reports {
        let of_card = |rows: Vec<&Record>| (name.clone(), rows.into_iter().cloned().collect());
        cards.extend(by_card(records).into_iter().map(of_card));
    }
    name_runs(&mut cards);
    let costs: Vec<(&str, Cost)> =
        cards.iter().filter_map(|(name, records)| Some((name.as_str(), Cost::new(records)?))).collect();
    if costs.is_empty() {
        let why = "no rows of WGSL and CUDA on one card: `shaderbench run --backend all` measures both";
        return Err(Error::Undecided(why.to_owned()));
    }
    match arguments.format.medium() {
        None => print_json(&costs.iter().filter_map(|(name, of)| cost::json(of, name)).collect::<Vec<_>>()),
        Some(medium) => {
            let screens: Vec<String> = costs.iter().map(|(name, of)| cost::screen(of, name, medium)).collect();
            print(&screens.join("\n"))
        }
    }
}

fn none_of_both() -> Error {
    usage!(
        "there is no report of WGSL and CUDA on one card in reports/ or results/: measure one by `shaderbench run --backend \
         all`, name a file, or name `h100`, the report of an NVIDIA H100 that this program brings along"
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
