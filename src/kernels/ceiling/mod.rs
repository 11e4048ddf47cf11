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

/// The family.
pub const FAMILY: Family = Family {
    name: "ceiling",
    summary: "peaks of the device: memory and workgroup-memory bandwidth, FMA rates, tensor cores, launch overhead",
    tags: &[Tag::Peak, Tag::Article],
    model_text: "None: the other rows are shown as a share of these peaks. A row's own share is its rate over the \
        rate of the fastest kernel with the same limit and working set.",
    is_by_kernel: true,
    chart: Chart::Own,
    benchmarks: &[
        Benchmark {
            name: "copy",
            quick: &[Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 28), &[&[]])],
            cases: &[
                Cases::standard(NARROW, &[Extent::Linear(1 << 24)], &[&[]]),
                Cases::standard(&[Dtype::Vec4F32], &QUICK, &[&[]]),
                Cases::standard(NARROW, &LADDER, &[&[]]),
                Cases::standard(&[Dtype::Vec4F32], &LADDER, &[&[]]),
            ],
            work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Copy),
            buffers: |shape, _| vec![input(shape.count()), output(shape.count()), elements(shape)],
            check: Check::of("output", all, |shape, _| copied(shape, Values::Wide)),
            ..BASE
        },
        Benchmark {
            name: "read",
            quick: &[Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 28), &[&[("ITEMS", 8.0)], &[("ITEMS", 32.0)]])],
            accepts: &[("ITEMS", Accepted::Whole(1, 4096))],
            cases: &[
                Cases::standard(&[Dtype::Vec4F32], &QUICK, &[&[("ITEMS", 8.0)], &[("ITEMS", 32.0)]]),
                Cases::standard(
                    &[Dtype::Vec4F32],
                    &LADDER,
                    &[&[("ITEMS", 8.0)], &[("ITEMS", 32.0)], &[("ITEMS", 128.0)]],
                ),
            ],
            work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Read),
            buffers: |shape, interface| {
                vec![summable(shape.count()), output(readers(shape, interface)), elements(shape)]
            },
            steps: |shape, interface| covering(shape, interface, read_items(shape)),
            bound: Bound::Roundings(|shape, _| read_items(shape) + 8),
            check: Check::of(
                "output",
                |shape, interface| readers(shape, interface).min(shape.count() / shape.dtype.lanes()),
                sums_of_readers,
            ),
            ..BASE
        },
        Benchmark {
            name: "read_tree",
            since: "2026-11-22",
            quick: &[Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 28), &[&[("ITEMS", 32.0)]])],
            accepts: &[("WG", Accepted::PowerOfTwo(1, 1024)), ("ITEMS", Accepted::Whole(1, 4096))],
            cases: &ladder(&[Dtype::Vec4F32], &[&[("ITEMS", 32.0)]]),
            work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Read),
            buffers: |shape, interface| vec![summable(shape.count()), output(trees(shape, interface)), elements(shape)],
            steps: |shape, interface| covering(shape, interface, read_items(shape)),
            // Its own elements, and a tree.
            bound: Bound::Roundings(|shape, _| read_items(shape) + 16),
            check: Check::of("output", trees, sums_of_trees),
            ..BASE
        },
        Benchmark {
            name: "fill",
            quick: &[Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 28), &[&[]])],
            cases: &ladder(&[Dtype::Vec4F32], &[&[]]),
            work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Fill),
            buffers: |shape, _| {
                vec![output(shape.count()), uniform("sizes", &[shape.count() / shape.dtype.lanes(), FILL_BASE])]
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
            no_ceiling: "it measures a peak with which no other row is compared",
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
                // With so many workgroups, the last ones, which leave SMs idle, make little difference.
                Cases::standard(&[Dtype::F32, Dtype::Vec4F32], &[Extent::Linear(1 << 24)], &[&[("ROUNDS", 128.0)]]),
            ],
            work: |shape| Work { bytes: 16 * shape.param("ROUNDS", 128.0) as u64 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Workgroup),
            buffers: |shape, _| vec![summable(TABLE * shape.dtype.lanes()), output(shape.count()), elements(shape)],
            bound: Bound::Roundings(|shape, _| 16 * shape.param("ROUNDS", 128.0) as u64 + 8),
            check: Check::of("output", all, workgroup_sums),
            small: Some(Extent::Linear(1 << 14)),
            ..BASE
        },
        Benchmark {
            name: "launch",
            quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1), &[&[]])],
            cases: &[Cases::standard(&[Dtype::U32], &[Extent::Linear(1)], &[&[]])],
            work: |_| Work::default(),
            ceiling: Some(Limit::Launch),
            buffers: |_, _| vec![output(4), uniform("sizes", &[SIGN])],
            steps: |_, _| vec![Step::dispatch(1)],
            end_to_end: Some(|_, _| vec![Step::dispatch(1)]),
            check: Check::of("output", |_, _| 1, |_, _| each(|_| SIGN as f64)),
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// FMA chains; `safety_tax` also measures them with run-time checks.
pub(super) const FMA: Benchmark = Benchmark {
    name: "fma",
    quick: &[Quick::at(&[Dtype::F32, Dtype::Vec2F32, Dtype::F64], Extent::Linear(1 << 22), &[&[("ROUNDS", 128.0)]])],
    // More rounds leave the 24 bits of an f32.
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
    buffers: |shape, _| vec![summable(TABLE * shape.dtype.lanes()), output(shape.count()), elements(shape)],
    // A multiply-add in each step, and the sum of eight chains.
    bound: Bound::Roundings(|shape, _| 32 * shape.param("ROUNDS", 16.0) as u64 + 8),
    check: Check::of("output", all, fma_chains),
    small: SMALL,
    ..BASE
};

