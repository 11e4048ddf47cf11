//! Sentences that may be said of a device, each with the rows that it follows from.

use super::device_rows::DeviceRows;
use super::facts::{Facts, Stated};
use crate::Record;

/// A sentence about what was measured.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// What the sentence is about.
    pub name: &'static str,
    /// The rows that it is computed from.
    pub rows: &'static str,
    /// When it is printed.
    pub condition: &'static str,
    /// Writes it and records its values; `None` where the condition does not hold.
    pub state: fn(&DeviceRows, &mut Facts) -> Option<String>,
}

/// The condition of a comparison of two kernels.
pub const COMPARED: &str = "a factor if the interval of the ratio excludes 1; else alike if both are within ±5 %";

impl Measured {
    pub(super) const BLANK: Self = Self { name: "", rows: "", condition: "", state: |_, _| None };

    /// Whether `rows`, of the claim's family, of one device through one API, support it.
    #[must_use]
    pub fn states(&self, rows: &[&Record]) -> bool {
        self.stated(&DeviceRows::new(rows)).is_some()
    }

    /// The sentence with its values, if the sheet supports it: the rows of the claim's family.
    pub fn stated(&self, rows: &DeviceRows) -> Option<Stated> {
        let mut facts = Facts::default();
        let text = (self.state)(rows, &mut facts)?;
        Some(Stated { text, values: facts.into_values() })
    }
}
