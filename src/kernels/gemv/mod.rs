//! `gemv`: the matrix-vector product, from one invocation per row to weights of 4 bits: what a language model computes for
//! each token.

pub(crate) mod claims;
mod oracles;

use oracles::{SCALES, WEIGHTS, WORDS, X, blocks_of_row, columns, x_of_blocks};

use record::suite::Value;
use record::suite::prelude::*;

/// The family.
pub const FAMILY: Family = Family {
    name: "gemv",
    summary: "the matrix-vector product y = W x, with weights of 32, 16, 8 and 4 bits",
    tags: &[Tag::Llm, Tag::Primitive],
    model_text: "Each weight is read once and used for one multiply-add, so the best time is the bytes of the weights \
        over the measured read rate. Fewer bits per weight save as much time as bytes: 4.5 bits with their scales are \
        7.1 times less than f32.",
    headlines: &[Headline { name: "gemv f16", place: 8, naive: "naive", scalar: Some(Scalar::F16), ..Headline::F32 }],
    benchmarks: &[
        Benchmark {
            name: "naive",
            since: "2026-11-24",
            steps: |shape, interface| Step::covering(rows(shape), interface),
            ..BASE
        },
        Benchmark {
            name: "workgroup",
            since: "2026-11-24",
            quick: &[],
            steps: |shape, _| vec![Step::dispatch(rows(shape))],
            ..BASE
        },
        Benchmark {
            name: "subgroup",
            since: "2026-11-24",
            // Enough workgroups for subgroups of 32; smaller subgroups leave some without rows.
            steps: |shape, interface| {
                vec![Step::dispatch(rows(shape).div_ceil(u64::from(interface.invocations()).div_ceil(32)))]
            },
            ..BASE
        },
        Benchmark {
            name: "vec4",
            since: "2026-11-24",
            quick: &[Quick::at(&[Dtype::F16], Extent::Matrix(32768, 16384), PLAIN)],
            accepts: BY_LANES,
            cases: &cases(&[Dtype::F32, Dtype::F16], F32_LARGE, F16_LARGE),
            buffers: |shape, _| floats(shape, 4),
            steps: by_lanes,
            ..BASE
        },
        Benchmark {
            name: "packed",
            since: "2026-11-24",
            quick: &[Quick::at(&[Dtype::F16], Extent::Matrix(32768, 16384), PLAIN)],
            accepts: BY_LANES,
            cases: &cases(&[Dtype::F16], F16_LARGE, F16_LARGE),
            buffers: |shape, _| floats(shape, 8),
            steps: by_lanes,
            ..BASE
        },
        Benchmark {
            name: "split_k",
            since: "2026-11-24",
            quick: &[Quick::at(&[Dtype::F16], Extent::Matrix(32768, 16384), PLAIN)],
            of_size: &[("CHUNK", |shape| chunk(shape) as f64)],
            cases: &cases(&[Dtype::F32, Dtype::F16], F32_LARGE, F16_LARGE),
            buffers: |shape, _| {
                let chunks = chunks(shape);
                let mut buffers = floats(shape, 4);
                let partial = chunks * rows(shape);
                buffers.push(Buffer { name: "partial", scalars: partial, contents: Contents::PoisonF32 });
                buffers.push(uniform("first", &[rows(shape), columns(shape), chunks, 0]));
                buffers.push(uniform("second", &[rows(shape), columns(shape), chunks, 1]));
                buffers
            },
            steps: |shape, interface| {
                let stage = |groups, sizes| Step::bound(grid(groups), vec!["weights", "x", "partial", "y", sizes]);
                let first = stage(rows(shape).div_ceil(4) * chunks(shape), "first");
                let second = || stage(rows(shape).div_ceil(interface.invocations().into()), "second");
                std::iter::once(first).chain((chunks(shape) > 1).then(second)).collect()
            },
            ..BASE
        },
        Benchmark {
            name: "q8_naive",
            since: "2026-11-24",
            quick: &[],
            steps: |shape, interface| Step::covering(rows(shape), interface),
            ..Q8
        },
        Benchmark {
            name: "q8_vec4",
            since: "2026-11-24",
            quick: &[],
            accepts: BY_LANES,
            cases: &of_blocks(Q8_LARGE),
            steps: by_lanes,
            ..Q8
        },
        Benchmark {
            name: "q4_naive",
            since: "2026-11-24",
            quick: &[],
            steps: |shape, interface| Step::covering(rows(shape), interface),
            ..Q4
        },
        Benchmark {
            name: "q4_vec4",
            since: "2026-11-24",
            quick: &[],
            accepts: BY_LANES,
            // Weights of up to 15 are summed with an offset of 1,032, 129 times the largest without: of f32, 16 bits are left.
            bound: Bound::Roundings(|_, _| 129 * 24),
            cases: &of_blocks(Q4_LARGE),
            steps: by_lanes,
            ..Q4
        },
        Benchmark {
            name: "q4_dot4",
            since: "2026-11-25T07",
            quick: &[],
            accepts: BY_LANES,
            // An element of x, of which the largest is 2^6 times the smallest at most, is rounded to 2^-22 of the largest,
            // 128 units of f32; then whole numbers are added.
            bound: Bound::Roundings(|shape, _| columns(shape) / 32 + 160),
            cases: &of_blocks(Q4_LARGE),
            buffers: |shape, _| {
                let mut buffers = quantised(shape, 4);
                buffers.truncate(4);
                let digits = Contents::Of(Scalar::U32, Box::new(Contents::Poison));
                buffers.push(Buffer { name: "digits", scalars: 60 * pairs(shape), contents: digits });
                buffers.push(uniform("first", &[rows(shape), columns(shape), 0]));
                buffers.push(uniform("second", &[rows(shape), columns(shape), 1]));
                buffers
            },
            steps: |shape, interface| {
                let stage =
                    |groups, sizes| Step::bound(grid(groups), vec!["words", "scales", "x", "digits", "y", sizes]);
                vec![
                    stage((4 * pairs(shape)).div_ceil(interface.invocations().into()), "first"),
                    stage(groups_by_lanes(shape, interface), "second"),
                ]
            },
            ..Q4
        },
        Benchmark {
            name: "cublas",
            since: "2026-11-27",
            quick: &[Quick::at(&[Dtype::F16], Extent::Matrix(32768, 16384), PLAIN)],
            summary: "cuBLAS: gemv in f32; in f16 its product with a matrix of one column",
            look_for: "Its ratio to split_k: what a CUDA program gains by the library. Few long rows (256x57344) show whether \
                it divides rows, too.",
            limited_by: "DRAM reads; at small sizes the kernel that the library selects.",
            work_text: "Weights, x and y, each moved once; 2 operations for each weight.",
            only_cuda: Some("cuBLAS is part of CUDA"),
            library: Some(Library::CuBlas),
            cases: &cases(&[Dtype::F32, Dtype::F16], F32_LARGE, F16_LARGE),
            steps: |shape, _| {
                let routine = Routine::MultiplyVector { rows: rows(shape), columns: columns(shape) };
                vec![Step::Library { routine, buffers: vec!["weights", "x", "y"] }]
            },
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// Trees halve the workgroup.
const WG: (&str, Accepted) = ("WG", Accepted::PowerOfTwo(32, 1024));

/// The invocations of a row add up four rows' sums.
const BY_LANES: &[(&str, Accepted)] = &[WG, ("LANES", Accepted::PowerOfTwo(4, 1024))];

/// What the benchmarks here share.
const BASE: Benchmark = Benchmark {
    accepts: &[WG],
    small: Some(Extent::Matrix(512, 1024)),
    cases: &cases(&[Dtype::F32, Dtype::F16], &[], &[]),
    buffers: |shape, _| floats(shape, 1),
    work: |shape| work(shape, shape.array_bytes(), shape.dtype.bytes()),
    ceiling: Some(Limit::Read),
    bound: Bound::Roundings(|shape, _| columns(shape) + 16),
    check: Check::of("y", |shape, _| rows(shape), |shape, _| oracles::of_floats(shape)),
    ..Benchmark::BLANK
};

const Q8: Benchmark = Benchmark {
    cases: &of_blocks(&[]),
    buffers: |shape, _| quantised(shape, 8),
    work: |shape| work(shape, blocks(shape) * (32 + 2), 4),
    check: Check::of("y", |shape, _| rows(shape), |shape, _| oracles::of_blocks(shape, 8)),
    ..BASE
};

const Q4: Benchmark = Benchmark {
    cases: &of_blocks(&[]),
    buffers: |shape, _| quantised(shape, 4),
    work: |shape| work(shape, blocks(shape) * (16 + 2), 4),
    check: Check::of("y", |shape, _| rows(shape), |shape, _| oracles::of_blocks(shape, 4)),
    ..BASE
};

/// One GiB of weights, for the kernels that come near the peak.
const F32_LARGE: &[Extent] = &[Extent::Matrix(16384, 16384)];
const F16_LARGE: &[Extent] = &[Extent::Matrix(32768, 16384)];
const Q8_LARGE: &[Extent] = &[Extent::Matrix(32768, 32768)];
const Q4_LARGE: &[Extent] = &[Extent::Matrix(65536, 32768)];

/// A layer of a model of 8 billion parameters, and few long rows. Not longer ones: llvmpipe ends a loop after 65,535
/// rounds, so that the kernels of one invocation per row are wrong. Then an odd size, and a larger layer.
const QUICK: &[Extent] = &[Extent::Matrix(4096, 4096), Extent::Matrix(256, 57344)];
const LAYER: &[Extent] = &[Extent::Matrix(4096, 4096)];
const STANDARD: &[Extent] =
    &[Extent::Matrix(1001, 3003), Extent::Matrix(4096, 4096), Extent::Matrix(256, 57344), Extent::Matrix(14336, 4096)];
const PLAIN: &[Params] = &[&[]];

const fn cases(dtypes: &'static [Dtype], f32_large: &'static [Extent], f16_large: &'static [Extent]) -> [Cases; 4] {
    // A block of cases has at least one size.
    const fn or_small(extents: &'static [Extent]) -> &'static [Extent] {
        if extents.is_empty() { QUICK } else { extents }
    }
    let first: &[Dtype] = if matches!(dtypes, [Dtype::F16]) { &[Dtype::F16] } else { &[Dtype::F32] };
    [
        Cases::standard(dtypes, QUICK, PLAIN),
        Cases::standard(dtypes, STANDARD, PLAIN),
        Cases::standard(first, or_small(f32_large), PLAIN),
        Cases::standard(&[Dtype::F16], or_small(f16_large), PLAIN),
    ]
}

const fn of_blocks(large: &'static [Extent]) -> [Cases; 3] {
    const DTYPES: &[Dtype] = &[Dtype::F32];
    [
        Cases::standard(DTYPES, LAYER, PLAIN),
        Cases::standard(DTYPES, STANDARD, PLAIN),
        Cases::standard(DTYPES, if large.is_empty() { QUICK } else { large }, PLAIN),
    ]
}

const fn rows(shape: &Shape) -> u64 {
    shape.extent.matrix().0
}

const fn blocks(shape: &Shape) -> u64 {
    rows(shape).saturating_mul(blocks_of_row(shape))
}

/// The weights, x with elements of `size` bytes, and y, each moved once.
const fn work(shape: &Shape, weights: u64, size: u64) -> Work {
    let bytes = weights.saturating_add(size * columns(shape)).saturating_add(4 * rows(shape));
    Work { bytes, flops: shape.count().saturating_mul(2) }
}

/// Buffers of float weights, padded to whole vectors of `lanes`.
fn floats(shape: &Shape, lanes: u64) -> Vec<Buffer> {
    let input = |name, scalars: u64, values| Buffer::input(name, scalars.next_multiple_of(lanes), values);
    vec![
        input("weights", shape.count(), WEIGHTS),
        input("x", columns(shape), X),
        Buffer { name: "y", scalars: rows(shape), contents: Contents::PoisonF32 },
        uniform("sizes", &[rows(shape), columns(shape)]),
    ]
}

/// Buffers of weights in blocks. The last block of a row has weights beyond the columns, and x elements for them: both
/// are garbage that a kernel must ignore.
fn quantised(shape: &Shape, bits: u64) -> Vec<Buffer> {
    let typed = |scalar, contents| Contents::Of(scalar, Box::new(contents));
    vec![
        Buffer { name: "words", scalars: blocks(shape) * bits, contents: typed(Scalar::U32, Contents::Input(WORDS)) },
        Buffer {
            name: "scales",
            scalars: blocks(shape).next_multiple_of(2),
            contents: typed(Scalar::F16, Contents::Input(SCALES)),
        },
        Buffer::input("x", 32 * blocks_of_row(shape), x_of_blocks(bits)),
        Buffer::output("y", rows(shape)),
        uniform("sizes", &[rows(shape), columns(shape), if bits == 8 { UNIT } else { HALF_UNITS }]),
    ]
}

/// The bits of 2^23 as f32, which turn whole numbers into floats.
const UNIT: u64 = 0x4b00_0000;

/// The bits of two f16 of 1024, which turn whole numbers below 1024 into f16.
const HALF_UNITS: u64 = 0x6400_6400;

/// The value of an override.
fn set(interface: &Interface, name: &str) -> u64 {
    let found = interface.overrides.iter().find(|(known, _)| known == name);
    if let Some((_, Value::U32(value))) = found { u64::from(*value) } else { 1 }
}

fn by_lanes(shape: &Shape, interface: &Interface) -> Vec<Step> {
    vec![Step::dispatch(groups_by_lanes(shape, interface))]
}

/// Workgroups whose invocations share rows by LANES, four rows each.
fn groups_by_lanes(shape: &Shape, interface: &Interface) -> u64 {
    let invocations = u64::from(interface.invocations());
    let lanes = set(interface, "LANES").min(invocations).max(1);
    rows(shape).div_ceil(4 * (invocations / lanes))
}

/// Pairs of blocks in a row.
const fn pairs(shape: &Shape) -> u64 {
    blocks_of_row(shape).div_ceil(2)
}

/// Columns of a chunk of `split_k`: all of them where the rows, four to a workgroup, fill a device by themselves.
fn chunk(shape: &Shape) -> u64 {
    if rows(shape) >= 2048 { columns(shape).next_multiple_of(4) } else { 4096 }
}

fn chunks(shape: &Shape) -> u64 {
    columns(shape).div_ceil(chunk(shape)).max(1)
}
