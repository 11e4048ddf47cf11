//! `reduction`: the sum of an array (source article 000), from interleaved addressing in global memory to vec4 loads.
//!
//! Every benchmark computes the complete sum on the device: its kernel is launched again on its own block sums until
//! one value is left, and all of these passes count. The end-to-end time is the article's: upload, first pass, download
//! of the block sums, and their serial sum on the host.

pub(crate) mod claims;

use std::sync::{Mutex, OnceLock, PoisonError};

use record::suite::input::Input;
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "reduction",
    summary: "the sum of an array, computed entirely on the device",
    tags: &[Tag::Article, Tag::Primitive],
    model_text: "A sum reads its input once, so the best time is n elements divided by the read rate measured with \
        that working set. Partial sums are far less than 1 % of the input. Slower kernels lose time to tree steps, \
        barriers and idle lanes.",
    headlines: &[Headline { name: "sum", place: 1, naive: "interleaved_global", ..Headline::F32 }],
    chart: Chart::Ladder("How close does each reduction come to the peak read rate?"),
    benchmarks: &[
        Benchmark {
            name: "interleaved_global",
            cases: ARTICLE_CASES,
            // The kernel overwrites its input: each launch gets a fresh copy, outside the timed span.
            buffers: |shape, interface| {
                Buffer::and((BASE.buffers)(shape, interface), [Buffer::output("data", shape.count())])
            },
            steps: |shape, interface| {
                [RESTORE].into_iter().chain(dispatches(&passes(shape, interface, 1), "data")).collect()
            },
            end_to_end: Some(|shape, interface| {
                let mut steps = end_to_end(&passes(shape, interface, 1), "data");
                steps.insert(1, RESTORE);
                steps
            }),
            ..BASE
        },
        Benchmark { name: "interleaved_workgroup", cases: ARTICLE_CASES, ..BASE },
        Benchmark {
            name: "interleaved_device_barrier",
            cases: &[
                Cases::standard(&[Dtype::F32], &linear([1 << 24, 1 << 28]), PLAIN),
                Cases::standard(&[Dtype::U32], &[Extent::Linear(1 << 26)], PLAIN),
            ],
            ..BASE
        },
        Benchmark {
            name: "interleaved_dynamic",
            quick: &[],
            only_cuda: Some("WGSL cannot set the length of workgroup memory at launch"),
            cases: &Cases::pair(&[Dtype::F32], &[Extent::Linear(1 << 24)], &[Extent::Linear(1 << 28)], PLAIN),
            ..BASE
        },
        Benchmark { name: "sequential", ..BASE },
        Benchmark { name: "first_add", ..TWO_LOADS },
        Benchmark { name: "subgroup", ..TWO_LOADS },
        Benchmark {
            name: "vec4_grid_stride",
            buffers: |shape, interface| buffers(shape, &strided_passes(shape, interface)),
            steps: |shape, interface| dispatches(&strided_passes(shape, interface), "input"),
            end_to_end: Some(|shape, interface| end_to_end(&strided_passes(shape, interface), "input")),
            ..BASE
        },
        Benchmark {
            name: "atomic",
            quick: &[],
            cases: &Cases::pair(&[Dtype::U32], QUICK_U32, U32_SIZES, PLAIN),
            buffers: |shape, _| vec![input(shape), total(), uniform("sizes", &[shape.count()])],
            // The counter starts at zero for each launch; block sums need no clearing.
            steps: |shape, interface| vec![Step::Clear("total"), one_pass(shape, interface)],
            end_to_end: Some(|shape, interface| {
                vec![
                    Step::Upload("input"),
                    Step::Clear("total"),
                    one_pass(shape, interface),
                    Step::SumOnHost { buffer: "total", scalars: 1 },
                ]
            }),
            ..BASE
        },
        Benchmark {
            name: "cub",
            quick: &[],
            only_cuda: Some("CUB needs CUDA"),
            library: Some(Library::Cub),
            accepts: &[],
            buffers: |shape, _| vec![input(shape), total()],
            steps: |shape, _| Step::library(Routine::Sum { n: shape.count() }, &["input", "total"]),
            end_to_end: None,
            ..BASE
        },
    ],
    ..Family::BLANK
};

const BASE: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 28), PLAIN)],
    // Trees halve the workgroup; with fewer than 16 invocations, a large array takes more passes than are declared.
    accepts: &[("WG", Accepted::PowerOfTwo(16, 1024)), ("INPUT", Accepted::OneOf(&[0.25, 0.5, 1.0, 2.0]))],
    small: Some(Extent::Linear(1 << 16)),
    cases: &[
        Cases::standard(&[Dtype::F32], QUICK_F32, PLAIN),
        Cases::standard(&[Dtype::U32], QUICK_U32, PLAIN),
        Cases::standard(&[Dtype::F32], SIZES, PLAIN),
        Cases::standard(&[Dtype::U32], U32_SIZES, PLAIN),
    ],
    buffers: |shape, interface| buffers(shape, &passes(shape, interface, 1)),
    steps: |shape, interface| dispatches(&passes(shape, interface, 1), "input"),
    end_to_end: Some(|shape, interface| end_to_end(&passes(shape, interface, 1), "input")),
    work: |shape| Work { bytes: shape.array_bytes(), flops: shape.count() - 1 },
    ceiling: Some(Limit::Read),
    // Of 70,001 elements: up to 64 in each invocation, and trees of three passes.
    bound: Bound::Roundings(|_, _| 128),
    check: Check::of("total", one, |shape, _| {
        let (input, scalar, n) = (shape.input(values(shape)), shape.dtype.scalar(), shape.count());
        // Computed on first use: listing or binding a case needs no sum of 2^28 values.
        let sum = OnceLock::new();
        each(move |_| *sum.get_or_init(|| sum_of(input, scalar, n)))
    }),
    ..Benchmark::BLANK
};

