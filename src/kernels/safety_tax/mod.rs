//! `safety_tax`: the cost of the run-time checks that an API adds to a kernel: bounds checks, loop bounds, and
//! zero-initialisation of workgroup memory, each alone and all together, on kernels of other families.

pub(crate) mod claims;

use crate::{ceiling, matmul, transpose};
use record::suite::prelude::*;

/// The sets of checks for every kernel here, after the kernel's own parameters: none, each alone, all.
macro_rules! checked {
    ($($own:expr),*) => {
        &[
            &[$($own),*],
            &[$($own,)* ("BOUNDS", 1.0)],
            &[$($own,)* ("LOOPS", 1.0)],
            &[$($own,)* ("ZERO_INIT", 1.0)],
            &[$($own,)* ("BOUNDS", 1.0), ("LOOPS", 1.0), ("ZERO_INIT", 1.0)],
        ]
    };
}

/// Without checks, and with all of them.
macro_rules! both {
    ($($own:expr),*) => {
        &[&[$($own),*], &[$($own,)* ("BOUNDS", 1.0), ("LOOPS", 1.0), ("ZERO_INIT", 1.0)]]
    };
}

pub(super) const FAMILY: Family = Family {
    name: "safety_tax",
    summary: "the cost of bounds checks, loop bounds and zero-initialisation of workgroup memory",
    tags: &[Tag::Article, Tag::Cost],
    model_text: "The same kernel runs with and without the checks that an API adds. Their cost is the ratio of the \
        two times; 1.00 means free. A bounds check adds a min() to each access, a loop bound counts iterations, and \
        zero-initialisation adds a store for each word and a barrier.",
    is_by_kernel: true,
    chart: Chart::Own,
    benchmarks: &[
        Benchmark {
            name: "fma",
            kernel: "ceiling/fma",
            quick: &[],
            cases: &[Cases::standard(&[Dtype::F32], &[Extent::Linear(1 << 20)], checked!(("ROUNDS", 16.0)))],
            sets_ceiling: false,
            ..ceiling::FMA
        },
        Benchmark {
            name: "transpose",
            kernel: "transpose/tiled",
            quick: &[Quick::at(&[Dtype::F32], Extent::Matrix(2048, 2048), both!(("PAD", 1.0)))],
            cases: &[Cases::standard(&[Dtype::F32], &[Extent::Matrix(2048, 2048)], checked!(("PAD", 1.0)))],
            ..transpose::TILED
        },
        Benchmark {
            name: "matmul",
            kernel: "matmul/register_blocked",
            quick: &[Quick::at(&[Dtype::F32], Extent::Product(2048, 2048, 2048), both!())],
            cases: &[
                Cases::standard(&[Dtype::F32], &[Extent::Product(512, 512, 512)], checked!()),
                // Enough tiles for every SM of a large device.
                Cases::standard(&[Dtype::F32], &[Extent::Product(2048, 2048, 2048)], checked!()),
            ],
            small: Some(Extent::Product(128, 128, 128)),
            ..matmul::REGISTER_BLOCKED
        },
        Benchmark {
            name: "workgroup_fill",
            quick: &[],
            // The last loop ends by wrapping around, one step below word 0.
            accepts: &[("WG", Accepted::PowerOfTwo(1, 1024))],
            cases: &[Cases::standard(&[Dtype::U32], &[Extent::Linear(1 << 20)], checked!())],
            buffers: |shape, _| vec![Buffer::output("output", shape.count()), uniform("sizes", &[shape.count()])],
            work: |shape| Work { bytes: 2 * 16 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Workgroup),
            sets_ceiling: false,
            check: Check::of("output", all, |_, interface| read_back(interface.invocations())),
            ..ceiling::FMA
        },
    ],
    ..Family::BLANK
};

/// The sum of an invocation of `workgroup_fill`: its workgroup's words from the end backwards, a workgroup apart.
fn read_back(invocations: u64) -> Oracle {
    const WORDS: u32 = 4096;
    let invocations = invocations as u32;
    each(move |i| {
        let (t, first) = (i as u32 % invocations, i as u32 / invocations * invocations);
        let indices = (0..WORDS / invocations).map(|step| WORDS - 1 - t - step * invocations);
        let words = indices.map(|k| first.wrapping_add(k).wrapping_mul(2_654_435_761));
        f64::from(words.fold(0_u32, |sum, word| sum.wrapping_mul(3).wrapping_add(word)))
    })
}
