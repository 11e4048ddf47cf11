//! Expected outputs of the `memory_spaces` kernels, and their constants.

use record::suite::prelude::*;

/// Elements of 16 bytes of the bandwidth kernels' table; reads start in its lower half.
pub(super) const TABLE: u64 = 256;
/// Words of the small table; reads start in its lower half.
pub(super) const SMALL_TABLE: u64 = 64;
/// Initial words of private arrays and registers: invocations this far apart start with the same.
pub(super) const INPUTS: u64 = 1024;
/// Values of `spill`: more than fit into 64 registers.
pub(super) const SPILLED: u64 = 96;
/// A number that the kernels read at run time, so that nothing can be computed in advance.
pub(super) const SHIFT: u64 = 5;

pub(super) fn rounds(shape: &Shape) -> u64 {
    shape.param("ROUNDS", 4.0) as u64
}

/// The words of every table and input.
pub(super) fn words(shape: &Shape) -> impl Fn(u64) -> u32 {
    let input = shape.input(Values::Wide);
    move |index| input.at(Scalar::U32, index) as u32
}

/// The sum that the kernels compute from the words they read.
fn mixed(start: u32, read: impl Iterator<Item = u32>) -> u32 {
    read.fold(start, |sum, value| sum.wrapping_mul(3).wrapping_add(value))
}

/// 3^count mod 2^32: a start of i adds i times this to the sum after `count` reads.
fn power_of_three(count: u64) -> u32 {
    mixed(1, (0..count).map(|_| 0))
}

/// Indices that an invocation reads: 16 per round, `gap` apart, the first of them in the lower half of the table.
fn indices(first: u64, rounds: u64, lower_half: u64, gap: u64) -> impl Iterator<Item = u64> {
    (0..rounds).flat_map(move |k| (0..16).map(move |j| (first + 37 * k) % lower_half + gap * j))
}

/// Sums over elements of four words; `first` gives the start of an invocation.
pub(super) fn fours_read(shape: &Shape, first: impl Fn(u64) -> u64 + Send + Sync + 'static) -> Oracle {
    let (rounds, word) = (rounds(shape), words(shape));
    let lane = |start: u64, lane: u64| mixed(0, indices(start, rounds, TABLE / 2, 8).map(|at| word(4 * at + lane)));
    let sums: Vec<u32> = (0..TABLE / 2).map(|start| mixed(0, (0..4).map(|l| lane(start, l)))).collect();
    let factor = power_of_three(16 * rounds).wrapping_mul(27 + 9 + 3 + 1);
    each(move |i| f64::from(sums[(first(i) % (TABLE / 2)) as usize].wrapping_add(factor.wrapping_mul(i as u32))))
}

pub(super) fn words_read(shape: &Shape, _: &Interface) -> Oracle {
    elements_read(shape, SMALL_TABLE, words(shape))
}

pub(super) fn bytes_read(shape: &Shape, _: &Interface) -> Oracle {
    let word = words(shape);
    elements_read(shape, 4 * SMALL_TABLE, move |at| word(at / 4) >> (8 * (at % 4)) & 255)
}

fn elements_read(shape: &Shape, elements: u64, element: impl Fn(u64) -> u32) -> Oracle {
    let (rounds, is_each) = (rounds(shape), shape.param("EACH", 1.0) == 1.0);
    let half = elements / 2;
    let sums: Vec<u32> =
        (0..half).map(|start| mixed(0, indices(start, rounds, half, half / 16).map(&element))).collect();
    let factor = power_of_three(16 * rounds);
    each(move |i| {
        let first = if is_each { i } else { 0 } + SHIFT;
        f64::from(sums[(first % half) as usize].wrapping_add(factor.wrapping_mul(i as u32)))
    })
}

/// Element k of invocation i's own array is word (i + k) mod 1024 of the input plus i.
pub(super) fn private_read(shape: &Shape, _: &Interface) -> Oracle {
    let (rounds, word) = (rounds(shape), words(shape));
    let sum = |start: u64| mixed(0, indices(start, rounds, 16, 1).map(|at| word((start + at) % INPUTS)));
    let sums: Vec<u32> = (0..INPUTS).map(sum).collect();
    // i is the start, and is added to every value read.
    let factor = mixed(1, (0..16 * rounds).map(|_| 1));
    each(move |i| f64::from(sums[(i % INPUTS) as usize].wrapping_add(factor.wrapping_mul(i as u32))))
}

pub(super) fn registers_mixed(shape: &Shape, _: &Interface) -> Oracle {
    let (rounds, word) = (rounds(shape), words(shape));
    let result = |start: u64| {
        let mut x: [u32; 8] = std::array::from_fn(|k| word(start + k as u64));
        for at in (0..16 * rounds as usize).map(|step| step % 8) {
            x[at] = x[at].wrapping_add(x[(at + 1) % 8]) ^ x[(at + 2) % 8];
        }
        let pair = |k: usize| x[k].wrapping_add(x[k + 1].wrapping_mul(3));
        (pair(0) ^ pair(2)).wrapping_add(pair(4) ^ pair(6))
    };
    let results: Vec<u32> = (0..INPUTS).map(result).collect();
    each(move |i| f64::from(results[(i % INPUTS) as usize].wrapping_add(i as u32)))
}

pub(super) fn spilled_mixed(shape: &Shape, _: &Interface) -> Oracle {
    let (rounds, word) = (rounds(shape), words(shape));
    let result = |start: u64| {
        let mut x: [u32; SPILLED as usize] = std::array::from_fn(|k| word(start + k as u64));
        for _ in 0..rounds {
            for at in 0..x.len() {
                x[at] = x[at].wrapping_mul(SHIFT as u32).wrapping_add(x[(at + 1) % x.len()]);
            }
        }
        mixed(0, x.into_iter())
    };
    let results: Vec<u32> = (0..INPUTS).map(result).collect();
    let factor = power_of_three(SPILLED);
    each(move |i| f64::from(results[(i % INPUTS) as usize].wrapping_add(factor.wrapping_mul(i as u32))))
}
