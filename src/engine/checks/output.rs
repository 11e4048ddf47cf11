//! Verifies outputs against their oracles.

use std::ops::Range;

use rayon::prelude::*;

use super::freivalds::Freivalds;
use super::mismatch::{Grid, Mismatch};
use super::random::mixed;
use crate::backend::Prepared;
use crate::error::{Error, Result};
use crate::job::{Job, OutputCheck, POISON, Product};
use crate::suite::Scalar;

/// Reads the job's output back and compares all of it, exactly or within the benchmark's tolerance: element by element,
/// or large matrix products by Freivalds' check, whose vectors follow from `random`: a kernel that knew them could hide wrong
/// elements. `None` if it is right.
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
    let mut first = None;
    let mut compare = |offset: u64, bytes: &[u8]| {
        if first.is_none() {
            let piece_start = offset / size;
            let piece_end = piece_start + bytes.len() as u64 / size;
            let byte_at = |index: u64| (index.clamp(piece_start, piece_end) - piece_start) as usize * size as usize;
            let (from, to) = (byte_at(suspects.start), byte_at(suspects.end));
            first = mismatch(check, scalar, piece_start + from as u64 / size, &bytes[from..to]);
        }
    };
    prepared.read(check.buffer, check.scalars * size, &mut compare).await?;
    blameless(job, check, first)
}

/// A mismatch that is the kernel's own.
///
/// # Errors
/// If a right value is unknown: its expression has none, or its reference left it unwritten.
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
    // Which output it is must be said where there are several.
    let name = (!job.also.is_empty()).then(|| job.buffers[check.buffer].name);
    Ok(found.map(|found| {
        let half = (check.words_each > 1).then_some(if found.index.is_multiple_of(2) { "low" } else { "high" });
        let index = found.index / check.words_each.max(1);
        Mismatch { of: name, index, half, dispatched: Grid::of(job), ..found }
    }))
}

/// How much of the outputs that nothing is compared with is still what filled them before the launch, in words; `None` if
/// all is written.
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

/// Whether the scalar at byte `at` of an output, of which `bytes` start at byte `first`, is still what filled it: with the
/// whole words that it lies in.
pub(super) fn is_poison(bytes: &[u8], first: u64, at: usize, size: usize) -> bool {
    let start = at / 4 * 4;
    let words = bytes.get(start..start + size.max(4)).filter(|_| first.is_multiple_of(4));
    words.is_some_and(|words| words.chunks_exact(4).all(|word| word == POISON.to_le_bytes()))
}

/// Number of parts that stand for an output that is never verified whole, each in `PIECES`. A hole of a thousandth of it, of
/// any form, holds none with a probability of (1 - 1/1000)^16384 = 8e-8; if it is in one piece, never. Of attention, whose
/// values take the host longest, there are 2048 pieces, which miss such a hole with 13 %, unless it was left unwritten.
pub const MANY_PARTS: u64 = 1 << 12;
/// Number of parts that stand for a large output in the further checks of a case's first epoch.
pub const PARTS: u64 = 512;
/// The same in later epochs.
pub const FEW_PARTS: u64 = 256;

/// Bytes of the parts that stand for a large output: many small ones find more than few large ones. Where a value takes
/// the host long, parts are smaller, and then fewer.
const PART: u64 = 1 << 11;
const LEAST_PART: u64 = 1 << 4;

/// A part of an output that is never verified whole is as many of the smallest pieces, far apart.
const PIECES: u64 = 4;

/// Operations of the host for all pieces of an output that is never verified whole, in units of [`OutputCheck::bytes_each`]:
/// where a value takes it longer, as in attention, there are fewer pieces, down to a thirty-second.
const OPERATIONS: u64 = 1 << 20;

/// Pieces in which an output still holds what filled it are compared up to this number.
const MOST_LEFT: usize = 16;

/// An element of a product takes the host as long as this many values of a copy.
const PRODUCT_COST: u64 = 1 << 8;

/// Outputs up to this many times the size of their parts are verified whole.
const SMALL: u64 = 2;

/// Like [`verify`], but of a large output, of more than `number` × 4 KiB, only `number` parts of 2 KiB: the first, the
/// last, and one in each section between, where `random` says. Parts are smaller in proportion, and fewer if they would be
/// smaller than 16 B, where the kernel reads more than it writes, and in matrix products. With [`MANY_PARTS`], an output that
/// is never verified whole is read whole besides, and compared wherever it was not written.
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

/// The first pieces of an output that still hold what filled it before the launch. Whether that is right there, the oracle
/// tells: an integer may have these bits.
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

/// Compares the scalars in these ranges of bytes of an output. They need not start at multiples of 16.
///
/// # Errors
/// Errors of reading back.
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
        Some(product) => wrong_element(product, scalar, *first, bytes),
        None => mismatch(check, scalar, *first, bytes),
    });
    blameless(job, check, found.find_map_first(|mismatch| mismatch))
}

