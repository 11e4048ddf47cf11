//! Walks through memory for dependent loads, as pure functions of the place: never stored.

use rayon::prelude::*;

/// A walk through memory: one cycle over all of 2^k or 3·2^k places, in an order that looks random and is a pure function of the place.
///
/// The order is that of the generator x ← a·x + c modulo the number of places, whose period is that number for a ≡ 1 mod 12 and c prime
/// to 6 (Hull and Dobell, *Random Number Generators*), seen through a bijection B of the k low bits, so that neighbours in time are no
/// neighbours in memory: next(p) = B(a·B⁻¹(p) + c).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycle {
    bits: u32,
    /// 1, or 3 runs of 2^k places.
    runs: u64,
    stride: u64,
}

impl Cycle {
    /// One more than a multiple of 12, and prime to 6, within 32 bits: products with a place fit 64.
    const MULTIPLIER: u64 = 0x4c95_7f2d;
    const INCREMENT: u64 = 0xf767_8151;
    /// Odd factors of B.
    const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9];

    /// A cycle over `places` places, or the next smaller number of them that is a power of two or three times one, `stride` u32 words
    /// apart.
    #[must_use]
    pub const fn new(places: u64, stride: u64) -> Self {
        let bits = if places == 0 { 0 } else { places.ilog2() };
        if bits > 0 && places >= 3 << (bits - 1) {
            return Self { bits: bits - 1, runs: 3, stride };
        }
        Self { bits, runs: 1, stride }
    }

    /// Number of places.
    #[must_use]
    pub const fn places(self) -> u64 {
        self.runs << self.bits
    }

    /// Length of the buffer that holds it, in u32 words.
    #[must_use]
    pub const fn words(self) -> u64 {
        self.places() * self.stride
    }

    /// The place after `place`.
    #[must_use]
    pub const fn next(self, place: u64) -> u64 {
        self.mixed((self.unmixed(place) * Self::MULTIPLIER + Self::INCREMENT) % self.places())
    }

    /// The place that `steps` steps from place 0 lead to.
    #[must_use]
    pub fn after(self, steps: u64) -> u64 {
        (0..steps % self.places()).fold(0, |place, _| self.next(place))
    }

    /// How many steps lead from place 0 to `place`: the distance of two states of the generator, found bit by bit from the lowest,
    /// since 2^j steps leave the j lowest bits alone and flip the next. Modulo 3 the state grows by the increment at each step, which
    /// tells the run.
    #[must_use]
    pub const fn rank(self, place: u64) -> u64 {
        let wanted = self.unmixed(place);
        let (mut state, mut steps) = (0_u64, 0);
        let (mut multiplier, mut increment) = (Self::MULTIPLIER, Self::INCREMENT);
        let mut bit = 0;
        while bit < self.bits {
            if (state ^ wanted) >> bit & 1 == 1 {
                state = state.wrapping_mul(multiplier).wrapping_add(increment);
                steps |= 1 << bit;
            }
            increment = increment.wrapping_mul(multiplier.wrapping_add(1));
            multiplier = multiplier.wrapping_mul(multiplier);
            bit += 1;
        }
        // Each further 2^k steps leave the low bits alone and move the state by a fixed amount modulo 3.
        let mut run = 1;
        while run < self.runs && (Self::INCREMENT % 3 * (steps % 3)) % 3 != wanted % 3 {
            steps += 1 << self.bits;
            run += 1;
        }
        steps
    }

    /// Word `index` of the buffer: the first word of a place holds the number of the next place, the second its rank, the others
    /// and those past the end lead astray, to place 0.
    #[must_use]
    pub const fn word(self, index: u64) -> u32 {
        let place = index / self.stride;
        match index % self.stride {
            _ if place >= self.places() => 0,
            0 => self.next(place) as u32,
            1 => self.rank(place) as u32,
            _ => 0,
        }
    }

    /// Writes the words from `first` on into `bytes`, little-endian, on all cores.
    pub fn encode(self, first: u64, bytes: &mut [u8]) {
        const PIECE: usize = 1 << 16;
        bytes.par_chunks_mut(PIECE).enumerate().for_each(|(piece, chunk)| {
            let first = first + (piece * PIECE / 4) as u64;
            for (index, slot) in (first..).zip(chunk.chunks_exact_mut(4)) {
                slot.copy_from_slice(&self.word(index).to_le_bytes());
            }
        });
    }

    const fn mask(self) -> u64 {
        (1 << self.bits) - 1
    }

    /// Folds the upper half of the bits into the lower: its own inverse.
    const fn folded(self, x: u64) -> u64 {
        x ^ x >> self.bits.div_ceil(2)
    }

    const fn mixed(self, state: u64) -> u64 {
        let x = self.folded(state & self.mask());
        let x = self.folded(x.wrapping_mul(Self::FACTORS[0]) & self.mask());
        state & !self.mask() | self.folded(x.wrapping_mul(Self::FACTORS[1]) & self.mask())
    }

    const fn unmixed(self, place: u64) -> u64 {
        const INVERSES: [u64; 2] = [inverse(Cycle::FACTORS[0]), inverse(Cycle::FACTORS[1])];
        let x = self.folded(place & self.mask()).wrapping_mul(INVERSES[1]) & self.mask();
        let x = self.folded(x).wrapping_mul(INVERSES[0]) & self.mask();
        place & !self.mask() | self.folded(x)
    }
}

/// The inverse of an odd number mod 2^64 by Newton's iteration: each round doubles the right bits, of which the number itself has 3.
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
    fn a_cycle_visits_every_place_once_in_the_order_of_the_ranks() {
        for places in (0..=16).flat_map(|bits| [1 << bits, 3 << bits]) {
            let cycle = Cycle::new(places, 32);
            assert_eq!(cycle.places(), places);
            let mut place = 0;
            for rank in 0..places {
                assert_eq!(cycle.rank(place), rank, "{places} places, place {place}");
                place = cycle.next(place);
                assert!(place < places && (place != 0 || rank + 1 == places), "closed too early");
            }
            assert_eq!(place, 0, "{places} places");
        }
        assert_eq!(Cycle::new(1000, 1).places(), 768);
        assert_eq!(Cycle::new(700, 1).places(), 512);
        assert_eq!(Cycle::new(0, 1).places(), 1);
    }

    /// Caches must find no neighbours, and prefetchers no stride.
    #[test]
    fn a_cycle_jumps_as_far_as_chance_would() {
        for places in [1 << 10, 1 << 17, 1 << 21, 3 << 9, 3 << 16] {
            let cycle = Cycle::new(places, 32);
            let (mut sum, mut near, mut repeated, mut last) = (0, 0, 0, 0);
            for place in 0..places {
                let next = cycle.next(place);
                sum += next.abs_diff(place);
                near += u64::from(next.abs_diff(place) <= 4);
                // The step from here and the step from there.
                let step = cycle.next(next).wrapping_sub(next);
                repeated += u64::from(step == next.wrapping_sub(place) || step == last);
                last = step;
            }
            let mean = sum as f64 / (places * places) as f64;
            assert!((0.3..0.37).contains(&mean), "mean jump over {places} places: {mean}");
            assert!(near * 64 <= places, "{places} places: {near} jumps of 4 or less");
            assert!(repeated * 64 <= places, "{places} places: {repeated} steps come twice in a row");
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
        assert_eq!(cycle.after(3), cycle.next(cycle.next(cycle.next(0))));
        assert_eq!(cycle.after(1024), 0);
    }
}
