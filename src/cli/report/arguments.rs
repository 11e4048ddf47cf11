//! The command line of `report`.

use std::path::{Path, PathBuf};

use crate::cli::format::By;
use crate::cli::reports::{FOLDERS, none_yet};
use answers::report::reader;
use record::error::{Result, shown, usage};

#[derive(clap::Args)]
pub(in crate::cli) struct Arguments {
    /// Reports or folders of reports [default: reports/ and results/]
    ///
    /// The page pools runs with the same card, API, driver and shaderbench version. The github format exports the
    /// newest row of each card and case.
    #[arg(value_name = "FILE|DIR")]
    pub(super) files: Vec<PathBuf>,
    /// File to write [default: report.html]
    ///
    /// The index format writes README.md into the folder; the github format writes to stdout by default.
    #[arg(long, short, value_name = "PATH")]
    pub(super) out: Option<PathBuf>,
    /// Format [default: from the extension of --out, else html]
    #[arg(long, value_name = "FORMAT", value_enum)]
    pub(super) format: Option<Format>,
    /// Pool the runs of each card, or of all cards of a model
    #[arg(long, value_enum, default_value_t)]
    pub(super) by: By,
    /// Leave out host names, and replace each card's UUID with a hash
    ///
    /// The hash is the same in every report of the card.
    #[arg(long)]
    pub(super) anonymous: bool,
    /// Overwrite an existing file
    #[arg(long)]
    pub(super) force: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// A page with tables and charts
    Html,
    /// All rows in one CSV file, compressed if its name ends in .gz
    Csv,
    /// README.md in a folder: a list of the folder's reports with headline figures
    Index,
    /// Data for github-action-benchmark
    Github,
}

impl Format {
    /// The format for a file's extension.
    pub(super) fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("html" | "htm") => Ok(Self::Html),
            _ if reader::has_ending(path, "csv") => Ok(Self::Csv),
            _ => {
                let sentence = "name a file that ends in .html, .csv or .csv.gz, or pass --format";
                Err(usage!("{}: {sentence}", shown(path)))
            }
        }
    }
}

impl Arguments {
    pub(super) fn files(&self) -> Result<Vec<PathBuf>> {
        if !self.files.is_empty() {
            return Ok(self.files.clone());
        }
        let found: Vec<PathBuf> = FOLDERS.iter().map(PathBuf::from).filter(|folder| folder.is_dir()).collect();
        if found.is_empty() { Err(none_yet()) } else { Ok(found) }
    }
}
