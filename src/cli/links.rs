//! `links`: rates and latencies between the cards of this host.

use std::path::PathBuf;

use clap::{Args, FromArgMatches};

use super::again::Typed;
use super::output::print;
use super::reports::read_all;
use super::{run, target};
use crate::answers::links as answer;
use crate::error::{Error, Result};
use crate::record::Record;
use crate::report::{csv, replace_file};

/// Arguments of `links`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Reports of all cards [default: measure]
    ///
    /// Of `run 'transfer/peer_*' --backend cuda --device all --param PEER=1,PEER=2 --out FILE`. Without reports, these benchmarks
    /// run on all cards at 64 MiB.
    #[arg(value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    /// Keep the rows of the measurement as a CSV report
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    out: Option<PathBuf>,
}

/// Runs the command.
pub(super) fn links(arguments: &Arguments) -> Result<u8> {
    if !arguments.files.is_empty() {
        return show(&arguments.files).map(|()| 0);
    }
    let own = std::env::temp_dir().join(format!("shaderbench-links-{}.csv", std::process::id()));
    let path = arguments.out.as_ref().unwrap_or(&own);
    let code = measure(path);
    let shown = if path.exists() { show(std::slice::from_ref(path)) } else { Ok(()) };
    // Left where the system cleans up.
    let _ = std::fs::remove_file(&own);
    shown.and(code)
}

fn show(paths: &[PathBuf]) -> Result<()> {
    let records: Vec<Record> = read_all(paths)?.into_iter().flat_map(|report| report.records).collect();
    print(&answer::links(&records))
}

/// Measures all ways between all cards: the first card after each, then the second, until each other card had its turn.
fn measure(path: &std::path::Path) -> Result<u8> {
    let cards = target::cuda().map_or(1, |cards| cards.len());
    let parts: Vec<PathBuf> = (1..cards.max(2)).map(|places| path.with_extension(format!("{places}.csv"))).collect();
    let mut code = 0;
    for (index, part) in parts.iter().enumerate() {
        code = code.max(measure_one(index + 1, part)?);
    }
    let records: Vec<Record> = read_all(&parts)?.into_iter().flat_map(|report| report.records).collect();
    replace_file(path, &csv::write(&records))?;
    for part in parts {
        // The rows are in `path` too.
        let _ = std::fs::remove_file(part);
    }
    Ok(code)
}

/// Measures the ways from each card to the one so many places after it.
fn measure_one(places: usize, path: &std::path::Path) -> Result<u8> {
    let peer = format!("PEER={places}");
    let path = path.to_str().ok_or_else(|| Error::Usage("--out: the path is no UTF-8".to_owned()))?;
    let fixed = ["run", "transfer/peer_*", "--backend", "cuda", "--device", "all", "--param", &peer];
    let words = || fixed.into_iter().chain(["--profile", "quick", "--out", path]);
    let command = run::Arguments::augment_args(clap::Command::new("run"));
    let fault = |error: clap::Error| Error::Usage(error.to_string());
    let matches = command.try_get_matches_from(words()).map_err(fault)?;
    let mut arguments = run::Arguments::from_arg_matches(&matches).map_err(fault)?;
    arguments.is_quiet = true;
    arguments.typed = Some(Typed::of_arguments(words()));
    run::run(&arguments)
}
