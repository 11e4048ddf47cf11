//! `cache_curve`: read latency and bandwidth over growing working sets, and the caches that their steps show.
//!
//! A working set is the largest power of two, or for latencies also three times one, within the case's size. A launch
//! follows at most `MOST_STEPS` lines (32 MiB), which limits its time. The next launch continues where it stopped, so
//! several launches cover a larger set, and none hits lines that the previous one loaded. The warm-up covers sets up to
//! about 128 MiB once; in a larger set, some lines are first touched in a sample. On a device whose caches hold such a
//! set, the latency would be too high, never too low.
//!
//! A load by a 32-bit index also waits for its address arithmetic. In the L1 of an H200 at 1980 MHz, a step takes 32
//! cycles by stored addresses (`memory_spaces/pointer_latency`; 34 in gpu-benches), 40 by index (CUDA), 48 in Vulkan.

mod chains;
pub mod claims;
mod granule;
mod levels;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use rayon::prelude::*;

use record::suite::pointer_chase::Cycle;
use record::suite::prelude::*;
use record::suite::{each_of_period, sum};

pub(super) const FAMILY: Family = Family {
    name: "cache_curve",
    summary: "read latency and bandwidth by working set, and the caches inferred from them",
    tags: &[Tag::Article, Tag::Memory],
    model_text: "Latency is flat while the working set fits in a level, and rises to that of the next level when the \
        set no longer fits. A plateau, where latency stays within 15 % while the set doubles, is taken as a level; sets \
        between two plateaus are partly in both levels. A cache's size is between the largest set clearly inside the \
        cache and the smallest set clearly beyond it.",
    is_by_kernel: true,
    chart: Chart::Own,
    benchmarks: &[
        Benchmark {
            name: "latency",
            quick: QUICK_CURVE,
            accepts: &[("LOADS", Accepted::Multiple(16, 1 << 20))],
            is_latency: true,
            cases: &Cases::pair(&[Dtype::U32], QUICK, LATENCY_SETS, PLAIN),
            buffers: |shape, _| {
                let cycle = walk(shape);
                Buffer::of_walk(cycle, Contents::Cycle(cycle), &[cycle.length(), steps(cycle, &shape.params)])
            },
            steps: |_, _| vec![Step::dispatch(1)],
            work: |shape| Work { bytes: 4 * steps(cycle(shape.count()), &shape.params), flops: 0 },
            check: Check::of("output", one, |shape, _| constant(walk(shape).answer().into())),
            ..Benchmark::BLANK
        },
        chains::CHAINS,
        Benchmark {
            name: "bandwidth",
            cases: &Cases::pair(&[Dtype::Vec4F32], QUICK, BANDWIDTH_SETS, PLAIN),
            buffers: |shape, interface| {
                let (elements, sums) = (elements(shape), sums(shape, interface));
                Buffer::from_to((4 * elements, Values::Summable), sums, &[elements - 1, sums])
            },
            steps: |shape, interface| vec![Step::dispatch(groups(shape, interface.invocations()))],
            // For the declared workgroup of 256; other sizes read as much except in the last workgroup.
            work: |shape| Work { bytes: groups(shape, 256) * 256 * ROUNDS * 16, flops: 0 },
            bound: Bound::Roundings(|_, _| ROUNDS + 8),
            check: Check::of("output", sums, sums_read),
            ..Benchmark::BLANK
        },
        Benchmark {
            name: "read_once",
            quick: &[Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 27), PLAIN)],
            cases: &[Cases::standard(&[Dtype::Vec4F32], &linear([1 << 25, 1 << 26, 1 << 27]), PLAIN)],
            buffers: |shape, interface| {
                let sums = sums_once(shape, interface);
                Buffer::from_to((shape.count(), Values::Summable), sums, &[shape.count() / 4, sums])
            },
            steps: |shape, interface| vec![Step::dispatch(sums_once(shape, interface) / interface.invocations())],
            work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
            // Each byte is read once, as by the kernel that measures this peak.
            ceiling: Some(Limit::Read),
            bound: Bound::Roundings(|_, _| ROUNDS + 8),
            check: Check::of("output", sums_once, sums_read_once),
            ..Benchmark::BLANK
        },
        Benchmark {
            name: "slices",
            quick: &[
                Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 18), ROTATIONS),
                // 4 MiB: slices that exceed each L1, in a set that the curve above shows to be within L2.
                Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 20), ROTATIONS),
            ],
            accepts: &[("ROTATE", Accepted::Whole(0, 1024))],
            cases: &Cases::pair(&[Dtype::Vec4F32], &linear([1 << 18, 1 << 20]), SLICED_SETS, ROTATIONS),
            buffers: |shape, _| {
                let elements = elements(shape);
                let shift = u64::from((elements / slices(shape)).ilog2());
                Buffer::from_to((4 * elements, Values::Summable), SLICED_SUMS, &[shift, slices(shape), 0, SLICED_SUMS])
            },
            steps: |_, _| vec![Step::dispatch(MOST_SLICES)],
            work: |_| Work { bytes: SLICED_SUMS * SLICED_ROUNDS * 16, flops: 0 },
            bound: Bound::Roundings(|_, _| SLICED_ROUNDS + 8),
            check: Check::of("output", |_, _| SLICED_SUMS, sums_of_slices),
            ..Benchmark::BLANK
        },
        Benchmark {
            name: "granule",
            accepts: &[("APART", Accepted::PowerOfTwo(8, 128))],
            is_latency: true,
            cases: &Cases::pair(&[Dtype::U32], &[Extent::Linear(1 << 18)], &linear([1 << 18, 1 << 26]), DISTANCES),
            buffers: |shape, _| {
                let cycle = walk_of_blocks(shape);
                Buffer::of_walk(cycle, Contents::Cycle(cycle), &[cycle.length(), pairs(cycle), 0])
            },
            steps: |_, _| vec![Step::dispatch(1)],
            work: |shape| Work { bytes: 2 * 4 * pairs(blocks(shape.count())), flops: 0 },
            check: Check::of("output", one, |shape, _| constant(walk_of_blocks(shape).answer().into())),
            ..Benchmark::BLANK
        },
    ],
    ..Family::BLANK
};

