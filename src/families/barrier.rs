//! `barrier`: what a `workgroupBarrier` costs, by size of the workgroup.
//!
//! A round is a store to workgroup memory, the barrier, a load of the neighbour's value and an addition: an exchange that the barrier
//! alone makes right. The cost of a round is the difference quotient of two rows with different numbers of rounds, which leaves out
//! the launch. No number of rounds is a multiple of a workgroup's size: that would bring every value home, moved or not.

use crate::suite::input::Values;
use crate::suite::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Params, Profile, Scalar, Shape, Step, Work, all,
    each, uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "barrier",
    summary: "rounds of exchange between the neighbours in a workgroup, with one barrier each",
    model_text: "Time over ROUNDS is what one exchange takes: a store, a barrier, a load. Workgroups hide each \
        other's waiting as long as several fit a processor.",
    is_by_kernel: false,
    tuned: &[],
    benchmarks: &[Benchmark {
        name: "exchange",
        summary: "every value moves on to the neighbour ROUNDS times",
        look_for: "Nanoseconds for each round and their growth with WG: a barrier among more subgroups waits for the \
            slowest of them. APIs differ, if one makes a full memory fence of it.",
        limited_by: "The round trip store, barrier, load; with few resident workgroups nobody fills the wait.",
        wgsl: include_str!("../../shaders/barrier/exchange.wgsl"),
        cuda: include_str!("../../shaders/barrier/exchange.cu"),
        cases: &[
            // So few workgroups that on a large device each has a compute unit to itself: the latency of a round.
            Cases {
                from: Profile::Quick,
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
            // Enough workgroups to fill one: rounds of different workgroups overlap.
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
        check: Check {
            buffer: "output",
            scalars: all,
            // After R rounds invocation t holds what t + R started with, and the sum of the numbers of the rounds.
            oracle: |shape, interface| {
                let (n, rounds, width) = (shape.count(), rounds(shape), u64::from(interface.invocations()));
                let added = (rounds * rounds.saturating_sub(1) / 2) as u32;
                each(move |i| {
                    let source = i - i % width + (i + rounds) % width;
                    let started = if source < n { Values::Wide.at(Scalar::U32, source) as u32 } else { 0 };
                    f64::from(started.wrapping_add(added))
                })
            },
        },
        ..Benchmark::BLANK
    }],
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
