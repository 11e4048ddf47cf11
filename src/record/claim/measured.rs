use super::device_rows::DeviceRows;
use super::facts::{Facts, Stated};
use super::ratio::Ratio;
use crate::Record;

/// A sentence about what was measured.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// What the sentence is about.
    pub name: &'static str,
    /// The rows that it follows from.
    pub rows: &'static str,
    /// When it is printed.
    pub condition: &'static str,
    /// Writes the sentence and records its values; `None` if the condition does not hold.
    pub state: fn(&DeviceRows, &mut Facts) -> Option<String>,
}

/// The condition of a comparison of two kernels.
pub const COMPARED: &str =
    "a factor if the ratio's interval excludes 1; otherwise alike if the intervals of both figures are within ±5 %";

/// A claim of the suite itself.
#[derive(Debug, Clone, Copy)]
pub enum Own {
    /// A function writes the sentence.
    Measured(Measured),
    /// The sentence contains one ratio of two kernels.
    Ratio(Ratio),
}

impl Own {
    pub(super) const BLANK: Self = Self::Measured(Measured { name: "", rows: "", condition: "", state: |_, _| None });

    /// What the sentence is about.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Measured(own) => own.name,
            Self::Ratio(own) => own.name,
        }
    }

    /// Whether the claim names this benchmark of its family.
    #[must_use]
    pub fn needs(&self, benchmark: &str) -> bool {
        match self {
            Self::Measured(own) => own.rows.split_whitespace().any(|word| word == benchmark),
            Self::Ratio(own) => own.kernels.iter().any(|(kernel, _)| kernel.ends_with(&format!("/{benchmark}"))),
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
