//! Verifies outputs against their oracles.

use std::ops::Range;

use rayon::prelude::*;

use super::freivalds::Freivalds;
use super::random::mixed;
use crate::backend::Prepared;
use crate::error::{Error, Result};
use crate::job::{Job, OutputCheck, POISON, Product};
use crate::suite::Scalar;

/// The first wrong element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mismatch {
    /// Index in the output, in scalars.
    pub index: u64,
    /// The kernel's value.
    pub got: f64,
    /// The oracle's value.
    pub want: f64,
    /// The type of both.
    pub scalar: Scalar,
    /// The output, where a job has several.
    pub of: Option<&'static str>,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(of) = self.of {
            write!(f, "{of}: ")?;
        }
        write!(f, "element {} is {}, must be {}", self.index, self.text(self.got), self.text(self.want))
    }
}

impl Mismatch {
    /// A value in all its digits, at most 17: as a decimal number where that is short, and else with an exponent. A NaN
    /// with its bits, which tell poison from a computed one.
    fn text(&self, value: f64) -> String {
        if value.is_nan() {
            let mut bytes = [0; 8];
            let bytes = &mut bytes[..self.scalar.bytes()];
            self.scalar.encode(&[value], bytes);
            let bits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
            return format!("NaN (0x{bits})");
        }
        let decimal = value.to_string();
        if decimal.len() <= 20 { decimal } else { format!("{value:e}") }
    }
}

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
    let of = (!job.also.is_empty()).then(|| job.buffers[check.buffer].name);
    Ok(found.map(|found| Mismatch { of, ..found }))
}

/// Number of parts that stand for an output that is never verified whole.
pub const MANY_PARTS: u64 = 64;
/// Number of parts that stand for a large output in the further checks of a case's first epoch.
pub const PARTS: u64 = 16;
/// The same in later epochs.
pub const FEW_PARTS: u64 = 8;

/// Size of the parts that stand for a large output: small, since many places show more than large ones. Where a value
/// takes the host long, a part is smaller.
const PART: u64 = 1 << 16;
const LEAST_PART: u64 = 1 << 8;

/// Outputs up to this many times the size of their parts are verified whole.
const SMALL: u64 = 2;

/// Like [`verify`], but of a large output, of more than `number` × 128 KiB, only `number` parts of 64 KiB: the first, the
/// last, and others that `random` selects. Parts are smaller in proportion where the kernel reads more than it writes,
/// and in matrix products. For repeated checks of a kernel whose whole output is verified once.
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
    let (size, bytes) = (scalar.bytes() as u64, check.scalars * scalar.bytes() as u64);
    let part = part(check);
    if bytes <= SMALL * number * part {
        return verify_one(prepared, job, check, random).await;
    }
    if check.product.is_none() {
        call_once(check);
    }
    let mut read: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut keep = |offset: u64, bytes: &[u8]| read.push((offset / size, bytes.to_vec()));
    prepared.read_parts(check.buffer, parts(bytes, number, part, random).collect(), &mut keep).await?;
    // All at once: a part may be too small to occupy more than one core.
    let found = read.par_iter().map(|(first, bytes)| match &check.product {
        Some(product) => wrong_element(product, scalar, *first, bytes),
        None => mismatch(check, scalar, *first, bytes),
    });
    blameless(job, check, found.find_map_first(|mismatch| mismatch))
}

/// Size of a part in bytes, a multiple of 16.
fn part(check: &OutputCheck) -> u64 {
    if check.product.is_some() {
        return LEAST_PART;
    }
    let part = PART / check.bytes_each.div_ceil(2).max(1);
    part.next_multiple_of(16).max(LEAST_PART)
}

/// The first wrong element of a part of a product, computed without the tables of the oracle.
fn wrong_element(product: &Product, scalar: Scalar, first: u64, bytes: &[u8]) -> Option<Mismatch> {
    let mut values = vec![0.0; bytes.len() / scalar.bytes()];
    scalar.decode(bytes, &mut values);
    let found = values.par_iter().enumerate().map(|(at, got)| {
        let index = first + at as u64;
        let want = product.element(index);
        (*got != want).then_some(Mismatch { index, got: *got, want, scalar, of: None })
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
                let mut own = [0.0];
                match allowed.get(at) {
                    Some(allowed) => own = [*allowed],
                    None => tolerance(first + at as u64, &mut own),
                }
                (got[at] - want[at]).abs() <= own[0]
            })
        };
        let is_wrong =
            |at: &usize| differs(got[*at], want[*at]) && !check.is_padding(first + *at as u64) && !is_near(*at);
        let found = (0..got.len()).find(is_wrong);
        found.map(|at| Mismatch { index: first + at as u64, got: got[at], want: want[at], scalar, of: None })
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
            let mismatch = Mismatch { index: 3, got, want: 0.5, scalar: Scalar::F64, of: None };
            assert_eq!(mismatch.to_string(), format!("element 3 is {text}, must be 0.5"));
        }
        let poison =
            Mismatch { index: 0, got: f32::from_bits(POISON).into(), want: 1.0, scalar: Scalar::F32, of: None };
        assert_eq!(poison.to_string(), "element 0 is NaN (0xffc0fead), must be 1");
    }

    #[test]
    fn parts_lie_in_the_output_with_both_ends_and_differ_by_the_random_number() {
        for (bytes, count) in
            [((32 << 20) + 4, 16), ((1 << 30) - 12, 16), (3 << 30, 16), ((8 << 20) + 4, 16), ((4 << 20) + 4, 8)]
        {
            let parts = |random| parts(bytes, count, PART, random).collect::<Vec<_>>();
            let some = parts(1);
            assert_eq!((some.len() as u64, some[0].start, some[some.len() - 1].end), (count, 0, bytes));
            assert!(some.windows(2).all(|pair| pair[0].end <= pair[1].start + 16), "{some:?}");
            assert!(some.iter().all(|part| part.start % 16 == 0 && part.end - part.start >= PART && part.end <= bytes));
            assert_ne!(some, parts(2));
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
        }
    }

    #[test]
    fn parts_are_smaller_where_a_value_takes_the_host_longer() {
        let part = |bytes_each| part(&check(bytes_each, None, None));
        assert_eq!([0, 1, 2, 3, 4].map(part), [PART, PART, PART, PART / 2, PART / 2]);
        assert_eq!((part(129), part(1 << 30)), (1008, LEAST_PART));
        assert_eq!(super::part(&check(2, Some(PRODUCT), None)), LEAST_PART);
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
