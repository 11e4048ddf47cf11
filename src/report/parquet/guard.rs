//! Panics of the Parquet crate, which damaged files cause, as errors.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use parquet::errors::ParquetError;

thread_local! {
    /// Whether a panic of this thread is caught, and not to be printed.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// What `read` returns; an error if it panics. What it changes must not be used after an error.
pub(super) fn guarded<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let earlier = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_CAUGHT.get() {
                earlier(panic);
            }
        }));
    });
    let was_caught = IS_CAUGHT.replace(true);
    let done = catch_unwind(AssertUnwindSafe(read));
    IS_CAUGHT.set(was_caught);
    done.unwrap_or_else(|_| Err(ParquetError::General("the file is damaged".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error_and_a_value_is_returned() {
        assert_eq!(guarded(|| Ok(7)).expect("a value"), 7);
        let error = guarded(|| -> Result<(), ParquetError> { panic!("negative length") }).expect_err("a panic");
        assert!(error.to_string().ends_with("the file is damaged"), "{error}");
        assert!(!IS_CAUGHT.get());
    }
}
