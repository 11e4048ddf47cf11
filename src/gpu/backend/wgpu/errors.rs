//! Errors that several files of this backend report.

use record::error::Error;

/// A callback was dropped without being called.
pub(super) fn unanswered() -> Error {
    Error::Lost("the device lost the submitted work".to_owned())
}

/// A buffer could not be mapped.
pub(super) fn unmappable(why: &str) -> Error {
    Error::Lost(format!("a buffer could not be mapped: {why}"))
}
