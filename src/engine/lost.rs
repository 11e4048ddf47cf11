//! Resources of a lost device.

use crate::error::{Error, Result};

/// Drops `resource`, or leaks it if the device is lost: dropping resources of a lost device may block forever.
pub(super) fn leak_if_lost<R, T>(resource: R, result: Result<T>) -> Result<T> {
    if result.as_ref().is_err_and(Error::ends_device) {
        std::mem::forget(resource);
    }
    result
}
