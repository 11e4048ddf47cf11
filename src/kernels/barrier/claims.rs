//! The cost of a barrier, by workgroup size.

use record::Record;
use record::claim::*;
use record::stats::Estimate;

pub(crate) const CLAIMS: &[Claim] = &[Claim::Measured(Measured { name: "time of one round", state: rounds })];

fn rounds(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let smallest = rows.iter().filter(|row| row.n.is_some()).map(|row| scalars(row)).min()?;
    let cost = |(width, ns): (f64, Estimate)| {
        Some(format!("{} for WG={width}", facts.time(format!("round of WG={width}"), ns)?))
    };
    let list = joined(costs(rows, smallest).into_iter().filter_map(cost), ", ")?;
    Some(format!("With {} invocations, one round (store, barrier, load and add) takes {list}.", short(smallest)))
}

/// Nanoseconds per round, for each workgroup size measured with two numbers of rounds.
fn costs(rows: &[&Record], n: u64) -> Vec<(f64, Estimate)> {
    let mut points: Vec<(f64, f64, Estimate)> = rows
        .iter()
        .filter(|row| scalars(row) == n)
        .filter_map(|row| Some((param(row, "WG")?, param(row, "ROUNDS")?, time(row)?)))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let same_width = points.chunk_by(|a, b| a.0 == b.0);
    same_width
        .filter_map(|points| {
            let (first, last) = (points.first()?, points.last()?);
            let slope = (last.1 > first.1).then(|| scaled(difference(last.2, first.2), 1.0 / (last.1 - first.1)))?;
            (slope.low > 0.0).then_some((first.0, slope))
        })
        .collect()
}
