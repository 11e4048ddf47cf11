//! `import`: figures that other programs published, as a report of unverified rows.

use std::path::PathBuf;

use super::output::print;
use super::outputs::{ANOTHER_FILE, check_new};
use crate::error::{Error, Result, shown};
use crate::report::published::{Tool, read};
use crate::report::{csv, replace_file};

/// Larger outputs are not read.
const MOST_BYTES: u64 = 16 << 20;

/// Arguments of `import`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// What the program printed
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The program
    #[arg(long, value_enum)]
    from: From,
    /// Name of the device; needed for gpu-benches, whose output lacks it
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// The CSV to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

/// Programs whose output is read.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum From {
    /// The text that clpeak prints, version 1 and 2
    Clpeak,
    /// A table of gpu-stream, gpu-latency or gpu-l2-cache
    GpuBenches,
    /// mt4g's JSON
    Mt4g,
}

/// Runs the command.
pub(super) fn import(arguments: &Arguments) -> Result<()> {
    check_new(&arguments.out, arguments.force, ANOTHER_FILE)?;
    let path = &arguments.file;
    let unreadable = |source| Error::Io { action: "read", path: path.clone(), source };
    if std::fs::metadata(path).map_err(unreadable)?.len() > MOST_BYTES {
        return Err(Error::Usage(format!("{} is larger than {} MiB", shown(path), MOST_BYTES >> 20)));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let tool = match arguments.from {
        From::Clpeak => Tool::Clpeak,
        From::GpuBenches => Tool::GpuBenches,
        From::Mt4g => Tool::Mt4g,
    };
    let records = read(tool, &String::from_utf8_lossy(&bytes), arguments.device.as_deref())
        .map_err(|message| Error::Usage(format!("{}: {message}", shown(path))))?;
    replace_file(&arguments.out, &csv::write(&records))?;
    let rows = if records.len() == 1 { "1 figure".to_owned() } else { format!("{} figures", records.len()) };
    print(&format!("{}: {rows} of {}, unverified\n", shown(&arguments.out), tool.name()))
}
