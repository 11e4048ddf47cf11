//! The stream kernels compared with a copy.

use super::claim::Claim;
use super::estimate::{byte_rate, differ};
use super::finding::Draft;
use super::query::{largest, like, of};
use crate::families::stream::FAMILY;
use crate::record::{Record, stats::Estimate};
use crate::suite::Dtype;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "rate of a copy",
        rows: "copy with vec4 loads, at the largest size",
        condition: "with the digits that its interval leaves",
        state: |rows, draft| {
            let (row, rate) = copy(rows)?;
            let rate = draft.byte_rate("copy", rate)?;
            Some(format!("At {} {}, copy runs at {rate}.", row.short_size(), row.dtype_name()))
        },
    },
    Claim {
        name: "fastest kernel",
        rows: "copy and the other kernels, of its type and size",
        condition: "the interval is clear of that of the second fastest other kernel; a factor if it is clear of the \
            copy's",
        state: |rows, draft| extreme(rows, draft, "fastest", |a, b| b.value.total_cmp(&a.value)),
    },
    Claim {
        name: "slowest kernel",
        rows: "copy and the other kernels, of its type and size",
        condition: "the interval is clear of that of the second slowest other kernel; a factor if it is clear of the \
            copy's",
        state: |rows, draft| extreme(rows, draft, "slowest", |a, b| a.value.total_cmp(&b.value)),
    },
];

fn copy<'a>(rows: &[&'a Record]) -> Option<(&'a Record, Estimate)> {
    let copies = of(rows, "copy").filter(|row| row.dtype == Some(Dtype::Vec4F32) && byte_rate(row).is_some());
    let row = largest(copies)?;
    Some((row, byte_rate(row)?))
}

/// The kernel that comes first in this order, if it surely does.
fn extreme(
    rows: &[&Record],
    draft: &mut Draft,
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
    if !differ(rate, next) {
        return None;
    }
    let speed = draft.speed(format!("{name} over copy"), rate, copied)?;
    let rate = draft.byte_rate(name, rate)?;
    Some(format!("The {word} of the others is {name} at {rate}, {speed} copy."))
}
