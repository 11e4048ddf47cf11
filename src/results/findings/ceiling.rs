//! The measured peaks of the device.

use super::finding::{Draft, Finding};
use super::query::{of, scalars};
use crate::results::Record;
use crate::suite::{Scalar, binary_size};

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    /// The highest rate of a benchmark at its largest size, with its row.
    fn best<'a>(
        rows: &[&'a Record],
        benchmark: &str,
        rate: impl Fn(&Record) -> Option<f64>,
    ) -> Option<(f64, &'a Record)> {
        let largest = of(rows, benchmark).filter(|row| rate(row).is_some()).map(scalars).max()?;
        let at_largest = of(rows, benchmark).filter(|row| scalars(row) == largest);
        at_largest.filter_map(|row| Some((rate(row)?, row))).max_by(|a, b| a.0.total_cmp(&b.0))
    }
    let mut draft = Draft::default();
    let mut parts = Vec::new();
    if let Some((rate, row)) = best(rows, "copy", |row| row.gb_per_s) {
        let rate = draft.gb_per_s("copy", rate);
        parts.push(format!("memory copies {rate} ({}, {} per array)", row.dtype_name(), binary_size(scalars(row) * 4)));
    }
    for (benchmark, scalar) in [("fma", Scalar::F32), ("fma_f16", Scalar::F16), ("fma", Scalar::F64)] {
        let is_meant = |row: &Record| row.dtype.is_some_and(|dtype| dtype.scalar() == scalar);
        if let Some((rate, row)) = best(rows, benchmark, |row| row.gflop_per_s.filter(|_| is_meant(row))) {
            let rate = draft.gflop_per_s(format!("fma {}", scalar.name()), rate);
            parts.push(format!("{} FMA {rate} ({})", scalar.name(), row.dtype_name()));
        }
    }
    if let Some((rate, _)) = best(rows, "tensor", |row| row.gflop_per_s) {
        parts.push(format!("tensor cores {} (f16 factors)", draft.gflop_per_s("tensor", rate)));
    }
    if let Some((rate, row)) = best(rows, "workgroup_read", |row| row.gb_per_s) {
        parts.push(format!("workgroup memory reads {} ({})", draft.gb_per_s("workgroup_read", rate), row.dtype_name()));
    }
    if let Some(launch) = of(rows, "launch").next() {
        let round_trip = launch.end_to_end_ns.map_or_else(String::new, |ns| {
            format!(", {} from submission to completion", draft.microseconds("submission to completion", ns, 1))
        });
        parts.push(format!("launch {} back to back{round_trip}", draft.microseconds("launch", launch.median_ns?, 2)));
    }
    let text = format!("Measured peaks: {}.", parts.join("; "));
    draft.finish(if parts.is_empty() { &[] } else { std::slice::from_ref(&text) })
}
