//! The measured peaks of the device.

use record::claim::*;
use record::suite::binary_size;
use record::suite::prelude::*;

pub(crate) const CLAIMS: &[Claim] = &[Claim::Measured(Measured { name: "measured peaks", state: peaks })];

fn peaks(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let best = |benchmark, figure: Figure| fastest_of_largest(of(rows, benchmark), figure);
    let dtype = |best: &Fastest| if best.is_certain() { best.row.dtype_name() } else { "" };
    let mut parts = Vec::new();
    if let Some(best) = best("copy", byte_rate)
        && let Some(rate) = facts.byte_rate("copy", best.rate)
    {
        let per_array = format!("{} per array", binary_size(scalars(best.row) * 4));
        let details: Vec<&str> = [dtype(&best), &per_array].into_iter().filter(|text| !text.is_empty()).collect();
        parts.push(format!("memory copies {rate} ({})", details.join(", ")));
    }
    for (benchmark, scalar) in [("fma", Scalar::F32), ("fma_f16", Scalar::F16), ("fma", Scalar::F64)] {
        let measured = of(rows, benchmark).filter(|row| row.dtype.is_some_and(|dtype| dtype.scalar() == scalar));
        if let Some(best) = fastest_of_largest(measured, flop_rate)
            && let Some(rate) = facts.flop_rate(format!("fma {}", scalar.name()), best.rate)
        {
            parts.push(format!("{} FMA {rate}{}", scalar.name(), in_parentheses(dtype(&best))));
        }
    }
    if let Some(rate) = best("tensor", flop_rate).and_then(|best| facts.flop_rate("tensor", best.rate)) {
        parts.push(format!("tensor cores {rate} with mma (f16 inputs)"));
    }
    if let Some(best) = best("workgroup_read", byte_rate)
        && let Some(rate) = facts.byte_rate("workgroup_read", best.rate)
    {
        parts.push(format!("workgroup memory reads {rate}{}", in_parentheses(dtype(&best))));
    }
    let launch = of(rows, "launch").next().and_then(time);
    if let Some(time) = launch.and_then(|ns| facts.time("launch", ns)) {
        parts.push(format!("launch {time} (back to back)"));
    }
    Some(format!("Measured peaks: {}.", joined(parts, "; ")?))
}

fn in_parentheses(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" ({text})") }
}
