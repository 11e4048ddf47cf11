//! The parts of a large output to compare, if not all of it is compared.

use std::ops::Range;

use super::random::mixed;
use crate::job::OutputCheck;

/// Number of parts of an output that is never verified whole, each of `PIECES`. They miss a hole of a thousandth of it
/// with a probability of (1 - 1/1000)^16384 = 8e-8, and a contiguous one never. In attention, whose values take the
/// host longest, 2048 pieces miss such a hole with 13 % probability, unless it was left unwritten.
pub(super) const MANY_PARTS: u64 = 1 << 12;
/// Number of parts of a large output in the further checks of a case's first epoch.
pub(super) const PARTS: u64 = 512;
/// The same in later epochs, which are most of a run: their parts are shorter, too.
pub(super) const FEW_PARTS: u64 = 256;

/// Bytes of a part: many small ones find more than few large ones. Costly values get smaller parts, then fewer.
const PART: u64 = 1 << 11;
const SHORT_PART: u64 = 1 << 9;
pub(super) const LEAST_PART: u64 = 1 << 4;

/// Pieces per part of an output that is never verified whole: each of the least size, far apart.
pub(super) const PIECES: u64 = 4;

/// Host operations for all pieces of an output that is never verified whole, in units of [`OutputCheck::bytes_each`]:
/// costlier values, as in attention, get fewer pieces, down to a thirty-second.
const OPERATIONS: u64 = 1 << 20;

/// Host time for an element of a product, in values of a copy.
const PRODUCT_COST: u64 = 1 << 8;

/// Outputs up to this many times the size of their parts are verified whole.
pub(super) const SMALL: u64 = 2;

/// Number of parts for an output, at most `number`, and the bytes of each, a multiple of 16. For an output that is
/// never verified whole, the number of pieces, at most [`PIECES`] times `number`.
pub(super) fn number_and_bytes(check: &OutputCheck, number: u64) -> (u64, u64) {
    let cost = if check.product.is_some() { PRODUCT_COST } else { check.bytes_each.div_ceil(2).max(1) };
    let whole = if number == FEW_PARTS { SHORT_PART } else { PART };
    let part = (whole / cost).next_multiple_of(16).max(LEAST_PART);
    if check.is_sampled {
        let pieces = PIECES * number;
        let affordable = pieces * OPERATIONS / (check.bytes_each.max(1) * PIECES * MANY_PARTS);
        return (affordable.clamp(pieces / 32, pieces), LEAST_PART);
    }
    ((number * whole / cost / part).clamp(2, number), part)
}

/// `count` parts of `part` bytes of an output of `bytes`: one at a random position in each of `count` equal sections,
/// but the first and the last at the ends.
pub(super) fn parts(bytes: u64, count: u64, part: u64, random: u64) -> impl Iterator<Item = Range<u64>> {
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::job::Product;
    use record::suite::Scalar;
    use record::suite::input::{Input, Values};

    const A: Input = Values::Summable.of(3);
    const B: Input = Values::SummableFrom(1 << 40).of(3);
    pub(in super::super) const PRODUCT: Product =
        Product { m: 37, n: 50, k: 29, a: A, b: B, scalar: Scalar::F32, is_by_columns: false };

    /// The check of an output that must be 0, 1, 2, …
    pub(in super::super) fn check(
        bytes_each: u64,
        product: Option<Product>,
        tolerance: Option<record::suite::Oracle>,
    ) -> OutputCheck {
        let oracle = record::suite::each(|index| index as f64);
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
            element: Vec::new(),
            outliers: 0.0,
            words_each: 1,
        }
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
            // Whatever is drawn, a hole as long as two sections contains a part.
            let hole = bytes.div_ceil(count) * 2 + 16;
            assert!(some.windows(2).all(|pair| pair[1].end - pair[0].start <= hole));
            assert!(count < MANY_PARTS || hole <= bytes / 1000);
        }
    }

    /// Holes of a thousandth of an output: contiguous, in many equal pieces and random, in each of 200 runs.
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
    fn parts_are_smaller_and_then_fewer_where_a_value_takes_the_host_longer() {
        let parts = |bytes_each| number_and_bytes(&check(bytes_each, None, None), PARTS);
        assert_eq!([0, 2, 3, 5].map(parts), [(PARTS, 2048), (PARTS, 2048), (PARTS, 1024), (508, 688)]);
        assert_eq!([64, 256, 512, 1 << 30].map(parts), [(PARTS, 64), (PARTS, 16), (PARTS / 2, 16), (2, 16)]);
        assert_eq!(number_and_bytes(&check(2, Some(PRODUCT), None), PARTS), (256, 16));
        assert_eq!(number_and_bytes(&check(2, None, None), FEW_PARTS), (FEW_PARTS, 512));
        let sampled = |bytes_each| OutputCheck { is_sampled: true, ..check(bytes_each, None, None) };
        let pieces = |bytes_each, number| number_and_bytes(&sampled(bytes_each), number);
        assert_eq!([64, 512, 1 << 20].map(|each| pieces(each, MANY_PARTS)), [(16384, 16), (2048, 16), (512, 16)]);
        assert_eq!(pieces(512, FEW_PARTS), (128, 16));
    }
}
