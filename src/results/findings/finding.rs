//! A statement about a device, with the values that support it.

use serde::Serialize;

use super::estimate::{self, Comparison};
use crate::record::{Record, format, stats::Estimate};
use crate::suite::{binary_range, binary_size};

/// A statement about a device, computed from rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The statement: one or a few sentences.
    pub text: String,
    /// The values in it, each with its name.
    pub values: Vec<(String, Quantity)>,
}

impl Finding {
    /// The value of this name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<Quantity> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

/// A value with its unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "unit", content = "value")]
pub enum Quantity {
    /// A number of things.
    #[serde(rename = "")]
    Count(u64),
    /// Bytes.
    #[serde(rename = "B")]
    Bytes(u64),
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds(f64),
    /// 10^9 bytes per second.
    #[serde(rename = "GB/s")]
    GbPerS(f64),
    /// 10^9 operations on floats per second.
    #[serde(rename = "GFLOP/s")]
    GflopPerS(f64),
    /// 10^9 operations on integers per second.
    #[serde(rename = "GOP/s")]
    GopPerS(f64),
    /// A ratio of two figures, or a share of a peak.
    #[serde(rename = "×")]
    Ratio(f64),
}

/// Collects the values of a sentence. Each method records a value under a name and returns its text, with the digits
/// that its interval leaves ([`format::digits`]); `None`, and no value, where that is none.
#[derive(Debug, Default)]
pub(in crate::results) struct Draft {
    values: Vec<(String, Quantity)>,
}

impl Draft {
    pub(in crate::results) fn into_values(self) -> Vec<(String, Quantity)> {
        self.values
    }

    fn record(&mut self, name: impl Into<String>, value: Quantity) {
        self.values.push((name.into(), value));
    }

    /// The rounded value and its digits.
    fn quoted(&mut self, name: String, estimate: Estimate, quantity: fn(f64) -> Quantity) -> Option<(f64, usize)> {
        let digits = format::digits(estimate.value, estimate.low, estimate.high)?;
        self.record(name, quantity(estimate.value));
        Some((format::rounded(estimate.value, digits), digits))
    }

    pub(in crate::results) fn count(&mut self, name: impl Into<String>, count: u64) -> String {
        self.record(name, Quantity::Count(count));
        count.to_string()
    }

    pub(in crate::results) fn bytes(&mut self, name: impl Into<String>, bytes: u64) -> String {
        self.record(name, Quantity::Bytes(bytes));
        binary_size(bytes)
    }

    /// A size between two: `24–48 MiB`. Records both.
    pub(in crate::results) fn bracket(&mut self, name: &str, least: u64, most: u64) -> String {
        self.record(format!("{name} at least"), Quantity::Bytes(least));
        self.record(format!("{name} at most"), Quantity::Bytes(most));
        binary_range(least, most)
    }

    /// A time, from nanoseconds.
    pub(in crate::results) fn time(&mut self, name: impl Into<String>, ns: Estimate) -> Option<String> {
        let (ns, digits) = self.quoted(name.into(), ns, Quantity::Nanoseconds)?;
        Some(format::scaled(ns, format::TIME_UNITS, digits))
    }

    /// A rate, from GB/s.
    pub(in crate::results) fn byte_rate(&mut self, name: impl Into<String>, rate: Estimate) -> Option<String> {
        let (rate, digits) = self.quoted(name.into(), rate, Quantity::GbPerS)?;
        Some(format::scaled(rate * 1000.0, format::BYTE_RATE_UNITS, digits))
    }

    /// A rate, from GFLOP/s.
    pub(in crate::results) fn flop_rate(&mut self, name: impl Into<String>, rate: Estimate) -> Option<String> {
        let (rate, digits) = self.quoted(name.into(), rate, Quantity::GflopPerS)?;
        Some(format::scaled(rate * 1000.0, format::operation_units(true).0, digits))
    }

    /// A number of operations on integers per second, in 10^9: `12.3 G`.
    pub(in crate::results) fn operations(&mut self, name: impl Into<String>, rate: Estimate) -> Option<String> {
        let (rate, digits) = self.quoted(name.into(), rate, Quantity::GopPerS)?;
        Some(format::scaled(rate * 1000.0, &["M", "G", "T"], digits))
    }

