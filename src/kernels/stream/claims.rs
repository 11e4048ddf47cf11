//! The stream kernels compared with a copy.

use super::FAMILY;
use record::claim::{COMPARED, Claim, Facts, Measured, byte_rate, largest, like, of};
use record::stats::{Estimate, differ};
use record::suite::prelude::*;
use record::{MARGIN, Record};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "rate of a copy",
        rows: "copy with vec4 loads, at the largest size",
        condition: "its interval is within ±15 %",
        state: |rows, facts| {
            let (row, rate) = copy(rows)?;
            let rate = facts.byte_rate("copy", rate)?;
            Some(format!("At {} {}, copy runs at {rate}.", row.short_size(), row.dtype_name()))
        },
    }),
    Claim::Measured(Measured {
        name: "fastest kernel",
        rows: "copy and the other kernels, of its type and size",
        condition: "the second fastest other kernel does not tie; a factor if the interval of the ratio excludes 1",
        state: |rows, facts| extreme(rows, facts, "fastest", |a, b| b.value.total_cmp(&a.value)),
    }),
    Claim::Measured(Measured {
        name: "slowest kernel",
        rows: "copy and the other kernels, of its type and size",
        condition: "the second slowest other kernel does not tie; a factor if the interval of the ratio excludes 1",
        state: |rows, facts| extreme(rows, facts, "slowest", |a, b| a.value.total_cmp(&b.value)),
    }),
    Claim::Measured(Measured {
        name: "nstream beside triad",
        rows: "nstream and triad, of the same type, at the largest size that both have",
        condition: COMPARED,
        state: |rows, facts| {
            let [nstream, triad] = rows.together([("stream/nstream", &[]), ("stream/triad", &[])]).ok()?;
            let speed = facts.speed("nstream over triad", byte_rate(nstream)?, byte_rate(triad)?)?;
            let (size, dtype) = (nstream.short_size(), nstream.dtype_name());
            Some(format!("At {size} {dtype}, nstream, with three reads for each write, is {speed} triad, by bytes."))
        },
    }),
];

fn copy<'a>(rows: &[&'a Record]) -> Option<(&'a Record, Estimate)> {
    let copies = of(rows, "copy").filter(|row| row.dtype == Some(Dtype::Vec4F32) && byte_rate(row).is_some());
    let row = largest(copies)?;
    Some((row, byte_rate(row)?))
}

/// The kernel that comes first in this order, if it surely does.
fn extreme(
    rows: &[&Record],
    facts: &mut Facts,
    word: &str,
    order: fn(&Estimate, &Estimate) -> std::cmp::Ordering,
) -> Option<String> {
    let (copy, copied) = copy(rows)?;
    let mut others: Vec<(Estimate, &str)> = FAMILY
        .benchmarks
        .iter()
        .filter(|benchmark| benchmark.name != "copy")
        .filter_map(|benchmark| Some((byte_rate(like(rows, benchmark.name, &[], copy)?)?, benchmark.name)))
        .collect();
    others.sort_by(|a, b| order(&a.0, &b.0));
    let [(rate, name), (next, _), ..] = *others.as_slice() else { return None };
    differ(rate, next, MARGIN)?;
    let speed = facts.speed(format!("{name} over copy"), rate, copied)?;
    let rate = facts.byte_rate(name, rate)?;
    Some(format!("The {word} of the others is {name} at {rate}, {speed} copy."))
}
