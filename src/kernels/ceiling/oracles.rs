//! Expected outputs of the `ceiling` kernels, and their lengths.

use record::suite::input::{BLOCK, Input};
use record::suite::prelude::*;
use record::suite::{Dispatch, Significands, each_of_period, each_on_all_cores, sum};

/// Elements of the matrices that `tensor` multiplies.
pub(super) const MATRIX: u64 = 16 * 16;

pub(super) fn covering(shape: &Shape, interface: &Interface, items: u64) -> Vec<Step> {
    let elements = shape.elements();
    vec![Step::dispatch(elements.div_ceil(interface.invocations() * items))]
}

/// Invocations of `read`; each stores a sum if the input reaches that far.
pub(super) fn readers(shape: &Shape, interface: &Interface) -> u64 {
    let Some(Step::Dispatch(Dispatch { groups, .. })) = covering(shape, interface, read_items(shape)).pop() else {
        return 0;
    };
    groups.iter().map(|&side| u64::from(side)).product::<u64>() * interface.invocations()
}

/// Workgroups of `read_tree` with elements to read: the number of its sums.
pub(super) fn trees(shape: &Shape, interface: &Interface) -> u64 {
    let width = interface.invocations();
    (readers(shape, interface) / width).min((shape.elements()).div_ceil(width))
}

pub(super) fn sums_of_trees(shape: &Shape, interface: &Interface) -> Oracle {
    let (readers, elements) = (readers(shape, interface), shape.elements());
    let (scalar, lanes, width) = (shape.dtype.scalar(), shape.dtype.lanes(), interface.invocations());
    let input = shape.input(Values::Summable);
    each_on_all_cores(move |block| {
        let rows = (block * width..elements).step_by(readers as usize);
        rows.map(|first| input.sum(scalar, first * lanes..elements.min(first + width) * lanes)).sum()
    })
}

pub(super) fn read_items(shape: &Shape) -> u64 {
    shape.param("ITEMS", 16.0) as u64
}

pub(super) fn sums_of_readers(shape: &Shape, interface: &Interface) -> Oracle {
    let (readers, elements) = (readers(shape, interface), shape.elements());
    let (input, scalar, lanes) = (shape.input(Values::Summable), shape.dtype.scalar(), shape.dtype.lanes());
    // Exact in any order. Neighbouring sums have neighbouring elements, which are drawn together.
    Box::new(move |first, sums| {
        let mut drawn = [0.0; BLOCK];
        for (number, sums) in sums.chunks_mut(BLOCK / lanes as usize).enumerate() {
            let first = first + number as u64 * (BLOCK as u64 / lanes);
            sums.fill(0.0);
            for begin in (first..elements).step_by(readers as usize) {
                let drawn = &mut drawn[..(lanes * (elements - begin).min(sums.len() as u64)) as usize];
                input.elements(scalar, begin * lanes, 1, drawn);
                let parts = drawn.chunks(lanes as usize).map(|element| element.iter().sum::<f64>());
                sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
            }
        }
    })
}

/// The value of a chain after an even number R of rounds of x ← m·x + m: x + R for m = 1, x for m = −1.
pub(super) fn fma_chains(shape: &Shape, _: &Interface) -> Oracle {
    let (input, scalar, lanes) = (shape.input(Values::Summable), shape.dtype.scalar(), shape.dtype.lanes());
    let rounds = 32.0 * shape.param("ROUNDS", 16.0);
    let (sign, are_magnitudes) = (signed(input), shape.significands.are_magnitudes());
    each_of_period(1024 * lanes, move |i| {
        let element = |k: u64| input.at(scalar, k * lanes + i);
        let is_positive = sign.at(scalar, 8 * lanes + i) > 0.0;
        // For m = −1, a chain alternates between x and −1 − x.
        let grown = match is_positive {
            true => rounds,
            false if are_magnitudes => 1.0,
            false => 0.0,
        };
        (0..8).map(|k| element(k) + grown).sum()
    })
}

/// The input with its signs even if the shape asks for magnitudes: kernels branch on the signs.
const fn signed(input: Input) -> Input {
    let significands = match input.significands {
        Significands::Magnitudes(bits) => Significands::Full(bits),
        other => other,
    };
    Input { significands, ..input }
}

pub(super) fn f16_rounds(shape: &Shape) -> u64 {
    shape.param("ROUNDS", 16.0) as u64
}

