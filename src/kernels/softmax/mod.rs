//! `softmax`: the softmax of each row of a matrix, as in attention and at the end of a classifier.

pub(crate) mod claims;

use record::suite::WholeRows;
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "softmax",
    summary: "the softmax of each row of a matrix",
    tags: &[Tag::Llm],
    headlines: &[Headline { name: "softmax", ..Headline::F32 }],
    model_text: "A softmax reads and writes every element once, as a copy does. Three passes read every element \
        three times and move 4n scalars instead of 2n: half of the copy rate at best. The two exponentials per \
        element cost less than the memory accesses.",
    benchmarks: &[
        Benchmark {
            name: "three_pass",
            buffers: |shape, _| {
                let of_rows = ["maxima", "sums"].map(|name| Buffer::output(name, shape.rows()));
                let buffers = Buffer::and(buffers(shape, 1), of_rows);
                Buffer::and(buffers, Buffer::of_launches(&STAGES, &shape.extent.sides()))
            },
            steps: |shape, _| {
                let of = |stage| Step::bound(grid(shape.rows()), vec!["input", "maxima", "sums", "output", stage]);
                STAGES.map(of).into()
            },
            tolerance: Some(|shape, interface| tolerance(shape, interface, false)),
            ..BASE
        },
        Benchmark { name: "online", quick: &[], ..BASE },
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

/// Trees halve the workgroup.
pub(super) const WG: (&str, Accepted) = ("WG", Accepted::PowerOfTwo(32, 1024));

const STAGES: [&str; 3] = ["first", "second", "third"];

const BASE: Benchmark = Benchmark {
    buffers: |shape, _| buffers(shape, 1),
    tolerance: Some(|shape, interface| tolerance(shape, interface, true)),
    check: Check::of("output", all, |shape, _| quotients(shape)),
    ..OF_ROWS
};

/// Shared with `rmsnorm`: one workgroup per row, and a time proportional to the bytes. Operations are not counted.
pub(super) const OF_ROWS: Benchmark = Benchmark {
    quick: QUICK,
    small: Some(Extent::Matrix(512, 512)),
    accepts: &[WG],
    cases: &cases(PLAIN),
    steps: |shape, _| vec![Step::dispatch(shape.rows())],
    work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
    ceiling: Some(Limit::Copy),
    ..Benchmark::BLANK
};

const QUICK: &[Quick] = &[Quick::at(&[Dtype::F32], Extent::Matrix(65536, 1024), PLAIN)];

/// Rows of 32,768 elements do not fit the registers of 512 invocations; those of 8192 just do.
pub(super) const LONG: &[Params] = &[&[("VECTORS", 8.0), ("WG", 1024.0)]];

/// Rows of 128 to 32,768 elements; the longest also run with the parameters `long`.
pub(super) const fn cases(long: &'static [Params]) -> [Cases; 3] {
    const DTYPES: &[Dtype] = &[Dtype::F32];
    const SHORT: &[Extent] = &matrices([(65536, 128), (8192, 1024), (256, 32768)]);
    const ALL: &[Extent] = &matrices([(1001, 3003), (524_288, 128), (65536, 1024), (8192, 8192), (2048, 32768)]);
    const LONGEST: &[Extent] = &[Extent::Matrix(2048, 32768)];
    [Cases::standard(DTYPES, SHORT, PLAIN), Cases::standard(DTYPES, ALL, PLAIN), Cases::standard(DTYPES, LONGEST, long)]
}

/// Input and output, padded to whole vectors.
fn buffers(shape: &Shape, lanes: u64) -> Vec<Buffer> {
    let (rows, columns) = shape.extent.matrix();
    let scalars = shape.count().next_multiple_of(lanes);
    Buffer::from_to((scalars, logits(shape)), scalars, &[rows, columns])
}

/// One dispatch. A row is divided among the fewest lanes, a power of two, that hold it in VECTORS vec4 each.
pub(super) fn by_lanes(shape: &Shape, interface: &Interface) -> Vec<Step> {
    let (rows, columns) = shape.extent.matrix();
    let invocations = interface.invocations();
    let vectors = interface.parameter("VECTORS").max(1);
    let lanes = columns.div_ceil(4).div_ceil(vectors).next_power_of_two().min(invocations);
    vec![Step::dispatch(rows.div_ceil(invocations / lanes))]
}

const fn logits(shape: &Shape) -> Values {
    Values::LogitRows(shape.columns())
}

/// The most by which values of a row of [`Values::LogitRows`] differ.
const RANGE: usize = 254;

/// e^-d for differences d from the maximum, from a table if they are whole.
struct Powers {
    of_whole: [f64; RANGE + 1],
    are_whole: bool,
}

impl Powers {
    fn new(shape: &Shape) -> Self {
        let of_whole = std::array::from_fn(|k| (-(k as f64)).exp());
        Self { of_whole, are_whole: shape.significands.are_few() }
    }

    #[inline]
    fn of(&self, difference: f64) -> f64 {
        if self.are_whole { self.of_whole[difference as i32 as usize] } else { (-difference).exp() }
    }
}

/// What an element of a row depends on besides itself.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    top: f64,
    /// The sum of e^(x - top).
    sum: f64,
    /// The mean of top - x, weighted by e^(x - top).
    mean: f64,
}

