//! `sum_of_cubes`: the sum of x³ over a million digits (source article 002), from one invocation to a tree in every workgroup.
//!
//! Each step of the ladder leaves fewer or more partial sums, all of which are checked. The end-to-end time is the article's: upload,
//! kernel, download of the partial sums, and their serial sum on the host. An element counts three operations: two
//! multiplications and an addition, of integers modulo 2^32.

use std::sync::OnceLock;

use crate::suite::Interface;
use crate::suite::input::Values;
use crate::suite::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Limit, Oracle, Profile, Scalar, Shape, Step,
    Work, each, uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "sum_of_cubes",
    summary: "the sum of the cubes of a million digits, from one invocation to all",
    model_text: "The input is 4 MiB and lies in a cache: reading it from there is the limit. Each step of the ladder \
        multiplies the lanes at work, up to 32 workgroups of 256; a device with more processors than 32 stays partly \
        idle even at the end.",
    is_by_kernel: false,
    tuned: &[],
    benchmarks: &[
        Benchmark {
            name: "one_invocation",
            summary: "one invocation adds everything up",
            look_for: "The time of one element: 32 elements are unrolled, yet each addition waits for the one \
                before. It is the floor of the ladder and tells what a single lane of a GPU is worth against a CPU's \
                core.",
            limited_by: "Latency: one lane has few loads under way, and uses one of thousands of lanes.",
            wgsl: include_str!("../../shaders/sum_of_cubes/one_invocation.wgsl"),
            cuda: include_str!("../../shaders/sum_of_cubes/one_invocation.cu"),
            ..BASE
        },
        Benchmark {
            name: "one_block_chunks",
            summary: "one workgroup, a contiguous chunk for each invocation",
            look_for: "The gain over one invocation, up to 256 lanes' worth, that bad access patterns eat: each load \
                of a subgroup touches 32 lines, of which it needs 4 bytes now and the rest later.",
            limited_by: "One processor's load unit and cache, which holds the lines of 256 walks at once or fetches \
                them again.",
            wgsl: include_str!("../../shaders/sum_of_cubes/one_block_chunks.wgsl"),
            cuda: include_str!("../../shaders/sum_of_cubes/one_block_chunks.cu"),
            check: Check {
                buffer: "sums",
                scalars: |_, interface| u64::from(interface.invocations()),
                oracle: |shape, interface| {
                    let width = u64::from(interface.invocations());
                    let chunk = shape.count().div_ceil(width);
                    sums(shape, width, move |i| i / chunk)
                },
            },
            ..ONE_BLOCK
        },
        Benchmark {
            name: "one_block_interleaved",
            summary: "one workgroup, its invocations side by side (coalesced)",
            look_for: "Against one_block_chunks: coalescing alone, same lanes, same additions. What remains to the \
                next step is that a single processor works.",
            limited_by: "The loads that one processor can have in flight, over the latency of the cache that holds 4 \
                MiB.",
            wgsl: include_str!("../../shaders/sum_of_cubes/one_block_interleaved.wgsl"),
            cuda: include_str!("../../shaders/sum_of_cubes/one_block_interleaved.cu"),
            ..ONE_BLOCK
        },
        Benchmark {
            name: "many_blocks_host_sum",
            summary: "32 workgroups; the host adds every invocation's sum",
            look_for: "Up to 32 times one_block_interleaved: as many processors. The kernel's time leaves out the \
                host; end to end shows 8,192 partial sums copied and added there.",
            limited_by: "Latency of the second cache: 32 workgroups fill a fraction of a large device.",
            wgsl: include_str!("../../shaders/sum_of_cubes/many_blocks_host_sum.wgsl"),
            cuda: include_str!("../../shaders/sum_of_cubes/many_blocks_host_sum.cu"),
            buffers: |shape, interface| buffers(shape, all_invocations(shape, interface)),
            steps: |_, _| vec![Step::dispatch(BLOCKS)],
            end_to_end: Some(|shape, interface| end_to_end(BLOCKS, all_invocations(shape, interface))),
            check: Check {
                buffer: "sums",
                scalars: all_invocations,
                oracle: |shape, interface| {
                    let count = all_invocations(shape, interface);
                    sums(shape, count, move |i| i % count)
                },
            },
            ..BASE
        },
        Benchmark {
            name: "serial_block_sum",
            summary: "32 workgroups; invocation 0 of each adds its workgroup's 256 sums",
            look_for: "How little the serial sum by invocation 0 costs beside the loop, and how much less the host \
                has left to do, which end to end shows.",
            limited_by: "The loop before the barrier; then 256 dependent reads of workgroup memory by a lane for \
                which 255 wait.",
            sources: &["C1"],
            wgsl: include_str!("../../shaders/sum_of_cubes/serial_block_sum.wgsl"),
            cuda: include_str!("../../shaders/sum_of_cubes/serial_block_sum.cu"),
            ..BLOCK_SUMS
        },
        Benchmark {
            name: "tree_block_sum",
            summary: "32 workgroups; a tree adds each workgroup's 256 sums",
            look_for: "Whether eight parallel steps beat 256 serial ones. With 128 elements an invocation the \
                difference is a microsecond at most: the article's improvement matters where workgroups end often.",
            limited_by: "As its serial form the loop over global memory; each of the tree's steps is a barrier.",
            sources: &["C2"],
            wgsl: include_str!("../../shaders/sum_of_cubes/tree_block_sum.wgsl"),
            cuda: include_str!("../../shaders/sum_of_cubes/tree_block_sum.cu"),
            ..BLOCK_SUMS
        },
        Benchmark {
            name: "clock_in_kernel",
            summary: "serial_block_sum, each workgroup noting a clock at its start and end; latest end minus earliest start",
            look_for: "The column in_kernel_ns against the median: what launching, draining and the events around \
                the kernel add to the time between first start and last end.",
            limited_by: "The loop of serial_block_sum, which the clock's reads at both ends leave as it is; the \
                clock steps by up to a microsecond.",
            work_text: "n scalars read, 3n integer operations; 16 bytes of times a workgroup are not counted.",
            sources: &["C4"],
            cuda: include_str!("../../shaders/sum_of_cubes/clock_in_kernel.cu"),
            only_cuda: Some("WGSL has no clock"),
            buffers: |shape, _| {
                let times = Buffer { name: "times", scalars: 4 * BLOCKS, contents: Contents::Clock };
                buffers(shape, BLOCKS).into_iter().chain([times]).collect()
            },
            ..BLOCK_SUMS
        },
    ],
};

