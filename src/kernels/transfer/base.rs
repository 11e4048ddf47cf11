//! What the benchmarks of `transfer` share.

use record::suite::prelude::*;

/// What the benchmarks here share.
pub(super) const BASE: Benchmark = Benchmark {
    cases: &[
        Cases::standard(&[Dtype::F32], QUICK, PLAIN),
        Cases::standard(&[Dtype::F32], ALL, PLAIN),
        Cases::thorough(&[Dtype::F32], LARGEST, PLAIN),
    ],
    buffers: |shape, _| {
        vec![Buffer::input("input", shape.count(), Values::Wide), Buffer::output("output", shape.count())]
    },
    steps: |_, _| Vec::new(),
    work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
    no_ceiling: "the link between host and device limits it, whose peak no kernel measures",
    check: Check::of("output", all, |shape, _| {
        let (input, scalar) = (shape.input(Values::Wide), shape.dtype.scalar());
        each(move |i| input.at(scalar, i))
    }),
    ..Benchmark::BLANK
};

pub(super) const PLAIN: &[Params] = &[&[]];
pub(super) const VEC4: &[Dtype] = &[Dtype::Vec4F32];

/// 1 KiB: the latency. 64 MiB: the rate.
const QUICK: &[Extent] = &[Extent::Linear(1 << 8), Extent::Linear(1 << 24)];

/// 64 MiB.
pub(super) const PAST_CACHES: &[Extent] = &[Extent::Linear(1 << 24)];

/// 64 MiB and 256 MiB.
pub(super) const LARGE: &[Extent] = &[Extent::Linear(1 << 24), Extent::Linear(1 << 26)];

/// 1 KiB to 256 MiB.
const ALL: &[Extent] = &[
    Extent::Linear(1 << 8),
    Extent::Linear(1 << 10),
    Extent::Linear(1 << 12),
    Extent::Linear(1 << 14),
    Extent::Linear(1 << 16),
    Extent::Linear(1 << 18),
    Extent::Linear(1 << 20),
    Extent::Linear(1 << 22),
    Extent::Linear(1 << 24),
    Extent::Linear(1 << 26),
];

/// 1 GiB; some benchmarks need two of them in host memory.
pub(super) const LARGEST: &[Extent] = &[Extent::Linear(1 << 28)];
