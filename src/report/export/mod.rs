//! Rows in the formats of other tools: metrics, tests, and results of continuous benchmarking.

mod bencher;
mod github;
mod junit;
mod openmetrics;
mod row;

use crate::record::Record;

/// A format of another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Gauges for the textfile collector of Prometheus' node_exporter
    Openmetrics,
    /// A test for each case
    Junit,
    /// Bencher Metric Format, JSON
    Bencher,
    /// github-action-benchmark, JSON, tool customSmallerIsBetter
    Github,
}

/// Writes rows in a format. Of rows of one case on one card, the newest counts.
#[must_use]
pub fn write(records: &[Record], format: Format) -> String {
    let rows = row::newest(records);
    match format {
        Format::Openmetrics => openmetrics::write(&rows),
        Format::Junit => junit::write(&rows),
        Format::Bencher => bencher::write(&rows),
        Format::Github => github::write(&rows),
    }
}

#[cfg(test)]
mod tests;
