//! The number of operations at which arithmetic lowers bandwidth.

use record::Record;
use record::claim::*;
use record::stats::Estimate;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "fall to half of the bandwidth", state: half }),
    Claim::Measured(Measured {
        name: "rate at the highest arithmetic intensity",
        state: |rows, facts| {
            let (n, points) = points(rows)?;
            let (most, row) = *points.last().filter(|_| points.len() > 1)?;
            let rate = facts.flop_rate("rate with the most FMAs", flop_rate(row)?)?;
            Some(format!("With {} f32 elements, {most} FMAs per element reach {rate}.", short(n)))
        },
    }),
];

/// The largest size, and its rows by FMA per element.
fn points<'a>(rows: &[&'a Record]) -> Option<(u64, Vec<(f64, &'a Record)>)> {
    let largest = rows.iter().filter(|row| row.gb_per_s.is_some()).map(|row| scalars(row)).max()?;
    let same = rows.iter().filter(|row| scalars(row) == largest);
    let mut points: Vec<(f64, &Record)> = same.filter_map(|row| Some((param(row, "FMAS")?, *row))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some((largest, points))
}

fn half(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let (n, points) = points(rows)?;
    let n = short(n);
    let points: Vec<(f64, Estimate)> =
        points.into_iter().filter_map(|(fmas, row)| Some((fmas, byte_rate(row)?))).collect();
    let ((fewest, full), (most, _)) = (*points.first()?, *points.last().filter(|_| points.len() > 1)?);
    let is_above = |rate: Estimate| rate.low > full.high / 2.0;
    let is_below = |rate: Estimate| rate.high < full.low / 2.0;
    let after = points.iter().rposition(|(_, rate)| !is_below(*rate)).map(|last| last + 1)?;
    let before = points.iter().position(|(_, rate)| !is_above(*rate)).unwrap_or(points.len()).checked_sub(1)?;
    let whole = facts.byte_rate("bandwidth with the fewest FMAs", full)?;
    if before + 1 == points.len() {
        return Some(format!(
            "With {n} f32 elements, bandwidth stays above half of {whole} up to {most} FMAs per element."
        ));
    }
    let (low, (high, _)) = (points[before].0, points.get(after)?);
    // An FMA is two operations; an element is 4 bytes read and 4 written.
    let from = facts.exact("FLOP per byte at half the bandwidth, at least", low / 4.0);
    let to = facts.exact("FLOP per byte at half the bandwidth, at most", high / 4.0);
    Some(format!(
        "With {n} f32 elements, bandwidth falls from {whole} (FMAS={fewest}) to half of that between {low} and {high} \
        FMAs per element ({from}–{to} FLOP per byte)."
    ))
}
