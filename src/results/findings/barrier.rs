//! The cost of a barrier, by workgroup size.

use super::finding::{Draft, Finding};
use super::query::{param, scalars};
use crate::results::Record;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let smallest = rows.iter().filter(|row| row.n.is_some()).map(|row| scalars(row)).min()?;
    let mut draft = Draft::default();
    let costs: Vec<String> = costs(rows, smallest)
        .into_iter()
        .map(|(width, ns)| format!("{} for WG={width}", draft.latency(format!("round of WG={width}"), ns)))
        .collect();
    let text = format!("One round (store, barrier, load, add) by {smallest} invocations takes {}.", costs.join(", "));
    draft.finish(if costs.is_empty() { &[] } else { std::slice::from_ref(&text) })
}

/// Nanoseconds of a round for each workgroup size that was measured with two numbers of rounds, at `n` invocations.
fn costs(rows: &[&Record], n: u64) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64, f64)> = rows
        .iter()
        .filter(|row| scalars(row) == n)
        .filter_map(|row| Some((param(row, "WG")?, param(row, "ROUNDS")?, row.median_ns?)))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let same_width = points.chunk_by(|a, b| a.0 == b.0);
    same_width
        .filter_map(|points| {
            let (first, last) = (points.first()?, points.last()?);
            (last.1 > first.1).then(|| (first.0, (last.2 - first.2) / (last.1 - first.1)))
        })
        .collect()
}
