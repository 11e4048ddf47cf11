//! The gain of counting in workgroup memory.

use record::Record;
use record::claim::{
    COMPARED, Claim, DeviceRows, Facts, Measured, byte_rate, fastest, fastest_bytes, label, of, scalars, short,
};
use record::stats::Estimate;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "fastest histogram",
        rows: "all, at the largest size",
        condition: "one kernel is named if no other ties with it, else those that tie",
        state: best,
    }),
    Claim::Measured(Measured {
        name: "gain of workgroup memory",
        rows: "the fastest of global_atomic and of workgroup_atomic, at the largest size that both have",
        condition: COMPARED,
        state: |rows, facts| {
            let (n, workgroup, global) = pair(rows, "workgroup_atomic", "global_atomic")?;
            let gain = facts.speed("workgroup memory over global memory", workgroup, global)?;
            Some(format!("Counting in workgroup memory is {gain} in global memory (at {} words).", short(n)))
        },
    }),
    Claim::Measured(Measured {
        name: "gain of several copies",
        rows: "the fastest of workgroup_atomic and of private, at the largest size that both have",
        condition: COMPARED,
        state: |rows, facts| {
            let (n, several, one) = pair(rows, "private", "workgroup_atomic")?;
            let gain = facts.speed("several copies over one", several, one)?;
            Some(format!("Several copies of the bins are {gain} one (at {} words).", short(n)))
        },
    }),
];

fn best(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let best = fastest_bytes(rows.iter().copied())?;
    let (subject, rate) = best.named(label);
    let rate = facts.byte_rate("fastest", rate)?;
    Some(format!("Histogram of {} words: {subject} {rate}.", short(scalars(best.row))))
}

/// The largest size that both benchmarks have, and the best rate of each there.
fn pair(rows: &[&Record], benchmark: &str, other: &str) -> Option<(u64, Estimate, Estimate)> {
    let mut sizes: Vec<u64> = rows.iter().filter(|row| row.gb_per_s.is_some()).map(|row| scalars(row)).collect();
    sizes.sort_unstable();
    let best = |name: &str, n: u64| Some(fastest(of(rows, name).filter(|row| scalars(row) == n), byte_rate)?.rate);
    sizes.into_iter().rev().find_map(|n| Some((n, best(benchmark, n)?, best(other, n)?)))
}
