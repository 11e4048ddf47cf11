//! `links`: rates and latencies between the cards of this host.

use std::path::PathBuf;

use clap::{Args, FromArgMatches};

use super::again::Typed;
use super::output::print;
use super::reports::read_all;
use super::run;
use crate::answers::links as answer;
use crate::error::{Error, Result};
use crate::record::Record;

/// Arguments of `links`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Reports of all cards [default: measure]
    ///
    /// Of `run 'transfer/peer_*' --backend cuda --device all --param PEER=2 --out FILE`, one for each distance. Without
    /// reports, each card is measured with the next one, at 64 MiB.
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
    // An existing file, which the run refuses, is no result.
    let shown = if code.is_ok() && path.exists() { show(std::slice::from_ref(path)) } else { Ok(()) };
    // Left where the system cleans up.
    let _ = std::fs::remove_file(&own);
    code.and_then(|code| shown.map(|()| code))
}

fn show(paths: &[PathBuf]) -> Result<()> {
    let records: Vec<Record> = read_all(paths)?.into_iter().flat_map(|report| report.records).collect();
    print(&answer::links(&records))
}

/// Measures the ways from each card to the next one. One run: its worker repeats the command line.
fn measure(path: &std::path::Path) -> Result<u8> {
    let path = path.to_str().ok_or_else(|| Error::Usage("--out: the path is no UTF-8".to_owned()))?;
    let fixed = ["run", "transfer/peer_*", "--backend", "cuda", "--device", "all", "--param", "PEER=1"];
    let words = || fixed.into_iter().chain(["--profile", "quick", "--out", path]);
    let command = run::Arguments::augment_args(clap::Command::new("run"));
    let fault = |error: clap::Error| Error::Usage(error.to_string());
    let matches = command.try_get_matches_from(words()).map_err(fault)?;
    let mut arguments = run::Arguments::from_arg_matches(&matches).map_err(fault)?;
    arguments.is_quiet = true;
    arguments.typed = Some(Typed::of_arguments(words()));
    run::run(&arguments)
}
