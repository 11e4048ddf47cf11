//! The committed reports, for unit tests. Only the repository has them: a package of the crate contains none.

mod files;

use std::path::{Path, PathBuf};

use super::reader;
use record::Record;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// All committed reports. `None` in a package; the test is then skipped.
pub(crate) fn reports() -> Option<Vec<PathBuf>> {
    let is_there = Path::new(REPOSITORY).join("results").is_dir();
    if !is_there {
        eprintln!("SKIPPED: the committed reports exist only in the repository");
    }
    is_there.then(|| files::committed_reports(Path::new(REPOSITORY)))
}

/// The rows of the committed report at this path below `results/`.
pub(crate) fn rows(path: &str) -> Option<Vec<Record>> {
    let path = reports()?.into_iter().find(|report| report.ends_with(path)).expect(path);
    Some(reader::open(&path).expect("a report").records)
}
