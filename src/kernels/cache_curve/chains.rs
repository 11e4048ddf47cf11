//! Many chains of dependent loads at once: how many invocations hide the latency of DRAM.

use record::suite::pointer_chase::Cycle;
use record::suite::prelude::*;

/// The cycle of `latency`, in as many equal parts as there are invocations.
pub(super) const CHAINS: Benchmark = Benchmark {
    name: "chains",
    since: "2026-11-26",
    accepts: &[("THREADS", Accepted::Whole(1, 1 << 22))],
    small: Some(Extent::Linear(1 << 20)),
    cases: &[Cases::standard(
        &[Dtype::U32],
        &[Extent::Linear(1 << 27)],
        &[
            &[("THREADS", 32.0)],
            &[("THREADS", 1024.0)],
            &[("THREADS", 8192.0)],
            &[("THREADS", 32768.0)],
            &[("THREADS", 262_144.0)],
        ],
    )],
    buffers: |shape, _| {
        let (cycle, threads) = (cycle(shape.count()).of(shape.stream), threads(shape));
        let starts = cycle.every(chain(shape)).take(threads as usize).map(|position| position as u32).collect();
        vec![
            Buffer { name: "cycle", scalars: cycle.words(), contents: Contents::Cycle(cycle) },
            Buffer { name: "starts", scalars: threads, contents: Contents::Words(starts) },
            Buffer::output("output", threads),
            uniform("sizes", &[chain(shape)]),
        ]
    },
    steps: |shape, interface| Step::covering(threads(shape), interface),
    work: |shape| Work { bytes: 4 * threads(shape) * chain(shape), flops: 0 },
    no_ceiling: "it loads one word of each line",
    check: Check {
        buffer: "output",
        scalars: |shape, _| threads(shape),
        // A chain ends where the next one starts.
        oracle: |shape, _| {
            let (cycle, chain) = (cycle(shape.count()).of(shape.stream), chain(shape));
            each(move |i| cycle.after((i + 1) * chain) as f64)
        },
    },
    ..Benchmark::BLANK
};

/// Words of a line, as in `latency`.
const LINE: u64 = 32;

fn cycle(words: u64) -> Cycle {
    Cycle::new(words / LINE, LINE)
}

fn threads(shape: &Shape) -> u64 {
    shape.param("THREADS", 1024.0) as u64
}

/// Loads of each invocation of `chains`: its part of the lines.
fn chain(shape: &Shape) -> u64 {
    (cycle(shape.count()).length() / threads(shape)).max(1)
}
