//! `host_cost`: what a dispatch costs the host through each API, by part.
//!
//! The size is the number of dispatches in a submission, each of one workgroup, in one pass. Each reads what the
//! previous one stored, so verification finds a missing dispatch. Between them is a barrier, which wgpu adds by itself.
//! The host's clock times one part of the submission for all dispatches; divided by the size, this is the cost of one:
//! tens of microseconds through WebGPU, according to arXiv 2604.02344.

pub(crate) mod claims;

use record::suite::prelude::*;
use record::suite::{Dispatch, HostPart};

pub(super) const FAMILY: Family = Family {
    name: "host_cost",
    summary: "host time to submit 1 to 1000 dispatches, broken down by phase, and to compile a kernel",
    tags: &[Tag::Cost],
    model_text: "A submission has a fixed cost, and each of its n dispatches adds a fixed cost: time = submission + n \
        · dispatch. The device works at the same time, so the total is at least the device's time for the dispatches.",
    is_by_kernel: true,
    chart: Chart::Own,
    benchmarks: &[
        Benchmark { name: "dispatch", host_part: Some(HostPart::Whole), ..BASE },
        Benchmark { name: "encode", host_part: Some(HostPart::Encode), ..BASE },
        Benchmark { name: "bind_group", host_part: Some(HostPart::BindGroups), ..BASE },
        Benchmark { name: "submit", host_part: Some(HostPart::Submit), ..BASE },
        Benchmark { name: "wait", host_part: Some(HostPart::Wait), ..BASE },
        Benchmark {
            name: "immediates",
            kernel: "host_cost/immediates",
            host_part: Some(HostPart::Whole),
            steps: |shape, _| chain(shape, |from, to, own| numbered(vec![from, to], own)),
            check: Check { oracle: |shape, _| chained(shape, |own| own), ..BASE.check },
            ..BASE
        },
        Benchmark {
            name: "uniform_write",
            kernel: "host_cost/uniform_write",
            host_part: Some(HostPart::Uniforms),
            buffers: |shape, interface| Buffer::and((BASE.buffers)(shape, interface), [uniform("own", &[0])]),
            steps: |shape, _| chain(shape, |from, to, own| numbered(vec![from, to, "own"], own)),
            check: Check { oracle: |shape, _| chained(shape, |own| own), ..BASE.check },
            ..BASE
        },
        Benchmark {
            name: "indirect",
            host_part: Some(HostPart::Whole),
            buffers: |shape, interface| {
                let groups = Buffer::new("groups", 4, Contents::Words(vec![1, 1, 1, 0]));
                Buffer::and((BASE.buffers)(shape, interface), [groups])
            },
            steps: |shape, _| {
                let indirect = Some(("groups", 0));
                chain(shape, |from, to, _| Dispatch { buffers: vec![from, to], indirect, ..Dispatch::default() })
            },
            ..BASE
        },
        Benchmark {
            name: "graph",
            kernel: "host_cost/graph",
            only_cuda: Some("a WebGPU command buffer can be submitted only once"),
            host_part: Some(HostPart::Graph),
            ..BASE
        },
        Benchmark { name: "pipeline_first", host_part: Some(HostPart::FirstPipeline), ..PIPELINE },
        Benchmark { name: "pipeline_again", host_part: Some(HostPart::NextPipeline), ..PIPELINE },
    ],
    ..Family::BLANK
};

const WORDS: u64 = 64;

const BASE: Benchmark = Benchmark {
    kernel: "host_cost/dispatch",
    cases: &[Cases::standard(&[Dtype::U32], COUNTS, PLAIN)],
    buffers: |_, _| {
        let buffer = |name, contents| Buffer::new(name, WORDS, contents);
        vec![
            buffer("input", Contents::Input(Values::Wide)),
            buffer("one", Contents::Poison),
            buffer("other", Contents::Poison),
            buffer("output", Contents::Poison),
        ]
    },
    steps: |shape, _| chain(shape, |from, to, _| Dispatch { buffers: vec![from, to], ..Dispatch::default() }),
    no_ceiling: "the host is the limit, and no kernel measures its peak",
    check: Check::of("output", |_, _| WORDS, |shape, _| chained(shape, |_| 1)),
    ..Benchmark::BLANK
};

/// One dispatch, which shows that the compiled kernel is right.
const PIPELINE: Benchmark = Benchmark {
    kernel: "host_cost/pipeline_first",
    cases: &[Cases::standard(&[Dtype::U32], &[Extent::Linear(1)], PLAIN)],
    buffers: |_, _| {
        let buffer = |name, contents| Buffer::new(name, WORDS, contents);
        vec![buffer("input", Contents::Input(Values::Wide)), buffer("output", Contents::Poison), uniform("sizes", &[0])]
    },
    steps: |_, _| vec![Step::dispatch(1)],
    check: Check { oracle: |shape, _| after(shape, 1, |_| 1), ..BASE.check },
    ..BASE
};

/// `shape.count()` dispatches from `input` to `output`; each reads the buffer that the previous one wrote. `dispatch`
/// gets both buffers and the number of the dispatch, starting at 1.
fn chain(
    shape: &Shape,
    dispatch: impl Fn(&'static str, &'static str, u32) -> Dispatch<&'static str>,
) -> Vec<Step<&'static str>> {
    let (count, between) = (shape.count(), ["one", "other"]);
    let step = |number: u64| {
        let from = if number == 1 { "input" } else { between[(number % 2) as usize] };
        let to = if number == count { "output" } else { between[((number + 1) % 2) as usize] };
        Step::Dispatch(dispatch(from, to, number as u32))
    };
    (1..=count).map(step).collect()
}

fn numbered(buffers: Vec<&'static str>, number: u32) -> Dispatch<&'static str> {
    Dispatch { buffers, immediates: vec![number], ..Dispatch::default() }
}

/// The words at the end of the chain; dispatch k multiplies each by 5 and adds `added(k)`.
fn chained(shape: &Shape, added: fn(u32) -> u32) -> Oracle {
    after(shape, shape.count() as u32, added)
}

fn after(shape: &Shape, dispatches: u32, added: fn(u32) -> u32) -> Oracle {
    let (input, scalar) = (shape.input(Values::Wide), shape.dtype.scalar());
    each(move |i| {
        let next = |word: u32, number| word.wrapping_mul(5).wrapping_add(added(number));
        f64::from((1..=dispatches).fold(input.at(scalar, i) as u32, next))
    })
}

const COUNTS: &[Extent] = &linear([1, 10, 100, 1000]);
