//! What a dispatch costs the host, by part.

use record::Record;
use record::claim::*;
use record::stats::Estimate;

pub(crate) const CLAIMS: &[Claim] = &[Claim::Measured(Measured { name: "host time of a dispatch", state: costs })];

const PARTS: [(&str, &str); 8] = [
    ("dispatch", "encode + submit + wait"),
    ("encode", "encode only"),
    ("submit", "submit only"),
    ("bind_group", "creating its bind group"),
    ("immediates", "total with an immediate"),
    ("uniform_write", "total with a uniform write"),
    ("indirect", "total for an indirect dispatch"),
    ("graph", "in a CUDA graph"),
];

fn costs(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let alone = of(rows, "dispatch").filter(|row| row.n.is_some()).find(|row| scalars(row) == 1).and_then(time);
    let alone = alone.and_then(|ns| facts.time("one dispatch alone", ns));
    let cost = |(benchmark, words): (&'static str, &str)| {
        let (most, ns) = each(of(rows, benchmark).collect())?;
        let ns = facts.time(format!("time per further dispatch in {benchmark}, up to {most}"), ns)?;
        Some(format!("{ns} ({words})"))
    };
    let costs = joined(PARTS.into_iter().filter_map(cost), ", ");
    let alone = alone.map(|ns| format!("Submitting one dispatch and waiting for it takes the host {ns}."));
    let each = costs.map(|costs| format!("Each further dispatch in a submission costs {costs}."));
    joined(alone.into_iter().chain(each), " ")
}

/// The most dispatches in these rows, and the nanoseconds that each further dispatch in a submission costs.
fn each(mut rows: Vec<&Record>) -> Option<(u64, Estimate)> {
    rows.retain(|row| row.n.is_some());
    rows.sort_by_key(|row| scalars(row));
    let (first, last) = (rows.first()?, rows.last()?);
    let more = scalars(last) - scalars(first);
    let each = (more > 0).then_some(scaled(difference(time(last)?, time(first)?), 1.0 / more as f64))?;
    (each.low > 0.0).then_some((scalars(last), each))
}

#[cfg(test)]
mod tests {
    use crate::planted::{found, row};

    #[test]
    fn a_dispatch_costs_what_one_more_adds() {
        let rows = [
            row("dispatch", &[], 1, 20_000.0),
            row("dispatch", &[], 1000, 2_018_000.0),
            row("encode", &[], 1, 3_000.0),
            row("encode", &[], 1000, 1_002_000.0),
        ];
        let text = "Submitting one dispatch and waiting for it takes the host 20.0 µs. Each further dispatch in a \
                    submission costs 2.00 µs (encode + submit + wait), 1.00 µs (encode only).";
        assert_eq!(found("host_cost", &rows).expect("rows").text(), text);
    }
}