/// How many parts stand for an output, of `number` at most, and the bytes of each, a multiple of 16. An output that is
/// never verified whole has all of them.
fn number_and_bytes(check: &OutputCheck, number: u64) -> (u64, u64) {
    let cost = if check.product.is_some() { PRODUCT_COST } else { check.bytes_each.div_ceil(2).max(1) };
    let part = (PART / cost).next_multiple_of(16).max(LEAST_PART);
    if check.is_sampled {
        let pieces = PIECES * number;
        let affordable = pieces * OPERATIONS / (check.bytes_each.max(1) * PIECES * MANY_PARTS);
        return (affordable.clamp(pieces / 32, pieces), LEAST_PART);
    }
    ((number * PART / cost / part).clamp(2, number), part)
}

/// The first wrong element of a part of a product, computed without the tables of the oracle.
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

/// `count` parts of `part` bytes of an output of `bytes`: one at a random place in each of as many equal sections, but the
/// first and the last at their ends.
fn parts(bytes: u64, count: u64, part: u64, random: u64) -> impl Iterator<Item = Range<u64>> {
    let section = bytes / count;
    (0..count).map(move |number| {
        let draw = mixed(random, number) >> 32;
        let start = match number {
            0 => 0,
            _ if number == count - 1 => bytes - part,
            _ => number * section + draw % (section - part + 1),
        };
        // Offsets of copies are multiples of 16 bytes.
        let start = start & !15;
        start..if number == count - 1 { bytes } else { start + part }
    })
}

/// Calls the oracles once. They compute tables in parallel at their first call. Called from within the thread pool, a
/// thread that waits for the table could be given another piece that waits for it too.
fn call_once(check: &OutputCheck) {
    (check.oracle)(0, &mut [0.0]);
    if let Some(tolerance) = &check.tolerance {
        tolerance(0, &mut [0.0]);
    }
}

/// Whether two values are not the same. Where values must be equal, they are so to the bit: -0 is not 0, though it compares as
/// equal.
pub(super) fn differs(got: f64, want: f64) -> bool {
    const SIGN: u64 = 1 << 63;
    got != want || got.to_bits() ^ want.to_bits() == SIGN
}

/// Whether a value is as near to the right one as is allowed. Nothing is near an infinite one: a fraction of it would allow
/// every number.
pub(super) fn near(got: f64, want: f64, allowed: f64) -> bool {
    want.is_finite() && (got - want).abs() <= allowed
}