/// A sixteenth of a launch's usual loads: sets beyond all caches would need most of the time of `quick`. Small sets
/// have all loads, since a launch starts with an empty L1.
const LOADS: &[Params] = &[&[("LOADS", (MOST_STEPS / 16) as f64)]];
/// 16 KiB to 512 MiB: two sets in each cache of large GPUs, and in DRAM.
const QUICK_CURVE: &[Quick] = &[
    Quick::at(&[Dtype::U32], Extent::Linear(1 << 12), PLAIN),
    Quick::at(&[Dtype::U32], Extent::Linear(1 << 14), PLAIN),
    Quick::at(&[Dtype::U32], Extent::Linear(1 << 15), PLAIN),
    of_words(1 << 16),
    of_words(3 << 15),
    of_words(1 << 18),
    of_words(1 << 20),
    // Shows that the 4 MiB set of `slices` is well inside L2.
    of_words(1 << 21),
    of_words(1 << 22),
    of_words(1 << 24),
    of_words(1 << 26),
    of_words(1 << 27),
];

const fn of_words(words: u64) -> Quick {
    Quick::at(&[Dtype::U32], Extent::Linear(words), LOADS)
}

/// 4 KiB to 16 MiB.
const QUICK: &[Extent] = &powers::<7>(10, 2);
/// 4 KiB to 512 MiB: larger than the last cache of most devices.
const BANDWIDTH_SETS: &[Extent] = &powers::<18>(10, 1);
/// 4 KiB to 512 MiB, with 3/2 of each power of two, so that steps are found within a factor of 1.5. The largest is
/// twice the largest cache of any GPU (256 MiB), so the curve ends in DRAM.
const LATENCY_SETS: &[Extent] = &with_middles::<35>(10);
/// 1 MiB to 64 MiB: slices of 1 to 64 KiB.
const SLICED_SETS: &[Extent] = &powers::<7>(18, 1);
const ROTATIONS: &[Params] = &[&[("ROTATE", 0.0)], &[("ROTATE", 1.0)]];
const DISTANCES: &[Params] = &sets(&values("APART", [16.0, 32.0, 64.0, 128.0]));

/// Sizes from 2^`first` words, alternately 3/2 and 4/3 of the previous one.
const fn with_middles<const N: usize>(first: u32) -> [Extent; N] {
    let mut extents = [Extent::Linear(0); N];
    let mut index = 0;
    while index < N {
        let power = 1 << (first + index as u32 / 2);
        extents[index] = Extent::Linear(if index % 2 == 0 { power } else { power / 2 * 3 });
        index += 1;
    }
    extents
}

/// Words of a line: 128 bytes, two lines of most CPUs, and the bytes that GPUs fetch for a whole subgroup.
const LINE: u64 = 32;
/// Enough to make the launch negligible.
const LEAST_STEPS: u64 = 1 << 16;
/// At 1 µs each, a quarter of a second, the most for one launch.
const MOST_STEPS: u64 = 1 << 18;
/// With whole cycles, a walk that never starts would give the same answer.
const SURPLUS: u64 = 16;

/// The walk of `latency` through a buffer of `words`, one step per line.
pub fn cycle(words: u64) -> Cycle {
    Cycle::new(words / LINE, LINE)
}

/// Dependent loads of a launch of `latency`: LOADS if set, otherwise one per line, within limits.
pub fn steps(cycle: Cycle, params: &BTreeMap<String, f64>) -> u64 {
    let usual = cycle.length().clamp(LEAST_STEPS, MOST_STEPS);
    params.get("LOADS").map_or(usual, |loads| *loads as u64) + SURPLUS
}

fn walk(shape: &Shape) -> Cycle {
    let cycle = cycle(shape.count());
    cycle.of(shape.stream).walked(steps(cycle, &shape.params))
}

