//! Inputs as pure functions of the index: random, the same on every machine, and never stored, so that a gigabyte of input costs
//! no host memory and any oracle can look up any element.

use rayon::prelude::*;

use super::Scalar;

/// A family of random inputs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Values {
    /// Whole range of the type, never zero: almost any two elements differ, so that a misplaced one is seen. Floats lie in (0, 1).
    Wide,
    /// Floats ±k/128 with k in 1..=127 (integers as [`Values::Wide`]): every partial sum of up to 2^28 of them stays an exact
    /// multiple of 1/128 below 2^17 in any order (a random walk with a step of 0.57 strays 10^4 at most), so that sums compare
    /// exactly and one missing element is seen.
    Summable,
    /// ±1, independent of [`Values::Summable`]: a second operand that leaves sums and products with the first exact (integers as
    /// [`Values::Wide`]).
    Signs,
    /// Decimal digits, 0 to 9, of any type.
    Digits,
    /// The same number everywhere, as source article A5 has it (0.5).
    Constant(f64),
}

impl Values {
    /// Element `index` of the input. Exact: every value of every type here fits an f64.
    #[must_use]
    pub fn at(self, scalar: Scalar, index: u64) -> f64 {
        let random = hash(index);
        match (self, scalar) {
            (Self::Constant(value), _) => value,
            (Self::Digits, _) => f64::from(((random >> 16) * 10) >> 16),
            (_, Scalar::U32) => f64::from(random.max(1)),
            (Self::Wide, Scalar::F32) => f64::from(random >> 8 | 1) / f64::from(1_u32 << 24),
            (Self::Wide, Scalar::F64) => (f64::from(random) + 0.5) / 4_294_967_296.0,
            (Self::Summable, _) => f64::from(summable(random)) / 128.0,
            // A bit that `summable` does not use.
            (Self::Signs, _) => f64::from((random & 2) as i32 - 1),
        }
    }

    /// Writes the elements from `first` on into `bytes`, little-endian, on all cores.
    pub fn encode(self, scalar: Scalar, first: u64, bytes: &mut [u8]) {
        const PIECE: usize = 1 << 16;
        let size = scalar.bytes();
        bytes.par_chunks_mut(PIECE).enumerate().for_each(|(piece, chunk)| {
            let first = first + (piece * (PIECE / size)) as u64;
            scalar.encode((first..).map(|index| self.at(scalar, index)), chunk);
        });
    }

    /// Sum of the elements in `range`: exact for [`Values::Summable`] floats, modulo 2^32 for u32.
    #[must_use]
    pub fn sum(self, scalar: Scalar, range: std::ops::Range<u64>) -> f64 {
        const PIECE: u64 = 1 << 16;
        let pieces = (0..(range.end - range.start).div_ceil(PIECE)).into_par_iter().map(|piece| {
            let first = range.start + piece * PIECE;
            first..range.end.min(first + PIECE)
        });
        if scalar == Scalar::U32 {
            // 2^32 values of 32 bits fit 64; the device's sum wraps at 32.
            let sum: u64 = pieces.map(|piece| piece.map(|i| self.at(scalar, i) as u64).sum::<u64>()).sum();
            return f64::from(sum as u32);
        }
        match self {
            Self::Summable => {
                let sum: i64 = pieces.map(|piece| piece.map(|i| i64::from(summable(hash(i)))).sum::<i64>()).sum();
                sum as f64 / 128.0
            }
            // For constants f64 has 29 bits to spare.
            _ => pieces.map(|piece| piece.map(|i| self.at(scalar, i)).sum::<f64>()).sum(),
        }
    }
}

/// ±k with k in 1..=127.
const fn summable(random: u32) -> i32 {
    let magnitude = (((random >> 16) * 127) >> 16) as i32 + 1;
    if random & 1 == 0 { magnitude } else { -magnitude }
}

/// 32 random bits for an index: the "lowbias32" integer hash (Wellons, *Prospecting for Hash Functions*), its high word mixed in.
const fn hash(index: u64) -> u32 {
    let mut x = (index as u32) ^ ((index >> 32) as u32).wrapping_mul(0x9e37_79b9) ^ 0x5eed_c0de;
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_random_nonzero_and_the_same_everywhere() {
        for scalar in [Scalar::U32, Scalar::F32, Scalar::F64] {
            for values in [Values::Wide, Values::Summable] {
                let first: Vec<f64> = (0..4096).map(|i| values.at(scalar, i)).collect();
                assert!(first.iter().all(|&x| x != 0.0));
                let mut distinct = first.clone();
                distinct.sort_by(f64::total_cmp);
                distinct.dedup();
                assert!(distinct.len() > 200, "{scalar:?} {values:?}: {} distinct", distinct.len());
            }
        }
        // Pinned: reports are comparable only while inputs stay what they are.
        assert_eq!(Values::Wide.at(Scalar::U32, 0), 1_442_009_498.0);
    }

    #[test]
    fn digits_and_signs_are_evenly_spread_and_signs_independent() {
        let n = 40_000;
        for digit in 0..10 {
            let hits = (0..n).filter(|&i| Values::Digits.at(Scalar::U32, i) == f64::from(digit)).count();
            assert!((3700..4300).contains(&hits), "{digit}: {hits}");
        }
        let sign = |i| Values::Signs.at(Scalar::F32, i);
        assert!((0..n).all(|i| sign(i).abs() == 1.0));
        assert!((0..n).map(sign).sum::<f64>().abs() < 800.0);
        let products = (0..n).map(|i| sign(i) * Values::Summable.at(Scalar::F32, i).signum()).sum::<f64>();
        assert!(products.abs() < 800.0, "{products}");
    }

    #[test]
    fn encoding_agrees_with_at_across_pieces() {
        let mut bytes = vec![0_u8; 4 * 40_000];
        Values::Wide.encode(Scalar::F32, 7, &mut bytes);
        for index in [0, 1, 16_383, 16_384, 39_999] {
            let got = f32::from_le_bytes(bytes[4 * index..4 * index + 4].try_into().expect("four bytes"));
            assert_eq!(f64::from(got), Values::Wide.at(Scalar::F32, 7 + index as u64));
        }
    }

    /// The promise of `Summable`: f32 addition in any order gives the same bits.
    #[test]
    fn sums_are_exact_in_f32_in_any_order() {
        let n = 1 << 22;
        let exact = Values::Summable.sum(Scalar::F32, 0..n);
        let forward = (0..n).fold(0.0_f32, |sum, i| sum + Values::Summable.at(Scalar::F32, i) as f32);
        let backward = (0..n).rev().fold(0.0_f32, |sum, i| sum + Values::Summable.at(Scalar::F32, i) as f32);
        assert_eq!((f64::from(forward), f64::from(backward)), (exact, exact));
    }
}
