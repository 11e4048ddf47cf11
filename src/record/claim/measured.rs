use super::device_rows::DeviceRows;
use super::facts::{Facts, Stated};
use super::ratio::Ratio;
use crate::Record;

/// A sentence about what was measured.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// What the sentence is about.
    pub name: &'static str,
    /// Writes the sentence and records its values; `None` if the rows do not support it.
    pub state: fn(&DeviceRows, &mut Facts) -> Option<String>,
}

/// A claim of the suite itself.
#[derive(Debug, Clone, Copy)]
pub enum Own {
    /// A function writes the sentence.
    Measured(Measured),
    /// The sentence contains one ratio of two kernels.
    Ratio(Ratio),
}

impl Own {
    pub(super) const BLANK: Self = Self::Measured(Measured { name: "", state: |_, _| None });

    /// What the sentence is about.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Measured(own) => own.name,
            Self::Ratio(own) => own.name,
        }
    }

    /// Whether `rows`, those of the claim's family for one device and API, support it.
    #[must_use]
    pub fn states(&self, rows: &[&Record]) -> bool {
        self.stated(&DeviceRows::new(rows)).is_some()
    }

    /// The sentence with its values, if the rows of the claim's family support it.
    pub fn stated(&self, rows: &DeviceRows) -> Option<Stated> {
        let mut facts = Facts::default();
        let text = match self {
            Self::Measured(own) => (own.state)(rows, &mut facts)?,
            Self::Ratio(own) => own.state(rows, &mut facts)?,
        };
        Some(Stated { text, values: facts.into_values() })
    }
}
