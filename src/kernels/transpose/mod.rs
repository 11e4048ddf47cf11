//! `transpose`: rows × columns to columns × rows (source article 003), naive and through a tile of workgroup memory.

pub(crate) mod claims;

use record::suite::prelude::*;
use record::suite::{SUBGROUP, Traffic, by_rows};

pub(super) const FAMILY: Family = Family {
    name: "transpose",
    summary: "the transpose of a matrix",
    tags: &[Tag::Article, Tag::Primitive, Tag::Memory],
    model_text: "A transpose moves as many bytes as a copy, so the model is a copy with the same working set. Slower \
        kernels lose time to partly used sectors or to bank conflicts.",
    headlines: &[
        Headline { name: "transpose", place: 2, naive: "naive_coalesced_read", ..Headline::F32 },
        Headline { name: "transpose f64", scalar: Some(Scalar::F64), ..Headline::F32 },
    ],
    chart: Chart::Ladder("How close does each transpose come to the peak copy rate?"),
    benchmarks: &[
        Benchmark {
            name: "naive_coalesced_read",
            steps: |shape, interface| tiles(shape.columns(), 32, shape.rows(), interface.workgroup_size[1].into()),
            traffic: Some(|shape| traffic(shape, |lane| [0, lane], |lane| [lane, 0])),
            ..NAIVE
        },
        Benchmark { name: "naive_coalesced_write", ..NAIVE },
        Benchmark { name: "naive_read_write_input", quick: &[], cases: &cases(PLAIN), ..NAIVE },
        TILED,
        Benchmark {
            name: "tiled_vec4",
            traffic: Some(|shape| {
                by_fours(shape, |lane| [lane / 8, 4 * (lane % 8)], |lane| [lane / 8, 4 * (lane % 8)])
            }),
            steps: |shape, _| tiles(shape.columns(), 32, shape.rows(), 32),
            ..BASE
        },
        Benchmark {
            name: "registers",
            quick: &[],
            traffic: Some(|shape| {
                by_fours(shape, |lane| [4 * (lane / 4), 4 * (lane % 4)], |lane| [4 * (lane % 4), 4 * (lane / 4)])
            }),
            steps: |shape, _| tiles(shape.columns(), 64, shape.rows(), 64),
            ..BASE
        },
        Benchmark { name: "tiled_wide", steps: |shape, _| tiles(shape.columns(), 64, shape.rows(), 64), ..BASE },
        Benchmark {
            name: "cublas",
            only_cuda: Some("cuBLAS needs CUDA"),
            library: Some(Library::CuBlas),
            traffic: None,
            steps: |shape, _| {
                let routine = Routine::Transpose { rows: shape.rows(), columns: shape.columns() };
                Step::library(routine, &["input", "output"])
            },
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// A tile of workgroup memory; `safety_tax` also measures it with run-time checks.
pub(super) const TILED: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::F32], Extent::Matrix(8192, 8192), &[&[("PAD", 0.0)], &[("PAD", 1.0)]])],
    accepts: &[("PAD", Accepted::Whole(0, 1024)), HEIGHTS],
    name: "tiled",
    cases: &cases(&[&[("PAD", 0.0)], &[("PAD", 1.0)]]),
    steps: |shape, _| tiles(shape.columns(), 32, shape.rows(), 32),
    ..BASE
};

/// The article has blocks of 32×8 and of 32×32.
const HEIGHTS: (&str, Accepted) = ("HEIGHT", Accepted::PowerOfTwo(1, 32));

/// Workgroups of 32×HEIGHT invocations, one element each, that write rows.
const NAIVE: Benchmark = Benchmark {
    accepts: &[HEIGHTS],
    cases: &naive_cases(),
    steps: |shape, interface| tiles(shape.rows(), 32, shape.columns(), interface.workgroup_size[1].into()),
    traffic: Some(|shape| traffic(shape, |lane| [lane, 0], |lane| [0, lane])),
    ..BASE
};

/// Subgroups read and write rows.
const BASE: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::F32], Extent::Matrix(8192, 8192), PLAIN)],
    small: Some(Extent::Matrix(512, 512)),
    cases: &cases(PLAIN),
    buffers: |shape, _| Buffer::in_and_out(shape, Values::Any, &shape.extent.sides()),
    work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
    ceiling: Some(Limit::Copy),
    traffic: Some(|shape| traffic(shape, |lane| [0, lane], |lane| [0, lane])),
    check: Check::of("output", all, |shape, _| {
        let ((rows, columns), scalar) = (shape.extent.matrix(), shape.dtype.scalar());
        let input = shape.input(Values::Any);
        Box::new(move |first, slots| {
            by_rows(first, slots, rows, |column, row, slots| {
                input.elements(scalar, row * columns + column, columns, slots);
            });
        })
    }),
    ..Benchmark::BLANK
};