/// What the benchmarks here share, and one workgroup with one result.
const BASE: Benchmark = Benchmark {
    sources: &["C3"],
    small: Some(Extent::Linear(1 << 16)),
    cases: &[Cases {
        from: Profile::Quick,
        dtypes: &[Dtype::U32],
        extents: &[Extent::Linear(1_048_576)],
        params: &[&[]],
    }],
    buffers: |shape, _| buffers(shape, 1),
    steps: |_, _| vec![Step::dispatch(1)],
    end_to_end: Some(|_, _| end_to_end(1, 1)),
    work: |shape| Work { bytes: shape.array_bytes(), flops: 3 * shape.count() },
    ceiling: Some(Limit::Read),
    check: Check { buffer: "sums", scalars: |_, _| 1, oracle: |shape, _| sums(shape, 1, |_| 0) },
    ..Benchmark::BLANK
};

/// One workgroup with a result for each invocation.
const ONE_BLOCK: Benchmark = Benchmark {
    buffers: |shape, interface| buffers(shape, u64::from(interface.invocations())),
    end_to_end: Some(|_, interface| end_to_end(1, u64::from(interface.invocations()))),
    check: Check {
        buffer: "sums",
        scalars: |_, interface| u64::from(interface.invocations()),
        oracle: |shape, interface| {
            let width = u64::from(interface.invocations());
            sums(shape, width, move |i| i % width)
        },
    },
    ..BASE
};

/// 32 workgroups with a result each.
const BLOCK_SUMS: Benchmark = Benchmark {
    buffers: |shape, _| buffers(shape, BLOCKS),
    steps: |_, _| vec![Step::dispatch(BLOCKS)],
    end_to_end: Some(|_, _| end_to_end(BLOCKS, BLOCKS)),
    check: Check {
        buffer: "sums",
        scalars: |_, _| BLOCKS,
        oracle: |shape, interface| {
            let width = u64::from(interface.invocations());
            sums(shape, BLOCKS, move |i| i / width % BLOCKS)
        },
    },
    ..BASE
};

/// Workgroups, as the article has them.
const BLOCKS: u64 = 32;

fn all_invocations(_: &Shape, interface: &Interface) -> u64 {
    BLOCKS * u64::from(interface.invocations())
}

fn buffers(shape: &Shape, results: u64) -> Vec<Buffer> {
    vec![
        Buffer { name: "input", scalars: shape.count(), contents: Contents::Input(Values::Digits) },
        Buffer { name: "sums", scalars: results, contents: Contents::Poison },
        uniform("sizes", &[shape.count()]),
    ]
}

fn end_to_end(groups: u64, results: u64) -> Vec<Step> {
    vec![Step::Upload("input"), Step::dispatch(groups), Step::SumOnHost { buffer: "sums", scalars: results }]
}

/// The sums of `count` owners, of which `owner` tells whose an element is.
fn sums(shape: &Shape, count: u64, owner: impl Fn(u64) -> u64 + Send + Sync + 'static) -> Oracle {
    let n = shape.count();
    let table = OnceLock::new();
    each(move |i| {
        let sums = table.get_or_init(|| {
            let mut sums = vec![0_u32; count as usize];
            for at in 0..n {
                let digit = Values::Digits.at(Scalar::U32, at) as u32;
                let sum = &mut sums[owner(at) as usize];
                *sum = sum.wrapping_add(digit.pow(3));
            }
            sums
        });
        f64::from(sums[i as usize])
    })
}
