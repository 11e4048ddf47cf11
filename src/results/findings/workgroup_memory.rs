//! The cost of each way to declare and share workgroup memory.

use super::claim::Claim;
use super::estimate::{byte_rate, time};
use super::finding::Draft;
use super::query::{has_params, largest, of, param, scalars};
use crate::record::{Record, stats::Estimate};
use crate::suite::binary_size;

/// The condition of a comparison of two kernels.
const COMPARED: &str = "a factor if the intervals are apart; alike if they overlap and are within ±5 %";

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "length as an override",
        rows: "override_size and fixed_size, at the largest size that both have",
        condition: COMPARED,
        state: |rows, draft| {
            let takes = slowdown(rows, draft, "override over fixed length", "override_size", "fixed_size")?;
            Some(format!("An array whose length is an override takes {takes} one of fixed length."))
        },
    },
    Claim {
        name: "length set at launch",
        rows: "dynamic_size and fixed_size, at the largest size that both have",
        condition: COMPARED,
        state: |rows, draft| {
            let takes = slowdown(rows, draft, "launch over fixed length", "dynamic_size", "fixed_size")?;
            Some(format!("An array whose length is set at launch takes {takes} one of fixed length."))
        },
    },
    Claim {
        name: "one block of words",
        rows: "carved and structured, at the largest size that both have",
        condition: COMPARED,
        state: |rows, draft| {
            let takes = slowdown(rows, draft, "one array over a struct", "carved", "structured")?;
            Some(format!("Three arrays in one block of words take {takes} a struct of three."))
        },
    },
    Claim {
        name: "writes to one word",
        rows: "same_word and distinct_words, at the largest size that both have",
        condition: COMPARED,
        state: |rows, draft| {
            let takes = slowdown(rows, draft, "one word over 32 words", "same_word", "distinct_words")?;
            Some(format!("32 writes to one word take {takes} writes to 32 words."))
        },
    },
    Claim {
        name: "atomics on one word",
        rows: "atomic_word and distinct_words, at the largest size that both have",
        condition: COMPARED,
        state: |rows, draft| {
            let takes = slowdown(rows, draft, "atomics over 32 words", "atomic_word", "distinct_words")?;
            Some(format!("32 atomicMax operations on one word take {takes} writes to 32 words."))
        },
    },
    Claim {
        name: "copy by occupancy",
        rows: "occupancy with the least and the most workgroup memory, at the largest size",
        condition: "both rates with the digits that their intervals leave",
        state: |rows, draft| {
            let (few, many) = occupancy(rows)?;
            let (few_bytes, many_bytes) = (binary_size(4 * words(few)), binary_size(4 * words(many)));
            let few = draft.byte_rate(format!("copy holding {few_bytes}"), byte_rate(few)?)?;
            let many = draft.byte_rate(format!("copy holding {many_bytes}"), byte_rate(many)?)?;
            Some(format!(
                "A copy by workgroups of 64 runs at {few} with {few_bytes} of workgroup memory each, at {many} with \
                 {many_bytes}."
            ))
        },
    },
    Claim {
        name: "zeroing by the API",
        rows: "zero_init zeroed by the API and not zeroed, at the largest size",
        condition: COMPARED,
        state: |rows, draft| {
            let zeroed = zeroed(rows, &[("ZEROING", 0.0), ("ZERO_INIT", 1.0)])?;
            let takes = draft.duration("zeroed by the API", zeroed.0, zeroed.1)?;
            Some(format!("Workgroups that use 1 KiB of 16 KiB take {takes} without zeroing when the API zeroes all."))
        },
    },
    Claim {
        name: "zeroing by the kernel",
        rows: "zero_init zeroed by the kernel and not zeroed, at the largest size",
        condition: COMPARED,
        state: |rows, draft| {
            let zeroed = zeroed(rows, &[("ZEROING", 1.0)])?;
            let takes = draft.duration("zeroed by the kernel", zeroed.0, zeroed.1)?;
            Some(format!("Workgroups that use 1 KiB of 16 KiB take {takes} without zeroing when the kernel zeroes it."))
        },
    },
];

/// How long `benchmark` takes compared with `other`, at the largest size at which both were measured.
fn slowdown(rows: &[&Record], draft: &mut Draft, name: &str, benchmark: &str, other: &str) -> Option<String> {
    let measured = |name| of(rows, name).filter(|row| row.median_ns.is_some());
    let pairs = measured(benchmark).filter_map(|row| Some((row, measured(other).find(|other| other.n == row.n)?)));
    let (row, other) = pairs.max_by_key(|(row, _)| scalars(row))?;
    draft.duration(name, time(row)?, time(other)?)
}

/// Times of `zero_init` with these parameters and without zeroing, at the largest size.
fn zeroed(rows: &[&Record], params: &[(&str, f64)]) -> Option<(Estimate, Estimate)> {
    let measured = || of(rows, "zero_init").filter(|row| row.median_ns.is_some());
    let n = largest(measured())?.n;
    let own = |params: &[(&str, f64)]| time(measured().find(|row| row.n == n && has_params(row, params))?);
    Some((own(params)?, own(&[("ZEROING", 0.0)])?))
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
