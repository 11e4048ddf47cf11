//! The reports that the program brings along.

use crate::error::{Error, Result};
use crate::report::normal::{Shipped, unpack};

/// What is kept of the reports in `results/`; `examples/references.rs` makes the file.
const FILE: &[u8] = include_bytes!("../../data/references.json.gz");

/// Their runs and kernels.
///
/// # Errors
/// [`Error::Usage`] if the build has a damaged file.
pub(super) fn shipped() -> Result<Shipped> {
    unpack(FILE).map_err(|message| Error::Usage(format!("the reference reports of this build are damaged: {message}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::normal::pack;
    use crate::report::reader;
    use std::path::Path;

    #[test]
    fn the_file_is_made_from_the_committed_reports() {
        let mut expected = Shipped::default();
        for path in reader::files(Path::new("results")).expect("the folder").reports {
            if reader::has_ending(&path, "csv") {
                expected.add(&reader::open(&path).expect("a report").records);
            }
        }
        let expected = unpack(&pack(expected)).expect("its own");
        assert!(shipped().expect("sound") == expected, "run `cargo run --example references` and commit the file");
        assert!(!expected.runs.is_empty() && !expected.kernels.is_empty());
        assert!(FILE.len() <= 1_000_000, "{} bytes", FILE.len());
    }
}
