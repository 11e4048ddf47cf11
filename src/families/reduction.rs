//! `reduction`: the sum of an array (source article 000), from interleaved addressing in global memory to the fast one.
//!
//! Every benchmark computes the complete sum on the device: its kernel is launched on its own block sums until one value is left,
//! and all of these passes count. The end-to-end time is the article's: upload, first pass, download of the block sums, and their
//! serial sum on the host.

use std::sync::OnceLock;

use crate::suite::Interface;
use crate::suite::input::Values;
use crate::suite::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Limit, Params, Profile, Shape, Step,
    WORKGROUP_SIZES, Work, each, grid, uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "reduction",
    summary: "the sum of an array, complete on the device",
    model_text: "A sum must read its input once, so that the best time is n elements over the rate of reading at \
        that working set; partial sums are far less than a hundredth of that. What is slower spends its time in \
        steps, barriers and idle lanes.",
    is_by_kernel: false,
    tuned: WORKGROUP_SIZES,
    benchmarks: &[
        Benchmark {
            name: "interleaved_global",
            summary: "interleaved addressing, in place in global memory",
            look_for: "How far below everything else it lies: each step reads and writes global memory, and half of \
                a subgroup's lanes wait from the first step on. Held against interleaved_workgroup it is the price \
                of the memory alone.",
            limited_by: "Round trips to the cache behind global memory, log2 of the workgroup of them in a row with \
                barriers between; arithmetic plays no part.",
            sources: &["A3", "A5"],
            wgsl: include_str!("../../shaders/reduction/interleaved_global.wgsl"),
            cuda: include_str!("../../shaders/reduction/interleaved_global.cu"),
            cases: ARTICLE_CASES,
            // The kernel spoils its input: each launch gets a fresh copy, outside the timed span.
            buffers: |shape, interface| {
                let mut buffers = buffers(shape, &passes(shape, interface, 1));
                buffers.push(Buffer { name: "data", scalars: shape.count(), contents: Contents::Poison });
                buffers
            },
            steps: |shape, interface| {
                let mut steps = vec![RESTORE];
                steps.extend(dispatches(&passes(shape, interface, 1), "data", "data"));
                steps
            },
            end_to_end: Some(|shape, interface| {
                let mut steps = end_to_end(&passes(shape, interface, 1), "data", "data");
                steps.insert(1, RESTORE);
                steps
            }),
            ..BASE
        },
        Benchmark {
            name: "interleaved_workgroup",
            summary: "the same steps on a copy in workgroup memory",
            look_for: "The factor over interleaved_global: the same steps in workgroup memory. What is missing \
                against sequential is the modulo and the divergence, not the memory.",
            limited_by: "Instructions: an integer remainder for each test, and subgroups that stay busy for a single \
                lane until the last steps.",
            sources: &["A4", "A5"],
            wgsl: include_str!("../../shaders/reduction/interleaved_workgroup.wgsl"),
            cuda: include_str!("../../shaders/reduction/interleaved_workgroup.cu"),
            cases: ARTICLE_CASES,
            ..BASE
        },
        Benchmark {
            name: "sequential",
            summary: "sequential addressing: no modulo, no divergence",
            look_for: "What one gains by choosing which lanes rest: the same number of additions as \
                interleaved_workgroup, but whole subgroups leave. Half of all lanes never add more than what they \
                loaded.",
            limited_by: "Barriers and one element a lane: a workgroup's life is mostly waiting for its single load \
                and for the tree's steps.",
            wgsl: include_str!("../../shaders/reduction/sequential.wgsl"),
            cuda: include_str!("../../shaders/reduction/sequential.cu"),
            ..BASE
        },
        Benchmark {
            name: "first_add",
            summary: "two loads are added before the tree",
            look_for: "Nearly twice sequential at large sizes, since the same tree now serves two elements. If it \
                gains less, memory has begun to bind; if more, launches of workgroups did.",
            limited_by: "Two loads in flight a lane, which is not enough to cover memory's latency; the tree takes \
                the rest of the time.",
            wgsl: include_str!("../../shaders/reduction/first_add.wgsl"),
            cuda: include_str!("../../shaders/reduction/first_add.cu"),
            ..TWO_LOADS
        },
        Benchmark {
            name: "subgroup",
            summary: "subgroupAdd, then a tree over the subgroups",
            look_for: "Against first_add: what replacing most of the tree by registers is worth. Small gains mean \
                that loads, not the tree, are waited for; a loss means that the API's subgroup operation is built \
                from slow parts.",
            limited_by: "As first_add the bytes in flight; the counter that gives every subgroup its slot costs an \
                atomic in workgroup memory.",
            wgsl: include_str!("../../shaders/reduction/subgroup.wgsl"),
            cuda: include_str!("../../shaders/reduction/subgroup.cu"),
            ..TWO_LOADS
        },
        Benchmark {
            name: "vec4_grid_stride",
            summary: "16-byte loads a grid apart, one tree for thousands of elements",
            look_for: "Its share of the ceiling, which should be near 1: there is one tree for thousands of \
                elements, and the loads are those of the ceiling's own kernel. Below 0.9 at large sizes look at WG \
                and ITEMS.",
            limited_by: "Memory's reading at large sizes and the cache's at small ones; under a few MiB two \
                launches, of which the second sums the block sums.",
            wgsl: include_str!("../../shaders/reduction/vec4_grid_stride.wgsl"),
            cuda: include_str!("../../shaders/reduction/vec4_grid_stride.cu"),
            buffers: |shape, interface| buffers(shape, &strided_passes(shape, interface)),
            steps: |shape, interface| dispatches(&strided_passes(shape, interface), "input", "input"),
            end_to_end: Some(|shape, interface| end_to_end(&strided_passes(shape, interface), "input", "input")),
            ..BASE
        },
        Benchmark {
            name: "atomic",
            summary: "one pass, block sums added atomically (integers)",
            look_for: "Whether one pass beats two: at small sizes it saves a launch; at large ones thousands of \
                atomics meet at one word at the end of each workgroup. u32 only, so compare with u32 rows.",
            limited_by: "The load pattern of first_add; the atomics themselves only where workgroups end faster than \
                one address takes additions.",
            wgsl: include_str!("../../shaders/reduction/atomic.wgsl"),
            cuda: include_str!("../../shaders/reduction/atomic.cu"),
            cases: &[
                Cases { from: Profile::Quick, dtypes: &[Dtype::U32], extents: QUICK_U32, params: PLAIN },
                Cases { from: Profile::Standard, dtypes: &[Dtype::U32], extents: U32_SIZES, params: PLAIN },
            ],
            buffers: |shape, _| vec![input(shape), total(), uniform("sizes", &[shape.count()])],
            // The counter starts at zero for each launch, as block sums need not.
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
    ],
};