fn walk_of_blocks(shape: &Shape) -> Cycle {
    let cycle = blocks(shape.count());
    cycle.of(shape.stream).walked(pairs(cycle))
}

/// Words of a block of `granule`: 256 bytes, two lines of 128 bytes.
const BLOCK: u64 = 64;

pub(crate) fn blocks(words: u64) -> Cycle {
    Cycle::new(words / BLOCK, BLOCK)
}

/// Steps of `granule`, two loads each; never whole cycles.
pub(crate) fn pairs(cycle: Cycle) -> u64 {
    cycle.length().clamp(1 << 14, 1 << 17) + 8
}

/// Workgroups of `slices`, and the most slices of a set.
pub(crate) const MOST_SLICES: u64 = 1 << 10;
/// Elements per invocation of `slices`, and invocations per workgroup, as in its shader.
const SLICED_ROUNDS: u64 = 128;
const SLICED_WORKGROUP: u64 = 256;
const SLICED_SUMS: u64 = MOST_SLICES * SLICED_WORKGROUP;

fn slices(shape: &Shape) -> u64 {
    elements(shape).min(MOST_SLICES)
}

fn sums_of_slices(shape: &Shape, _: &Interface) -> Oracle {
    /// As in the shader.
    const FAR: u64 = 389;
    /// Elements whose sums a table of 32 MiB holds.
    const MOST: u64 = 1 << 22;
    let (elements, slices, scalar) = (elements(shape), slices(shape), shape.dtype.scalar());
    let values = shape.input(Values::Summable);
    let (length, step) = (elements / slices, FAR * shape.param("ROTATE", 0.0) as u64);
    let of_element = move |element: u64| (4 * element..4 * element + 4).map(|at| values.at(scalar, at)).sum::<f64>();
    let table = OnceLock::new();
    each(move |i| {
        let (block, t) = (i / SLICED_WORKGROUP, i % SLICED_WORKGROUP);
        let read = (0..SLICED_ROUNDS).map(|round| {
            let k = round * SLICED_WORKGROUP + t;
            (block + k / length * step) % slices * length + k % length
        });
        if elements > MOST {
            return sum(read.map(of_element));
        }
        let table = table.get_or_init(|| (0..elements).into_par_iter().map(of_element).collect::<Vec<f64>>());
        sum(read.map(|element| table[element as usize]))
    })
}

/// Invocations of `read_once`: whole workgroups that read [`ROUNDS`] elements per invocation.
fn sums_once(shape: &Shape, interface: &Interface) -> u64 {
    let workgroup = interface.invocations();
    (shape.count() / 4).div_ceil(ROUNDS * workgroup).max(1) * workgroup
}

fn sums_read_once(shape: &Shape, interface: &Interface) -> Oracle {
    let (elements, workgroup) = (shape.count() / 4, interface.invocations());
    let (scalar, values) = (shape.dtype.scalar(), shape.input(Values::Summable));
    each(move |i| {
        let first = i / workgroup * ROUNDS * workgroup + i % workgroup;
        let read = (0..ROUNDS).map(|k| first + k * workgroup).filter(|element| *element < elements);
        sum(read.flat_map(|element| 4 * element..4 * element + 4).map(|at| values.at(scalar, at)))
    })
}

/// Elements per invocation of `bandwidth` and `read_once`, as in their shaders.
const ROUNDS: u64 = 64;
/// Enough invocations for every SM: 512 workgroups of 256.
const LEAST_INVOCATIONS: u64 = 1 << 17;

const fn elements(shape: &Shape) -> u64 {
    let elements = shape.count() / 4;
    if elements == 0 { 1 } else { 1 << elements.ilog2() }
}

fn groups(shape: &Shape, workgroup: u64) -> u64 {
    LEAST_INVOCATIONS.max(elements(shape) / ROUNDS).div_ceil(workgroup)
}

fn sums(shape: &Shape, interface: &Interface) -> u64 {
    let workgroup = interface.invocations();
    groups(shape, workgroup) * workgroup
}

fn sums_read(shape: &Shape, interface: &Interface) -> Oracle {
    /// Up to this many elements, a table of all distinct sums pays off.
    const FEW: u64 = 1 << 20;
    let (elements, workgroup) = (elements(shape), interface.invocations());
    let (input, scalar, span) = (shape.input(Values::Summable), shape.dtype.scalar(), ROUNDS * workgroup);
    let of_invocation = move |i: u64| -> f64 {
        let first = i / workgroup * span + i % workgroup;
        let read = (0..ROUNDS).map(|k| (first + k * workgroup) % elements);
        sum(read.flat_map(|at| 4 * at..4 * at + 4).map(|at| input.at(scalar, at)))
    };
    // Workgroups this far apart start at the same element: elements / gcd(elements, span); elements is a power of two.
    let period = workgroup * (elements >> elements.trailing_zeros().min(span.trailing_zeros()));
    if elements > FEW { each(of_invocation) } else { each_of_period(period, of_invocation) }
}
