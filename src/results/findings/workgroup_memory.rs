//! The cost of each way to declare and share workgroup memory.

use super::finding::{Draft, Finding};
use super::query::{has_params, largest, of, param, scalars};
use crate::results::Record;
use crate::suite::binary_size;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let mut draft = Draft::default();
    let mut text = Vec::new();
    if let Some(ratio) = slowdown(rows, "override_size", "fixed_size") {
        let ratio = draft.times("override over fixed length", ratio);
        text.push(format!("An array whose length is an override takes {ratio} as long as one of fixed length."));
    }
    if let Some(ratio) = slowdown(rows, "dynamic_size", "fixed_size") {
        let ratio = draft.times("launch over fixed length", ratio);
        text.push(format!("One whose length is set at launch takes {ratio} as long."));
    }
    if let Some(ratio) = slowdown(rows, "carved", "structured") {
        let ratio = draft.times("one array over a struct", ratio);
        text.push(format!("Three arrays in one block of words take {ratio} as long as a struct of three."));
    }
    if let Some(ratio) = slowdown(rows, "same_word", "distinct_words") {
        let ratio = draft.times("one word over 32 words", ratio);
        let atomic = slowdown(rows, "atomic_word", "distinct_words").map_or_else(String::new, |ratio| {
            format!(", 32 atomicMax operations on it {}", draft.times("atomics over 32 words", ratio))
        });
        text.push(format!("32 writes to one word take {ratio} as long as writes to 32 words{atomic}."));
    }
    if let Some((few, many)) = occupancy(rows) {
        let (few_bytes, many_bytes) = (binary_size(4 * words(few)), binary_size(4 * words(many)));
        let few = draft.gb_per_s(format!("copy holding {few_bytes}"), few.gb_per_s?);
        let many = draft.gb_per_s(format!("copy holding {many_bytes}"), many.gb_per_s?);
        text.push(format!(
            "A copy by workgroups of 64 runs at {few} with {few_bytes} of workgroup memory each, at {many} with \
             {many_bytes}."
        ));
    }
    if let Some((by_api, by_kernel)) = zeroing(rows) {
        let by_api = draft.times("zeroed by the API", by_api);
        let by_kernel = draft.times("zeroed by the kernel", by_kernel);
        text.push(format!(
            "Workgroups that use 1 KiB of 16 KiB take {by_api} as long when the API zeroes all of it, {by_kernel} when \
             the kernel does."
        ));
    }
    draft.finish(&text)
}

/// Time of `benchmark` over that of `other`, at the largest size at which both were measured.
fn slowdown(rows: &[&Record], benchmark: &str, other: &str) -> Option<f64> {
    let measured = |name| of(rows, name).filter(|row| row.median_ns.is_some());
    let pairs = measured(benchmark).filter_map(|row| Some((row, measured(other).find(|other| other.n == row.n)?)));
    let (row, other) = pairs.max_by_key(|(row, _)| scalars(row))?;
    Some(row.median_ns? / other.median_ns?)
}

/// Time of `zero_init` with zeroing by the API and by the kernel over that without, at the largest size.
fn zeroing(rows: &[&Record]) -> Option<(f64, f64)> {
    let measured = || of(rows, "zero_init").filter(|row| row.median_ns.is_some());
    let n = largest(measured())?.n;
    let time = |params: &[(&str, f64)]| measured().find(|row| row.n == n && has_params(row, params))?.median_ns;
    let without = time(&[("ZEROING", 0.0)])?;
    let by_api = time(&[("ZEROING", 0.0), ("ZERO_INIT", 1.0)])?;
    Some((by_api / without, time(&[("ZEROING", 1.0)])? / without))
}

/// The copies by the workgroups with the least and the most workgroup memory, at the largest size.
fn occupancy<'a>(rows: &[&'a Record]) -> Option<(&'a Record, &'a Record)> {
    let measured = || of(rows, "occupancy").filter(|row| row.gb_per_s.is_some());
    let most = measured().map(scalars).max()?;
    let of_largest = || measured().filter(|row| scalars(row) == most);
    let (few, many) = (of_largest().min_by_key(|row| words(row))?, of_largest().max_by_key(|row| words(row))?);
    (words(few) < words(many)).then_some((few, many))
}

/// Words of workgroup memory per workgroup.
fn words(row: &Record) -> u64 {
    param(row, "WORDS").unwrap_or(0.0) as u64
}
