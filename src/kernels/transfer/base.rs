//! What the benchmarks of `transfer` share.

use record::suite::copied;
use record::suite::prelude::*;

pub(super) const BASE: Benchmark = Benchmark {
    cases: &[
        Cases::standard(&[Dtype::F32], QUICK, PLAIN),
        Cases::standard(&[Dtype::F32], ALL, PLAIN),
        Cases::thorough(&[Dtype::F32], LARGEST, PLAIN),
    ],
    buffers: |shape, _| Buffer::of_copy(shape.count(), Values::Wide),
    work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
    no_ceiling: "the link between host and device is the limit, and no kernel measures its peak",
    check: Check::of("output", all, |shape, _| copied(shape, Values::Wide)),
    ..Benchmark::BLANK
};

pub(super) const VEC4: &[Dtype] = &[Dtype::Vec4F32];

/// 1 KiB: the latency. 64 MiB: the rate.
const QUICK: &[Extent] = &linear([1 << 8, 1 << 24]);

pub(super) const PAST_CACHES: &[Extent] = &[Extent::Linear(1 << 24)];

pub(super) const LARGE: &[Extent] = &linear([1 << 24, 1 << 26]);

/// 1 KiB to 256 MiB.
const ALL: &[Extent] = &powers::<10>(8, 2);

/// 1 GiB; some benchmarks need two of them in host memory.
pub(super) const LARGEST: &[Extent] = &[Extent::Linear(1 << 28)];

/// Cases of 64 MiB and more.
pub(super) const fn past_caches(dtypes: &'static [Dtype], params: &'static [Params]) -> [Cases; 3] {
    let [first, all] = Cases::pair(dtypes, PAST_CACHES, LARGE, params);
    [first, all, Cases::thorough(dtypes, LARGEST, params)]
}
