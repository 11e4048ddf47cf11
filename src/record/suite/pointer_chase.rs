//! Walks through memory for dependent loads, as pure functions of the position: never stored.

use rayon::prelude::*;

use super::input::{hash, key};

/// A walk through memory: one cycle over all of 2^k or 3·2^k positions, in an order that looks random: that of the
/// generator x ← a·x + c modulo the number of positions, whose period is that number for a ≡ 1 mod 12 and c prime to 6
/// (Hull and Dobell, *Random Number Generators*), mapped through a bijection B of the k low bits, so that consecutive
/// positions are not adjacent in memory: next(p) = B(a·B⁻¹(p) + c). The factors of B are drawn from the random stream,
/// so no formula predicts where a walk ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycle {
    bits: u32,
    /// 1, or 3 runs of 2^k positions.
    runs: u64,
    stride: u64,
    stream: u64,
    /// Odd factors of B, and their inverses.
    factors: [u64; 2],
    inverses: [u64; 2],
    /// Steps of a walk, if the buffer's words can verify its end.
    steps: u64,
}

impl Cycle {
    /// One more than a multiple of 12, and prime to 6, within 32 bits: products with a position fit 64.
    const MULTIPLIER: u64 = 0x4c95_7f2d;
    const INCREMENT: u64 = 0xf767_8151;
    /// Random bits of the factors of B, combined with those of the stream.
    const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9];

    /// A cycle over `length` positions (rounded down to 2^k or 3·2^k), `stride` u32 words apart.
    #[must_use]
    pub const fn new(length: u64, stride: u64) -> Self {
        let bits = if length == 0 { 0 } else { length.ilog2() };
        let (bits, runs) = if bits > 0 && length >= 3 << (bits - 1) { (bits - 1, 3) } else { (bits, 1) };
        Self { bits, runs, stride, stream: 0, steps: 0, factors: [1; 2], inverses: [1; 2] }.of(0)
    }

    /// The cycle drawn from this stream.
    #[must_use]
    pub const fn of(self, stream: u64) -> Self {
        let key = Self { stream, ..self }.key();
        let a = Self::FACTORS[0] ^ (hash(0, key) as u64) << 1;
        let b = Self::FACTORS[1] ^ (hash(1, key) as u64) << 1;
        Self { stream, factors: [a, b], inverses: [inverse(a), inverse(b)], ..self }
    }

    /// The cycle with a word at each position that verifies a walk of `steps` steps from there.
    #[must_use]
    pub const fn walked(self, steps: u64) -> Self {
        Self { steps, ..self }
    }

    /// Number of positions.
    #[must_use]
    pub const fn length(self) -> u64 {
        self.runs << self.bits
    }

    /// Length of its buffer, in u32 words.
    #[must_use]
    pub const fn words(self) -> u64 {
        self.length() * self.stride
    }

    /// The position after `position`.
    #[must_use]
    pub const fn next(self, position: u64) -> u64 {
        self.mixed((self.unmixed(position) * Self::MULTIPLIER + Self::INCREMENT) % self.length())
    }

    /// The position `steps` steps after position 0.
    #[must_use]
    pub const fn after(self, steps: u64) -> u64 {
        self.further(0, self.power(steps))
    }

    /// Position 0, then without end the position `steps` steps after the last.
    pub fn every(self, steps: u64) -> impl Iterator<Item = u64> {
        let power = self.power(steps);
        std::iter::successors(Some(0), move |position| Some(self.further(*position, power)))
    }

    /// The position after a position, by this [power](Self::power) of the generator.
    const fn further(self, position: u64, (multiplier, increment): (u64, u64)) -> u64 {
        self.mixed((self.unmixed(position) * multiplier + increment) % self.length())
    }

    /// The random word at a position, read where a walk ends.
    const fn check(self, position: u64) -> u32 {
        hash(position, self.key())
    }

    /// `check` of a walk's last position XOR `expected` of its first: the same for walks of `steps` steps only.
    #[must_use]
    pub const fn answer(self) -> u32 {
        hash(u64::MAX, self.key())
    }

    const fn key(self) -> u32 {
        key(self.stream ^ 0x7761_6c6b_0000)
    }

    /// Multiplier and increment of the generator that makes this many steps at once, by repeated squaring.
    const fn power(self, mut steps: u64) -> (u64, u64) {
        let length = self.length();
        let (mut multiplier, mut increment) = (1 % length, 0);
        let (mut factor, mut addend) = (Self::MULTIPLIER % length, Self::INCREMENT % length);
        while steps > 0 {
            if steps % 2 == 1 {
                multiplier = multiplier * factor % length;
                increment = (increment * factor + addend) % length;
            }
            addend = (addend * factor + addend) % length;
            factor = factor * factor % length;
            steps /= 2;
        }
        (multiplier, increment)
    }

    /// Word `index` of the buffer. A position's first word is the next position, the second `check`, the fourth the
    /// [expected](Self::answer) end of a walk from there. All others are 0: a wrong step leads to position 0.
    #[must_use]
    pub const fn word(self, index: u64) -> u32 {
        self.word_by(index, self.power(self.steps))
    }

    /// [`Self::word`], with the generator's power for all steps of a walk.
    const fn word_by(self, index: u64, power: (u64, u64)) -> u32 {
        let position = index / self.stride;
        match index % self.stride {
            _ if position >= self.length() => 0,
            0 => self.next(position) as u32,
            1 => self.check(position),
            3 => self.check(self.further(position, power)) ^ self.answer(),
            _ => 0,
        }
    }

    /// Writes the words from index `first` into `bytes`, little-endian, on all cores.
    pub fn encode(self, first: u64, bytes: &mut [u8]) {
        const PIECE: usize = 1 << 16;
        let power = self.power(self.steps);
        bytes.par_chunks_mut(PIECE).enumerate().for_each(|(piece, chunk)| {
            let first = first + (piece * PIECE / 4) as u64;
            let words = chunk.as_chunks_mut::<4>().0;
            words.fill([0; 4]);
            // Only the first four words of a position are not 0.
            let end = first + words.len() as u64;
            let positions = first / self.stride..end.div_ceil(self.stride).min(self.length());
            let indices =
                positions.flat_map(|position| position * self.stride..position * self.stride + self.stride.min(4));
            for index in indices.filter(|index| (first..end).contains(index)) {
                words[(index - first) as usize] = self.word_by(index, power).to_le_bytes();
            }
        });
    }

    const fn mask(self) -> u64 {
        (1 << self.bits) - 1
    }

    /// XORs the upper half of the bits into the lower; its own inverse.
    const fn folded(self, x: u64) -> u64 {
        x ^ x >> self.bits.div_ceil(2)
    }

    const fn mixed(self, state: u64) -> u64 {
        let x = self.folded(state & self.mask());
        let x = self.folded(x.wrapping_mul(self.factors[0]) & self.mask());
        state & !self.mask() | self.folded(x.wrapping_mul(self.factors[1]) & self.mask())
    }

    const fn unmixed(self, position: u64) -> u64 {
        let x = self.folded(position & self.mask()).wrapping_mul(self.inverses[1]) & self.mask();
        let x = self.folded(x).wrapping_mul(self.inverses[0]) & self.mask();
        position & !self.mask() | self.folded(x)
    }
}

