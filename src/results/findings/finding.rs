//! A statement about a device, with the values that support it.

use serde::Serialize;

use crate::results::format;
use crate::suite::binary_size;

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
    /// 10^9 operations per second.
    #[serde(rename = "GFLOP/s")]
    GflopPerS(f64),
    /// A ratio of two figures, or a share of a peak.
    #[serde(rename = "×")]
    Ratio(f64),
}

/// Collects a finding's values. Each method records a value under a name and returns its text for the sentence.
#[derive(Debug, Default)]
pub(super) struct Draft {
    values: Vec<(String, Quantity)>,
}

impl Draft {
    /// The finding; `None` without a sentence.
    pub(super) fn finish(self, sentences: &[String]) -> Option<Finding> {
        (!sentences.is_empty()).then(|| Finding { text: sentences.join(" "), values: self.values })
    }

    fn record(&mut self, name: impl Into<String>, value: Quantity) {
        self.values.push((name.into(), value));
    }

    pub(super) fn count(&mut self, name: impl Into<String>, count: u64) -> String {
        self.record(name, Quantity::Count(count));
        count.to_string()
    }

    pub(super) fn bytes(&mut self, name: impl Into<String>, bytes: u64) -> String {
        self.record(name, Quantity::Bytes(bytes));
        binary_size(bytes)
    }

    /// A latency, to a tenth of a nanosecond.
    pub(super) fn latency(&mut self, name: impl Into<String>, ns: f64) -> String {
        self.record(name, Quantity::Nanoseconds(ns));
        format!("{ns:.1} ns")
    }

    /// A duration in microseconds, with this number of decimals.
    pub(super) fn microseconds(&mut self, name: impl Into<String>, ns: f64, decimals: usize) -> String {
        self.record(name, Quantity::Nanoseconds(ns));
        format!("{:.*} µs", decimals, ns / 1e3)
    }

    pub(super) fn gb_per_s(&mut self, name: impl Into<String>, rate: f64) -> String {
        self.record(name, Quantity::GbPerS(rate));
        format::byte_rate(rate)
    }

    pub(super) fn gflop_per_s(&mut self, name: impl Into<String>, rate: f64) -> String {
        self.record(name, Quantity::GflopPerS(rate));
        format::flop_rate(rate)
    }

    /// A factor: `2.31×`.
    pub(super) fn times(&mut self, name: impl Into<String>, ratio: f64) -> String {
        self.record(name, Quantity::Ratio(ratio));
        format::ratio(ratio)
    }

    /// A part of a whole: `75 %`.
    pub(super) fn percent(&mut self, name: impl Into<String>, part: f64) -> String {
        self.record(name, Quantity::Ratio(part));
        format::percent(part)
    }

    /// ` (98 % of the measured copy peak)`, where the row has a share.
    pub(super) fn share(&mut self, name: impl Into<String>, share: Option<f64>, peak: &str) -> String {
        share.map_or_else(String::new, |share| format!(" ({} of {peak})", self.percent(name, share)))
    }
}