    /// A factor: `2.31×`.
    pub(in crate::results) fn times(&mut self, name: impl Into<String>, ratio: Estimate) -> Option<String> {
        let (ratio, digits) = self.quoted(name.into(), ratio, Quantity::Ratio)?;
        Some(format!("{}×", format::significant(ratio, digits)))
    }

    /// A ratio without noise, in plain digits.
    pub(in crate::results) fn exact(&mut self, name: impl Into<String>, ratio: f64) -> String {
        self.record(name, Quantity::Ratio(ratio));
        ratio.to_string()
    }

    /// A part of a whole: `75 %`.
    pub(in crate::results) fn percent(&mut self, name: impl Into<String>, part: Estimate) -> Option<String> {
        let (quoted, digits) = self.quoted(name.into(), part, Quantity::Ratio)?;
        let whole = format::rounded(part.value, digits.min(2));
        // 99.6 % is not all.
        let (part, digits) = if whole == 1.0 { (quoted, digits.min(3)) } else { (whole, digits.min(2)) };
        Some(format!("{} %", format::significant(part * 100.0, digits)))
    }

    /// How a rate compares with another: `2.31× as fast as`, or `as fast, within the noise, as`. Records a factor only.
    pub(in crate::results) fn speed(
        &mut self,
        name: impl Into<String>,
        rate: Estimate,
        other: Estimate,
    ) -> Option<String> {
        match estimate::compare(rate, other)? {
            Comparison::Differ(ratio) => Some(format!("{} as fast as", self.times(name, ratio)?)),
            Comparison::Alike => Some("as fast, within the noise, as".to_owned()),
        }
    }

    /// How a time compares with another: `2.31× as long as`, or `as long, within the noise, as`. Records a factor only.
    pub(in crate::results) fn duration(
        &mut self,
        name: impl Into<String>,
        time: Estimate,
        other: Estimate,
    ) -> Option<String> {
        match estimate::compare(time, other)? {
            Comparison::Differ(ratio) => Some(format!("{} as long as", self.times(name, ratio)?)),
            Comparison::Alike => Some("as long, within the noise, as".to_owned()),
        }
    }

    /// ` (98 % of the measured copy peak)`, where the row has a share that its noise leaves.
    pub(in crate::results) fn share(&mut self, name: impl Into<String>, row: &Record, peak: &str) -> String {
        let share = estimate::share(row).and_then(|share| self.percent(name, share));
        share.map_or_else(String::new, |share| format!(" ({share} of {peak})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_the_digits_that_its_noise_leaves() {
        let of = |value: f64, noise: f64| Estimate { value, low: value * (1.0 - noise), high: value * (1.0 + noise) };
        let mut draft = Draft::default();
        assert_eq!(draft.byte_rate("a", of(6626.4, 0.003)).as_deref(), Some("6.63 TB/s"));
        assert_eq!(draft.byte_rate("b", of(6626.4, 0.03)).as_deref(), Some("6.6 TB/s"));
        assert_eq!(draft.byte_rate("c", of(6626.4, 0.68)), None);
        assert_eq!(draft.time("d", of(149.31, 0.03)).as_deref(), Some("150 ns"));
        assert_eq!(draft.times("e", of(1.048, 0.01)).as_deref(), Some("1.05×"));
        assert_eq!(draft.percent("f", of(0.754, 0.0001)).as_deref(), Some("75 %"));
        assert_eq!(draft.percent("f", of(0.9964, 0.0001)).as_deref(), Some("99.6 %"));
        assert_eq!(draft.bracket("L2", 24 << 20, 48 << 20), "24–48 MiB");
        assert_eq!(draft.bracket("L1", 96 << 10, 1 << 20), "96 KiB–1 MiB");
        let names: Vec<String> = draft.into_values().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "d", "e", "f", "f", "L2 at least", "L2 at most", "L1 at least", "L1 at most"]);
    }
}
