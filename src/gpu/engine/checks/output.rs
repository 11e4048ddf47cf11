//! Verifies outputs against their oracles.

use std::ops::Range;

use rayon::prelude::*;

use super::freivalds::Freivalds;
use super::mismatch::{Grid, Mismatch};
use super::parts::{LEAST_PART, MANY_PARTS, PIECES, SMALL, number_and_bytes, parts};
use crate::backend::Prepared;
use crate::job::{Job, OutputCheck, POISON, Product};
use record::error::{Error, Result};
use record::suite::Scalar;

/// Reads the job's output back and compares all of it, exactly or within the benchmark's tolerance: element by element,
/// or large matrix products by Freivalds' check. Its vectors are drawn from `random`: a kernel that knew them could
/// hide wrong elements. `None` if the output is right.
///
/// # Errors
/// Errors of reading back.
pub async fn verify(prepared: &mut dyn Prepared, job: &Job, random: u64) -> Result<Option<Mismatch>> {
    for check in job.checks() {
        if let Some(found) = verify_one(prepared, job, check, random).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

async fn verify_one(
    prepared: &mut dyn Prepared,
    job: &Job,
    check: &OutputCheck,
    random: u64,
) -> Result<Option<Mismatch>> {
    if check.scalars == 0 {
        return Ok(None);
    }
    let scalar = job.buffers[check.buffer].scalar;
    let size = scalar.bytes() as u64;
    let mut suspects = 0..check.scalars;
    if let Some(product) = &check.product {
        let mut freivalds = Freivalds::new(product, scalar, random);
        let mut add = |offset: u64, bytes: &[u8]| freivalds.add(offset / size, bytes);
        prepared.read(check.buffer, check.scalars * size, &mut add).await?;
        let Some(row) = freivalds.first_wrong_row() else { return Ok(None) };
        // The comparison with the oracle then finds the element within the row.
        suspects = row * product.n..(row + 1) * product.n;
    }
    call_once(check);
    let (mut first, mut wrong, compared) = (None, 0, suspects.end - suspects.start);
    let mut compare = |offset: u64, bytes: &[u8]| {
        if first.is_none() || check.outliers > 0.0 {
            let piece_start = offset / size;
            let piece_end = piece_start + bytes.len() as u64 / size;
            let byte_at = |index: u64| (index.clamp(piece_start, piece_end) - piece_start) as usize * size as usize;
            let (from, to) = (byte_at(suspects.start), byte_at(suspects.end));
            let (found, count) = mismatches(check, scalar, piece_start + from as u64 / size, &bytes[from..to]);
            first = first.take().or(found);
            wrong += count;
        }
    };
    prepared.read(check.buffer, check.scalars * size, &mut compare).await?;
    blameless(job, check, first.filter(|_| !check.are_outliers(wrong, compared)))
}

/// The kernel's mismatch. An error if the expected value is unknown (no value, or the reference did not write it).
fn blameless(job: &Job, check: &OutputCheck, found: Option<Mismatch>) -> Result<Option<Mismatch>> {
    if let Some(fault) = check.fault.get() {
        return Err(Error::Usage(fault.clone()));
    }
    if let Some(Mismatch { index, want, .. }) = &found
        && want.is_nan()
        && job.reference.is_none()
    {
        return Err(Error::Usage(format!("the expected value of element {index} is NaN, which no output can match")));
    }
    if let (Some(Mismatch { index, want, scalar, .. }), Some(reference)) = (&found, &job.reference) {
        let (mut bytes, size) = ([0; 8], scalar.bytes());
        scalar.encode(&[*want], &mut bytes[..size]);
        let first = *index as usize * size;
        if (0..size).all(|at| bytes[at] == POISON.to_le_bytes()[(first + at) % 4]) {
            let (label, name) = (&reference.job.label, job.buffers[check.buffer].name);
            return Err(Error::Shader(format!("the reference {label} does not write element {index} of '{name}'")));
        }
        if want.is_nan() {
            let (label, name) = (&reference.job.label, job.buffers[check.buffer].name);
            return Err(Error::Shader(format!(
                "the reference {label} gives NaN for element {index} of '{name}', which no output can match"
            )));
        }
    }
    let name = (!job.also.is_empty()).then(|| job.buffers[check.buffer].name);
    Ok(found.map(|found| {
        let half = (check.words_each > 1).then_some(if found.index.is_multiple_of(2) { "low" } else { "high" });
        let index = found.index / check.words_each.max(1);
        Mismatch { of: name, index, half, dispatched: Grid::of(job), ..found }
    }))
}

/// How much of the unverified outputs still holds poison after the launch, as text; `None` if all is written.
///
/// # Errors
/// Errors of reading back.
pub async fn unwritten(prepared: &mut dyn Prepared, job: &Job, random: u64) -> Result<Option<String>> {
    let mut found = Vec::new();
    for check in job.checks().filter(|check| check.scalars == 0) {
        let Some(buffer) = job.buffers.get(check.buffer).filter(|buffer| buffer.is_output()) else { continue };
        let (size, bytes) = (buffer.scalar.bytes() as u64, buffer.told_bytes);
        let ranges = if bytes <= SMALL * PIECES * MANY_PARTS * LEAST_PART {
            std::iter::once(0..bytes).collect()
        } else {
            parts(bytes, PIECES * MANY_PARTS, LEAST_PART, random).collect()
        };
        let (mut all, mut left) = (0_u64, 0_u64);
        let mut count = |offset: u64, bytes: &[u8]| {
            for (at, word) in (offset..).step_by(4).zip(bytes.chunks_exact(4)) {
                if !check.is_padding(at / size) {
                    all += 1;
                    left += u64::from(word == POISON.to_le_bytes());
                }
            }
        };
        prepared.read_parts(check.buffer, ranges, &mut count).await?;
        let percent = 100.0 * left as f64 / all.max(1) as f64;
        let digits = usize::from(percent < 1.0);
        if left > 0 {
            found.push(format!("{:.digits$} % of '{}' was never written", percent.max(0.1), buffer.name));
        }
    }
    found.extend(Grid::of(job).filter(|_| !found.is_empty()).map(|grid| grid.to_string()));
    Ok((!found.is_empty()).then(|| found.join("; ")))
}

/// Whether the scalar at `at` in `bytes`, which start at byte `first` of the output, is poison in all of its words.
pub(super) fn is_poison(bytes: &[u8], first: u64, at: usize, size: usize) -> bool {
    let start = at / 4 * 4;
    let words = bytes.get(start..start + size.max(4)).filter(|_| first.is_multiple_of(4));
    words.is_some_and(|words| words.chunks_exact(4).all(|word| word == POISON.to_le_bytes()))
}

/// Most pieces with poison that are compared.
const MOST_LEFT: usize = 16;

/// Like [`verify`], but of an output over twice the length of its parts only `number` parts of 2 KiB (512 B with
/// `FEW_PARTS`): the first, the last, and one at a random position in each section between. Parts are smaller in
/// proportion if the kernel reads more than it writes, and in matrix products, and fewer if they would be below 16 B.
/// With `MANY_PARTS`, an output that is never verified whole is also read whole, and compared wherever it holds poison.
///
/// # Errors
/// Errors of reading back.
pub async fn verify_parts(
    prepared: &mut dyn Prepared,
    job: &Job,
    number: u64,
    random: u64,
) -> Result<Option<Mismatch>> {
    for check in job.checks() {
        if let Some(found) = verify_parts_of(prepared, job, check, number, random).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

async fn verify_parts_of(
    prepared: &mut dyn Prepared,
    job: &Job,
    check: &OutputCheck,
    number: u64,
    random: u64,
) -> Result<Option<Mismatch>> {
    let scalar = job.buffers[check.buffer].scalar;
    let bytes = check.scalars * scalar.bytes() as u64;
    let is_whole_scan = number == MANY_PARTS;
    let (number, part) = number_and_bytes(check, number);
    if bytes <= SMALL * number * part {
        return verify_one(prepared, job, check, random).await;
    }
    let mut ranges: Vec<Range<u64>> = parts(bytes, number, part, random).collect();
    if check.is_sampled && is_whole_scan {
        ranges.extend(poison_left(prepared, check, bytes).await?);
    }
    compare_parts(prepared, job, check, ranges).await
}

/// The first pieces of an output with poison. The oracle decides whether that is wrong: an integer may have these bits.
async fn poison_left(prepared: &mut dyn Prepared, check: &OutputCheck, bytes: u64) -> Result<Vec<Range<u64>>> {
    let mut left: Vec<Range<u64>> = Vec::new();
    let mut scan = |offset: u64, all: &[u8]| {
        for (piece, part) in (offset..).step_by(LEAST_PART as usize).zip(all.chunks(LEAST_PART as usize)) {
            if left.len() < MOST_LEFT && part.chunks_exact(4).any(|word| word == POISON.to_le_bytes()) {
                left.push(piece..(piece + LEAST_PART).min(bytes));
            }
        }
    };
    prepared.read(check.buffer, bytes, &mut scan).await?;
    Ok(left)
}

/// Compares the scalars in these byte ranges of an output. They need not start at multiples of 16.
pub(super) async fn verify_ranges(
    prepared: &mut dyn Prepared,
    job: &Job,
    check: &OutputCheck,
    ranges: Vec<Range<u64>>,
) -> Result<Option<Mismatch>> {
    let bytes = check.scalars * job.buffers[check.buffer].scalar.bytes() as u64;
    let whole = |range: Range<u64>| (range.start & !15)..range.end.next_multiple_of(16).min(bytes);
    compare_parts(prepared, job, check, ranges.into_iter().map(whole).collect()).await
}

async fn compare_parts(
    prepared: &mut dyn Prepared,
    job: &Job,
    check: &OutputCheck,
    ranges: Vec<Range<u64>>,
) -> Result<Option<Mismatch>> {
    let scalar = job.buffers[check.buffer].scalar;
    let size = scalar.bytes() as u64;
    if check.product.is_none() {
        call_once(check);
    }
    let mut read: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut keep = |offset: u64, bytes: &[u8]| read.push((offset / size, bytes.to_vec()));
    prepared.read_parts(check.buffer, ranges, &mut keep).await?;
    // All at once: a part may be too small to occupy more than one core.
    let found = read.par_iter().map(|(first, bytes)| match &check.product {
        Some(product) => (wrong_element(product, scalar, *first, bytes), 0),
        None => mismatches(check, scalar, *first, bytes),
    });
    let found = if check.outliers > 0.0 {
        let all: Vec<_> = found.collect();
        let wrong = all.iter().map(|(_, count)| count).sum();
        let compared = read.iter().map(|(_, bytes)| bytes.len() as u64 / size).sum();
        all.into_iter().find_map(|(mismatch, _)| mismatch).filter(|_| !check.are_outliers(wrong, compared))
    } else {
        found.find_map_first(|(mismatch, _)| mismatch)
    };
    blameless(job, check, found)
}

/// The first wrong element of a part of a product, computed without the oracle's tables.
fn wrong_element(product: &Product, scalar: Scalar, first: u64, bytes: &[u8]) -> Option<Mismatch> {
    let size = scalar.bytes();
    let mut values = vec![0.0; bytes.len() / size];
    scalar.decode(bytes, &mut values);
    let found = values.par_iter().enumerate().map(|(at, got)| {
        let index = first + at as u64;
        let want = product.element(index);
        (*got != want).then(|| {
            let is_unwritten = is_poison(bytes, first * size as u64, at * size, size);
            Mismatch { index, got: *got, want, scalar, of: None, half: None, is_unwritten, dispatched: None }
        })
    });
    found.find_map_first(|mismatch| mismatch)
}

/// Calls the oracles once, outside the thread pool: the first call computes tables in parallel. In the pool, a thread
/// that waits for a table could be given another piece that waits for it too.
fn call_once(check: &OutputCheck) {
    (check.oracle)(0, &mut [0.0]);
    if let Some(tolerance) = &check.tolerance {
        tolerance(0, &mut [0.0]);
    }
}

/// Whether two values differ, even in the sign of zero: -0 is not 0, though it compares as equal.
pub(super) fn differs(got: f64, want: f64) -> bool {
    const SIGN: u64 = 1 << 63;
    got != want || got.to_bits() ^ want.to_bits() == SIGN
}

/// Whether the deviation is allowed. Nothing is near infinity: a fraction of it would allow every number.
pub(super) fn near(got: f64, want: f64, allowed: f64) -> bool {
    want.is_finite() && (got - want).abs() <= allowed
}

/// The first mismatch in `bytes`, which start at scalar `first` of the output. Compares on all cores. The tolerance is
/// applied only to elements that differ from the oracle's value; if few do, it is computed for them alone.
#[must_use]
pub fn mismatch(check: &OutputCheck, scalar: Scalar, first: u64, bytes: &[u8]) -> Option<Mismatch> {
    mismatches(check, scalar, first, bytes).0
}

/// [`mismatch`], and the number of mismatches if some are allowed, else the number of pieces that have one.
fn mismatches(check: &OutputCheck, scalar: Scalar, first: u64, bytes: &[u8]) -> (Option<Mismatch>, u64) {
    const PIECE: usize = 1 << 15;
    let size = scalar.bytes();
    let pieces = bytes.par_chunks(PIECE).enumerate();
    let found = pieces.map_init(<[Vec<f64>; 3]>::default, |[got, want, allowed], (piece, chunk)| {
        let first = first + (piece * (PIECE / size)) as u64;
        got.resize(chunk.len() / size, 0.0);
        want.resize(chunk.len() / size, 0.0);
        check.decode(scalar, first, chunk, got);
        (check.oracle)(first, want);
        // Counting all differences is faster than searching for one. NaN, poison or wrong, is neither equal nor near.
        let differing = got.iter().zip(want.iter()).filter(|(got, want)| differs(**got, **want)).count();
        if differing == 0 {
            return None;
        }
        allowed.clear();
        if let Some(tolerance) = &check.tolerance
            && differing > got.len() / 4
        {
            allowed.resize(got.len(), 0.0);
            tolerance(first, allowed);
        }
        let is_near = |at: usize| {
            check.tolerance.as_ref().is_some_and(|tolerance| {
                let mut tolerated = [0.0];
                match allowed.get(at) {
                    Some(allowed) => tolerated = [*allowed],
                    None => tolerance(first + at as u64, &mut tolerated),
                }
                near(got[at], want[at], tolerated[0])
            })
        };
        let is_wrong =
            |at: &usize| differs(got[*at], want[*at]) && !check.is_padding(first + *at as u64) && !is_near(*at);
        let mut found = (0..got.len()).filter(is_wrong);
        let at = found.next()?;
        let count = if check.outliers > 0.0 { 1 + found.count() as u64 } else { 1 };
        Some({
            let is_unwritten = is_poison(chunk, first * size as u64, at * size, size);
            let (got, want, index) = (got[at], want[at], first + at as u64);
            let scalar = check.scalar_at(scalar, index);
            let (of, half, dispatched) = (None, None, None);
            (Mismatch { index, got, want, scalar, of, half, is_unwritten, dispatched }, count)
        })
    });
    if check.outliers > 0.0 {
        let all: Vec<_> = found.flatten_iter().collect();
        let count = all.iter().map(|(_, count)| count).sum();
        return (all.into_iter().next().map(|(first, _)| first), count);
    }
    found.find_map_first(|found| found).map_or((None, 0), |(first, count)| (Some(first), count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::checks::parts::tests::{PRODUCT, check};

    #[test]
    fn what_fills_an_output_is_told_from_values_in_every_type() {
        let bytes = [POISON.to_le_bytes(), POISON.to_le_bytes(), 7_u32.to_le_bytes()].concat();
        let unwritten =
            |size: usize| (0..12 / size).map(|at| is_poison(&bytes, 0, at * size, size)).collect::<Vec<_>>();
        assert_eq!(unwritten(4), [true, true, false]);
        assert_eq!(unwritten(8), [true]);
        assert_eq!(unwritten(2), [true, true, true, true, false, false]);
    }

    #[test]
    fn only_an_infinite_value_is_as_good_as_an_infinite_right_one() {
        for (got, is_right) in [(f32::INFINITY, true), (f32::NEG_INFINITY, false), (42.0, false), (f32::NAN, false)] {
            let infinite = record::suite::each(|_| f64::INFINITY);
            let check =
                OutputCheck { oracle: record::suite::each(|_| f64::INFINITY), ..check(1, None, Some(infinite)) };
            assert_eq!(mismatch(&check, Scalar::F32, 0, &got.to_le_bytes()).is_none(), is_right, "{got}");
        }
    }

    fn right() -> Vec<f32> {
        (0..PRODUCT.m * PRODUCT.n).map(|index| PRODUCT.element(index) as f32).collect()
    }

    #[test]
    fn a_wrong_element_of_a_part_of_a_product_is_found() {
        let bytes: Vec<u8> = right().iter().flat_map(|value| value.to_le_bytes()).collect();
        let (first, part) = (100, &bytes[400..656]);
        assert_eq!(wrong_element(&PRODUCT, Scalar::F32, first, part), None);
        for index in 0..64 {
            let mut part = part.to_vec();
            part[4 * index + 2] ^= 1;
            let found = wrong_element(&PRODUCT, Scalar::F32, first, &part).map(|mismatch| mismatch.index);
            assert_eq!(found, Some(first + index as u64));
        }
    }

    /// One element has no tolerance. All others deviate, or none does.
    #[test]
    fn each_element_is_compared_with_its_own_tolerance() {
        for (strict, others_deviate) in [0, 9000, 19_999].into_iter().flat_map(|at| [(at, false), (at, true)]) {
            let check = check(1, None, Some(record::suite::each(move |index| if index == strict { 0.0 } else { 0.5 })));
            let wrong = |deviation: f32| {
                let value = |index: u64| index as f32 + if index == strict { deviation } else { 0.25 };
                let value = |index| if others_deviate || index == strict { value(index) } else { index as f32 };
                let bytes: Vec<u8> = (5..20_000).flat_map(|index| value(index).to_le_bytes()).collect();
                mismatch(&check, Scalar::F32, 5, &bytes).map(|mismatch| mismatch.index)
            };
            let found = (strict >= 5).then_some(strict);
            assert_eq!((wrong(0.25), wrong(0.0)), (found, None), "{strict} {others_deviate}");
        }
    }
}