/// The same for f16, with input values that keep its chains exact. Most devices reach their full rate only with
/// vectors.
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
    buffers: |shape, _| {
        let scalars = TABLE * shape.dtype.lanes();
        let signs = Buffer::input("input", scalars, Values::Signs);
        vec![signs, output(shape.count()), elements(shape)]
    },
    unsupported: |shape| (f16_rounds(shape) > 31).then_some("f16 sums are inexact with more than 31 ROUNDS"),
    check: Check::of("output", all, f16_chains),
    ..FMA
};

/// What the benchmarks here share.
const BASE: Benchmark = Benchmark {
    cases: &[],
    buffers: |_, _| Vec::new(),
    steps: |shape, interface| covering(shape, interface, 1),
    work: |_| Work { bytes: 0, flops: 0 },
    sets_ceiling: true,
    check: Check::of("", |_, _| 0, |_, _| each(|_| f64::NAN)),
    ..Benchmark::BLANK
};

/// What the integer chains share.
const INTEGER: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1 << 22), &[&[("ROUNDS", 32.0)]])],
    cases: &[
        Cases::standard(&[Dtype::U32], &[Extent::Linear(1 << 22)], &[&[("ROUNDS", 8.0)]]),
        Cases::standard(&[Dtype::U32], &[Extent::Linear(1 << 22)], &[&[("ROUNDS", 32.0)]]),
    ],
    work: |shape| Work { bytes: 0, flops: 2 * 8 * 32 * shape.param("ROUNDS", 16.0) as u64 * shape.count() },
    buffers: |shape, _| {
        let table = Buffer::input("input", TABLE, Values::Wide);
        vec![table, output(shape.count()), elements(shape)]
    },
    small: SMALL,
    ..BASE
};

/// Working sets for bandwidth, in f32 words: 256 KiB to 1 GiB per array. Doubling keeps every row within a factor of √2
/// of the peak it is compared with, and misses no cache.
pub const LADDER: [Extent; 13] = [
    Extent::Linear(1 << 16),
    Extent::Linear(1 << 17),
    Extent::Linear(1 << 18),
    Extent::Linear(1 << 19),
    Extent::Linear(1 << 20),
    Extent::Linear(1 << 21),
    Extent::Linear(1 << 22),
    Extent::Linear(1 << 23),
    Extent::Linear(1 << 24),
    Extent::Linear(1 << 25),
    Extent::Linear(1 << 26),
    Extent::Linear(1 << 27),
    Extent::Linear(1 << 28),
];

const NARROW: &[Dtype] = &[Dtype::F32, Dtype::Vec2F32];
const HALVES: &[Dtype] = &[Dtype::F16, Dtype::Vec2F16];

/// A slow device runs this for some milliseconds, not for half a second.
const SMALL: Option<Extent> = Some(Extent::Linear(1 << 16));

/// Working sets of the quick profile.
const QUICK: [Extent; 4] =
    [Extent::Linear(1 << 20), Extent::Linear(1 << 24), Extent::Linear(1 << 26), Extent::Linear(1 << 28)];

const fn ladder(dtypes: &'static [Dtype], params: &'static [Params]) -> [Cases; 2] {
    [Cases::standard(dtypes, &QUICK, params), Cases::standard(dtypes, &LADDER, params)]
}

const FILL_BASE: u64 = 4_000_000;
const SIGN: u64 = 0x00c0_ffee;
/// Elements of the table that `fma` and `workgroup_read` read, with room for the 10 after each start.
const TABLE: u64 = 1024 + 16;

fn input(scalars: u64) -> Buffer {
    Buffer::input("input", scalars, Values::Wide)
}

fn summable(scalars: u64) -> Buffer {
    Buffer::input("input", scalars, Values::Summable)
}

fn output(scalars: u64) -> Buffer {
    Buffer::output("output", scalars)
}

/// The uniform with the number of elements of type `T`.
fn elements(shape: &Shape) -> Buffer {
    uniform("sizes", &[shape.count() / shape.dtype.lanes()])
}