/// The first mismatch in `bytes`, which start at scalar `first` of the output. Compares on all cores. Only elements
/// that differ from the oracle's value are compared with the tolerance. Where few differ, it is computed for them alone.
#[must_use]
pub fn mismatch(check: &OutputCheck, scalar: Scalar, first: u64, bytes: &[u8]) -> Option<Mismatch> {
    const PIECE: usize = 1 << 15;
    let size = scalar.bytes();
    let pieces = bytes.par_chunks(PIECE).enumerate();
    let found = pieces.map_init(<[Vec<f64>; 3]>::default, |[got, want, allowed], (piece, chunk)| {
        let first = first + (piece * (PIECE / size)) as u64;
        got.resize(chunk.len() / size, 0.0);
        want.resize(chunk.len() / size, 0.0);
        scalar.decode(chunk, got);
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
        let found = (0..got.len()).find(is_wrong);
        found.map(|at| {
            let is_unwritten = is_poison(chunk, first * size as u64, at * size, size);
            let (got, want) = (got[at], want[at]);
            Mismatch {
                index: first + at as u64,
                got,
                want,
                scalar,
                of: None,
                half: None,
                is_unwritten,
                dispatched: None,
            }
        })
    });
    found.find_map_first(|mismatch| mismatch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::input::{Input, Values};

    const A: Input = Values::Summable.of(3);
    const B: Input = Values::SummableFrom(1 << 40).of(3);
    const PRODUCT: Product = Product { m: 37, n: 50, k: 29, a: A, b: B, scalar: Scalar::F32, is_by_columns: false };

    const UNWRITTEN: Mismatch = Mismatch {
        index: 3,
        got: 0.0,
        want: 0.5,
        scalar: Scalar::F32,
        of: None,
        half: None,
        is_unwritten: true,
        dispatched: Some(Grid { groups: [32, 1, 1], workgroup: [16, 16, 1] }),
    };

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
            let infinite = crate::suite::each(|_| f64::INFINITY);
            let check = OutputCheck { oracle: crate::suite::each(|_| f64::INFINITY), ..check(1, None, Some(infinite)) };
            assert_eq!(mismatch(&check, Scalar::F32, 0, &got.to_le_bytes()).is_none(), is_right, "{got}");
        }
    }

    /// C, computed element by element.
    fn right() -> Vec<f32> {
        (0..PRODUCT.m * PRODUCT.n).map(|index| PRODUCT.element(index) as f32).collect()
    }

    #[test]
    fn a_mismatch_has_few_digits() {
        for (got, text) in [
            (f64::from(f32::MAX), "3.4028234663852886e38"),
            (f64::MAX, "1.7976931348623157e308"),
            (1e-40, "1e-40"),
            (-f64::MIN_POSITIVE, "-2.2250738585072014e-308"),
            (0.1, "0.1"),
            (-7.0, "-7"),
            (4_294_967_295.0, "4294967295"),
            (f64::INFINITY, "inf"),
            (f64::from_bits(0x7ff8_0000_0000_0001), "NaN (0x7ff8000000000001)"),
        ] {
            let mismatch = Mismatch { got, scalar: Scalar::F64, ..UNWRITTEN };
            let mismatch = Mismatch { is_unwritten: false, ..mismatch };
            assert_eq!(mismatch.to_string(), format!("element 3 is {text}, must be 0.5"));
        }
        assert_eq!(UNWRITTEN.to_string(), "element 3 was never written; dispatched 32×1×1 workgroups of 16×16");
    }

    #[test]
    fn parts_lie_in_the_output_with_both_ends_and_differ_by_the_random_number() {
        for (bytes, count) in
            [((32 << 20) + 4, PARTS), ((1 << 30) - 12, MANY_PARTS), (3 << 30, PARTS), ((4 << 20) + 4, FEW_PARTS)]
        {
            let parts = |random| parts(bytes, count, PART, random).collect::<Vec<_>>();
            let some = parts(1);
            assert_eq!((some.len() as u64, some[0].start, some[some.len() - 1].end), (count, 0, bytes));
            assert!(some.windows(2).all(|pair| pair[0].end <= pair[1].start + 16), "{some:?}");
            assert!(some.iter().all(|part| part.start % 16 == 0 && part.end - part.start >= PART && part.end <= bytes));
            assert_ne!(some, parts(2));
            // Whatever the numbers are, a hole as long as two sections holds a part.
            let hole = bytes.div_ceil(count) * 2 + 16;
            assert!(some.windows(2).all(|pair| pair[1].end - pair[0].start <= hole));
            assert!(count < MANY_PARTS || hole <= bytes / 1000);
        }
    }

    /// Holes of a thousandth of an output, in one piece, in many equal ones and in random ones, in every one of 200 runs.
    #[test]
    fn a_hole_of_a_thousandth_is_found_in_every_run() {
        const BYTES: u64 = 64 << 20;
        let sampled = OutputCheck { is_sampled: true, ..check(64, None, None) };
        let (number, part) = number_and_bytes(&sampled, MANY_PARTS);
        for run in 0..200 {
            let first = mixed(run, 1) % (BYTES - BYTES / 1000);
            let in_one = |at: u64| (first..first + BYTES / 1000).contains(&at);
            let in_rows = |at: u64| (at / 4096 + run).is_multiple_of(1000);
            let in_scalars = |at: u64| mixed(run ^ 0x5eed, at).is_multiple_of(1000);
            let holes: [&dyn Fn(u64) -> bool; 3] = [&in_one, &in_rows, &in_scalars];
            let places: Vec<u64> = parts(BYTES, number, part, mixed(run, 2)).flat_map(|part| part.step_by(4)).collect();
            for (kind, is_hole) in holes.into_iter().enumerate() {
                assert!(places.iter().any(|at| is_hole(*at)), "run {run}, hole {kind}");
            }
        }
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

    /// The check of an output that must be 0, 1, 2, …
    fn check(bytes_each: u64, product: Option<Product>, tolerance: Option<crate::suite::Oracle>) -> OutputCheck {
        let oracle = crate::suite::each(|index| index as f64);
        let fault = Default::default();
        OutputCheck {
            buffer: 0,
            scalars: 1 << 24,
            bytes_each,
            is_sampled: false,
            oracle,
            tolerance,
            product,
            fault,
            of_reference: None,
            padding: Vec::new(),
            words_each: 1,
        }
    }

    #[test]
    fn parts_are_smaller_and_then_fewer_where_a_value_takes_the_host_longer() {
        let parts = |bytes_each| number_and_bytes(&check(bytes_each, None, None), PARTS);
        assert_eq!([0, 2, 3, 5].map(parts), [(PARTS, 2048), (PARTS, 2048), (PARTS, 1024), (508, 688)]);
        assert_eq!([64, 256, 512, 1 << 30].map(parts), [(PARTS, 64), (PARTS, 16), (PARTS / 2, 16), (2, 16)]);
        assert_eq!(number_and_bytes(&check(2, Some(PRODUCT), None), PARTS), (256, 16));
        let sampled = |bytes_each| OutputCheck { is_sampled: true, ..check(bytes_each, None, None) };
        let pieces = |bytes_each, number| number_and_bytes(&sampled(bytes_each), number);
        assert_eq!([64, 512, 1 << 20].map(|each| pieces(each, MANY_PARTS)), [(16384, 16), (2048, 16), (512, 16)]);
        assert_eq!(pieces(512, FEW_PARTS), (128, 16));
    }

    /// One element has no tolerance. It is found among others that all deviate, or none.
    #[test]
    fn each_element_is_compared_with_its_own_tolerance() {
        for (strict, others_deviate) in [0, 9000, 19_999].into_iter().flat_map(|at| [(at, false), (at, true)]) {
            let check = check(1, None, Some(crate::suite::each(move |index| if index == strict { 0.0 } else { 0.5 })));
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
