//! `links`: rates and latencies between the cards of this host.

use std::path::{Path, PathBuf};

use super::output::{print, say, terminal};
use super::reports::read_all;
use super::run;
use super::target::Through;
use super::worker::list;
use answers::links as answer;
use record::Record;
use record::error::{Error, Result, usage};
use record::suite::Api;

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Reports with transfers between cards [default: measure now]
    ///
    /// `run 'transfer/peer_*' --backend cuda --device all --out FILE` writes such reports; for three cards, add
    /// `--param PEER=1,PEER=2`. Without reports, every pair of cards is measured at 64 MiB.
    #[arg(value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    /// Save the measured rows as a CSV report
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    out: Option<PathBuf>,
}

pub(super) fn links(arguments: &Arguments) -> Result<u8> {
    if !arguments.files.is_empty() {
        return show(&arguments.files).map(|()| 0);
    }
    let mut folder = tempfile::tempdir().map_err(Error::io("write into", std::env::temp_dir()))?;
    let path = arguments.out.clone().unwrap_or_else(|| folder.path().join("links.csv"));
    let code = match measure(&path) {
        Ok(code) => code,
        Err(error) => {
            folder.disable_cleanup(true);
            if path.exists() {
                say(&format!("the rows measured so far are in {}", path.display()));
            }
            return Err(error);
        }
    };
    show(&[path])?;
    Ok(code)
}

fn show(paths: &[PathBuf]) -> Result<()> {
    let records: Vec<Record> = read_all(paths)?.into_iter().flat_map(|report| report.records).collect();
    print(&answer::links(&records, terminal()))
}

/// Measures the transfers from each card to all others.
fn measure(path: &Path) -> Result<u8> {
    let path = path.to_str().ok_or_else(|| usage!("--out: the path is not UTF-8"))?;
    let cards = list(Some(Through::One(Api::Cuda)))?.devices.len();
    let peers: Vec<String> = (1..cards.max(2)).map(|places| format!("PEER={places}")).collect();
    let peers = peers.join(",");
    let fixed = ["run", "transfer/peer_*", "--backend", "cuda", "--device", "all", "--profile", "quick"];
    run::run(run::Arguments::without_tables(fixed.into_iter().chain(["--param", &peers, "--out", path]))?)
}
