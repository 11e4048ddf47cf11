//! Names of the tour's steps on the command line.

use crate::error::{Error, Result};
use crate::results::tour::{Step, ids, named};

/// Whether the name has the form of a step or chapter: one letter, and digits.
pub(super) fn is_step(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && characters.all(|c| c.is_ascii_digit())
}

/// The steps of an id or a chapter.
///
/// # Errors
/// [`Error::Usage`] with the valid ids if there is none.
pub(super) fn steps_named(name: &str) -> Result<Vec<&'static Step>> {
    let steps = named(name);
    if steps.is_empty() {
        return Err(Error::Usage(format!("there is no step '{name}': the steps are {}", ids())));
    }
    Ok(steps)
}
