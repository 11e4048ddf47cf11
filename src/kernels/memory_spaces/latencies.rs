//! The latency of a dependent load from each space: one invocation walks through its words.

use super::oracles::SHIFT;
use record::suite::TexelFormat;
use record::suite::pointer_chase::Cycle;
use record::suite::prelude::*;

pub(super) const STORAGE: Benchmark = Benchmark { name: "storage_latency", quick: &[], ..LATENCIES };

pub(super) const POINTER: Benchmark = Benchmark {
    name: "pointer_latency",
    quick: &[],
    only_cuda: Some("WGSL cannot store pointers"),
    buffers: |shape, _| {
        let addresses = Buffer::output("addresses", 2 * WALK.length());
        Buffer::and(walked(shape, WALK), [addresses])
    },
    ..LATENCIES
};

pub(super) const UNIFORM: Benchmark = Benchmark {
    name: "uniform_latency",
    buffers: |shape, _| walked(shape, UNIFORM_WALK),
    check: Check::of("output", one, |shape, _| end(shape, UNIFORM_WALK)),
    ..LATENCIES
};

pub(super) const TEXTURE: Benchmark = Benchmark {
    name: "texture_latency",
    buffers: |shape, _| {
        let mut buffers = walked(shape, WALK);
        let cycle = Contents::Cycle(WALK.of(shape.stream));
        buffers[0].contents = square(WALK.length(), TexelFormat::R32Uint, cycle);
        buffers
    },
    ..LATENCIES
};

pub(super) const PINNED: Benchmark = Benchmark {
    name: "pinned_latency",
    quick: &[],
    accepts: &[("STEPS", Accepted::Multiple(16, 1 << 18))],
    cases: &[Cases::standard(&[Dtype::U32], &[Extent::Linear(1)], &[&[("STEPS", 4096.0)]])],
    buffers: |shape, _| {
        let contents = Contents::OnHost(Box::new(Contents::Cycle(pinned_walk(shape))));
        Buffer::of_walk(PINNED_WALK, contents, &[PINNED_WALK.length()])
    },
    check: Check::of("output", one, |shape, _| constant(pinned_walk(shape).answer().into())),
    ..LATENCIES
};

pub(super) const WORKGROUP: Benchmark = Benchmark { name: "workgroup_latency", ..LATENCIES };

pub(super) const PRIVATE: Benchmark = Benchmark {
    name: "private_latency",
    quick: &[],
    buffers: |shape, _| walked(shape, PRIVATE_WALK),
    // The cycle is stored rotated by SHIFT, and the walk starts there.
    check: Check::of("output", one, |shape, _| {
        let end = PRIVATE_WALK.of(shape.stream).after(steps(shape)) + SHIFT;
        constant((end % PRIVATE_WALK.length()) as f64)
    }),
    ..LATENCIES
};

const LATENCIES: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1), &[&[("STEPS", STEPS as f64)]])],
    accepts: &[("STEPS", Accepted::Multiple(16, 1 << 20))],
    cases: &[Cases::standard(&[Dtype::U32], &[Extent::Linear(1)], &[&[("STEPS", STEPS as f64)]])],
    buffers: |shape, _| walked(shape, WALK),
    steps: |_, _| vec![Step::dispatch(1)],
    work: |shape| Work { bytes: 4 * steps(shape), flops: 0 },
    is_latency: true,
    no_ceiling: "each load waits for the previous one, so latency is the limit",
    check: Check::of("output", one, |shape, _| end(shape, WALK)),
    ..Benchmark::BLANK
};

/// Many cycles, to make launch and fill negligible, but not a whole number, so a walk does not end at its start.
const STEPS: u64 = 240_000;
/// 4 KiB of words.
const WALK: Cycle = Cycle::new(1024, 1);
/// Compilers reject larger private arrays.
const PRIVATE_WALK: Cycle = Cycle::new(256, 1);
/// 128 MiB of lines, more than any current L2 holds, and the most that WebGPU binds by default.
const PINNED_WALK: Cycle = Cycle::new(1 << 20, 32);
/// 4 KiB of uniform-array elements.
const UNIFORM_WALK: Cycle = Cycle::new(256, 4);

fn steps(shape: &Shape) -> u64 {
    (shape.param("STEPS", STEPS as f64) as u64).next_multiple_of(16)
}

pub(super) fn square(texels: u64, format: TexelFormat, contents: Contents) -> Contents {
    Contents::texture((texels.isqrt(), texels.isqrt()), format, contents)
}

/// The position at which a walk ends, plus SHIFT.
fn end(shape: &Shape, cycle: Cycle) -> Oracle {
    constant((cycle.of(shape.stream).after(steps(shape)) + SHIFT) as f64)
}

fn pinned_walk(shape: &Shape) -> Cycle {
    PINNED_WALK.of(shape.stream).walked(steps(shape))
}

fn walked(shape: &Shape, cycle: Cycle) -> Vec<Buffer> {
    vec![
        Buffer::new("cycle", cycle.words(), Contents::Cycle(cycle.of(shape.stream))),
        Buffer::output("output", 4),
        uniform("sizes", &[SHIFT, cycle.length()]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk's end depends on its order; otherwise it could be computed without loads.
    #[test]
    fn walks_end_in_many_places() {
        for cycle in [WALK, PRIVATE_WALK, UNIFORM_WALK] {
            let mut ends: Vec<u64> = (0..64).map(|stream| cycle.of(stream).after(STEPS)).collect();
            ends.sort_unstable();
            ends.dedup();
            assert!(STEPS > cycle.length() && ends.len() > 40, "{}: {ends:?}", cycle.length());
        }
    }
}
