//! `barrier`: the cost of a `workgroupBarrier`, by size of the workgroup.
//!
//! A round is a store to workgroup memory, the barrier, a load of the neighbour's value and an addition: an exchange
//! that is correct only with the barrier. The cost of a round is the difference of two rows with different numbers of
//! rounds, which cancels the launch. No number of rounds is a multiple of a workgroup's size: every value would be back
//! at its start, exchanged or not.

pub(in crate::families) mod claims;

use crate::suite::input::Values;
use crate::suite::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Params, Profile, Quick, Scalar, Shape, Step, Tag,
    Work, all, each, uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "barrier",
    summary: "rounds of exchange between neighbours in a workgroup, with one barrier each",
    tags: &[Tag::Cost],
    model_text: "Time over ROUNDS is the time of one exchange: a store, a barrier, a load. Workgroups hide each \
        other's waits while several fit an SM.",
    benchmarks: &[Benchmark {
        name: "exchange",
        quick: &[Quick::at(
            &[Dtype::U32],
            Extent::Linear(1 << 11),
            &[&[("ROUNDS", 250.0), ("WG", 256.0)], &[("ROUNDS", 1000.0), ("WG", 256.0)]],
        )],
        summary: "every value moves to the neighbour ROUNDS times",
        look_for: "Nanoseconds per round, and how they grow with WG: a barrier among more subgroups waits for the \
            slowest of them. APIs differ if one compiles it to a full memory fence.",
        limited_by: "The latency of store, barrier and load; with few resident workgroups nothing hides it.",
        wgsl: include_str!("../../../shaders/barrier/exchange.wgsl"),
        cuda: include_str!("../../../shaders/barrier/exchange.cu"),
        cases: &[
            // Few workgroups, so that on a large device each has an SM to itself: the latency of a round.
            Cases {
                from: Profile::Standard,
                dtypes: &[Dtype::U32],
                extents: &[Extent::Linear(1 << 11)],
                params: &[
                    &[("ROUNDS", 250.0), ("WG", 32.0)],
                    &[("ROUNDS", 250.0), ("WG", 64.0)],
                    &[("ROUNDS", 250.0), ("WG", 128.0)],
                    &[("ROUNDS", 250.0), ("WG", 256.0)],
                    &[("ROUNDS", 250.0), ("WG", 512.0)],
                    &[("ROUNDS", 1000.0), ("WG", 32.0)],
                    &[("ROUNDS", 1000.0), ("WG", 64.0)],
                    &[("ROUNDS", 1000.0), ("WG", 128.0)],
                    &[("ROUNDS", 1000.0), ("WG", 256.0)],
                    &[("ROUNDS", 1000.0), ("WG", 512.0)],
                ],
            },
            // Enough workgroups to fill an SM: rounds of different workgroups overlap.
            Cases { from: Profile::Standard, dtypes: &[Dtype::U32], extents: &[Extent::Linear(1 << 18)], params: FULL },
        ],
        buffers: |shape, _| {
            vec![
                Buffer { name: "input", scalars: shape.count(), contents: Contents::Input(Values::Wide) },
                Buffer { name: "output", scalars: shape.count(), contents: Contents::Poison },
                uniform("sizes", &[shape.count()]),
            ]
        },
        steps: |shape, interface| vec![Step::dispatch(shape.count().div_ceil(u64::from(interface.invocations())))],
        work: |shape| Work { bytes: 0, flops: rounds(shape) * shape.count() },
        no_ceiling: "latency limits it: the additions that it counts wait for barriers",
        check: Check {
            buffer: "output",
            scalars: all,
            // After R rounds invocation t holds the start value of t + R plus the sum of the round numbers.
            oracle: |shape, interface| {
                let (n, rounds, width) = (shape.count(), rounds(shape), u64::from(interface.invocations()));
                let input = shape.input(Values::Wide);
                let added = (rounds * rounds.saturating_sub(1) / 2) as u32;
                each(move |i| {
                    let source = i - i % width + (i + rounds) % width;
                    let started = if source < n { input.at(Scalar::U32, source) as u32 } else { 0 };
                    f64::from(started.wrapping_add(added))
                })
            },
        },
        ..Benchmark::BLANK
    }],
    ..Family::BLANK
};

const FULL: &[Params] = &[
    &[("ROUNDS", 50.0), ("WG", 64.0)],
    &[("ROUNDS", 50.0), ("WG", 256.0)],
    &[("ROUNDS", 250.0), ("WG", 64.0)],
    &[("ROUNDS", 250.0), ("WG", 256.0)],
];

fn rounds(shape: &Shape) -> u64 {
    shape.param("ROUNDS", 250.0) as u64
}