/// [`Input::sum`] of the first `n` elements, cached: all rows of a size and epoch have the same sum.
fn sum_of(input: Input, scalar: Scalar, n: u64) -> f64 {
    type Summed = (Input, Scalar, u64);
    static KNOWN: Mutex<Vec<(Summed, f64)>> = Mutex::new(Vec::new());
    let (known, summed) = (|| KNOWN.lock().unwrap_or_else(PoisonError::into_inner), (input, scalar, n));
    if let Some((_, sum)) = known().iter().find(|(of, _)| *of == summed) {
        return *sum;
    }
    // Without the lock: the sum runs on all cores.
    let sum = input.sum(scalar, 0..n);
    known().push((summed, sum));
    sum
}

const TWO_LOADS: Benchmark = Benchmark {
    buffers: |shape, interface| buffers(shape, &passes(shape, interface, 2)),
    steps: |shape, interface| dispatches(&passes(shape, interface, 2), "input"),
    end_to_end: Some(|shape, interface| end_to_end(&passes(shape, interface, 2), "input")),
    ..BASE
};

/// The article's two kernels also run on its own input, 0.5 everywhere.
const ARTICLE_CASES: &[Cases] = &[
    Cases::standard(&[Dtype::F32], QUICK_F32, PLAIN),
    Cases::standard(&[Dtype::F32], QUICK_U32, &[&[("INPUT", 0.5)]]),
    Cases::standard(&[Dtype::U32], QUICK_U32, PLAIN),
    Cases::standard(&[Dtype::F32], SIZES, PLAIN),
    Cases::standard(&[Dtype::U32], U32_SIZES, PLAIN),
];

const QUICK_F32: &[Extent] = &linear([1 << 24, 1 << 28]);
const QUICK_U32: &[Extent] = &[Extent::Linear(1 << 22)];

const SIZES: &[Extent] = &linear([1, 255, 1 << 16, 1 << 18, 1_000_003, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 28]);
/// Without 2^28, which costs the host too much time for a second type.
const U32_SIZES: &[Extent] = &linear([1, 255, 1 << 16, 1 << 18, 1_000_003, 1 << 20, 1 << 22, 1 << 24, 1 << 26]);

const RESTORE: Step = Step::Restore { from: "input", to: "data" };

/// Names for each pass; the sum of the last is `total`. Even with blocks of 16, 2^28 needs only seven.
const SUMS: [&str; 8] = ["sums_1", "sums_2", "sums_3", "sums_4", "sums_5", "sums_6", "sums_7", "sums_8"];
const PASS_SIZES: [&str; 8] = ["sizes", "sizes_2", "sizes_3", "sizes_4", "sizes_5", "sizes_6", "sizes_7", "sizes_8"];

/// A pass adds up `n` values with `groups` workgroups.
struct Pass {
    n: u64,
    groups: u64,
}

/// Passes in which each invocation covers `items` values, until one is left.
fn passes(shape: &Shape, interface: &Interface, items: u64) -> Vec<Pass> {
    let block = interface.invocations() * items;
    passes_by(shape.count(), |n| n.div_ceil(block))
}

/// Passes of `vec4_grid_stride`: at least sixteen vec4 per invocation, so the second pass needs one workgroup.
fn strided_passes(shape: &Shape, interface: &Interface) -> Vec<Pass> {
    let block = interface.invocations() * 4 * 16;
    passes_by(shape.count(), |n| n.div_ceil(block).min(8192))
}

fn passes_by(mut n: u64, groups_for: impl Fn(u64) -> u64) -> Vec<Pass> {
    let mut passes = Vec::new();
    while passes.len() < SUMS.len() {
        let groups = groups_for(n);
        passes.push(Pass { n, groups });
        if groups == 1 {
            break;
        }
        n = groups;
    }
    passes
}

fn values(shape: &Shape) -> Values {
    shape.params.get("INPUT").map_or(Values::Summable, |value| Values::Constant(*value))
}

fn input(shape: &Shape) -> Buffer {
    Buffer::input("input", shape.count(), values(shape))
}

fn total() -> Buffer {
    Buffer::output("total", 1)
}

fn sums_of(passes: &[Pass], pass: usize) -> &'static str {
    if pass + 1 == passes.len() { "total" } else { SUMS[pass] }
}

fn buffers(shape: &Shape, passes: &[Pass]) -> Vec<Buffer> {
    let mut buffers = vec![input(shape), total()];
    for (index, pass) in passes.iter().enumerate() {
        buffers.push(uniform(PASS_SIZES[index], &[pass.n]));
        if index + 1 < passes.len() {
            buffers.push(Buffer::output(SUMS[index], pass.groups));
        }
    }
    buffers
}

/// One dispatch per pass: the first reads `source`, each later one the previous pass's sums.
fn dispatches(passes: &[Pass], source: &'static str) -> Vec<Step> {
    let dispatch = |(index, pass): (usize, &Pass)| {
        Step::bound(
            grid(pass.groups),
            vec![if index == 0 { source } else { SUMS[index - 1] }, sums_of(passes, index), PASS_SIZES[index]],
        )
    };
    passes.iter().enumerate().map(dispatch).collect()
}

fn end_to_end(passes: &[Pass], source: &'static str) -> Vec<Step> {
    let first = dispatches(passes, source).swap_remove(0);
    vec![Step::Upload("input"), first, Step::SumOnHost { buffer: sums_of(passes, 0), scalars: passes[0].groups }]
}

fn one_pass(shape: &Shape, interface: &Interface) -> Step {
    Step::dispatch(shape.count().div_ceil(2 * interface.invocations()))
}
