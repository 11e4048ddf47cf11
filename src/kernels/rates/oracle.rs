//! The results of chains, computed step by step on the host.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use half::f16;
use record::suite::prelude::*;

/// Bits of an invocation's number that select its values.
pub(super) const LANES: u32 = 63;

/// Steps of one chain.
#[must_use]
pub fn steps_of_a_chain(params: &BTreeMap<String, f64>) -> u64 {
    32 * params.get("ROUNDS").map_or(18, |rounds| *rounds as u64) + 1
}

/// Words of the input: invocations 64 apart read the same.
pub(super) const TABLE: u64 = LANES as u64 + 18;

/// The type of a chain, as in `shaders/rates/type_*`.
pub(super) trait Word: Copy + Send + Sync + 'static {
    fn start(word: u32) -> Self;
    fn factor(word: u32) -> Self;
    /// A bit mask of the invocation's number that selects its input values.
    const LANES: u64 = LANES as u64;
    fn stored(self) -> f64;
    /// A sum of stored values, rounded to the type in memory.
    fn rounded(sum: f64) -> f64;
}

/// Integers, stored as words.
macro_rules! integer {
    ($type:ty, $start:expr, $factor:expr, $stored:expr) => {
        impl Word for $type {
            fn start(word: u32) -> Self {
                $start(word | 1)
            }
            fn factor(word: u32) -> Self {
                $factor(word)
            }
            fn stored(self) -> f64 {
                let stored: fn(Self) -> u32 = $stored;
                f64::from(stored(self))
            }
            fn rounded(sum: f64) -> f64 {
                f64::from(sum as u64 as u32)
            }
        }
    };
}
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
const fn folded(x: u64) -> u32 {
    x as u32 ^ (x >> 32) as u32
}
integer!(u32, |word| word, |word| word, |x| x);
integer!(i32, |word| word as i32, |word| word as i32, |x| x as u32);
integer!(i16, |word| word as i16, |word| word as i16, |x| i32::from(x) as u32);
integer!(u64, |word: u32| u64::from(word).wrapping_mul(SPREAD), u64::from, folded);
integer!(i64, |word: u32| u64::from(word).wrapping_mul(SPREAD) as i64, i64::from, |x| folded(x as u64));

/// A word that is the same in all lanes.
#[derive(Clone, Copy)]
pub(super) struct Lane(pub(super) u32);

impl Word for Lane {
    const LANES: u64 = 0;
    fn start(word: u32) -> Self {
        Self(word | 1)
    }
    /// Never read; it would differ between lanes.
    fn factor(_: u32) -> Self {
        Self(0)
    }
    fn stored(self) -> f64 {
        self.0.into()
    }
    fn rounded(sum: f64) -> f64 {
        u32::rounded(sum)
    }
}

/// Floats of few bits between 1.5 and 2, with factors ±1: drivers may reorder the sum of eight, which must stay exact.
macro_rules! float {
    ($type:ty, $start:expr, $rounded:expr) => {
        impl Word for $type {
            fn start(word: u32) -> Self {
                $start(word)
            }
            fn factor(word: u32) -> Self {
                Self::from(if word & 1 == 1 { ONE } else { -ONE })
            }
            fn stored(self) -> f64 {
                self.into()
            }
            fn rounded(sum: f64) -> f64 {
                $rounded(sum)
            }
        }
    };
}
/// Every float type here can be made from an `i8`.
const ONE: i8 = 1;
float!(f16, |word| f16::from_bits(0x3e00 | (word & 0x1e0) as u16), |sum| f16::from_f64(sum).into());
float!(f32, |word| f32::from_bits(0x3fc0_0000 | (word & 0x3f_e000)), |sum| f64::from(sum as f32));
float!(f64, |word| 1.5 + f64::from(word & 0x7_ffff) / 1_048_576.0, |sum| sum);

/// Chains that start at `first`; `step` gets a chain's value, the previous one, the factor and one more value.
pub(super) fn chains<S: Word>(shape: &Shape, first: fn(u32) -> S, step: fn(S, S, S, S) -> S) -> Oracle {
    pairs(shape, first, S::start, |before, _| before, move |x, before, m, p| (step(x, before, m, p), x))
}

