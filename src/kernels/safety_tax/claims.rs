//! The cost of run-time checks.

use super::FAMILY;
use record::Record;
use record::claim::*;
use record::stats::{Estimate, differ};
use record::suite::Checks;

pub(crate) const CLAIMS: &[Claim] = &[Claim::Measured(Measured { name: "cost of run-time checks", state: costs })];

fn costs(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let costs = FAMILY.benchmarks.iter().filter_map(|one| cost(rows, facts, one.name));
    Some(format!("With all checks on, {}.", joined(costs, "; ")?))
}

fn cost(rows: &DeviceRows, facts: &mut Facts, benchmark: &str) -> Option<String> {
    let measured: Vec<&Record> = of(rows, benchmark).filter(|row| row.median_ns.is_some()).collect();
    // Rows are in ascending order of size.
    let n = measured.iter().rfind(|row| row.checks.map(Checks::switchable) == Some(Checks::ALL))?.n;
    let own =
        |checks| time(measured.iter().find(|row| row.n == n && row.checks.map(Checks::switchable) == Some(checks))?);
    let (on, off) = (own(Checks::ALL)?, own(Checks::default())?);
    let all = facts.duration(format!("time ratio, {benchmark}: all checks / no checks"), on, off)?;
    let single = [
        Checks { bounds: true, ..Checks::default() },
        Checks { loops: true, ..Checks::default() },
        Checks { zero_init: true, ..Checks::default() },
    ];
    let mut alone: Vec<(Estimate, Checks)> =
        single.into_iter().filter_map(|checks| Some((own(checks)?, checks))).collect();
    alone.sort_by(|a, b| b.0.value.total_cmp(&a.0.value));
    let slowest = alone
        .first()
        .filter(|(slowest, _)| alone[1..].iter().all(|(other, _)| differ(*slowest, *other, 0.0).is_some()));
    let alone = slowest.and_then(|(with, checks)| {
        let ratio = differ(*with, off, 0.0).filter(|ratio| ratio.low > 1.0)?;
        let ratio = facts.times(format!("time ratio, {benchmark}: only {} / no checks", checks.name()), ratio)?;
        Some(format!(" ({} alone: {ratio})", checks.name()))
    });
    Some(format!("{benchmark} takes {all} with none{}", alone.unwrap_or_default()))
}
