//! `rmsnorm`: each row of a matrix divided by its root mean square, times a gain for each column.

pub(crate) mod claims;

use std::sync::OnceLock;

use super::softmax::{LONG, OF_ROWS, WG, additions, by_lanes, cases};
use record::suite::WholeRows;
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "rmsnorm",
    summary: "the root-mean-square normalisation of each row of a matrix",
    tags: &[Tag::Llm],
    headlines: &[Headline { name: "RMS norm", ..Headline::F32 }],
    model_text: "A normalisation reads and writes every element once, as a copy does. The gains, one per column, stay \
        in a cache. Two passes read every element twice and move 3n scalars instead of 2n: two thirds of the copy rate \
        at best.",
    benchmarks: &[
        Benchmark {
            name: "two_pass",
            buffers: |shape, _| {
                let buffers = Buffer::and(buffers(shape, 1), [Buffer::output("factors", shape.rows())]);
                Buffer::and(buffers, Buffer::of_launches(&STAGES, &shape.extent.sides()))
            },
            steps: |shape, _| {
                let of = |stage| Step::bound(grid(shape.rows()), vec!["input", "gains", "factors", "output", stage]);
                STAGES.map(of).into()
            },
            ..BASE
        },
        Benchmark { name: "workgroup", quick: &[], ..BASE },
        Benchmark {
            name: "subgroup",
            accepts: &[WG, ("VECTORS", Accepted::OneOf(&[1.0, 2.0, 4.0, 8.0]))],
            cases: &cases(LONG),
            buffers: |shape, _| buffers(shape, 4),
            steps: by_lanes,
            ..BASE
        },
    ],
    ..Family::BLANK
};

const STAGES: [&str; 2] = ["first", "second"];

const BASE: Benchmark = Benchmark {
    buffers: |shape, _| buffers(shape, 1),
    tolerance: Some(tolerance),
    check: Check::of("output", all, |shape, _| normalised(shape, 1.0)),
    ..OF_ROWS
};

const INPUT: Values = Values::Summable;
const GAINS: Values = Values::SummableFrom(1 << 40);

/// Keeps rows of zeros finite, as in the kernels.
const EPSILON: f32 = 1e-5;

fn buffers(shape: &Shape, lanes: u64) -> Vec<Buffer> {
    let (rows, columns) = shape.extent.matrix();
    let padded = |name, scalars: u64, contents| Buffer::new(name, scalars.next_multiple_of(lanes), contents);
    vec![
        padded("input", shape.count(), Contents::Input(INPUT)),
        padded("gains", columns, Contents::Input(GAINS)),
        padded("output", shape.count(), Contents::Poison),
        uniform("sizes", &[rows, columns]),
    ]
}

/// The normalised elements, or their magnitudes times `units` if that is not 1.
fn normalised(shape: &Shape, units: f64) -> Oracle {
    let (rows, columns, gains) = (WholeRows::new(shape, INPUT), shape.columns(), shape.input(GAINS));
    let known: OnceLock<Vec<f64>> = OnceLock::new();
    Box::new(move |first, slots| {
        let gains = known.get_or_init(|| {
            let mut of_columns = vec![0.0; columns as usize];
            gains.elements(Scalar::F32, 0, 1, &mut of_columns);
            of_columns
        });
        let factor = |values: &[f64]| (sum_of_squares(values) / columns as f64 + f64::from(EPSILON)).sqrt().recip();
        rows.visit(first, slots, factor, |factor, column, slots| {
            for (slot, gain) in slots.iter_mut().zip(&gains[column as usize..]) {
                let value = *slot * factor * gain;
                *slot = if units == 1.0 { value } else { value.abs() * units };
            }
        });
    })
}

/// Exact in any order: squares are multiples of 2^-14 below 1. Eight sums do not wait for each other.
fn sum_of_squares(values: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for eight in values.chunks(sums.len()) {
        sums.iter_mut().zip(eight).for_each(|(sum, value)| *sum += value * value);
    }
    sums.iter().sum()
}

/// The error that WGSL allows, in units in the last place (2^-23 of the value at most). A square, and each addition of
/// squares (none is negative), rounds by half a unit; the division by the columns is within 2.5, the addition of
/// EPSILON within 0.5. The inverse square root halves the relative error of its argument, and adds 2. Two products
/// round by half a unit each. The last factor covers products of errors, which are below 2^-16.
fn tolerance(shape: &Shape, interface: &Interface) -> Oracle {
    let units = (0.5 * (1.0 + additions(shape, interface)) + 2.5 + 0.5) / 2.0 + 2.0 + 1.0;
    normalised(shape, units * f64::from(f32::EPSILON) * (1.0 + f64::powi(2.0, -13)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::Dtype;

    #[test]
    fn rows_without_their_gains_have_a_mean_square_of_one() {
        let shape = Shape { stream: 5, ..Shape::new(Dtype::F32, Extent::Matrix(5, 300), Default::default()) };
        let (mut got, mut piece) = (vec![0.0; 1500], vec![0.0; 400]);
        normalised(&shape, 1.0)(0, &mut got);
        let gains = shape.input(GAINS);
        for row in got.chunks(300) {
            let squares = (0..).zip(row).map(|(column, value)| (value / gains.at(Scalar::F32, column)).powi(2));
            let mean = squares.sum::<f64>() / 300.0;
            // EPSILON is 3e-5 of the input's mean square, which is a third.
            assert!((mean - 1.0).abs() < 1e-4, "{mean}");
        }
        normalised(&shape, 1.0)(550, &mut piece);
        assert_eq!(piece, got[550..950]);
        normalised(&shape, 0.5)(550, &mut piece);
        assert!(piece.iter().zip(&got[550..]).all(|(half, value)| *half == value.abs() * 0.5));
    }
}