/// What the benchmarks here share: one load an invocation.
const BASE: Benchmark = Benchmark {
    small: Some(Extent::Linear(1 << 16)),
    cases: &[
        Cases { from: Profile::Quick, dtypes: &[Dtype::F32], extents: QUICK_F32, params: PLAIN },
        Cases { from: Profile::Quick, dtypes: &[Dtype::U32], extents: QUICK_U32, params: PLAIN },
        Cases { from: Profile::Standard, dtypes: &[Dtype::F32], extents: SIZES, params: PLAIN },
        Cases { from: Profile::Standard, dtypes: &[Dtype::U32], extents: U32_SIZES, params: PLAIN },
    ],
    buffers: |shape, interface| buffers(shape, &passes(shape, interface, 1)),
    steps: |shape, interface| dispatches(&passes(shape, interface, 1), "input", "input"),
    end_to_end: Some(|shape, interface| end_to_end(&passes(shape, interface, 1), "input", "input")),
    work: |shape| Work { bytes: shape.array_bytes(), flops: shape.count() - 1 },
    ceiling: Some(Limit::Read),
    check: Check {
        buffer: "total",
        scalars: |_, _| 1,
        oracle: |shape, _| {
            let (values, scalar, n) = (values(shape), shape.dtype.scalar(), shape.count());
            // Worked out when somebody asks: listing or binding a case needs no sum of 2^28 values.
            let sum = OnceLock::new();
            each(move |_| *sum.get_or_init(|| values.sum(scalar, 0..n)))
        },
    },
    ..Benchmark::BLANK
};

/// Two loads an invocation.
const TWO_LOADS: Benchmark = Benchmark {
    buffers: |shape, interface| buffers(shape, &passes(shape, interface, 2)),
    steps: |shape, interface| dispatches(&passes(shape, interface, 2), "input", "input"),
    end_to_end: Some(|shape, interface| end_to_end(&passes(shape, interface, 2), "input", "input")),
    ..BASE
};

const PLAIN: &[Params] = &[&[]];

/// The article's two kernels run on its own input too: 0.5 everywhere.
const ARTICLE_CASES: &[Cases] = &[
    Cases { from: Profile::Quick, dtypes: &[Dtype::F32], extents: QUICK_F32, params: PLAIN },
    Cases { from: Profile::Quick, dtypes: &[Dtype::F32], extents: QUICK_U32, params: &[&[("INPUT", 0.5)]] },
    Cases { from: Profile::Quick, dtypes: &[Dtype::U32], extents: QUICK_U32, params: PLAIN },
    Cases { from: Profile::Standard, dtypes: &[Dtype::F32], extents: SIZES, params: PLAIN },
    Cases { from: Profile::Standard, dtypes: &[Dtype::U32], extents: U32_SIZES, params: PLAIN },
];

