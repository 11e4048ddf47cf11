//! Copies and loads between this card and another one.

use super::base::{BASE, LARGE, LARGEST, PAST_CACHES, VEC4};
use record::suite::pointer_chase::Cycle;
use record::suite::prelude::*;

/// To another card, by a copy engine.
pub(super) const WRITE: Benchmark = Benchmark {
    name: "peer_write",
    since: "2026-11-24",
    summary: "this card's memory to that of another card, by NVLink or PCI Express",
    look_for: "The link's rate: about 370 GB/s of NVLink 4's nominal 450, about 50 of PCIe 5 x16's 64. A far \
        lower rate shows copies that go through the host's memory.",
    limited_by: "The link between the cards, and the copy engine that uses it.",
    work_text: "n scalars, counted once.",
    buffers: |shape, _| {
        vec![
            Buffer::input("input", shape.count(), Values::Wide),
            Buffer { name: "output", scalars: shape.count(), contents: on_peer(shape, Contents::Poison) },
        ]
    },
    ..PEER
};

/// From another card, by a copy engine.
pub(super) const READ: Benchmark = Benchmark {
    name: "peer_read",
    since: "2026-11-24",
    summary: "the memory of another card to this card's, by NVLink or PCI Express",
    look_for: "Its ratio to peer_write: reads wait for answers, writes do not. On NVLink both are alike.",
    limited_by: "The link between the cards: requests one way, data the other.",
    work_text: "n scalars, counted once.",
    buffers: |shape, _| {
        let input = on_peer(shape, Contents::Input(Values::Wide));
        vec![Buffer { name: "input", scalars: shape.count(), contents: input }, Buffer::output("output", shape.count())]
    },
    ..PEER
};

/// Both ways at once.
pub(super) const BOTH: Benchmark = Benchmark {
    name: "peer_both",
    since: "2026-11-24",
    summary: "peer_write and peer_read at once",
    look_for: "Its ratio to peer_write: 2 where the link carries both directions at full rate.",
    limited_by: "The link between the cards, or memory that is read and written at once.",
    work_text: "4n scalars: two copies of n each way. Two buffers on the other card change roles, as in \
        both_ways.",
    buffers: |shape, _| {
        let buffer = |name, contents| Buffer { name, scalars: shape.count(), contents };
        vec![
            buffer("input", Contents::Input(Values::Wide)),
            buffer("one", on_peer(shape, Contents::Poison)),
            buffer("other", on_peer(shape, Contents::Input(Values::Wide))),
            buffer("output", Contents::Poison),
        ]
    },
    steps: |_, _| {
        vec![
            Step::Restore { from: "input", to: "one" },
            Step::Beside,
            Step::Restore { from: "other", to: "output" },
            Step::Restore { from: "input", to: "other" },
            Step::Beside,
            Step::Restore { from: "one", to: "output" },
        ]
    },
    work: |shape| Work { bytes: 4 * shape.array_bytes(), flops: 0 },
    ..PEER
};

/// To another card, by a kernel.
pub(super) const WRITE_BY_KERNEL: Benchmark = Benchmark {
    name: "peer_write_by_kernel",
    since: "2026-11-27",
    buffers: |shape, interface| sized(shape, (WRITE.buffers)(shape, interface)),
    ..BY_KERNEL
};

/// From another card, by a kernel.
pub(super) const READ_BY_KERNEL: Benchmark = Benchmark {
    name: "peer_read_by_kernel",
    since: "2026-11-27",
    buffers: |shape, interface| sized(shape, (READ.buffers)(shape, interface)),
    ..BY_KERNEL
};

/// The time of a load from another card.
pub(super) const LATENCY: Benchmark = Benchmark {
    name: "peer_latency",
    since: "2026-11-27",
    is_latency: true,
    accepts: &[("PEER", Accepted::Whole(0, 63)), ("STEPS", Accepted::Multiple(16, 1 << 18))],
    cases: &[Cases::standard(&[Dtype::U32], &[Extent::Linear(1)], &[&[("PEER", 1.0), ("STEPS", 4096.0)]])],
    buffers: |shape, _| {
        vec![
            Buffer { name: "cycle", scalars: WALK.words(), contents: on_peer(shape, Contents::Cycle(walk(shape))) },
            Buffer { name: "place", scalars: 4, contents: Contents::Words(vec![0; 4]) },
            Buffer::output("output", 4),
            uniform("sizes", &[WALK.length()]),
        ]
    },
    steps: |_, _| vec![Step::dispatch(1)],
    work: |shape| Work { bytes: 4 * loads(shape), flops: 0 },
    no_ceiling: "latency limits it: each load waits for the one before",
    check: Check::of(
        "output",
        |_, _| 1,
        |shape, _| {
            let answer = walk(shape).answer();
            each(move |_| answer.into())
        },
    ),
    ..PEER
};

/// Copies between cards.
const PEER: Benchmark = Benchmark {
    accepts: &[("PEER", Accepted::Whole(0, 63))],
    only_cuda: Some("wgpu's devices share no memory"),
    cases: &[
        Cases::standard(&[Dtype::F32], PAST_CACHES, NEXT),
        Cases::standard(&[Dtype::F32], LARGE, NEXT),
        Cases::thorough(&[Dtype::F32], LARGEST, NEXT),
    ],
    steps: |_, _| vec![Step::Restore { from: "input", to: "output" }],
    no_ceiling: "the link between the cards limits it, whose peak no kernel measures",
    ..BASE
};

/// Contents in the memory of the card that the parameter PEER selects.
fn on_peer(shape: &Shape, contents: Contents) -> Contents {
    Contents::OnPeer(shape.params.get("PEER").map_or(1, |places| *places as u32), Box::new(contents))
}

/// The next card.
const NEXT: &[Params] = &[&[("PEER", 1.0)]];

/// Kernels that access another card's memory.
const BY_KERNEL: Benchmark = Benchmark {
    cases: &[Cases::standard(VEC4, PAST_CACHES, NEXT), Cases::standard(VEC4, LARGE, NEXT)],
    steps: |shape, interface| {
        let elements = shape.count() / shape.dtype.lanes();
        Step::covering(elements, interface)
    },
    ..PEER
};

/// These buffers, and the number of elements.
fn sized(shape: &Shape, mut buffers: Vec<Buffer>) -> Vec<Buffer> {
    buffers.push(uniform("sizes", &[shape.count() / shape.dtype.lanes()]));
    buffers
}

/// 128 MiB in lines of 128 bytes, more than the caches of both cards hold.
const WALK: Cycle = Cycle::new(1 << 20, 32);

/// The walk of a launch of `peer_latency`.
fn walk(shape: &Shape) -> Cycle {
    WALK.of(shape.stream).walked(loads(shape))
}

fn loads(shape: &Shape) -> u64 {
    (shape.param("STEPS", 4096.0) as u64).next_multiple_of(16)
}
