//! `ceiling`: the peaks of the device, measured first; other rows are shown as a share of them.

pub(crate) mod claims;
mod oracles;
mod tensor;

use oracles::{
    covering, f16_chains, f16_rounds, fma_chains, integer_chains, read_items, readers, sums_of_readers, sums_of_trees,
    trees, workgroup_sums,
};

use record::suite::copied;
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "ceiling",
    summary: "peaks of the device: memory and workgroup-memory bandwidth, FMA and tensor-core rates, launch overhead",
    tags: &[Tag::Peak, Tag::Article],
    model_text: "These kernels need no model: they measure the peaks with which other rows are compared. Here, a row's \
        share is its rate divided by that of the fastest kernel with the same limit and working set.",
    is_by_kernel: true,
    chart: Chart::Own,
    benchmarks: &[
        Benchmark {
            name: "copy",
            quick: &[Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 28), PLAIN)],
            cases: &[
                Cases::standard(NARROW, &[Extent::Linear(1 << 24)], PLAIN),
                Cases::standard(&[Dtype::Vec4F32], QUICK, PLAIN),
                Cases::standard(NARROW, &LADDER, PLAIN),
                Cases::standard(&[Dtype::Vec4F32], &LADDER, PLAIN),
            ],
            work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Copy),
            buffers: |shape, _| Buffer::in_and_out(shape, Values::Wide, &[shape.elements()]),
            check: Check::of("output", all, |shape, _| copied(shape, Values::Wide)),
            ..BASE
        },
        Benchmark {
            name: "read",
            quick: &[Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 28), &[&[("ITEMS", 8.0)], &[("ITEMS", 32.0)]])],
            accepts: &[("ITEMS", Accepted::Whole(1, 4096))],
            cases: &[
                Cases::standard(&[Dtype::Vec4F32], QUICK, &[&[("ITEMS", 8.0)], &[("ITEMS", 32.0)]]),
                Cases::standard(&[Dtype::Vec4F32], &LADDER, &sets(&values("ITEMS", [8.0, 32.0, 128.0]))),
            ],
            work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Read),
            buffers: |shape, interface| summed(shape, readers(shape, interface)),
            steps: |shape, interface| covering(shape, interface, read_items(shape)),
            bound: Bound::Roundings(|shape, _| read_items(shape) + 8),
            check: Check::of(
                "output",
                |shape, interface| readers(shape, interface).min(shape.elements()),
                sums_of_readers,
            ),
            ..BASE
        },
        Benchmark {
            name: "read_tree",
            quick: &[Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 28), &[&[("ITEMS", 32.0)]])],
            accepts: &[("WG", Accepted::PowerOfTwo(1, 1024)), ("ITEMS", Accepted::Whole(1, 4096))],
            cases: &ladder(&[&[("ITEMS", 32.0)]]),
            work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Read),
            buffers: |shape, interface| summed(shape, trees(shape, interface)),
            steps: |shape, interface| covering(shape, interface, read_items(shape)),
            // An invocation's own elements, and a tree.
            bound: Bound::Roundings(|shape, _| read_items(shape) + 16),
            check: Check::of("output", trees, sums_of_trees),
            ..BASE
        },
        Benchmark {
            name: "fill",
            quick: &[Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 28), PLAIN)],
            cases: &ladder(PLAIN),
            work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Fill),
            buffers: |shape, _| {
                vec![Buffer::output("output", shape.count()), uniform("sizes", &[shape.elements(), FILL_BASE])]
            },
            check: Check::of("output", all, |shape, _| {
                let lanes = shape.dtype.lanes();
                each(move |i| (FILL_BASE + ((i / lanes) & 1023)) as f64)
            }),
            ..BASE
        },
        FMA,
        FMA_F16,
        tensor::F16,
        tensor::BF16,
        tensor::TF32,
        tensor::INT8,
        tensor::FP8,
        Benchmark {
            name: "mad",
            ceiling: Some(Limit::Fma),
            check: Check::of("output", all, |shape, _| {
                integer_chains(shape, |x, m, p| x.wrapping_mul(m).wrapping_add(p))
            }),
            ..INTEGER
        },
        Benchmark {
            name: "dot4",
            quick: &[],
            work: |shape| Work { bytes: 0, flops: 8 * 8 * 32 * shape.param("ROUNDS", 16.0) as u64 * shape.count() },
            no_ceiling: "this kernel measures a peak that no other row uses",
            check: Check::of("output", all, |shape, _| {
                integer_chains(shape, |x, m, p| {
                    let bytes = x.to_le_bytes().into_iter().zip(m.to_le_bytes());
                    bytes.map(|(a, b)| u32::from(a) * u32::from(b)).sum::<u32>().wrapping_add(p)
                })
            }),
            ..INTEGER
        },
        Benchmark {
            name: "workgroup_read",
            quick: &[Quick::at(&[Dtype::F32, Dtype::Vec4F32], Extent::Linear(1 << 24), &[&[("ROUNDS", 128.0)]])],
            cases: &[
                Cases::standard(&[Dtype::F32, Dtype::Vec4F32], &[Extent::Linear(1 << 20)], &[&[("ROUNDS", 128.0)]]),
                // With this many workgroups, the last wave, which leaves SMs idle, makes little difference.
                Cases::standard(&[Dtype::F32, Dtype::Vec4F32], &[Extent::Linear(1 << 24)], &[&[("ROUNDS", 128.0)]]),
            ],
            work: |shape| Work { bytes: 16 * shape.param("ROUNDS", 128.0) as u64 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Workgroup),
            buffers: |shape, _| table(shape, Values::Summable),
            bound: Bound::Roundings(|shape, _| 16 * shape.param("ROUNDS", 128.0) as u64 + 8),
            check: Check::of("output", all, workgroup_sums),
            small: Some(Extent::Linear(1 << 14)),
            ..BASE
        },
        Benchmark {
            name: "launch",
            quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1), PLAIN)],
            cases: &[Cases::standard(&[Dtype::U32], &[Extent::Linear(1)], PLAIN)],
            work: |_| Work::default(),
            ceiling: Some(Limit::Launch),
            buffers: |_, _| vec![Buffer::output("output", 4), uniform("sizes", &[SIGN])],
            steps: |_, _| vec![Step::dispatch(1)],
            end_to_end: Some(|_, _| vec![Step::dispatch(1)]),
            check: Check::of("output", one, |_, _| each(|_| SIGN as f64)),
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// FMA chains; `safety_tax` also measures them with run-time checks.
pub(super) const FMA: Benchmark = Benchmark {
    name: "fma",
    quick: &[Quick::at(&[Dtype::F32, Dtype::Vec2F32, Dtype::F64], Extent::Linear(1 << 22), &[&[("ROUNDS", 128.0)]])],
    // With more rounds, sums exceed the 24 bits of an f32.
    accepts: &[("ROUNDS", Accepted::Whole(1, 256))],
    cases: &[
        Cases::standard(&[Dtype::F32, Dtype::Vec2F32, Dtype::F64], &[Extent::Linear(1 << 22)], &[&[("ROUNDS", 16.0)]]),
        // Longer chains make loading and the last wave of workgroups negligible.
        Cases::standard(
            &[Dtype::F64, Dtype::F32, Dtype::Vec2F32, Dtype::Vec4F32],
            &[Extent::Linear(1 << 22)],
            &[&[("ROUNDS", 128.0)]],
        ),
    ],
    work: |shape| Work { bytes: 0, flops: 2 * 8 * 32 * shape.param("ROUNDS", 16.0) as u64 * shape.count() },
    ceiling: Some(Limit::Fma),
    buffers: |shape, _| table(shape, Values::Summable),
    // One rounding per step, and the sum of eight chains.
    bound: Bound::Roundings(|shape, _| 32 * shape.param("ROUNDS", 16.0) as u64 + 8),
    check: Check::of("output", all, fma_chains),
    small: SMALL,
    ..BASE
};

