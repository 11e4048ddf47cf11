//! `attention`: softmax(q kᵀ / √d) v for each head, with the scores in memory, in tiles, and on tensor cores.

pub(crate) mod claims;
mod oracle;

use oracle::{is_causal, width};
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "attention",
    summary: "attention, softmax(q kᵀ / √d) v; sizes are heads × length",
    tags: &[Tag::Llm],
    model_text: "Attention is two matrix products: 4 · length² · d operations per head, or half as many with a causal \
        mask. The best time is the operations divided by the peak rate of the units that compute them; the inputs are \
        small. Scores in memory take 4 bytes each and are written twice. The online softmax keeps only one tile of \
        scores at a time, on chip.",
    headlines: &[
        Headline {
            name: "attention",
            place: 9,
            naive: "naive",
            scalar: None,
            is_largest: false,
            cause: "other kernel",
            ..Headline::F32
        },
        Headline { name: "attention f32", benchmarks: &["naive", "tiled"], is_largest: false, ..Headline::F32 },
    ],
    benchmarks: &[
        Benchmark {
            name: "naive",
            accepts: &[("WG", Accepted::PowerOfTwo(32, 1024)), D, CAUSAL],
            cases: &cases(F32, &[Extent::Matrix(16, 4096)]),
            buffers: |shape, _| {
                let scores = Buffer::output_f32("scores", shape.count().saturating_mul(shape.columns()));
                let buffers = Buffer::and(inputs(shape, 0), [scores]);
                Buffer::and(buffers, Buffer::of_launches(&STAGES, &shape.extent.sides()))
            },
            steps: |shape, interface| {
                let (rows, invocations) = (shape.count(), interface.invocations());
                let scores = rows.saturating_mul(shape.columns()).div_ceil(invocations);
                let elements = rows.saturating_mul(width(shape)).div_ceil(invocations);
                let stage = |(name, groups)| Step::bound(grid(groups), vec!["q", "k", "v", "scores", "output", name]);
                STAGES.into_iter().zip([scores, rows, elements]).map(stage).collect()
            },
            unsupported: |shape| {
                let scores = shape.count().saturating_mul(shape.columns());
                (scores > u64::from(u32::MAX)).then_some("2^32 or more scores would overflow 32-bit indices")
            },
            tolerance: Some(|shape, interface| oracle::tolerance(shape, oracle::in_memory(shape, interface))),
            ..BASE
        },
        Benchmark {
            name: "tiled",
            accepts: &[D, CAUSAL],
            cases: &cases(F32, LONG),
            steps: |shape, _| by_queries(shape, 64),
            tolerance: Some(|shape, _| oracle::tolerance(shape, oracle::in_tiles(shape))),
            ..BASE
        },
        Benchmark {
            name: "cooperative",
            quick: &[Quick::at(&[Dtype::F16], Extent::Matrix(16, 16384), &[FULL, CAUSAL_128])],
            accepts: &[("WG", Accepted::OneOf(&[256.0])), ("QUERIES", Accepted::OneOf(&[128.0])), D, CAUSAL],
            twin_differs: Some("scores in registers, cp.async prefetch"),
            cases: &cases(F16, LONG),
            // The kernel reads tiles past the end of the last head, and replaces their scores.
            buffers: |shape, _| buffers(shape, PADDING),
            steps: |shape, interface| by_queries(shape, interface.parameter("QUERIES").max(16)),
            ceiling: Some(Limit::Tensor),
            tolerance: Some(|shape, _| oracle::tolerance(shape, oracle::in_halves(shape))),
            ..BASE
        },
        Benchmark {
            name: "wgmma",
            only_cuda: Some("WGSL has no asynchronous copies and no matrix products across subgroups"),
            accepts: &[D, CAUSAL, ("BLOCKS", Accepted::Whole(1, 1024))],
            cases: &WGMMA_CASES,
            buffers: |shape, interface| {
                // Three tensor maps of 128 bytes for each block.
                let words = 96 * interface.parameter("BLOCKS");
                let maps = Buffer::new("maps", words, Contents::Words(vec![0; words as usize]));
                Buffer::and(inputs(shape, 0), [maps, uniform("sizes", &shape.extent.sides())])
            },
            steps: |_, interface| vec![Step::dispatch(interface.parameter("BLOCKS"))],
            ceiling: Some(Limit::Tensor),
            tolerance: Some(|shape, _| oracle::tolerance(shape, oracle::in_halves(shape))),
            ..BASE
        },
        Benchmark {
            name: "cudnn",
            quick: &[Quick::at(&[Dtype::F16], Extent::Matrix(16, 16384), &[FULL])],
            only_cuda: Some("cuDNN needs CUDA"),
            library: Some(Library::CuDnn),
            accepts: &[D, CAUSAL],
            cases: &cases(F16, LONG),
            buffers: |shape, _| {
                let mut buffers = inputs(shape, 0);
                buffers[3].contents = Contents::Poison;
                buffers
            },
            steps: |shape, _| {
                let (heads, length) = shape.extent.matrix();
                let routine = Routine::Attention { heads, length, width: width(shape), is_causal: is_causal(shape) };
                Step::library(routine, &["q", "k", "v", "output"])
            },
            ceiling: Some(Limit::Tensor),
            tolerance: Some(|shape, _| oracle::tolerance(shape, oracle::in_library(shape))),
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// Kernels keep outputs in individually named registers.
const D: (&str, Accepted) = ("D", Accepted::OneOf(&[64.0, 128.0]));
const CAUSAL: (&str, Accepted) = ("CAUSAL", Accepted::SWITCH);

const STAGES: [&str; 3] = ["first", "second", "third"];

const BASE: Benchmark = Benchmark {
    small: Some(Extent::Matrix(2, 100)),
    precise_at: Some(Extent::Matrix(2, 33)),
    buffers: |shape, _| buffers(shape, 0),
    work,
    ceiling: Some(Limit::Fma),
    host_cost: |shape| shape.columns() / 32,
    check: Check::of("output", |shape, _| elements(shape), |shape, _| oracle::attended(shape)),
    ..Benchmark::BLANK
};

const F32: &[Dtype] = &[Dtype::F32];
const F16: &[Dtype] = &[Dtype::F16];

const FULL: Params = &[("CAUSAL", 0.0), ("D", 128.0)];
const CAUSAL_128: Params = &[("CAUSAL", 1.0), ("D", 128.0)];
const FULL_64: Params = &[("CAUSAL", 0.0), ("D", 64.0)];
const CAUSAL_64: Params = &[("CAUSAL", 1.0), ("D", 64.0)];

/// One block per SM of an H100; each runs for the whole launch.
const HOPPER: &[Params] = &[
    &[("BLOCKS", 132.0), ("CAUSAL", 0.0), ("D", 128.0)],
    &[("BLOCKS", 132.0), ("CAUSAL", 1.0), ("D", 128.0)],
    &[("BLOCKS", 132.0), ("CAUSAL", 0.0), ("D", 64.0)],
    &[("BLOCKS", 132.0), ("CAUSAL", 1.0), ("D", 64.0)],
];

const WGMMA_CASES: [Cases; 2] = [
    Cases::standard(F16, &[Extent::Matrix(3, 200)], HOPPER),
    Cases::standard(F16, &matrices([(4, 1024), (16, 1024), (16, 4096), (16, 16384)]), HOPPER.split_at(3).0),
];

const LONG: &[Extent] = &matrices([(16, 4096), (16, 16384)]);

/// An odd size with all parameters, sequences of 1024 tokens, and those in `long`.
const fn cases(dtypes: &'static [Dtype], long: &'static [Extent]) -> [Cases; 5] {
    const ODD: &[Extent] = &[Extent::Matrix(3, 200)];
    const HEADLINE: &[Extent] = &[Extent::Matrix(4, 1024)];
    const MANY_HEADS: &[Extent] = &[Extent::Matrix(16, 1024)];
    [
        Cases::standard(dtypes, ODD, &[FULL, CAUSAL_128]),
        Cases::standard(dtypes, ODD, &[FULL_64, CAUSAL_64]),
        Cases::standard(dtypes, HEADLINE, &[FULL, CAUSAL_128]),
        Cases::standard(dtypes, MANY_HEADS, &[FULL, CAUSAL_128]),
        Cases::standard(dtypes, long, &[FULL, CAUSAL_128, FULL_64]),
    ]
}

/// Elements of each of q, k, v and the output, laid out as heads × length × d.
fn elements(shape: &Shape) -> u64 {
    shape.count().saturating_mul(width(shape))
}

/// Two products of length² × d multiply-adds per head; a causal mask leaves length · (length + 1) / 2 of length².
fn work(shape: &Shape) -> Work {
    let (heads, length) = shape.extent.matrix();
    let keys = if is_causal(shape) { length.saturating_mul(length + 1) / 2 } else { length.saturating_mul(length) };
    Work { bytes: 0, flops: heads.saturating_mul(keys).saturating_mul(4 * width(shape)) }
}

/// Rows past the end: the most queries of a workgroup, and twice the keys that it reads at once.
const PADDING: u64 = 256;

fn inputs(shape: &Shape, padding: u64) -> Vec<Buffer> {
    let scalars = elements(shape).saturating_add(padding * width(shape));
    let input = |name, values| Buffer::input(name, scalars, values);
    vec![
        input("q", Values::Queries(width(shape))),
        input("k", Values::AttentionKeys(width(shape))),
        input("v", oracle::VALUES),
        Buffer::output_f32("output", elements(shape)),
    ]
}

fn buffers(shape: &Shape, padding: u64) -> Vec<Buffer> {
    Buffer::and(inputs(shape, padding), [uniform("sizes", &shape.extent.sides())])
}

/// One dispatch, with `queries` queries of one head per workgroup.
fn by_queries(shape: &Shape, queries: u64) -> Vec<Step> {
    let (heads, length) = shape.extent.matrix();
    vec![Step::dispatch(heads.saturating_mul(length.div_ceil(queries)))]
}