fn row_of(values: &[f64], powers: &Powers) -> Row {
    // Eight maxima, since each comparison waits for the previous one of its maximum.
    let mut tops = [f64::NEG_INFINITY; 8];
    for eight in values.chunks(tops.len()) {
        tops.iter_mut().zip(eight).for_each(|(top, value)| *top = if value > top { *value } else { *top });
    }
    let top = tops.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let (mut sum, mut weighted) = (0.0, 0.0);
    for value in values {
        let power = powers.of(top - value);
        sum += power;
        weighted += power * (top - value);
    }
    Row { top, sum, mean: weighted / sum }
}

/// Calls `fill` with each row that a slice of the output covers, and with the row's inputs in the slice.
fn over_rows(shape: &Shape, fill: impl Fn(&Row, &Powers, &mut [f64]) + Send + Sync + 'static) -> Oracle {
    let (rows, powers) = (WholeRows::new(shape, logits(shape)), Powers::new(shape));
    Box::new(move |first, slots| {
        rows.visit(first, slots, |values| row_of(values, &powers), |row, _, slots| fill(row, &powers, slots));
    })
}

fn quotients(shape: &Shape) -> Oracle {
    over_rows(shape, |row, powers, slots| {
        slots.iter_mut().for_each(|slot| *slot = powers.of(row.top - *slot) / row.sum);
    })
}

/// The most roundings of a term of a row's sum, in successive additions: of an invocation's own elements (a lane that
/// shares its row with few lanes has at most 32, in a tree), of the lanes of a subgroup, and of the totals of
/// subgroups, which have at least four lanes, each adding every fourth total.
pub(super) fn additions(shape: &Shape, interface: &Interface) -> f64 {
    let invocations = interface.invocations();
    (shape.columns().div_ceil(invocations) + invocations / 16 + 16) as f64
}

/// The error that WGSL allows. exp(x) is within 3 + 2|x| units in the last place (2^-23 of the value at most). The
/// differences from the maximum are exact if the input is whole; otherwise each is rounded, which changes its
/// exponential by |x| / 2 units.
///
/// An element has one exponential, 3 + 2d for its difference d, times the inverse of the sum: 2.5 for the division and
/// 0.5 for the product. Each term of the sum has an exponential, and is rounded by up to `steps` additions, half a unit
/// each. If kernels replace the maximum as they go (`is_rescaled`), a term is also multiplied up to `steps` times by an
/// exponential: 3 + 0.5 each; their arguments add up to the term's own difference, so 2d counts only once. The error of
/// the sum is the mean over its terms, weighted by their size.
///
/// Second-order terms: the largest error is 600 units, 2^-13.7 of the value; its square is below 2^-13 of it. Results
/// and exponentials below the normal numbers may be 0: two times 2^-126.
fn tolerance(shape: &Shape, interface: &Interface, is_rescaled: bool) -> Oracle {
    let steps = additions(shape, interface);
    let unit = f64::from(f32::EPSILON) * (1.0 + f64::powi(2.0, -13));
    let of_step = if is_rescaled { 0.5 + 3.5 } else { 0.5 };
    let of_difference = if shape.significands.are_few() { 2.0 } else { 2.5 };
    over_rows(shape, move |row, powers, slots| {
        let of_sum = 3.0 + of_difference * row.mean + of_step * steps;
        for slot in slots {
            let difference = row.top - *slot;
            let units = 3.0 + of_difference * difference + of_sum + 3.0;
            let value = powers.of(difference) / row.sum;
            *slot = value * units * unit + 2.0 * f64::from(f32::MIN_POSITIVE);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::Scalar;

    fn shape(rows: u64, columns: u64) -> Shape {
        Shape { stream: 5, ..Shape::new(Dtype::F32, Extent::Matrix(rows, columns), Default::default()) }
    }

    #[test]
    fn the_quotients_of_a_row_add_up_to_one_and_follow_the_definition() {
        let (shape, mut got) = (shape(7, 100), vec![0.0; 700]);
        quotients(&shape)(0, &mut got);
        let input = shape.input(logits(&shape));
        for (row, got) in (0..7).zip(got.chunks(100)) {
            assert!((got.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let x: Vec<f64> = (0..100).map(|column| input.at(Scalar::F32, row * 100 + column)).collect();
            let some = x[3];
            let sum: f64 = x.iter().map(|x| (x - some).exp()).sum();
            for (x, got) in x.iter().zip(got) {
                let want = (x - some).exp() / sum;
                assert!((got - want).abs() <= 1e-12 * want, "{x}: {got}, {want}");
            }
        }
        let mut piece = vec![0.0; 150];
        quotients(&shape)(230, &mut piece);
        assert_eq!(piece, got[230..380]);
    }

    /// The largest element decides most of a sum, so large quotients are within a few units.
    #[test]
    fn the_tolerance_is_far_below_the_values() {
        let shape = shape(64, 1000);
        let interface = Interface { workgroup_size: [256, 1, 1], ..Interface::default() };
        let (mut values, mut allowed) = (vec![0.0; 64_000], vec![0.0; 64_000]);
        quotients(&shape)(0, &mut values);
        for is_rescaled in [false, true] {
            tolerance(&shape, &interface, is_rescaled)(0, &mut allowed);
            for (value, allowed) in values.iter().zip(&allowed).filter(|(value, _)| **value > 1e-30) {
                assert!(*allowed < 4e-5 * value, "{value}: {allowed}");
            }
            let largest = values.iter().zip(&allowed).filter(|(value, _)| **value > 0.01);
            assert!(largest.clone().count() > 64);
            largest.for_each(|(value, allowed)| assert!(*allowed < 2e-5 * value, "{value}: {allowed}"));
        }
    }
}