/// The outputs of chains of atomic operations on one word each. `new` gets the operand (the word as the previous
/// operation found it), the old word and the factor. Words and operands start at `first` of a quarter of the input.
pub(super) fn words<S: Word>(shape: &Shape, first: fn(u32) -> S, new: fn(S, S, S) -> S) -> Oracle {
    let first = move |word| first(word >> 2);
    pairs(shape, first, first, |_, own| own, move |x, word, m, _| (word, new(x, word, m)))
}

/// The outputs of chains that pass on two values, the first of which is stored.
fn pairs<S: Word>(
    shape: &Shape,
    first: impl Fn(u32) -> S + Send + Sync + 'static,
    own: impl Fn(u32) -> S + Send + Sync + 'static,
    second: fn(S, S) -> S,
    step: impl Fn(S, S, S, S) -> (S, S) + Send + Sync + 'static,
) -> Oracle {
    let input = shape.input(Values::Wide);
    let word = move |at: u64| input.at(Scalar::U32, at) as u32;
    let steps = steps_of_a_chain(&shape.params);
    let (is_one, count) = (shape.param("CHAINS", 8.0) == 1.0, shape.count().min(S::LANES + 1));
    let sum = move |at: u64| {
        let m = S::factor(word(at + 8));
        let value = |chain: u64| {
            let p = own(word(at + chain + 9));
            let (mut x, mut y) = (first(word(at + chain)), second(first(word(at + chain + 1)), p));
            for _ in 0..steps {
                (x, y) = step(x, y, m, p);
            }
            x.stored()
        };
        if is_one {
            return value(0);
        }
        added::<S>([0, 1, 2, 3, 4, 5, 6, 7].map(value))
    };
    let sums = OnceLock::new();
    each(move |i| sums.get_or_init(|| (0..count).map(&sum).collect::<Vec<f64>>())[(i & S::LANES) as usize])
}

/// The dot product of four bytes of each word.
pub(super) fn dot4_u8(a: u32, b: u32) -> u32 {
    a.to_le_bytes().into_iter().zip(b.to_le_bytes()).map(|(a, b)| u32::from(a) * u32::from(b)).sum()
}

/// The same for signed bytes.
pub(super) fn dot4_i8(a: i32, b: i32) -> i32 {
    let signed = |byte: u8| i32::from(byte.cast_signed());
    a.to_le_bytes().into_iter().zip(b.to_le_bytes()).map(|(a, b)| signed(a) * signed(b)).sum()
}

/// The sum of eight stored values, in the order of the kernels.
fn added<S: Word>(x: [f64; 8]) -> f64 {
    let plus = |a, b| S::rounded(a + b);
    let [a, b, c, d, e, f, g, h] = x;
    plus(plus(plus(a, b), plus(c, d)), plus(plus(e, f), plus(g, h)))
}

/// Chains in which each step takes the neighbouring lane's word and adds the factor.
pub(super) fn shuffled(shape: &Shape) -> Oracle {
    let input = shape.input(Values::Wide);
    let word = move |at: u64| input.at(Scalar::U32, at) as u32;
    // After an odd number of steps, a chain holds the neighbour's first value; own and neighbour's factors alternate.
    let half = 16 * shape.param("ROUNDS", 18.0) as u32;
    let chains = shape.param("CHAINS", 8.0) as u64;
    each(move |i| {
        let at = i & u64::from(LANES);
        let other = at ^ 1;
        let added = word(at + 8).wrapping_mul(half + 1).wrapping_add(word(other + 8).wrapping_mul(half));
        let x = (0..chains).map(|chain| (word(other + chain) | 1).wrapping_add(added));
        f64::from(x.fold(0, u32::wrapping_add))
    })
}

/// The error of chains in which each step adds `error` and halves earlier errors, and of the sum of eight.
pub(super) fn converging(error: f64) -> Oracle {
    each(move |_| 8.0 * 2.0 * error)
}