/// [`FMA`] for f16, with inputs that keep the chains exact. Most devices reach full rate only with vectors.
const FMA_F16: Benchmark = Benchmark {
    name: "fma_f16",
    quick: &[Quick::at(&[Dtype::Vec2F16], Extent::Linear(1 << 22), &[&[("ROUNDS", 31.0)]])],
    accepts: &[("ROUNDS", Accepted::Whole(1, 31))],
    cases: &[
        // Software devices emulate f16 and need seconds for more.
        Cases::standard(HALVES, &[Extent::Linear(1 << 22)], &[&[("ROUNDS", 8.0)]]),
        Cases::standard(HALVES, &[Extent::Linear(1 << 22)], &[&[("ROUNDS", 31.0)]]),
    ],
    work: |shape| Work { bytes: 0, flops: 2 * 8 * 32 * f16_rounds(shape) * shape.count() },
    buffers: |shape, _| table(shape, Values::Signs),
    unsupported: |shape| (f16_rounds(shape) > 31).then_some("f16 sums are inexact for ROUNDS above 31"),
    check: Check::of("output", all, f16_chains),
    ..FMA
};

const BASE: Benchmark = Benchmark { sets_ceiling: true, ..Benchmark::BLANK };

const INTEGER: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1 << 22), &[&[("ROUNDS", 32.0)]])],
    cases: &[
        Cases::standard(&[Dtype::U32], &[Extent::Linear(1 << 22)], &[&[("ROUNDS", 8.0)]]),
        Cases::standard(&[Dtype::U32], &[Extent::Linear(1 << 22)], &[&[("ROUNDS", 32.0)]]),
    ],
    work: |shape| Work { bytes: 0, flops: 2 * 8 * 32 * shape.param("ROUNDS", 16.0) as u64 * shape.count() },
    buffers: |shape, _| Buffer::from_to((TABLE, Values::Wide), shape.count(), &[shape.elements()]),
    small: SMALL,
    ..BASE
};

/// Working sets for bandwidth, in f32 words: 256 KiB to 1 GiB per array. With doubling sizes, every row is within a
/// factor of √2 of the size whose peak it is compared with, and no cache is missed.
pub const LADDER: [Extent; 13] = powers(16, 1);

const QUICK: &[Extent] = &linear([1 << 20, 1 << 24, 1 << 26, 1 << 28]);

const fn ladder(params: &'static [Params]) -> [Cases; 2] {
    const DTYPES: &[Dtype] = &[Dtype::Vec4F32];
    Cases::pair(DTYPES, QUICK, &LADDER, params)
}

const NARROW: &[Dtype] = &[Dtype::F32, Dtype::Vec2F32];
const HALVES: &[Dtype] = &[Dtype::F16, Dtype::Vec2F16];

/// A slow device needs milliseconds for this size, instead of half a second.
const SMALL: Option<Extent> = Some(Extent::Linear(1 << 16));

const FILL_BASE: u64 = 4_000_000;
const SIGN: u64 = 0x00c0_ffee;
/// Elements of the table that `fma` and `workgroup_read` read, with room for the 10 after each start.
const TABLE: u64 = 1024 + 16;

fn table(shape: &Shape, values: Values) -> Vec<Buffer> {
    Buffer::from_to((TABLE * shape.dtype.lanes(), values), shape.count(), &[shape.elements()])
}

fn summed(shape: &Shape, sums: u64) -> Vec<Buffer> {
    Buffer::from_to((shape.count(), Values::Summable), sums, &[shape.elements()])
}
