use serde::Serialize;

use super::pair::noise;
use super::pick::Fastest;
use crate::stats::{Estimate, differ};
use crate::suite::{binary_range, binary_size};
use crate::{Record, format, share};

/// The sentences of one claim, with their values.
#[derive(Debug, Clone, PartialEq)]
pub struct Stated {
    /// The sentences.
    pub text: String,
    /// Each value with its name.
    pub values: Vec<(String, Quantity)>,
}

/// What the rows of a family support: at least one statement, one per supported claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The parameters given to the run, under which all statements hold: `HEIGHT=8`; else empty.
    pub given: String,
    /// The statements, in the order of the family's claims.
    pub stated: Vec<Stated>,
}

impl Finding {
    /// The sentences of `stated`: `With HEIGHT=8: Transpose of … .`
    fn of(&self, stated: &[Stated]) -> String {
        let with = if self.given.is_empty() { String::new() } else { format!("With {}: ", self.given) };
        with + &stated.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Every sentence.
    #[must_use]
    pub fn text(&self) -> String {
        self.of(&self.stated)
    }

    /// The first statement alone.
    #[must_use]
    pub fn first(&self) -> String {
        self.of(self.stated.get(..1).unwrap_or_default())
    }

    /// Every value with its name.
    pub fn values(&self) -> impl Iterator<Item = &(String, Quantity)> {
        self.stated.iter().flat_map(|one| &one.values)
    }

    /// The value of this name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<Quantity> {
        self.values().find(|(known, _)| known == name).map(|(_, value)| *value)
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

/// Collects the values of a sentence. Each method records a value and returns its text with its noise; one that is too
/// noisy to quote ([`format::quotable`]) is not recorded and gives `None`.
#[derive(Debug, Default)]
pub struct Facts {
    values: Vec<(String, Quantity)>,
}

/// Intervals up to this relative half width are narrow enough to call two figures alike.
const NARROW: f64 = 0.05;

impl Facts {
    /// The recorded values with their names.
    pub fn into_values(self) -> Vec<(String, Quantity)> {
        self.values
    }

    fn record(&mut self, name: impl Into<String>, value: Quantity) {
        self.values.push((name.into(), value));
    }

    fn quoted(&mut self, name: impl Into<String>, value: Quantity, text: Option<String>) -> Option<String> {
        if text.is_some() {
            self.record(name, value);
        }
        text
    }

    /// A count, as text.
    pub fn count(&mut self, name: impl Into<String>, count: u64) -> String {
        self.record(name, Quantity::Count(count));
        count.to_string()
    }

    /// A number of bytes, as text.
    pub fn bytes(&mut self, name: impl Into<String>, bytes: u64) -> String {
        self.record(name, Quantity::Bytes(bytes));
        binary_size(bytes)
    }

    /// A range of sizes: `24–48 MiB`. Records both ends.
    pub fn bracket(&mut self, name: &str, least: u64, most: u64) -> String {
        self.record(format!("{name} at least"), Quantity::Bytes(least));
        self.record(format!("{name} at most"), Quantity::Bytes(most));
        binary_range(least, most)
    }

    /// A time, from nanoseconds.
    pub fn time(&mut self, name: impl Into<String>, ns: Estimate) -> Option<String> {
        self.quoted(name, Quantity::Nanoseconds(ns.value), format::quoted(ns, format::TIME_UNITS))
    }

    /// A rate, from GB/s.
    pub fn byte_rate(&mut self, name: impl Into<String>, rate: Estimate) -> Option<String> {
        self.quoted(name, Quantity::GbPerS(rate.value), format::quoted(rate.times(1e3), format::BYTE_RATE_UNITS))
    }

    /// A rate, from GFLOP/s.
    pub fn flop_rate(&mut self, name: impl Into<String>, rate: Estimate) -> Option<String> {
        let text = format::quoted(rate.times(1e3), format::operation_units(true).0);
        self.quoted(name, Quantity::GflopPerS(rate.value), text)
    }

    /// A number of operations on integers per second, in 10^9: `12.3 G`.
    pub fn operations(&mut self, name: impl Into<String>, rate: Estimate) -> Option<String> {
        self.quoted(name, Quantity::GopPerS(rate.value), format::quoted(rate.times(1e3), &["M", "G", "T"]))
    }

    /// A factor: `2.31×`.
    pub fn times(&mut self, name: impl Into<String>, ratio: Estimate) -> Option<String> {
        self.quoted(name, Quantity::Ratio(ratio.value), format::quoted_ratio(ratio))
    }

    /// A ratio without noise, in plain digits.
    pub fn exact(&mut self, name: impl Into<String>, ratio: f64) -> String {
        self.record(name, Quantity::Ratio(ratio));
        ratio.to_string()
    }

    /// A part of a whole: `75 %`.
    pub fn percent(&mut self, name: impl Into<String>, part: Estimate) -> Option<String> {
        self.quoted(name, Quantity::Ratio(part.value), format::part(part))
    }

    /// How a rate compares with another: `2.31× as fast as`, or `as fast (within the noise) as`. Records only a factor.
    pub fn speed(&mut self, name: impl Into<String>, rate: Estimate, other: Estimate) -> Option<String> {
        self.compared(name, [rate, other], "fast")
    }

    /// How a time compares with another: `2.31× as long as`, or `as long (within the noise) as`. Records only a factor.
    pub fn duration(&mut self, name: impl Into<String>, time: Estimate, other: Estimate) -> Option<String> {
        self.compared(name, [time, other], "long")
    }

    /// `None` if the two figures do not differ and an interval is wide.
    fn compared(&mut self, name: impl Into<String>, [a, b]: [Estimate; 2], word: &str) -> Option<String> {
        match differ(a, b, 0.0) {
            Some(ratio) => Some(format!("{} as {word} as", self.times(name, ratio)?)),
            None => [a, b].iter().all(|of| noise(*of) <= NARROW).then(|| format!("as {word} (within the noise) as")),
        }
    }

    /// `tiled_wide is fastest at 2.9 TB/s (96 % of the measured copy peak)`; without the share if other rows tie.
    pub fn fastest(&mut self, name: &str, best: &Fastest, label: fn(&Record) -> String, peak: &str) -> Option<String> {
        let (subject, rate) = best.named(label);
        let rate = self.byte_rate(name, rate)?;
        let share = if best.is_certain() { self.share(format!("{name} share"), best.row, peak) } else { String::new() };
        Some(format!("{subject} {rate}{share}"))
    }

    /// ` (98 % of the measured copy peak)`; empty without a share, or if it is too noisy to quote.
    pub fn share(&mut self, name: impl Into<String>, row: &Record, peak: &str) -> String {
        let share = share(row).and_then(|share| self.percent(name, share));
        share.map_or_else(String::new, |share| format!(" ({share} of {peak})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_intervals_show_nothing() {
        let estimate =
            |value: f64, noise: f64| Estimate { value, low: value * (1.0 - noise), high: value * (1.0 + noise) };
        let mut facts = Facts::default();
        let alike = facts.speed("a", estimate(1.0, 0.01), estimate(1.01, 0.01));
        assert_eq!(alike.as_deref(), Some("as fast (within the noise) as"));
        assert_eq!(facts.duration("b", estimate(1.0, 0.2), estimate(1.01, 0.01)), None);
        assert_eq!(
            facts.duration("c", estimate(2.0, 0.001), estimate(1.0, 0.001)).as_deref(),
            Some("2.00× as long as")
        );
    }

    #[test]
    fn a_value_has_three_digits_and_its_noise() {
        let estimate =
            |value: f64, noise: f64| Estimate { value, low: value * (1.0 - noise), high: value * (1.0 + noise) };
        let mut facts = Facts::default();
        assert_eq!(facts.byte_rate("a", estimate(6626.4, 0.003)).as_deref(), Some("6.63 TB/s"));
        assert_eq!(facts.byte_rate("b", estimate(6626.4, 0.03)).as_deref(), Some("6.63 TB/s ±3 %"));
        assert_eq!(facts.byte_rate("c", estimate(6626.4, 0.68)), None);
        assert_eq!(facts.time("d", estimate(149.31, 0.03)).as_deref(), Some("149 ns ±3 %"));
        assert_eq!(facts.times("e", estimate(1.048, 0.01)).as_deref(), Some("1.05×"));
        assert_eq!(facts.percent("f", estimate(0.754, 0.0001)).as_deref(), Some("75 %"));
        assert_eq!(facts.bracket("L2", 24 << 20, 48 << 20), "24–48 MiB");
        assert_eq!(facts.bracket("L1", 96 << 10, 1 << 20), "96 KiB–1 MiB");
        let names: Vec<String> = facts.into_values().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "d", "e", "f", "L2 at least", "L2 at most", "L1 at least", "L1 at most"]);
    }
}
