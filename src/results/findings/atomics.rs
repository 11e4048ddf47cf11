//! Rates of atomic additions, to one word and to many.

use super::finding::{Draft, Finding};
use super::query::{of, scalars};
use crate::results::Record;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let measured: Vec<&Record> = rows.iter().copied().filter(|row| row.gflop_per_s.is_some()).collect();
    let largest = measured.iter().map(|row| scalars(row)).max()?;
    let mut draft = Draft::default();
    let mut rate = |name: &str| {
        let own = of(&measured, name).filter(|row| scalars(row) == largest);
        let row = own.max_by(|a, b| a.gflop_per_s.unwrap_or(0.0).total_cmp(&b.gflop_per_s.unwrap_or(0.0)))?;
        draft.gflop_per_s(name, row.gflop_per_s?);
        Some((format!("{:.3} G", row.gflop_per_s?), row))
    };
    let mut parts = Vec::new();
    if let Some((rate, _)) = rate("same_address") {
        parts.push(format!("{rate} to one global word"));
    }
    if let Some((rate, row)) = rate("spread") {
        parts.push(format!("{rate} spread over many words (best with {})", row.params_text()));
    }
    if let Some((rate, _)) = rate("workgroup") {
        parts.push(format!("{rate} to one word of each workgroup's memory"));
    }
    let text = format!("Atomic additions per second by {largest} invocations: {}.", parts.join(", "));
    draft.finish(if parts.is_empty() { &[] } else { std::slice::from_ref(&text) })
}