/// As [`fma_chains`], with x, m and p ±1, and alternating signs except for the last.
pub(super) fn f16_chains(shape: &Shape, _: &Interface) -> Oracle {
    const SIGNS: [f64; 8] = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0];
    let (input, scalar, lanes) = (shape.input(Values::Signs), shape.dtype.scalar(), shape.dtype.lanes());
    let steps = (32 * f16_rounds(shape)) as f64;
    let Shape { significands, .. } = *shape;
    each_of_period(1024 * lanes, move |i| {
        let element = |k: u64| input.at(scalar, k * lanes + i);
        if !significands.are_few() {
            let (m, p) = (element(8), element(9));
            let chain = |k: u64| (0..steps as u64).fold(element(k), |x, _| m * x + p);
            let signs = SIGNS.map(|sign| if significands.are_magnitudes() { 1.0 } else { sign });
            return (0..).zip(signs).map(|(k, sign)| sign * chain(k)).sum();
        }
        let grown = if element(8) > 0.0 { steps * element(9) } else { 0.0 };
        (0..).zip(SIGNS).map(|(k, sign)| sign * (element(k) + grown)).sum()
    })
}

pub(super) fn tensor_rounds(shape: &Shape) -> u64 {
    shape.param("ROUNDS", 512.0) as u64
}

/// ROUNDS times the sum of the products of two matrices by four; outputs 32 matrices apart are equal.
pub(super) fn sums_of_products(shape: &Shape, _: &Interface) -> Oracle {
    let (input, rounds) = (shape.input(Values::Signs), tensor_rounds(shape) as f64);
    let element = move |matrix: u64, row: u64, column: u64| input.at(Scalar::F16, matrix * MATRIX + 16 * row + column);
    each_of_period(32 * MATRIX, move |index| {
        let (set, row, column) = (index / MATRIX, index % MATRIX / 16, index % 16);
        let from = |matrices: std::ops::Range<u64>, row, column| -> f64 {
            matrices.map(|matrix| element(set + matrix, row, column)).sum()
        };
        sum((0..16).map(|p| from(0..2, row, p) * from(2..6, p, column))) * rounds
    })
}

/// [`sums_of_products`] for two tiles of 16×`depth` f32 by four tiles stored by columns; integers modulo 2^32.
pub(super) fn sums_of_tiles(shape: &Shape, depth: u64) -> Oracle {
    let (input, rounds) = (shape.input(Values::Signs), tensor_rounds(shape) as f64);
    let is_modular = shape.dtype.scalar() == Scalar::U32;
    each_of_period(32 * MATRIX, move |index| {
        let (set, row, column) = (index / MATRIX, index % MATRIX / 16, index % 16);
        let from = |tiles: std::ops::Range<u64>, row, p| -> f64 {
            tiles.map(|tile| input.at(Scalar::F32, ((set + tile) * 16 + row) * depth + p)).sum()
        };
        let total = sum((0..depth).map(|p| from(0..2, row, p) * from(2..6, column, p))) * rounds;
        if is_modular { total.rem_euclid(f64::powi(2.0, 32)) } else { total }
    })
}

/// Sums of eight chains of `step`, iterated as the kernels do; invocations 1024 apart compute the same.
pub(super) fn integer_chains(shape: &Shape, step: fn(u32, u32, u32) -> u32) -> Oracle {
    let (input, rounds) = (shape.input(Values::Wide), 32 * shape.param("ROUNDS", 16.0) as u64);
    each_of_period(1024, move |at| {
        let element = |k: u64| input.at(Scalar::U32, at + k) as u32;
        let (m, p) = (element(8), element(9));
        let chain = |k: u64| (0..rounds).fold(element(k), |x, _| step(x, m, p));
        f64::from((0..8).map(chain).fold(0, u32::wrapping_add))
    })
}

