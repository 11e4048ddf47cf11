//! `spmv`: the product of a sparse matrix in CSR with a vector.

pub(crate) mod claims;

use record::suite::input::Scaled;
use record::suite::prelude::*;
use record::suite::{Csr, CsrArray, Pattern, sum};

pub(super) const FAMILY: Family = Family {
    name: "spmv",
    summary: "a sparse matrix in CSR times a vector; MATRIX is 0 (banded), 1 (random) or 2 (power law)",
    model_text: "Values and column indices are read once: 8 bytes per nonzero, plus 12 bytes per row. The best time is \
        these bytes divided by the read rate. With the banded matrix, x comes from L1. With random columns, each \
        4-byte load of x reads a sector of 32 bytes, unless x fits in L2. The model counts x once.",
    tags: &[Tag::Primitive],
    headlines: &[Headline { name: "spmv", cause: "random loads", ..Headline::F32 }],
    benchmarks: &[
        Benchmark {
            name: "row",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 22), &[&[("MATRIX", 0.0)]])],
            ..BASE
        },
        Benchmark {
            name: "subgroup",
            accepts: &[("WG", Accepted::PowerOfTwo(32, 1024)), MATRIX],
            steps: |shape, interface| vec![Step::dispatch(shape.count().div_ceil(interface.invocations() / 4))],
            ..BASE
        },
        Benchmark {
            name: "lanes",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 22), &[&[("MATRIX", 0.0)]])],
            accepts: &[("WG", Accepted::PowerOfTwo(32, 1024)), ("LANES", Accepted::PowerOfTwo(1, 32)), MATRIX],
            ..BASE
        },
        Benchmark {
            name: "merge",
            accepts: &[("WG", Accepted::PowerOfTwo(32, 512)), MATRIX],
            buffers: |shape, interface| {
                let tiles = tiles(shape, interface);
                let nonzeros = csr(shape).nonzeros();
                let mut buffers = buffers(shape);
                buffers.push(Buffer::new("corners", tiles + 1, Contents::Poison.of(Scalar::U32)));
                buffers.push(Buffer::output("carries", tiles));
                buffers.extend(Buffer::of_launches(&KERNELS, &[shape.count(), nonzeros, tiles]));
                buffers
            },
            steps: |shape, interface| {
                let (tiles, invocations) = (tiles(shape, interface), interface.invocations());
                let groups = [(tiles + 1).div_ceil(invocations), tiles, tiles.div_ceil(invocations)];
                let dispatch = |(groups, sizes)| {
                    Step::bound(
                        grid(groups),
                        vec!["starts", "columns", "values", "x", "y", "corners", "carries", sizes],
                    )
                };
                groups.into_iter().zip(KERNELS).map(dispatch).collect()
            },
            ..BASE
        },
        Benchmark {
            name: "cusparse",
            only_cuda: Some("cuSPARSE needs CUDA"),
            library: Some(Library::CuSparse),
            steps: |shape, _| {
                Step::library(
                    Routine::MultiplySparse { rows: shape.count(), nonzeros: csr(shape).nonzeros() },
                    &["starts", "columns", "values", "x", "y"],
                )
            },
            buffers: |shape, _| buffers(shape),
            ..BASE
        },
    ],
    ..Family::BLANK
};

const MATRIX: (&str, Accepted) = ("MATRIX", Accepted::Whole(0, 2));

const KERNELS: [&str; 3] = ["find", "multiply", "add"];

const BASE: Benchmark = Benchmark {
    small: Some(Extent::Linear(1 << 12)),
    cases: &Cases::pair(&[Dtype::F32], QUICK, ALL, MATRICES),
    accepts: &[MATRIX],
    unsupported: |shape| {
        let positions = csr(shape).nonzeros() + shape.count();
        (positions >= 1 << 32).then_some("larger arrays would overflow 32-bit indices")
    },
    buffers: |shape, _| Buffer::and(buffers(shape), [uniform("sizes", &[shape.count()])]),
    work: |shape| {
        let nonzeros = csr(shape).nonzeros();
        Work { bytes: 8 * nonzeros + 4 * (3 * shape.count() + 1), flops: 2 * nonzeros }
    },
    ceiling: Some(Limit::Read),
    // A product and a sum for each nonzero of the row, and the sums of its parts.
    bound: Bound::RoundingsOfEach(|shape, _| {
        let csr = csr(shape);
        each(move |row| (csr.start(row + 1) - csr.start(row) + 16) as f64)
    }),
    precise_at: Some(Extent::Linear(4099)),
    check: Check::of("y", all, |shape, _| product(shape)),
    ..Benchmark::BLANK
};

