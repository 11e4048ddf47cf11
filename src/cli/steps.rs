//! Names of the tour's steps on the command line.

use crate::claim::ArticleClaim;
use crate::error::{Result, usage};
use crate::families::articles::{ids, named};

/// Whether the name has the form of a step or chapter: one letter, and digits; or of an article, three digits.
pub(super) fn is_step(name: &str) -> bool {
    let are_digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let is_article = name.len() == 3 && are_digits(name);
    is_article || name.starts_with(|c: char| c.is_ascii_alphabetic()) && are_digits(&name[1..])
}

/// The steps of an id or a chapter.
///
/// # Errors
/// [`Error::Usage`] with the valid ids if there is none.
pub(super) fn steps_named(name: &str) -> Result<Vec<&'static ArticleClaim>> {
    let steps = named(name);
    if steps.is_empty() {
        return Err(usage!("there is no step '{name}': the steps are {}", ids()));
    }
    Ok(steps)
}
