//! `barrier`: the cost of a `workgroupBarrier`, by size of the workgroup.
//!
//! A round is a store to workgroup memory, a barrier, a load of the neighbour's value and an addition; without the
//! barrier, the result is wrong. The difference of two rows with different numbers of rounds cancels the launch.

pub(crate) mod claims;

use record::suite::by_rows;
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "barrier",
    summary: "exchange between neighbours in a workgroup, with one barrier per round",
    tags: &[Tag::Cost],
    model_text: "The time divided by ROUNDS is the time of one exchange: a store, a barrier and a load. If several \
        workgroups fit on an SM, some run while others wait.",
    benchmarks: &[Benchmark {
        name: "exchange",
        quick: &[Quick::at(
            &[Dtype::U32],
            Extent::Linear(1 << 11),
            &[&[("ROUNDS", 250.0), ("WG", 256.0)], &[("ROUNDS", 1000.0), ("WG", 256.0)]],
        )],
        cases: &[
            // Few workgroups, so that on a large device each has an SM to itself: the latency of a round.
            Cases::standard(&[Dtype::U32], &[Extent::Linear(1 << 11)], ALONE),
            // Enough workgroups to fill an SM: rounds of different workgroups overlap.
            Cases::standard(&[Dtype::U32], &[Extent::Linear(1 << 18)], FULL),
        ],
        buffers: |shape, _| Buffer::in_and_out(shape, Values::Wide, &[shape.count()]),
        work: |shape| Work { bytes: 0, flops: rounds(shape) * shape.count() },
        host_cost: |shape| rounds(shape) / 4,
        no_ceiling: "the counted additions wait for barriers, so latency is the limit",
        check: Check::of("output", all, results),
        ..Benchmark::BLANK
    }],
    ..Family::BLANK
};

const ALONE: &[Params] = &[
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
];

const FULL: &[Params] = &[
    &[("ROUNDS", 50.0), ("WG", 64.0)],
    &[("ROUNDS", 50.0), ("WG", 256.0)],
    &[("ROUNDS", 250.0), ("WG", 64.0)],
    &[("ROUNDS", 250.0), ("WG", 256.0)],
];

/// A workgroup's values after `rounds` rounds: in round k, each becomes its neighbour's value plus (its own ^ k).
fn exchanged(mut values: Vec<u32>, rounds: u32) -> Vec<u32> {
    for k in 0..rounds {
        let own = values.clone();
        values.rotate_left(1);
        values.iter_mut().zip(own).for_each(|(value, own)| *value = value.wrapping_add(own ^ k));
    }
    values
}

fn results(shape: &Shape, interface: &Interface) -> Oracle {
    let (n, rounds, width) = (shape.count(), rounds(shape), interface.invocations());
    let input = shape.input(Values::Wide);
    Box::new(move |first, slots| {
        by_rows(first, slots, width, |group, column, slots| {
            let start = |i| if i < n { input.at(Scalar::U32, i) as u32 } else { 0 };
            let started = (group * width..(group + 1) * width).map(start).collect();
            let values = &exchanged(started, rounds as u32)[column as usize..];
            slots.iter_mut().zip(values).for_each(|(slot, value)| *slot = f64::from(*value));
        });
    })
}

fn rounds(shape: &Shape) -> u64 {
    shape.param("ROUNDS", 250.0) as u64
}