pub(super) fn workgroup_sums(shape: &Shape, _: &Interface) -> Oracle {
    let (input, scalar, lanes) = (shape.input(Values::Summable), shape.dtype.scalar(), shape.dtype.lanes());
    let rounds = shape.param("ROUNDS", 128.0) as u64;
    // Invocations 512 apart read the same elements: one sum for each of the 512 starts and each vector component.
    each_of_period(512 * lanes, move |index| {
        let (start, lane) = (index / lanes, index % lanes);
        let starts = (0..rounds).map(|k| (start + 37 * k) & 511);
        starts.flat_map(|at| (0..16).map(move |j| at + 32 * j)).map(|at| input.at(scalar, at * lanes + lane)).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::{Dtype, Extent};

    /// Chains added up in f32 as in the kernel equal the closed form, and differ between elements.
    #[test]
    fn sums_of_products_are_what_the_chains_add_up_to() {
        const ROUNDS: u64 = 7;
        let params = [("ROUNDS".to_owned(), ROUNDS as f64)].into();
        let shape = Shape { stream: 5, ..Shape::new(Dtype::F16, Extent::Linear(33 * MATRIX), params) };
        let input = shape.input(Values::Signs);
        let at = |matrix: u64, row: u64, column: u64| input.at(Scalar::F16, matrix * MATRIX + 16 * row + column) as f32;
        let mut got = vec![0.0; 33 * MATRIX as usize];
        sums_of_products(&shape, &Interface::default())(0, &mut got);
        for set in [0, 1, 31, 32] {
            for (row, column) in [(0, 0), (3, 11), (11, 3), (15, 15)] {
                let chain = |a: u64, b: u64| {
                    let once = (0..16).map(|p| at(set % 32 + a, row, p) * at(set % 32 + b, p, column)).sum::<f32>();
                    (0..ROUNDS).fold(0.0, |sum, _| sum + once)
                };
                let sum = (0..2).flat_map(|a| (2..6).map(move |b| (a, b))).map(|(a, b)| chain(a, b)).sum::<f32>();
                assert_eq!(got[(set * MATRIX + 16 * row + column) as usize], f64::from(sum), "{set}, {row}, {column}");
            }
        }
        assert!(got[..256].iter().any(|sum| *sum != got[0]) && got[256..512] != got[..256]);
    }

    /// Products of words, as the lanes of a warp hold them, add up to the closed form.
    #[test]
    fn sums_of_tiles_are_what_the_chains_add_up_to() {
        const ROUNDS: u64 = 5;
        for (dtype, depth) in [(Dtype::F32, 8), (Dtype::F32, 16), (Dtype::U32, 32)] {
            let params = [("ROUNDS".to_owned(), ROUNDS as f64)].into();
            let shape = Shape { stream: 7, ..Shape::new(dtype, Extent::Linear(33 * MATRIX), params) };
            let input = shape.input(Values::Signs);
            let at = |tile: u64, row: u64, p: u64| input.at(Scalar::F32, (16 * tile + row) * depth + p) as i32;
            let mut got = vec![0.0; 33 * MATRIX as usize];
            sums_of_tiles(&shape, depth)(0, &mut got);
            for set in [0, 1, 31, 32] {
                for (row, column) in [(0, 0), (3, 11), (11, 3), (15, 15)] {
                    let chain = |a: u64, b: u64| {
                        let once: i32 =
                            (0..depth).map(|p| at(set % 32 + a, row, p) * at(set % 32 + b, column, p)).sum();
                        (0..ROUNDS).fold(0, |sum, _| sum + once)
                    };
                    let sum: i32 = (0..2).flat_map(|a| (2..6).map(move |b| (a, b))).map(|(a, b)| chain(a, b)).sum();
                    let wanted = if dtype == Dtype::U32 { f64::from(sum as u32) } else { f64::from(sum) };
                    assert_eq!(
                        got[(set * MATRIX + 16 * row + column) as usize],
                        wanted,
                        "{depth}: {set}, {row}, {column}"
                    );
                }
            }
            assert!(got[..256].iter().any(|sum| *sum != got[0]) && got[256..512] != got[..256]);
        }
    }

    /// The kernels add to 0, so products that are all -0 add up to 0. One stream in eight has such an element.
    #[test]
    fn no_sum_of_tiles_is_negative_zero() {
        for stream in 0..64 {
            let shape = Shape { stream, ..Shape::new(Dtype::F32, Extent::Linear(32 * MATRIX), Default::default()) };
            let mut sums = vec![0.0; 32 * MATRIX as usize];
            sums_of_tiles(&shape, 8)(0, &mut sums);
            assert!(sums.iter().all(|sum| *sum != 0.0 || sum.is_sign_positive()), "stream {stream}");
        }
    }
}
