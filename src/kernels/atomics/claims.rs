//! Rates of atomic additions, to one word and to many.

use record::claim::*;

pub(crate) const CLAIMS: &[Claim] = &[Claim::Measured(Measured { name: "rates of atomic additions", state: rates })];

fn rates(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let largest = rows.iter().filter(|row| row.gflop_per_s.is_some()).map(|row| scalars(row)).max()?;
    let mut parts = Vec::new();
    for (benchmark, to) in [
        ("same_address", "one global word"),
        ("spread", "many words"),
        ("workgroup", "one word in each workgroup's memory"),
    ] {
        let Some(best) = fastest_flops(of(rows, benchmark).filter(|row| scalars(row) == largest)) else { continue };
        let Some(rate) = facts.operations(benchmark, best.rate) else { continue };
        let with = if best.is_certain() && benchmark == "spread" {
            format!(" (fastest with {})", best.row.params_text())
        } else {
            String::new()
        };
        parts.push(format!("{rate} to {to}{with}"));
    }
    let list = joined(parts, ", ")?;
    Some(format!("Atomic additions per second by {} invocations: {list}.", short(largest)))
}
