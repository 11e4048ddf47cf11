//! The cost of run-time checks.

use super::finding::{Draft, Finding};
use super::query::of;
use crate::families::safety_tax::FAMILY;
use crate::results::Record;
use crate::suite::Checks;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let mut draft = Draft::default();
    let mut cost = |benchmark: &str| {
        let measured: Vec<&Record> = of(rows, benchmark).filter(|row| row.median_ns.is_some()).collect();
        // Sizes are in ascending order.
        let n = measured.iter().rfind(|row| row.checks == Some(Checks::ALL))?.n;
        let time = |checks| measured.iter().find(|row| row.n == n && row.checks == Some(checks))?.median_ns;
        let (on, off) = (time(Checks::ALL)?, time(Checks::default())?);
        let single = [
            Checks { bounds: true, ..Checks::default() },
            Checks { loops: true, ..Checks::default() },
            Checks { zero_init: true, ..Checks::default() },
        ];
        let alone = single.into_iter().filter_map(|checks| Some((time(checks)? / off, checks)));
        let (ratio, checks) = alone.max_by(|a, b| a.0.total_cmp(&b.0))?;
        let all = draft.times(format!("{benchmark} checks on"), on / off);
        let alone = draft.times(format!("{benchmark} {}", checks.name()), ratio);
        Some(format!("{benchmark} takes {all} as long ({} alone: {alone})", checks.name()))
    };
    let costs: Vec<String> = FAMILY.benchmarks.iter().filter_map(|benchmark| cost(benchmark.name)).collect();
    let text = format!("With all checks on, {}.", costs.join("; "));
    draft.finish(if costs.is_empty() { &[] } else { std::slice::from_ref(&text) })
}