const QUICK_F32: &[Extent] =
    &[Extent::Linear(1_000_003), Extent::Linear(1 << 20), Extent::Linear(1 << 24), Extent::Linear(1 << 28)];
const QUICK_U32: &[Extent] = &[Extent::Linear(1 << 22)];

const SIZES: &[Extent] = &[
    Extent::Linear(1),
    Extent::Linear(255),
    Extent::Linear(1 << 16),
    Extent::Linear(1 << 18),
    Extent::Linear(1_000_003),
    Extent::Linear(1 << 20),
    Extent::Linear(1 << 22),
    Extent::Linear(1 << 24),
    Extent::Linear(1 << 26),
    Extent::Linear(1 << 28),
];
/// The largest array once, in f32, is enough of the host's time.
const U32_SIZES: &[Extent] = &[
    Extent::Linear(1),
    Extent::Linear(255),
    Extent::Linear(1 << 16),
    Extent::Linear(1 << 18),
    Extent::Linear(1_000_003),
    Extent::Linear(1 << 20),
    Extent::Linear(1 << 22),
    Extent::Linear(1 << 24),
    Extent::Linear(1 << 26),
];

const RESTORE: Step = Step::Restore { from: "input", to: "data" };

/// Names for the block sums and sizes of each pass but the last, whose sum is `total`. Even blocks of 16 need only seven for 2^28.
const SUMS: [&str; 8] = ["sums_1", "sums_2", "sums_3", "sums_4", "sums_5", "sums_6", "sums_7", "sums_8"];
const PASS_SIZES: [&str; 8] = ["sizes", "sizes_2", "sizes_3", "sizes_4", "sizes_5", "sizes_6", "sizes_7", "sizes_8"];

/// One pass: how many values it adds up, and by how many workgroups.
struct Pass {
    n: u64,
    groups: u64,
}

/// Passes in which each invocation covers `items` values, until one is left.
fn passes(shape: &Shape, interface: &Interface, items: u64) -> Vec<Pass> {
    let block = u64::from(interface.invocations()) * items;
    passes_by(shape.count(), |n| n.div_ceil(block))
}

/// Passes of `vec4_grid_stride`: an invocation covers at least sixteen vec4, so that one workgroup can finish the second pass.
fn strided_passes(shape: &Shape, interface: &Interface) -> Vec<Pass> {
    let block = u64::from(interface.invocations()) * 4 * 16;
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
    Buffer { name: "input", scalars: shape.count(), contents: Contents::Input(values(shape)) }
}

fn total() -> Buffer {
    Buffer { name: "total", scalars: 1, contents: Contents::Poison }
}

fn sums_of(passes: &[Pass], pass: usize) -> &'static str {
    if pass + 1 == passes.len() { "total" } else { SUMS[pass] }
}

fn buffers(shape: &Shape, passes: &[Pass]) -> Vec<Buffer> {
    let mut buffers = vec![input(shape), total()];
    for (place, pass) in passes.iter().enumerate() {
        buffers.push(uniform(PASS_SIZES[place], &[pass.n]));
        if place + 1 < passes.len() {
            buffers.push(Buffer { name: SUMS[place], scalars: pass.groups, contents: Contents::Poison });
        }
    }
    buffers
}

/// One dispatch a pass. The first reads the buffer `source`, each later one the sums of the one before; `binding` is the
/// kernel's name for what it reads.
fn dispatches(passes: &[Pass], binding: &'static str, source: &'static str) -> Vec<Step> {
    let dispatch = |(place, pass): (usize, &Pass)| Step::Dispatch {
        groups: grid(pass.groups),
        rebind: vec![
            (binding, if place == 0 { source } else { SUMS[place - 1] }),
            ("block_sums", sums_of(passes, place)),
            ("sizes", PASS_SIZES[place]),
        ],
    };
    passes.iter().enumerate().map(dispatch).collect()
}

fn end_to_end(passes: &[Pass], binding: &'static str, source: &'static str) -> Vec<Step> {
    let first = dispatches(passes, binding, source).swap_remove(0);
    vec![Step::Upload("input"), first, Step::SumOnHost { buffer: sums_of(passes, 0), scalars: passes[0].groups }]
}

fn one_pass(shape: &Shape, interface: &Interface) -> Step {
    Step::dispatch(shape.count().div_ceil(2 * u64::from(interface.invocations())))
}