const fn cases(params: &'static [Params]) -> [Cases; 3] {
    const QUICK: &[Extent] = &matrices([(4096, 4096), (8192, 8192)]);
    const F64: &[Extent] = &[Extent::Matrix(2048, 2048)];
    const ALL: &[Extent] =
        &matrices([(1000, 3001), (4100, 2052), (1024, 1024), (4096, 4096), (8192, 8192), (16384, 16384)]);
    [
        Cases::standard(&[Dtype::F32], QUICK, params),
        Cases::standard(&[Dtype::F64], F64, params),
        Cases::standard(&[Dtype::F32, Dtype::F64], ALL, params),
    ]
}

/// The usual cases, and those of the article: f64, blocks of 32×32.
const fn naive_cases() -> [Cases; 4] {
    const ARTICLE: Cases =
        Cases::standard(&[Dtype::F64], &matrices([(2048, 2048), (8192, 8192)]), &[&[("HEIGHT", 32.0)]]);
    let [quick, f64, all] = cases(PLAIN);
    [quick, f64, all, ARTICLE]
}

/// One dispatch whose workgroups cover `width` by `height` elements each.
fn tiles(across: u64, width: u64, down: u64, height: u64) -> Vec<Step> {
    Step::dividing([(across, width), (down, height), (1, 1)])
}

/// Row and column of the element that a lane accesses.
type Place = fn(u64) -> [u64; 2];

/// The traffic of a subgroup that reads and writes single elements.
fn traffic(shape: &Shape, read: Place, written: Place) -> Traffic {
    both(shape, read, written, shape.dtype.bytes(), 1)
}

/// The same for four neighbours at a time (16 bytes), or single elements if a side is not a multiple of four.
fn by_fours(shape: &Shape, read: Place, written: Place) -> Traffic {
    let (rows, columns) = shape.extent.matrix();
    if (rows | columns) % 4 != 0 {
        return traffic(shape, |lane| [0, lane], |lane| [0, lane]);
    }
    both(shape, read, written, 16, shape.dtype.bytes() / 4)
}

/// The traffic of accesses of `width` bytes at `pieces` neighbouring places.
fn both(shape: &Shape, read: Place, written: Place, width: u64, pieces: u64) -> Traffic {
    let (rows, columns) = shape.extent.matrix();
    side(shape, columns, read, width, pieces).worse(side(shape, rows, written, width, pieces))
}

/// The mean over eight rows, after which sector offsets repeat. Addresses wrap: reports from others may have any size.
fn side(shape: &Shape, pitch: u64, place: Place, width: u64, pieces: u64) -> Traffic {
    const ROWS: u64 = 8;
    let access = |first: u64, piece: u64| {
        let address = |lane| {
            let [row, column] = place(lane);
            let element = (first + row).wrapping_mul(pitch).wrapping_add(column);
            element.wrapping_mul(shape.dtype.bytes()).wrapping_add(piece * width)
        };
        Traffic::of(&(0..SUBGROUP).map(address).collect::<Vec<_>>(), width)
    };
    let accesses: Vec<Traffic> =
        (0..ROWS).flat_map(|first| (0..pieces).map(move |piece| (first, piece))).map(|(f, p)| access(f, p)).collect();
    Traffic::mean(&accesses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_degree_of_coalescing_follows_from_the_rows() {
        let degree = |name: &str, dtype, (rows, columns)| {
            let benchmark = FAMILY.benchmarks.iter().find(|benchmark| benchmark.name == name);
            let shape = Shape::new(dtype, Extent::Matrix(rows, columns), std::collections::BTreeMap::new());
            benchmark.and_then(|benchmark| benchmark.traffic).map(|traffic| traffic(&shape).degree())
        };
        // Whole sectors one way, 32 sectors for 32 elements the other.
        let naive = Some(4.0 / 32.0);
        assert_eq!(degree("naive_coalesced_read", Dtype::F32, (1024, 1024)), naive);
        assert_eq!(degree("naive_coalesced_write", Dtype::F32, (1024, 1024)), naive);
        assert_eq!(degree("naive_coalesced_write", Dtype::F64, (1024, 1024)), Some(8.0 / 32.0));
        assert_eq!(degree("tiled", Dtype::F32, (1024, 1024)), Some(1.0));
        assert_eq!(degree("registers", Dtype::F32, (1024, 1024)), Some(1.0));
        assert_eq!(degree("registers", Dtype::F64, (1024, 1024)), Some(0.5));
        // Of eight rows of 3001 elements one starts with a sector, and 1000 is a multiple of 8.
        assert_eq!(degree("tiled", Dtype::F32, (1000, 3001)), Some(128.0 / ((128.0 + 7.0 * 160.0) / 8.0)));
        assert_eq!(degree("cublas", Dtype::F32, (1024, 1024)), None);
    }
}