/// The inverse of an odd number mod 2^64 by Newton's iteration: each round doubles the correct bits, at first 3.
const fn inverse(odd: u64) -> u64 {
    let (mut inverse, mut round) = (odd, 0);
    while round < 5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_visits_every_position_once() {
        for length in (0..=16).flat_map(|bits| [1 << bits, 3 << bits]) {
            let cycle = Cycle::new(length, 32).of(length);
            assert_eq!(cycle.length(), length);
            let mut position = 0;
            for rank in 0..length {
                assert_eq!(cycle.after(rank), position, "{length} positions, rank {rank}");
                position = cycle.next(position);
                assert!(position < length && (position != 0 || rank + 1 == length), "closed too early");
            }
            assert_eq!(position, 0, "{length} positions");
        }
        assert_eq!(Cycle::new(1000, 1).length(), 768);
        assert_eq!(Cycle::new(700, 1).length(), 512);
        assert_eq!(Cycle::new(0, 1).length(), 1);
    }

    /// Caches must see no neighbours, and prefetchers no stride.
    #[test]
    fn a_cycle_jumps_as_far_as_random_order() {
        let lengths = [1 << 10, 1 << 17, 3 << 9, 3 << 16];
        for (length, stream) in lengths.into_iter().flat_map(|length| (0..8).map(move |stream| (length, stream))) {
            let cycle = Cycle::new(length, 32).of(stream);
            let (mut sum, mut near, mut repeated, mut last) = (0, 0, 0, 0);
            for position in 0..length {
                let next = cycle.next(position);
                sum += next.abs_diff(position);
                near += u64::from(next.abs_diff(position) <= 4);
                let step = cycle.next(next).wrapping_sub(next);
                repeated += u64::from(step == next.wrapping_sub(position) || step == last);
                last = step;
            }
            let mean = sum as f64 / (length * length) as f64;
            assert!((0.3..0.37).contains(&mean), "mean jump over {length} positions: {mean}");
            assert!(near * 64 <= length, "{length} positions: {near} jumps of 4 or less");
            assert!(repeated * 64 <= length, "{length} positions: {repeated} steps come twice in a row");
        }
    }

    #[test]
    fn a_walk_of_the_right_length_has_the_answer_and_no_other_walk_has() {
        for (length, steps) in [(1 << 10, 100), (768, 16), (1 << 12, 9000)] {
            let cycle = Cycle::new(length, 32).of(3).walked(steps);
            let word = |position: u64, number| cycle.word(32 * position + number);
            let mut wrong = 0;
            for first in (0..length).step_by(37) {
                let mut at = first;
                for step in 0..2 * steps {
                    wrong += u32::from(step != steps && word(at, 1) ^ word(first, 3) == cycle.answer());
                    assert!(step != steps || word(at, 1) ^ word(first, 3) == cycle.answer());
                    at = u64::from(word(at, 0));
                }
            }
            // A whole round more or less has the same end.
            assert_eq!(wrong != 0, steps > length, "{length} positions, {steps} steps: {wrong}");
        }
        assert_ne!(Cycle::new(1024, 1).of(1).after(240_000), Cycle::new(1024, 1).of(2).after(240_000));
    }

    #[test]
    fn a_cycle_is_encoded_with_checks_and_ends() {
        let cycle = Cycle::new(1 << 10, 32).of(3).walked(40);
        assert_eq!(cycle.words(), 1 << 15);
        let mut bytes = vec![0xff_u8; 4 * 16_384 + 4096];
        cycle.encode(16_384, &mut bytes);
        let word = |index: usize| u32::from_le_bytes(bytes[4 * index..4 * index + 4].try_into().expect("four bytes"));
        assert_eq!(u64::from(word(32)), cycle.next(513));
        assert_eq!(word(33), cycle.check(513));
        assert_eq!((word(34), word(36), word(16_384)), (0, 0, 0));
        for (stride, first) in [(1, 0), (2, 3), (3, 1), (32, 31), (64, 4095)] {
            let cycle = Cycle::new(768, stride).of(3).walked(40);
            let mut bytes = vec![0xff_u8; 4 * (768 * stride as usize + 100)];
            cycle.encode(first, &mut bytes);
            let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
            assert!((first..).zip(words).all(|(index, word)| word == cycle.word(index)), "{stride} from {first}");
        }
        assert_eq!(cycle.after(3), cycle.next(cycle.next(cycle.next(0))));
        assert_eq!(cycle.after(1024), 0);
    }
}
