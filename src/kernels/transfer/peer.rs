//! Copies and loads between this card and another one.

use super::base::{BASE, LARGE, PAST_CACHES, VEC4, past_caches};
use record::suite::pointer_chase::Cycle;
use record::suite::prelude::*;

pub(super) const WRITE: Benchmark = Benchmark {
    name: "peer_write",
    buffers: |shape, _| {
        vec![
            Buffer::input("input", shape.count(), Values::Wide),
            Buffer::new("output", shape.count(), on_peer(shape, Contents::Poison)),
        ]
    },
    ..PEER
};

pub(super) const READ: Benchmark = Benchmark {
    name: "peer_read",
    buffers: |shape, _| {
        let input = on_peer(shape, Contents::Input(Values::Wide));
        vec![Buffer::new("input", shape.count(), input), Buffer::output("output", shape.count())]
    },
    ..PEER
};

pub(super) const BOTH: Benchmark = Benchmark {
    name: "peer_both",
    buffers: |shape, _| {
        let buffer = |name, contents| Buffer::new(name, shape.count(), contents);
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

pub(super) const WRITE_BY_KERNEL: Benchmark = Benchmark {
    name: "peer_write_by_kernel",
    buffers: |shape, interface| Buffer::and((WRITE.buffers)(shape, interface), [elements(shape)]),
    ..BY_KERNEL
};

pub(super) const READ_BY_KERNEL: Benchmark = Benchmark {
    name: "peer_read_by_kernel",
    buffers: |shape, interface| Buffer::and((READ.buffers)(shape, interface), [elements(shape)]),
    ..BY_KERNEL
};

pub(super) const LATENCY: Benchmark = Benchmark {
    name: "peer_latency",
    is_latency: true,
    accepts: &[("PEER", Accepted::Whole(0, 63)), ("STEPS", Accepted::Multiple(16, 1 << 18))],
    cases: &[Cases::standard(&[Dtype::U32], &[Extent::Linear(1)], &[&[("PEER", 1.0), ("STEPS", 4096.0)]])],
    buffers: |shape, _| Buffer::of_walk(WALK, on_peer(shape, Contents::Cycle(walk(shape))), &[WALK.length()]),
    steps: |_, _| vec![Step::dispatch(1)],
    work: |shape| Work { bytes: 4 * loads(shape), flops: 0 },
    no_ceiling: "each load waits for the previous one, so latency is the limit",
    check: Check::of("output", one, |shape, _| constant(walk(shape).answer().into())),
    ..PEER
};

const PEER: Benchmark = Benchmark {
    accepts: &[("PEER", Accepted::Whole(0, 63))],
    only_cuda: Some("devices in wgpu cannot share memory"),
    cases: &past_caches(&[Dtype::F32], NEXT),
    steps: |_, _| vec![Step::Restore { from: "input", to: "output" }],
    no_ceiling: "the link between the cards is the limit, and no kernel measures its peak",
    ..BASE
};

/// Contents in the memory of the card that the parameter PEER selects.
fn on_peer(shape: &Shape, contents: Contents) -> Contents {
    Contents::OnPeer(shape.params.get("PEER").map_or(1, |places| *places as u32), Box::new(contents))
}

const NEXT: &[Params] = &[&[("PEER", 1.0)]];

/// Kernels that access another card's memory.
const BY_KERNEL: Benchmark = Benchmark {
    cases: &Cases::pair(VEC4, PAST_CACHES, LARGE, NEXT),
    steps: |shape, interface| Step::covering(shape.elements(), interface),
    ..PEER
};

fn elements(shape: &Shape) -> Buffer {
    uniform("sizes", &[shape.elements()])
}

/// 128 MiB in lines of 128 bytes, more than the caches of both cards hold.
const WALK: Cycle = Cycle::new(1 << 20, 32);

fn walk(shape: &Shape) -> Cycle {
    WALK.of(shape.stream).walked(loads(shape))
}

fn loads(shape: &Shape) -> u64 {
    (shape.param("STEPS", 4096.0) as u64).next_multiple_of(16)
}
