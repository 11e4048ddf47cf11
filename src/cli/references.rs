//! The built-in reports.

use std::path::Path;

use answers::references::{Shipped, unpack};
use answers::report::csv::Parsed;
use answers::report::reader;
use record::error::{Result, usage};

/// Extracts of the reports in `results/`; `examples/references.rs` makes the file.
const FILE: &[u8] = include_bytes!("../../data/references.json.gz");

/// The example report; the same example makes it.
const EXAMPLE_FILE: &[u8] = include_bytes!("../../data/h100.csv.gz");

/// The name of the example report on the command line.
pub(super) const EXAMPLE: &str = "h100";

/// Whether a path means the example: an existing file of this name takes precedence.
pub(super) fn is_example(path: &Path) -> bool {
    path == Path::new(EXAMPLE) && !path.exists()
}

pub(super) fn example() -> Result<Parsed> {
    reader::read(Path::new(EXAMPLE), EXAMPLE_FILE)
}

/// The runs and kernels of the reports in `results/`.
pub(super) fn shipped() -> Result<Shipped> {
    unpack(FILE).map_err(|message| usage!("the built-in reference reports are damaged: {message}"))
}
