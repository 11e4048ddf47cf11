//! `gemv`: the matrix-vector product, as a language model computes for each token, with weights of 32 to 4 bits.

pub(crate) mod claims;
mod oracles;

use oracles::{SCALES, WEIGHTS, WORDS, X, blocks_of_row, x_of_blocks};

use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "gemv",
    summary: "the matrix-vector product y = W x, with weights of 32, 16, 8 and 4 bits",
    tags: &[Tag::Llm, Tag::Primitive],
    model_text: "Each weight is read once and used for one multiply-add. The best time is the bytes of the weights \
        divided by the measured read rate, so fewer bytes save time in proportion: weights of 4.5 bits (scales \
        included) take 1/7.1 of the bytes of f32.",
    headlines: &[
        Headline { name: "gemv f16", place: 8, naive: "naive", scalar: Some(Scalar::F16), ..Headline::F32 },
        Headline {
            name: "gemv f32",
            benchmarks: &["naive", "workgroup", "subgroup", "vec4", "split_k"],
            ..Headline::F32
        },
        Headline { name: "gemv q8", benchmarks: &["q8_naive", "q8_vec4"], ..Headline::F32 },
        Headline { name: "gemv q4", benchmarks: &["q4_naive", "q4_vec4", "q4_dot4"], ..Headline::F32 },
    ],
    benchmarks: &[
        Benchmark { name: "naive", steps: |shape, interface| Step::covering(shape.rows(), interface), ..BASE },
        Benchmark { name: "workgroup", steps: |shape, _| vec![Step::dispatch(shape.rows())], ..BASE },
        Benchmark {
            name: "subgroup",
            // Enough workgroups for subgroups of 32; smaller subgroups leave some without rows.
            steps: |shape, interface| vec![Step::dispatch(shape.rows().div_ceil(interface.invocations().div_ceil(32)))],
            ..BASE
        },
        Benchmark {
            name: "vec4",
            quick: &[Quick::at(&[Dtype::F16], Extent::Matrix(32768, 16384), PLAIN)],
            accepts: BY_LANES,
            cases: &cases(&[Dtype::F32, Dtype::F16], F32_LARGE, F16_LARGE),
            buffers: |shape, _| floats(shape, 4),
            steps: by_lanes,
            ..BASE
        },
        Benchmark {
            name: "packed",
            quick: &[Quick::at(&[Dtype::F16], Extent::Matrix(32768, 16384), PLAIN)],
            accepts: BY_LANES,
            cases: &cases(&[Dtype::F16], F16_LARGE, F16_LARGE),
            buffers: |shape, _| floats(shape, 8),
            steps: by_lanes,
            ..BASE
        },
        Benchmark {
            name: "split_k",
            quick: &[Quick::at(&[Dtype::F16], Extent::Matrix(32768, 16384), PLAIN)],
            of_size: &[("CHUNK", |shape| chunk(shape) as f64)],
            cases: &cases(&[Dtype::F32, Dtype::F16], F32_LARGE, F16_LARGE),
            buffers: |shape, _| {
                let chunks = chunks(shape);
                let buffers = Buffer::and(floats(shape, 4), [Buffer::output_f32("partial", chunks * shape.rows())]);
                let sizes = [shape.rows(), shape.columns(), chunks];
                Buffer::and(buffers, Buffer::of_launches(&["first", "second"], &sizes))
            },
            steps: |shape, interface| {
                let stage = |groups, sizes| Step::bound(grid(groups), vec!["weights", "x", "partial", "y", sizes]);
                let first = stage(shape.rows().div_ceil(4) * chunks(shape), "first");
                let second = || stage(shape.rows().div_ceil(interface.invocations()), "second");
                std::iter::once(first).chain((chunks(shape) > 1).then(second)).collect()
            },
            ..BASE
        },
        Benchmark { name: "q8_naive", steps: |shape, interface| Step::covering(shape.rows(), interface), ..Q8 },
        Benchmark { name: "q8_vec4", accepts: BY_LANES, cases: &of_blocks(Q8_LARGE), steps: by_lanes, ..Q8 },
        Benchmark { name: "q4_naive", steps: |shape, interface| Step::covering(shape.rows(), interface), ..Q4 },
        Benchmark {
            name: "q4_vec4",
            accepts: BY_LANES,
            // Weights are summed with an offset of 1,032, 129 times the largest weight: 16 bits of f32 are left.
            bound: Bound::Roundings(|_, _| 129 * 24),
            cases: &of_blocks(Q4_LARGE),
            steps: by_lanes,
            ..Q4
        },
        Benchmark {
            name: "q4_dot4",
            accepts: BY_LANES,
            // Each element of x is rounded to 2^-22 of the largest, which is at most 2^6 times the smallest: 128 units
            // of f32. Then whole numbers are added.
            bound: Bound::Roundings(|shape, _| shape.columns() / 32 + 160),
            cases: &of_blocks(Q4_LARGE),
            buffers: |shape, _| {
                let mut buffers = quantised(shape, 4);
                buffers.truncate(4);
                buffers.push(Buffer::new("digits", 60 * pairs(shape), Contents::Poison.of(Scalar::U32)));
                buffers.extend(Buffer::of_launches(&["first", "second"], &shape.extent.sides()));
                buffers
            },
            steps: |shape, interface| {
                let stage =
                    |groups, sizes| Step::bound(grid(groups), vec!["words", "scales", "x", "digits", "y", sizes]);
                vec![
                    stage((4 * pairs(shape)).div_ceil(interface.invocations()), "first"),
                    stage(groups_by_lanes(shape, interface), "second"),
                ]
            },
            ..Q4
        },
        Benchmark {
            name: "cublas",
            quick: &[Quick::at(&[Dtype::F16], Extent::Matrix(32768, 16384), PLAIN)],
            only_cuda: Some("cuBLAS needs CUDA"),
            library: Some(Library::CuBlas),
            cases: &cases(&[Dtype::F32, Dtype::F16], F32_LARGE, F16_LARGE),
            steps: |shape, _| {
                let routine = Routine::MultiplyVector { rows: shape.rows(), columns: shape.columns() };
                Step::library(routine, &["weights", "x", "y"])
            },
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// Trees halve the workgroup.
const WG: (&str, Accepted) = ("WG", Accepted::PowerOfTwo(32, 1024));

/// At least four lanes: they add up the sums of four rows.
const BY_LANES: &[(&str, Accepted)] = &[WG, ("LANES", Accepted::PowerOfTwo(4, 1024))];

const BASE: Benchmark = Benchmark {
    accepts: &[WG],
    small: Some(Extent::Matrix(512, 1024)),
    cases: &cases(&[Dtype::F32, Dtype::F16], &[], &[]),
    buffers: |shape, _| floats(shape, 1),
    work: |shape| work(shape, shape.array_bytes(), shape.dtype.bytes()),
    ceiling: Some(Limit::Read),
    bound: Bound::Roundings(|shape, _| shape.columns() + 16),
    check: Check::of("y", |shape, _| shape.rows(), |shape, _| oracles::of_floats(shape)),
    ..Benchmark::BLANK
};

const Q8: Benchmark = Benchmark {
    cases: &of_blocks(&[]),
    buffers: |shape, _| quantised(shape, 8),
    work: |shape| work(shape, blocks(shape) * (32 + 2), 4),
    check: Check::of("y", |shape, _| shape.rows(), |shape, _| oracles::of_blocks(shape, 8)),
    ..BASE
};

const Q4: Benchmark = Benchmark {
    cases: &of_blocks(&[]),
    buffers: |shape, _| quantised(shape, 4),
    work: |shape| work(shape, blocks(shape) * (16 + 2), 4),
    check: Check::of("y", |shape, _| shape.rows(), |shape, _| oracles::of_blocks(shape, 4)),
    ..BASE
};

/// One GiB of weights, for the kernels that come near the peak.
const F32_LARGE: &[Extent] = &[Extent::Matrix(16384, 16384)];
const F16_LARGE: &[Extent] = &[Extent::Matrix(32768, 16384)];
const Q8_LARGE: &[Extent] = &[Extent::Matrix(32768, 32768)];
const Q4_LARGE: &[Extent] = &[Extent::Matrix(65536, 32768)];

/// A layer of a model of 8 billion parameters, and few long rows. No longer rows: llvmpipe ends loops after 65,535
/// iterations, so kernels of one invocation per row would be wrong. `STANDARD` adds an odd size and a larger layer.
const QUICK: &[Extent] = &matrices([(4096, 4096), (256, 57344)]);
const LAYER: &[Extent] = &[Extent::Matrix(4096, 4096)];
const STANDARD: &[Extent] = &matrices([(1001, 3003), (4096, 4096), (256, 57344), (14336, 4096)]);
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

const fn blocks(shape: &Shape) -> u64 {
    shape.rows().saturating_mul(blocks_of_row(shape))
}

/// The weights, x with elements of `size` bytes, and y, each moved once.
const fn work(shape: &Shape, weights: u64, size: u64) -> Work {
    let bytes = weights.saturating_add(size * shape.columns()).saturating_add(4 * shape.rows());
    Work { bytes, flops: shape.count().saturating_mul(2) }
}

fn floats(shape: &Shape, lanes: u64) -> Vec<Buffer> {
    let input = |name, scalars: u64, values| Buffer::input(name, scalars.next_multiple_of(lanes), values);
    vec![
        input("weights", shape.count(), WEIGHTS),
        input("x", shape.columns(), X),
        Buffer::output_f32("y", shape.rows()),
        uniform("sizes", &[shape.rows(), shape.columns()]),
    ]
}

/// The last block of a row has weights beyond the columns, and x elements for them: garbage that kernels must ignore.
fn quantised(shape: &Shape, bits: u64) -> Vec<Buffer> {
    vec![
        Buffer::new("words", blocks(shape) * bits, Contents::Input(WORDS).of(Scalar::U32)),
        Buffer::new("scales", blocks(shape).next_multiple_of(2), Contents::Input(SCALES).of(Scalar::F16)),
        Buffer::input("x", 32 * blocks_of_row(shape), x_of_blocks(bits)),
        Buffer::output("y", shape.rows()),
        uniform("sizes", &[shape.rows(), shape.columns(), if bits == 8 { UNIT } else { HALF_UNITS }]),
    ]
}

/// The bits of 2^23 as f32, which turn whole numbers into floats.
const UNIT: u64 = 0x4b00_0000;

/// The bits of two f16 of 1024, which turn whole numbers below 1024 into f16.
const HALF_UNITS: u64 = 0x6400_6400;

fn by_lanes(shape: &Shape, interface: &Interface) -> Vec<Step> {
    vec![Step::dispatch(groups_by_lanes(shape, interface))]
}

/// Workgroups in which LANES invocations share four rows.
fn groups_by_lanes(shape: &Shape, interface: &Interface) -> u64 {
    let invocations = interface.invocations();
    let lanes = interface.parameter("LANES").min(invocations).max(1);
    shape.rows().div_ceil(4 * (invocations / lanes))
}

const fn pairs(shape: &Shape) -> u64 {
    blocks_of_row(shape).div_ceil(2)
}

/// Columns of a chunk of `split_k`: all of them if the rows, four per workgroup, fill a device by themselves.
fn chunk(shape: &Shape) -> u64 {
    if shape.rows() >= 2048 { shape.columns().next_multiple_of(4) } else { 4096 }
}

fn chunks(shape: &Shape) -> u64 {
    shape.columns().div_ceil(chunk(shape)).max(1)
}
