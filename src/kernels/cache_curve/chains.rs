//! Many chains of dependent loads at once: how many invocations hide the latency of DRAM.

use record::suite::pointer_chase::Cycle;
use record::suite::prelude::*;

/// The cycle of `latency`, split into one equal part per invocation.
pub(super) const CHAINS: Benchmark = Benchmark {
    name: "chains",
    accepts: &[("THREADS", Accepted::Whole(1, 1 << 22))],
    small: Some(Extent::Linear(1 << 20)),
    cases: &[Cases::standard(&[Dtype::U32], &[Extent::Linear(1 << 27)], THREADS)],
    buffers: |shape, _| {
        let (cycle, threads) = (cycle(shape.count()).of(shape.stream), threads(shape));
        let starts = cycle.every(chain(shape)).take(threads as usize).map(|position| position as u32).collect();
        vec![
            Buffer::new("cycle", cycle.words(), Contents::Cycle(cycle)),
            Buffer::new("starts", threads, Contents::Words(starts)),
            Buffer::output("output", threads),
            uniform("sizes", &[chain(shape)]),
        ]
    },
    steps: |shape, interface| Step::covering(threads(shape), interface),
    work: |shape| Work { bytes: 4 * threads(shape) * chain(shape), flops: 0 },
    no_ceiling: "the kernel loads only one word of each cache line",
    // A chain ends where the next one starts.
    check: Check::of("output", |shape, _| threads(shape), ends),
    ..Benchmark::BLANK
};

const LINE: u64 = 32;

const THREADS: &[Params] = &sets(&values("THREADS", [32.0, 1024.0, 8192.0, 32768.0, 262_144.0]));

fn ends(shape: &Shape, _: &Interface) -> Oracle {
    let (cycle, chain) = (cycle(shape.count()).of(shape.stream), chain(shape));
    each(move |i| cycle.after((i + 1) * chain) as f64)
}

fn cycle(words: u64) -> Cycle {
    Cycle::new(words / LINE, LINE)
}

fn threads(shape: &Shape) -> u64 {
    shape.param("THREADS", 1024.0) as u64
}

/// Loads of each invocation: its part of the lines.
fn chain(shape: &Shape) -> u64 {
    (cycle(shape.count()).length() / threads(shape)).max(1)
}
