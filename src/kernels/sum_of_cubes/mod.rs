//! `sum_of_cubes`: the sum of x³ over a million digits (source article 002), from one invocation to 32 workgroups.
//!
//! Each step leaves its own number of partial sums, all of which are checked. The end-to-end time is the article's:
//! upload, kernel, download of the partial sums, and their serial sum on the host. An element counts three operations:
//! two multiplications and an addition, of integers modulo 2^32.

pub(crate) mod claims;

use std::sync::OnceLock;

use rayon::prelude::*;

use record::suite::input::BLOCK;
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "sum_of_cubes",
    summary: "the sum of the cubes of a million digits, from one invocation to 32 workgroups",
    tags: &[Tag::Article],
    model_text: "The input is 4 MiB and fits in a cache, so the read rate of that cache is the limit. Each step uses \
        more invocations, up to 32 workgroups of 256. A device with more than 32 SMs is partly idle even in the last \
        step.",
    benchmarks: &[
        Benchmark { name: "one_invocation", ..BASE },
        Benchmark {
            name: "one_block_chunks",
            quick: &[],
            check: Check::of("sums", invocations, |shape, interface| {
                let chunk = shape.count().div_ceil(interface.invocations());
                sums(shape, interface.invocations(), move |i| i / chunk)
            }),
            ..ONE_BLOCK
        },
        Benchmark { name: "one_block_interleaved", quick: &[], ..ONE_BLOCK },
        Benchmark {
            name: "many_blocks_host_sum",
            quick: &[],
            buffers: |shape, interface| buffers(shape, all_invocations(shape, interface)),
            steps: |_, _| vec![Step::dispatch(BLOCKS)],
            end_to_end: Some(|shape, interface| end_to_end(BLOCKS, all_invocations(shape, interface))),
            check: Check::of("sums", all_invocations, |shape, interface| {
                let count = all_invocations(shape, interface);
                sums(shape, count, move |i| i % count)
            }),
            ..BASE
        },
        Benchmark { name: "serial_block_sum", ..BLOCK_SUMS },
        Benchmark { name: "accumulate_in_workgroup", quick: &[], ..BLOCK_SUMS },
        Benchmark { name: "tree_block_sum", accepts: &[("WG", Accepted::PowerOfTwo(1, 1024))], ..BLOCK_SUMS },
        Benchmark {
            name: "clock_in_kernel",
            quick: &[],
            only_cuda: Some("WGSL cannot read a clock"),
            buffers: |shape, _| {
                let times = Buffer::new("times", 4 * BLOCKS, Contents::Clock);
                Buffer::and(buffers(shape, BLOCKS), [times])
            },
            ..BLOCK_SUMS
        },
    ],
    ..Family::BLANK
};

/// One workgroup with one result.
const BASE: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1_048_576), PLAIN)],
    small: Some(Extent::Linear(1 << 16)),
    cases: &[Cases::standard(&[Dtype::U32], &[Extent::Linear(1_048_576)], PLAIN)],
    buffers: |shape, _| buffers(shape, 1),
    steps: |_, _| vec![Step::dispatch(1)],
    end_to_end: Some(|_, _| end_to_end(1, 1)),
    work: |shape| Work { bytes: shape.array_bytes(), flops: 3 * shape.count() },
    ceiling: Some(Limit::Read),
    check: Check::of("sums", one, |shape, _| sums(shape, 1, |_| 0)),
    ..Benchmark::BLANK
};

/// One workgroup with a result for each invocation.
const ONE_BLOCK: Benchmark = Benchmark {
    buffers: |shape, interface| buffers(shape, interface.invocations()),
    end_to_end: Some(|_, interface| end_to_end(1, interface.invocations())),
    check: Check::of("sums", invocations, |shape, interface| {
        let width = interface.invocations();
        sums(shape, width, move |i| i % width)
    }),
    ..BASE
};

const BLOCK_SUMS: Benchmark = Benchmark {
    buffers: |shape, _| buffers(shape, BLOCKS),
    steps: |_, _| vec![Step::dispatch(BLOCKS)],
    end_to_end: Some(|_, _| end_to_end(BLOCKS, BLOCKS)),
    check: Check::of(
        "sums",
        |_, _| BLOCKS,
        |shape, interface| {
            let width = interface.invocations();
            sums(shape, BLOCKS, move |i| i / width % BLOCKS)
        },
    ),
    ..BASE
};

/// The article's number of workgroups.
const BLOCKS: u64 = 32;

fn invocations(_: &Shape, interface: &Interface) -> u64 {
    interface.invocations()
}

fn all_invocations(_: &Shape, interface: &Interface) -> u64 {
    BLOCKS * interface.invocations()
}

fn buffers(shape: &Shape, results: u64) -> Vec<Buffer> {
    Buffer::into("sums", (shape.count(), Values::Digits), results, &[shape.count()])
}

fn end_to_end(groups: u64, results: u64) -> Vec<Step> {
    vec![Step::Upload("input"), Step::dispatch(groups), Step::SumOnHost { buffer: "sums", scalars: results }]
}

/// The sums of `count` owners; `owner` maps an element to its owner.
fn sums(shape: &Shape, count: u64, owner: impl Fn(u64) -> u64 + Send + Sync + 'static) -> Oracle {
    const PIECE: u64 = 1 << 16;
    let (n, input) = (shape.count(), shape.input(Values::Digits));
    let of_piece = move |piece: u64| {
        let (mut sums, mut digits) = (vec![0_u32; count as usize], [0.0; BLOCK]);
        let end = n.min((piece + 1) * PIECE);
        for first in (piece * PIECE..end).step_by(BLOCK) {
            let digits = &mut digits[..(end - first).min(BLOCK as u64) as usize];
            input.elements(Scalar::U32, first, 1, digits);
            for (at, digit) in (first..).zip(digits) {
                let sum = &mut sums[owner(at) as usize];
                *sum = sum.wrapping_add((*digit as u32).pow(3));
            }
        }
        sums
    };
    let merge = |mut a: Vec<u32>, b: Vec<u32>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = a.wrapping_add(b));
        a
    };
    let table = OnceLock::new();
    each(move |i| {
        let all = || (0..n.div_ceil(PIECE)).into_par_iter().map(&of_piece).reduce_with(merge);
        let sums = table.get_or_init(|| all().unwrap_or_default());
        f64::from(sums[i as usize])
    })
}