const MATRICES: &[Params] = &sets(&values("MATRIX", [0.0, 1.0, 2.0]));
const QUICK: &[Extent] = &[Extent::Linear(1 << 20)];
const ALL: &[Extent] = &linear([100_003, 1 << 20, 1 << 22]);

fn csr(shape: &Shape) -> Csr {
    let pattern = Pattern::ALL[(shape.param("MATRIX", 0.0) as usize).min(2)];
    Csr { rows: shape.count(), pattern, stream: shape.stream }
}

/// Products of two elements are multiples of a power of two, the unit. A sum of 8192 of them, the longest row, has a
/// standard deviation of 2^19 units, and is exact in f32 in any order while it stays below 2^24.
const VALUES: Values = Values::Scaled(Scaled { most: 127, row: Scaled::ONE_ROW, first: 0 });
const X: Values = Values::Scaled(Scaled { most: 127, row: Scaled::ONE_ROW, first: 1 << 40 });

fn buffers(shape: &Shape) -> Vec<Buffer> {
    let (csr, rows) = (csr(shape), shape.count());
    let nonzeros = csr.nonzeros().max(1);
    vec![
        Buffer::new("starts", rows + 1, Contents::Csr(csr, CsrArray::Starts)),
        Buffer::new("columns", nonzeros, Contents::Csr(csr, CsrArray::Columns)),
        Buffer::input("values", nonzeros, VALUES),
        Buffer::input("x", rows, X),
        Buffer::output("y", rows),
    ]
}

/// Tiles of `merge`: eight nonzeros or row ends per invocation.
fn tiles(shape: &Shape, interface: &Interface) -> u64 {
    (csr(shape).nonzeros() + shape.count()).div_ceil(8 * interface.invocations())
}

fn product(shape: &Shape) -> Oracle {
    /// Rows whose values are drawn at once: one row has too few.
    const ROWS: usize = 64;
    let (csr, scalar) = (csr(shape), shape.dtype.scalar());
    let (values, x) = (shape.input(VALUES), shape.input(X));
    Box::new(move |first, slots| {
        let (mut drawn, mut factors, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for (first, slots) in (first..).step_by(ROWS).zip(slots.chunks_mut(ROWS)) {
            let mut start = csr.start(first);
            drawn.resize((csr.start(first + slots.len() as u64) - start) as usize, 0.0);
            values.elements(scalar, start, 1, &mut drawn);
            columns.resize(drawn.len(), 0);
            csr.columns(start, &mut columns);
            factors.resize(drawn.len(), 0.0);
            x.elements_at(scalar, &columns, &mut factors);
            let mut terms = drawn.iter().zip(&factors).map(|(value, factor)| value * factor);
            for (row, slot) in (first..).zip(slots) {
                let end = csr.start(row + 1);
                *slot = sum(terms.by_ref().take((end - start) as usize));
                start = end;
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results are exact: f32 gives the same bits as f64, in the longest rows too.
    #[test]
    fn sums_are_exact_in_f32_and_far_below_the_limit() {
        for (stream, matrix) in (0..8).flat_map(|stream| (0..3).map(move |matrix| (stream, matrix))) {
            let params = [("MATRIX".to_owned(), f64::from(matrix))].into();
            let shape = Shape { stream, ..Shape::new(Dtype::F32, Extent::Linear(5003), params) };
            let mut sums = vec![0.0; 5003];
            product(&shape)(0, &mut sums);
            let (csr, scalar) = (csr(&shape), shape.dtype.scalar());
            let unit = shape.input(VALUES).scale(scalar, 0) * shape.input(X).scale(scalar, 0);
            for (row, wanted) in (0..).zip(sums) {
                let mut sum = 0.0_f32;
                for nonzero in csr.start(row)..csr.start(row + 1) {
                    let (a, b) =
                        (shape.input(VALUES).at(scalar, nonzero), shape.input(X).at(scalar, csr.column(nonzero)));
                    sum += a as f32 * b as f32;
                    assert!(
                        f64::from(sum.abs()) < f64::from(1 << 23) * unit,
                        "stream {stream}, matrix {matrix}, row {row}"
                    );
                }
                assert_eq!(f64::from(sum), wanted, "stream {stream}, matrix {matrix}, row {row}");
            }
        }
    }
}
