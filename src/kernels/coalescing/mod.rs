//! `coalescing`: sectors that a subgroup's accesses touch, relative to the bytes that it reads (source article 003).
//!
//! The model counts only sectors: those that the first row of the size touches, divided by those of this row. Caches
//! can hide part of the cost: the fifth sector of an offset access is also the first of the next subgroup, and crosses
//! the bus once if both run close together.

pub(crate) mod claims;

use record::suite::prelude::*;
use record::suite::{SUBGROUP, Traffic, consecutive};

pub(super) const FAMILY: Family = Family {
    name: "coalescing",
    summary: "offset, strided and broadcast memory access; model: speed relative to the first row of each size, by \
        sectors moved",
    tags: &[Tag::Article, Tag::Memory],
    model_text: "Memory moves in 32-byte sectors. The model is a relative speed: the bytes of all sectors touched by \
        the size's first table row, divided by those of this row. Neighbouring subgroups share sectors, so caches can \
        make a row faster than predicted.",
    chart: Chart::Own,
    benchmarks: &[
        Benchmark {
            name: "offset",
            cases: &[
                Cases::standard(&[Dtype::F32], QUICK, QUICK_OFFSETS),
                Cases::standard(&[Dtype::F32], LARGE, &OFFSETS),
                // The article's launch, <<<128, 32>>>.
                Cases::standard(
                    &[Dtype::F32],
                    &[Extent::Linear(128 * 32)],
                    &[&[("OFFSET", 0.0), ("WG", 32.0)], &[("OFFSET", 1.0), ("WG", 32.0)]],
                ),
            ],
            ..OFFSET
        },
        Benchmark {
            name: "offset_reads",
            cases: &[
                Cases::standard(
                    &[Dtype::F32],
                    &[Extent::Linear(1 << 26)],
                    &sets(&values("OFFSET", [0.0, 1.0, 8.0, 16.0])),
                ),
                Cases::standard(&[Dtype::F32], IN_L2, FEW_OFFSETS),
            ],
            buffers: |shape, _| {
                let read = shape.count() + offset(shape);
                vec![input("x", read), input("y", read + LEAD), output(shape), elements(shape)]
            },
            model: Some(|shape| OFFSET_BYTES / (2.0 * access(1, offset(shape)).moved + SUBGROUP_BYTES)),
            check: Check::of("z", all, |shape, _| {
                let offset = offset(shape);
                sums(shape, move |i| [i + offset, i + offset + LEAD])
            }),
            ..OFFSET
        },
        Benchmark {
            name: "offset_apart",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 26), &[&[("OFFSET", 0.0)], &[("OFFSET", 1.0)]])],
            cases: &[
                Cases::standard(&[Dtype::F32], QUICK, APART_OFFSETS),
                Cases::standard(&[Dtype::F32], APART, QUICK_OFFSETS),
            ],
            // Whole pieces: the last one may be any subgroup's.
            steps: |shape, interface| Step::covering(shape.count().next_multiple_of(SUBGROUP), interface),
            ..OFFSET
        },
        Benchmark {
            name: "stride",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(14_000_000), &sets(&values("STRIDE", [1.0, 8.0, 32.0])))],
            accepts: &[("STRIDE", Accepted::Whole(1, 1024))],
            cases: &[
                Cases::standard(&[Dtype::F32], &[Extent::Linear(1 << 20)], QUICK_STRIDES),
                // Larger than caches at stride 1, below 2 GiB at stride 32.
                Cases::standard(&[Dtype::F32], &linear([1 << 20, 14_000_000]), &STRIDES),
            ],
            buffers: |shape, _| {
                let x = Buffer::input("x", shape.count().saturating_mul(stride(shape)), Values::Wide);
                vec![x, output(shape), elements(shape)]
            },
            model: Some(|shape| 2.0 * SUBGROUP_BYTES / (access(stride(shape), 0).moved + SUBGROUP_BYTES)),
            traffic: Some(|shape| access(stride(shape), 0)),
            bound: Bound::Tolerance,
            check: Check::of("z", all, |shape, _| {
                let (input, stride) = (shape.input(Values::Wide), stride(shape));
                Box::new(move |first, slots| input.elements(Scalar::F32, stride * first, stride, slots))
            }),
            ..BASE
        },
        Benchmark {
            name: "broadcast_storage",
            // In addition to y and z, one sector for the word that all share.
            model: Some(|_| OFFSET_BYTES / (2.0 * SUBGROUP_BYTES + access(0, 0).moved)),
            traffic: Some(|_| access(0, 0)),
            ..BASE
        },
        Benchmark {
            name: "broadcast_uniform",
            // Constants have their own path.
            model: Some(|_| OFFSET_BYTES / (2.0 * SUBGROUP_BYTES)),
            traffic: Some(|_| access(1, 0)),
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// One element per invocation, one array read and one written.
const BASE: Benchmark = Benchmark {
    cases: &Cases::pair(&[Dtype::F32], QUICK, LARGE, PLAIN),
    buffers: |shape, _| vec![input("x", 4), input("y", shape.count()), output(shape), elements(shape)],
    work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
    ceiling: Some(Limit::Copy),
    bound: Bound::Roundings(|_, _| 1),
    check: Check::of("z", all, |shape, _| sums(shape, |i| [0, i])),
    ..Benchmark::BLANK
};

const OFFSET: Benchmark = Benchmark {
    accepts: &[("OFFSET", Accepted::Whole(0, 1024))],
    buffers: |shape, _| {
        vec![input("x", shape.count()), input("y", shape.count() + LEAD), output(shape), elements(shape)]
    },
    work: |shape| Work { bytes: 3 * shape.array_bytes(), flops: shape.count() },
    model: Some(|shape| OFFSET_BYTES / (3.0 * access(1, offset(shape)).moved)),
    traffic: Some(|shape| access(1, offset(shape))),
    bound: Bound::Roundings(|_, _| 1),
    check: Check::of("z", all, |shape, _| sums(shape, |i| [i, i + LEAD])),
    ..BASE
};

const QUICK: &[Extent] = &[Extent::Linear(1 << 22)];
const LARGE: &[Extent] = &linear([1 << 22, 1 << 26]);

const QUICK_OFFSETS: &[Params] = &sets(&values("OFFSET", [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 31.0]));
/// None, a whole sector, and 1, which runs the same code as a sector.
const APART_OFFSETS: &[Params] = &sets(&values("OFFSET", [0.0, 8.0, 1.0]));
/// Arrays within L2, about its size, and above it.
const APART: &[Extent] = &[IN_L2[0], Extent::Linear(1 << 22), Extent::Linear(1 << 26)];
const IN_L2: &[Extent] = &[Extent::Linear(3 << 19)];
/// None, less than a sector, and whole sectors.
const FEW_OFFSETS: &[Params] = &sets(&values("OFFSET", [0.0, 1.0, 16.0]));
const OFFSETS: [Params; 32] = sets(&consecutive("OFFSET", 0));

const QUICK_STRIDES: &[Params] = &sets(&values("STRIDE", [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]));
const STRIDES: [Params; 32] = sets(&consecutive("STRIDE", 1));

/// Elements from the start of `x` to that of `y` in the random stream (also in `offset`): whole sectors.
const LEAD: u64 = 64;

/// Bytes that a subgroup reads in one access of four bytes per invocation, and in the three accesses of `offset`.
const SUBGROUP_BYTES: f64 = 4.0 * SUBGROUP as f64;
const OFFSET_BYTES: f64 = 3.0 * SUBGROUP_BYTES;

fn stride(shape: &Shape) -> u64 {
    shape.param("STRIDE", 1.0) as u64
}

fn offset(shape: &Shape) -> u64 {
    shape.param("OFFSET", 0.0) as u64
}

/// Each output is the sum of the elements at two positions of the random stream.
fn sums(shape: &Shape, positions: impl Fn(u64) -> [u64; 2] + Send + Sync + 'static) -> Oracle {
    let input = shape.input(Values::Summable);
    each(move |i| positions(i).map(|at| input.at(Scalar::F32, at)).iter().sum())
}

fn input(name: &'static str, scalars: u64) -> Buffer {
    Buffer::input(name, scalars, Values::Summable)
}

fn output(shape: &Shape) -> Buffer {
    Buffer::output("z", shape.count())
}

fn elements(shape: &Shape) -> Buffer {
    uniform("sizes", &[shape.count()])
}

/// Degree of coalescing ([`Traffic::degree`]) of a subgroup that reads `width` bytes at each of these byte addresses.
#[must_use]
pub fn degree_of_coalescing(addresses: &[u64], width: u64) -> f64 {
    Traffic::of(addresses, width).degree()
}

/// Byte addresses of a subgroup whose invocations access f32 elements `stride` apart, starting at element `offset`.
/// They wrap, since reports from others may have any parameters.
pub(crate) fn addresses(stride: u64, offset: u64) -> Vec<u64> {
    (0..SUBGROUP).map(|lane| stride.wrapping_mul(lane).wrapping_add(offset).wrapping_mul(4)).collect()
}

fn access(stride: u64, offset: u64) -> Traffic {
    Traffic::of(&addresses(stride, offset), 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of source article 003, and some that follow from its patterns.
    #[test]
    fn degrees_of_coalescing_are_the_articles() {
        let degree = |stride, offset| degree_of_coalescing(&addresses(stride, offset), 4);
        assert_eq!(degree(1, 0), 1.0);
        assert_eq!(degree(1, 1), 0.8);
        assert_eq!(degree(1, 8), 1.0);
        assert_eq!(degree(1, 31), 0.8);
        assert_eq!(degree(0, 0), 0.125);
        assert_eq!(degree(2, 0), 0.5);
        assert_eq!([8, 9, 16, 32].map(|stride| degree(stride, 0)), [0.125; 4]);
        assert_eq!(degree_of_coalescing(&[30], 4), 4.0 / 64.0, "a word across two sectors moves both");
    }

    #[test]
    fn a_row_has_the_bytes_of_its_worst_access() {
        let traffic = |benchmark: &Benchmark, params: &[(&str, f64)]| {
            let params = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
            let shape = Shape::new(Dtype::F32, Extent::Linear(1 << 20), params);
            let traffic = benchmark.traffic.map(|traffic| traffic(&shape)).unwrap_or_default();
            (traffic.asked, traffic.moved)
        };
        let [offset, reads, apart, stride, storage, uniform] = FAMILY.benchmarks else { panic!("six benchmarks") };
        assert_eq!(traffic(offset, &[("OFFSET", 1.0)]), (128.0, 160.0));
        assert_eq!(traffic(reads, &[("OFFSET", 1.0)]), (128.0, 160.0));
        assert_eq!(traffic(apart, &[("OFFSET", 8.0)]), (128.0, 128.0));
        assert_eq!(traffic(stride, &[("STRIDE", 2.0)]), (128.0, 256.0));
        assert_eq!(traffic(storage, &[]), (4.0, 32.0));
        assert_eq!(traffic(uniform, &[]), (128.0, 128.0));
        assert!(traffic(stride, &[("STRIDE", 1e15)]).1 > 0.0, "no number of a report overflows");
    }

    #[test]
    fn models_follow_from_the_sectors() {
        let model = |benchmark: usize, name: &str, value: f64| {
            let params = [(name.to_owned(), value)].into();
            let shape = Shape::new(Dtype::F32, Extent::Linear(1 << 22), params);
            FAMILY.benchmarks[benchmark].model.map(|model| model(&shape))
        };
        assert_eq!(model(0, "OFFSET", 0.0), Some(1.0));
        assert_eq!(model(0, "OFFSET", 1.0), Some(0.8));
        assert_eq!(model(1, "OFFSET", 16.0), Some(1.0));
        assert_eq!(model(1, "OFFSET", 1.0), Some(384.0 / 448.0));
        assert_eq!(model(2, "OFFSET", 1.0), Some(0.8));
        assert_eq!(model(3, "STRIDE", 1.0), Some(1.0));
        assert_eq!(model(3, "STRIDE", 2.0), Some(256.0 / 384.0));
        assert_eq!(model(3, "STRIDE", 32.0), Some(256.0 / 1152.0));
        assert_eq!(model(4, "", 0.0), Some(384.0 / 288.0));
        assert_eq!(model(5, "", 0.0), Some(1.5));
    }
}
