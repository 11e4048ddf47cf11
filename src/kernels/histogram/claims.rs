//! The gain of counting in workgroup memory.

use record::claim::*;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "fastest histogram", state: best }),
    Claim::Ratio(Ratio {
        name: "speed ratio: workgroup memory / global memory",
        kernels: [("histogram/workgroup_atomic", NONE), ("histogram/global_atomic", NONE)],
        by: By::Bytes,
        says: "With {size} words, counting in workgroup memory is {} in global memory.",
    }),
    Claim::Measured(Measured {
        name: "gain from several copies of the bins",
        state: |rows, facts| {
            let mut sizes: Vec<u64> =
                rows.iter().filter(|row| row.gb_per_s.is_some()).map(|row| scalars(row)).collect();
            sizes.sort_unstable();
            let rate = |name, n| Some(fastest(of(rows, name).filter(|row| scalars(row) == n), byte_rate)?.rate);
            let at = |n| Some((n, rate("private", n)?, rate("workgroup_atomic", n)?));
            let (n, several, one) = sizes.into_iter().rev().find_map(at)?;
            let gain = facts.speed("speed ratio: several copies / one copy", several, one)?;
            Some(format!("With {} words, several copies of the bins are {gain} one copy.", short(n)))
        },
    }),
];

fn best(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let best = fastest_bytes(rows.iter().copied())?;
    let (subject, rate) = best.named(label);
    let rate = facts.byte_rate("fastest", rate)?;
    Some(format!("Histogram of {} words: {subject} {rate}.", short(scalars(best.row))))
}
