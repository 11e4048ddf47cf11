//! Errors that several files of this backend report.

use record::error::Error;

/// The error of a callback that was dropped without being called.
pub(super) fn unanswered() -> Error {
    Error::Lost("the device lost the submitted work".to_owned())
}

pub(super) fn unmappable(why: &str) -> Error {
    Error::Lost(format!("a buffer could not be mapped: {why}"))
}
