//! Claims: the sentences that a finding may contain, each with the rows and the condition that it follows from.

use super::finding::{Draft, Finding};
use crate::record::{Record, Status};

/// A sentence about a device that the rows of a family may support.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// What the sentence is about.
    pub name: &'static str,
    /// The rows that it is computed from.
    pub rows: &'static str,
    /// When it is printed.
    pub condition: &'static str,
    /// Writes it and records its values; `None` where the condition does not hold.
    pub(super) state: fn(&[&Record], &mut Draft) -> Option<String>,
}

impl Claim {
    /// The sentence with its values, if `rows` support it: rows of the claim's family, of one device through one API.
    /// Faulty rows support nothing.
    #[must_use]
    pub fn stated(&self, rows: &[&Record]) -> Option<Finding> {
        let rows: Vec<&Record> = rows.iter().copied().filter(|row| row.status == Status::Ok).collect();
        let mut draft = Draft::default();
        let text = (self.state)(&rows, &mut draft)?;
        Some(Finding { text, values: draft.into_values() })
    }
}
