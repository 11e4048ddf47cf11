//! Walks through memory for dependent loads, as pure functions of the position: never stored.

use rayon::prelude::*;

/// A walk through memory: one cycle over all of 2^k or 3·2^k positions, in an order that looks random.
///
/// The order is that of the generator x ← a·x + c modulo the number of positions, whose period is that number for a ≡ 1
/// mod 12 and c prime to 6 (Hull and Dobell, *Random Number Generators*), mapped through a bijection B of the k low
/// bits, so that consecutive positions are not adjacent in memory: next(p) = B(a·B⁻¹(p) + c).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycle {
    bits: u32,
    /// 1, or 3 runs of 2^k positions.
    runs: u64,
    stride: u64,
}

impl Cycle {
    /// One more than a multiple of 12, and prime to 6, within 32 bits: products with a position fit 64.
    const MULTIPLIER: u64 = 0x4c95_7f2d;
    const INCREMENT: u64 = 0xf767_8151;
    /// Odd factors of B.
    const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9];

    /// A cycle over `length` positions, `stride` u32 words apart. The length is rounded down to a power of two or three
    /// times one.
    #[must_use]
    pub const fn new(length: u64, stride: u64) -> Self {
        let bits = if length == 0 { 0 } else { length.ilog2() };
        if bits > 0 && length >= 3 << (bits - 1) {
            return Self { bits: bits - 1, runs: 3, stride };
        }
        Self { bits, runs: 1, stride }
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
        // State 0 is at position 0.
        self.mixed(self.power(steps).1)
    }

    /// Position 0, and each time the one `steps` steps after the last, without end.
    pub fn every(self, steps: u64) -> impl Iterator<Item = u64> {
        let (multiplier, increment) = self.power(steps);
        let states =
            std::iter::successors(Some(0), move |state| Some((state * multiplier + increment) % self.length()));
        states.map(move |state| self.mixed(state))
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

    /// The number of steps from position 0 to `position`: the distance of two states of the generator. It is found bit
    /// by bit from the lowest, since 2^j steps leave the j lowest bits unchanged and flip the next. Modulo 3 the state
    /// grows by the increment at each step, which determines the run.
    #[must_use]
    pub const fn rank(self, position: u64) -> u64 {
        let wanted = self.unmixed(position);
        let (mut state, mut steps) = (0_u64, 0);
        let (mut multiplier, mut increment) = (Self::MULTIPLIER, Self::INCREMENT);
        let mut bit = 0;
        while bit < self.bits {
            // Without a branch, since half of the predictions would be wrong.
            let is_moved = (state ^ wanted) >> bit & 1;
            let moved = state.wrapping_mul(multiplier).wrapping_add(increment);
            state ^= (state ^ moved) & is_moved.wrapping_neg();
            steps |= is_moved << bit;
            increment = increment.wrapping_mul(multiplier.wrapping_add(1));
            multiplier = multiplier.wrapping_mul(multiplier);
            bit += 1;
        }
        // Each further 2^k steps leave the low bits unchanged and move the state by a fixed amount modulo 3.
        let mut run = 1;
        while run < self.runs && (Self::INCREMENT % 3 * (steps % 3)) % 3 != wanted % 3 {
            steps += 1 << self.bits;
            run += 1;
        }
        steps
    }

    /// Word `index` of the buffer: the first word of a position holds the next position, the second its rank. The
    /// others and those past the end are 0, so that a wrong step leads to position 0.
    #[must_use]
    pub const fn word(self, index: u64) -> u32 {
        let position = index / self.stride;
        match index % self.stride {
            _ if position >= self.length() => 0,
            0 => self.next(position) as u32,
            1 => self.rank(position) as u32,
            _ => 0,
        }
    }

    /// Writes the words from `first` on into `bytes`, little-endian, on all cores.
    pub fn encode(self, first: u64, bytes: &mut [u8]) {
        const PIECE: usize = 1 << 16;
        bytes.par_chunks_mut(PIECE).enumerate().for_each(|(piece, chunk)| {
            let first = first + (piece * PIECE / 4) as u64;
            let words = chunk.as_chunks_mut::<4>().0;
            words.fill([0; 4]);
            // Only the first two words of a position are not 0.
            let end = first + words.len() as u64;
            let positions = first / self.stride..end.div_ceil(self.stride).min(self.length());
            let indices =
                positions.flat_map(|position| position * self.stride..position * self.stride + self.stride.min(2));
            for index in indices.filter(|index| (first..end).contains(index)) {
                words[(index - first) as usize] = self.word(index).to_le_bytes();
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
        let x = self.folded(x.wrapping_mul(Self::FACTORS[0]) & self.mask());
        state & !self.mask() | self.folded(x.wrapping_mul(Self::FACTORS[1]) & self.mask())
    }

    const fn unmixed(self, position: u64) -> u64 {
        const INVERSES: [u64; 2] = [inverse(Cycle::FACTORS[0]), inverse(Cycle::FACTORS[1])];
        let x = self.folded(position & self.mask()).wrapping_mul(INVERSES[1]) & self.mask();
        let x = self.folded(x).wrapping_mul(INVERSES[0]) & self.mask();
        position & !self.mask() | self.folded(x)
    }
}

/// The inverse of an odd number mod 2^64 by Newton's iteration: each round doubles the number of correct bits, which
/// starts at 3.
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
    fn a_cycle_visits_every_position_once_in_rank_order() {
        for length in (0..=16).flat_map(|bits| [1 << bits, 3 << bits]) {
            let cycle = Cycle::new(length, 32);
            assert_eq!(cycle.length(), length);
            let mut position = 0;
            for rank in 0..length {
                assert_eq!(cycle.rank(position), rank, "{length} positions, position {position}");
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
        for length in [1 << 10, 1 << 17, 1 << 21, 3 << 9, 3 << 16] {
            let cycle = Cycle::new(length, 32);
            let (mut sum, mut near, mut repeated, mut last) = (0, 0, 0, 0);
            for position in 0..length {
                let next = cycle.next(position);
                sum += next.abs_diff(position);
                near += u64::from(next.abs_diff(position) <= 4);
                // The distance from this position, and from the next.
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
    fn a_cycle_is_encoded_with_ranks_and_ends() {
        let cycle = Cycle::new(1 << 10, 32);
        assert_eq!(cycle.words(), 1 << 15);
        let mut bytes = vec![0xff_u8; 4 * 16_384 + 4096];
        cycle.encode(16_384, &mut bytes);
        let word = |index: usize| u32::from_le_bytes(bytes[4 * index..4 * index + 4].try_into().expect("four bytes"));
        assert_eq!(u64::from(word(32)), cycle.next(513));
        assert_eq!(u64::from(word(33)), cycle.rank(513));
        assert_eq!((word(34), word(16_384)), (0, 0));
        for (stride, first) in [(1, 0), (2, 3), (3, 1), (32, 31), (64, 4095)] {
            let cycle = Cycle::new(768, stride);
            let mut bytes = vec![0xff_u8; 4 * (768 * stride as usize + 100)];
            cycle.encode(first, &mut bytes);
            let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
            assert!((first..).zip(words).all(|(index, word)| word == cycle.word(index)), "{stride} from {first}");
        }
        assert_eq!(cycle.after(3), cycle.next(cycle.next(cycle.next(0))));
        assert_eq!(cycle.after(1024), 0);
    }
}
