//! Rows by benchmark, size and parameters.

use std::collections::BTreeMap;

use crate::results::Record;
use crate::suite::{Dtype, Extent};

/// Rows of a benchmark.
pub(super) fn of<'a>(rows: &[&'a Record], benchmark: &str) -> impl Iterator<Item = &'a Record> {
    rows.iter().copied().filter(move |row| row.benchmark == benchmark)
}

/// Scalars of the row's size; 0 where it has none.
pub(super) fn scalars(row: &Record) -> u64 {
    row.n.map_or(0, Extent::count)
}

pub(super) fn is_f32(row: &Record) -> bool {
    row.dtype == Some(Dtype::F32)
}

/// The largest of the rows; of several the last.
pub(super) fn largest<'a>(rows: impl Iterator<Item = &'a Record>) -> Option<&'a Record> {
    rows.max_by_key(|row| scalars(row))
}

/// The row with the highest rate in bytes per second; of several the last.
pub(super) fn fastest<'a>(rows: impl Iterator<Item = &'a Record>) -> Option<&'a Record> {
    rows.filter(|row| row.gb_per_s.is_some())
        .max_by(|a, b| a.gb_per_s.unwrap_or(0.0).total_cmp(&b.gb_per_s.unwrap_or(0.0)))
}

/// The fastest of the largest rows.
pub(super) fn fastest_of_largest<'a>(rows: impl Iterator<Item = &'a Record> + Clone) -> Option<&'a Record> {
    let measured = rows.filter(|row| row.gb_per_s.is_some());
    let most = scalars(largest(measured.clone())?);
    fastest(measured.filter(|row| scalars(row) == most))
}

/// A parameter of the row.
pub(super) fn param(row: &Record, name: &str) -> Option<f64> {
    row.params.get(name).copied()
}

/// The workgroup size, which the user or `--tune` sets.
const WORKGROUP_SIZE: &str = "WG";

/// Whether the row has exactly these parameters, apart from its workgroup size.
pub(super) fn has_params(row: &Record, params: &[(&str, f64)]) -> bool {
    let others: BTreeMap<&str, f64> = row
        .params
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .filter(|pair| pair.0 != WORKGROUP_SIZE)
        .collect();
    others == params.iter().copied().collect()
}

/// The row of a benchmark with these parameters, of the type and size of `like`.
pub(super) fn like<'a>(
    rows: &[&'a Record],
    benchmark: &str,
    params: &[(&str, f64)],
    like: &Record,
) -> Option<&'a Record> {
    of(rows, benchmark).find(|row| row.dtype == like.dtype && row.n == like.n && has_params(row, params))
}

/// The benchmark and its parameters: `tiled (PAD=1)`.
pub(super) fn label(row: &Record) -> String {
    let params = row.params_text();
    if params.is_empty() { row.benchmark.clone() } else { format!("{} ({params})", row.benchmark) }
}
