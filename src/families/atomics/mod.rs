//! `atomics`: atomic additions of u32 per second, to one address, to many, and to workgroup memory.
//!
//! The operations counted are atomic additions, so GFLOP/s reads as 10⁹ atomic additions per second; no bytes are
//! counted.

pub(in crate::families) mod claims;

use crate::suite::Interface;
use crate::suite::{
    Accepted, Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Params, Profile, Quick, Shape, Step,
    Tag, Work, each, uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "atomics",
    summary: "atomic additions of u32 (operations are atomic additions)",
    tags: &[Tag::Cost],
    model_text: "Additions to one address are serialised where the data lies: one every few cycles, times the number \
        that a subgroup combines beforehand. Different addresses run in parallel.",
    is_by_kernel: true,
    benchmarks: &[
        Benchmark {
            name: "same_address",
            summary: "all invocations add to one global word",
            look_for: "Additions per second to a single word. A multiple of spread's rate per lane means that the \
                compiler or the hardware combines the numbers of a subgroup first.",
            limited_by: "The one unit of L2 that owns the word.",
            wgsl: include_str!("../../../shaders/atomics/same_address.wgsl"),
            cuda: include_str!("../../../shaders/atomics/same_address.cu"),
            buffers: |shape, _| buffers(shape, 1),
            check: Check {
                buffer: "counters",
                scalars: |_, _| 1,
                oracle: |shape, _| {
                    let (n, rounds) = (shape.count(), rounds(shape));
                    each(move |_| total(0, 1, n, rounds))
                },
            },
            ..BASE
        },
        Benchmark {
            name: "spread",
            quick: &[],
            accepts: &[("SLOTS", Accepted::PowerOfTwo(1, 1 << 20))],
            summary: "invocations add to SLOTS global words, neighbours to neighbouring words",
            look_for: "The gain over same_address as SLOTS grows: all units of L2 work, and 32 neighbours of a \
                subgroup are one request.",
            limited_by: "The atomic throughput of L2, about a sector per cycle and slice.",
            wgsl: include_str!("../../../shaders/atomics/spread.wgsl"),
            cuda: include_str!("../../../shaders/atomics/spread.cu"),
            cases: &cases(&[
                &[("ROUNDS", 8.0), ("SLOTS", 64.0)],
                &[("ROUNDS", 8.0), ("SLOTS", 4096.0)],
                &[("ROUNDS", 8.0), ("SLOTS", 262_144.0)],
            ]),
            buffers: |shape, _| buffers(shape, slots(shape)),
            check: Check {
                buffer: "counters",
                scalars: |shape, _| slots(shape),
                oracle: |shape, _| {
                    let (n, rounds, slots) = (shape.count(), rounds(shape), slots(shape));
                    each(move |slot| total(slot, slots, n.saturating_sub(slot).div_ceil(slots), rounds))
                },
            },
            ..BASE
        },
        Benchmark {
            name: "workgroup",
            summary: "the invocations of a workgroup add to one word of workgroup memory",
            look_for: "How many times the global rate: atomics within an SM scale with the number of SMs.",
            limited_by: "Lanes that share one word of workgroup memory: serialised accesses, or a reduction in \
                registers first.",
            wgsl: include_str!("../../../shaders/atomics/workgroup.wgsl"),
            cuda: include_str!("../../../shaders/atomics/workgroup.cu"),
            buffers: |shape, interface| buffers(shape, groups(shape, interface)),
            // Every counter is stored once, none is added to.
            steps: |shape, interface| vec![Step::dispatch(groups(shape, interface))],
            check: Check {
                buffer: "counters",
                scalars: groups,
                oracle: |shape, interface| {
                    let (n, rounds, width) = (shape.count(), rounds(shape), u64::from(interface.invocations()));
                    each(move |block| total(block * width, 1, width.min(n - block * width), rounds))
                },
            },
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// What the benchmarks here share: n invocations. Counters start at zero for each launch, outside the timed span.
const BASE: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1 << 22), &[&[("ROUNDS", 8.0)]])],
    cases: &cases(&[&[("ROUNDS", 8.0)]]),
    buffers: |_, _| Vec::new(),
    steps: |shape, interface| vec![Step::Clear("counters"), Step::dispatch(groups(shape, interface))],
    work: |shape| Work { bytes: 0, flops: rounds(shape) * shape.count() },
    no_ceiling: "these rows measure the peak rates of atomic additions themselves",
    check: Check { buffer: "", scalars: |_, _| 0, oracle: |_, _| each(|_| f64::NAN) },
    ..Benchmark::BLANK
};

const fn cases(params: &'static [Params]) -> [Cases; 2] {
    const QUICK: &[Extent] = &[Extent::Linear(1 << 18)];
    const ALL: &[Extent] = &[Extent::Linear(1 << 18), Extent::Linear(1 << 22)];
    [
        Cases { from: Profile::Standard, dtypes: &[Dtype::U32], extents: QUICK, params },
        Cases { from: Profile::Standard, dtypes: &[Dtype::U32], extents: ALL, params },
    ]
}

fn rounds(shape: &Shape) -> u64 {
    shape.param("ROUNDS", 8.0) as u64
}

fn slots(shape: &Shape) -> u64 {
    shape.param("SLOTS", 4096.0) as u64
}

fn groups(shape: &Shape, interface: &Interface) -> u64 {
    shape.count().div_ceil(u64::from(interface.invocations()))
}

fn buffers(shape: &Shape, counters: u64) -> Vec<Buffer> {
    vec![Buffer { name: "counters", scalars: counters, contents: Contents::Poison }, uniform("sizes", &[shape.count()])]
}

/// The sum of `count` invocations, numbered from `first` in steps of `step`, modulo 2^32: i + k over each invocation i
/// and each round k.
fn total(first: u64, step: u64, count: u64, rounds: u64) -> f64 {
    let pairs = |n: u64| n * n.saturating_sub(1) / 2;
    let invocations = (first * count).wrapping_add(step * pairs(count));
    f64::from(rounds.wrapping_mul(invocations).wrapping_add(count * pairs(rounds)) as u32)
}
