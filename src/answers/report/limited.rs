//! A byte source that fails beyond a size limit.

use std::io::{Error, ErrorKind, Read, Result};

/// Maximum size of a report in bytes, packed or unpacked.
pub const MOST_BYTES: u64 = 256 << 20;

/// Reads at most [`MOST_BYTES`] from `source`: device files and compressed files may be endless.
pub struct Limited<R> {
    source: R,
    left: u64,
}

impl<R: Read> Limited<R> {
    /// A reader that has read nothing of `source` yet.
    pub const fn new(source: R) -> Self {
        Self { source, left: MOST_BYTES }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let length = self.source.read(buffer)?;
        self.left = self.left.checked_sub(length as u64).ok_or_else(too_large)?;
        Ok(length)
    }
}

/// The error for a report beyond the limit.
pub fn too_large() -> Error {
    let message = format!(
        "the report is larger than {} MiB; split it by device or by run, or give the folder of the reports that it was merged from",
        MOST_BYTES >> 20
    );
    Error::new(ErrorKind::FileTooLarge, message)
}
