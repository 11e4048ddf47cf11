//! `stream`: the six kernels of BabelStream (Deakin et al.), with its byte counts: copy, mul, add, triad, dot, nstream.
//!
//! The operands make every result exact: the scalar is a power of two, and where two arrays meet, one holds ±k/128 and
//! the other ±1; nstream's third holds further ±k/128. Its output is an array of its own (BabelStream adds to an input)
//! and is counted once: three reads and a write, as there. The dot product stores a sum per workgroup and vector
//! component, all checked. The end-to-end time includes their sum on the host, as in BabelStream's GPU versions.
//!
//! Kernels with two reads per write are compared with the read peak: a device that fetches a line before it overwrites
//! it (as CPUs do) moves 4 arrays for the 3 counted here and 3 for the 2 of a copy, so they exceed the copy rate.

pub(crate) mod claims;

use record::suite::input::BLOCK;
use record::suite::prelude::*;
use record::suite::{copied, each_on_all_cores};

pub(super) const FAMILY: Family = Family {
    name: "stream",
    summary: "BabelStream's six kernels, with its byte counts",
    tags: &[Tag::Memory],
    model_text: "Time is proportional to the bytes counted. Relative to copy, mul and dot move as many bytes (2n; \
        speed 1), add and triad 1.5 times as many (3n; speed 0.67), and nstream twice as many (4n; speed 0.5).",
    headlines: &[Headline { name: "triad", place: 3, benchmarks: &["triad"], ..Headline::F32 }],
    benchmarks: &[
        Benchmark {
            name: "copy",
            buffers: |shape, _| arrays(shape, &[("a", Values::Wide)], "c", S),
            check: Check::of("c", all, |shape, _| copied(shape, Values::Wide)),
            ..BASE
        },
        Benchmark {
            name: "mul",
            quick: &[],
            buffers: |shape, _| arrays(shape, &[("c", Values::Wide)], "b", S),
            work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: shape.count() },
            bound: Bound::Roundings(|_, _| 1),
            check: Check::of("b", all, |shape, _| from(shape, [Values::Constant(S), Values::Wide], |[s, c]| s * c)),
            ..BASE
        },
        Benchmark {
            name: "add",
            quick: &[],
            buffers: |shape, _| arrays(shape, &[("a", Values::Summable), ("b", Values::Signs)], "c", S),
            work: |shape| Work { bytes: 3 * shape.array_bytes(), flops: shape.count() },
            ceiling: Some(Limit::Read),
            model: Some(|_| 2.0 / 3.0),
            bound: Bound::Roundings(|_, _| 1),
            check: Check::of("c", all, |shape, _| from(shape, [Values::Summable, Values::Signs], |[a, b]| a + b)),
            ..BASE
        },
        Benchmark {
            name: "triad",
            buffers: |shape, _| arrays(shape, &[("b", Values::Signs), ("c", Values::Summable)], "a", S),
            work: |shape| Work { bytes: 3 * shape.array_bytes(), flops: 2 * shape.count() },
            ceiling: Some(Limit::Read),
            model: Some(|_| 2.0 / 3.0),
            bound: Bound::Roundings(|_, _| 2),
            check: Check::of("a", all, |shape, _| from(shape, [Values::Signs, Values::Summable], |[b, c]| b + S * c)),
            ..BASE
        },
        Benchmark {
            name: "dot",
            quick: &[],
            accepts: &[("WG", Accepted::PowerOfTwo(1, 1024))],
            buffers: |shape, interface| {
                let mut buffers = arrays(shape, &[("a", Values::Summable), ("b", Values::Signs)], "block_sums", S);
                buffers[2].scalars = block_sums(shape, interface);
                buffers
            },
            steps: |shape, interface| vec![Step::dispatch(dot_groups(shape, interface))],
            end_to_end: Some(|shape, interface| {
                vec![
                    Step::dispatch(dot_groups(shape, interface)),
                    Step::SumOnHost { buffer: "block_sums", scalars: block_sums(shape, interface) },
                ]
            }),
            work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 2 * shape.count() },
            ceiling: Some(Limit::Read),
            // 16 products and sums in each invocation, and a tree.
            bound: Bound::Roundings(|_, _| 48),
            check: Check::of("block_sums", block_sums, dot_oracle),
            ..BASE
        },
        Benchmark {
            name: "nstream",
            quick: &[],
            buffers: |shape, _| {
                let operands = [("a", Values::Summable), ("b", Values::Signs), ("c", FURTHER)];
                arrays(shape, &operands, "out", NSTREAM_S)
            },
            work: |shape| Work { bytes: 4 * shape.array_bytes(), flops: 3 * shape.count() },
            ceiling: Some(Limit::Read),
            model: Some(|_| 0.5),
            bound: Bound::Roundings(|_, _| 3),
            check: Check::of("out", all, |shape, _| {
                from(shape, [Values::Summable, Values::Signs, FURTHER], |[a, b, c]| a + b + NSTREAM_S * c)
            }),
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// One element per invocation, and a time proportional to the bytes.
const BASE: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 26), PLAIN)],
    small: Some(Extent::Linear(1 << 22)),
    cases: &[
        Cases::standard(&[Dtype::Vec4F32], &QUICK_F32, PLAIN),
        Cases::standard(&[Dtype::F64], &[Extent::Linear(1 << 24)], PLAIN),
        Cases::standard(&[Dtype::Vec4F32], &SIZES, PLAIN),
        Cases::standard(&[Dtype::F64], &[Extent::Linear(1 << 26)], PLAIN),
    ],
    work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
    ceiling: Some(Limit::Copy),
    model: Some(|_| 1.0),
    ..Benchmark::BLANK
};

/// The largest array that every device can bind (128 MiB): larger than most caches, as BabelStream requires.
const QUICK_F32: [Extent; 1] = [Extent::Linear(1 << 25)];
const SIZES: [Extent; 4] =
    [Extent::Linear(1 << 25), Extent::Linear(1 << 26), Extent::Linear(1 << 27), Extent::Linear(1 << 28)];

/// The scalar s. BabelStream's is 0.4; products with 0.5 are exact.
const S: f64 = 0.5;

/// The scalar of nstream: products of 3 and k/128 are exact.
const NSTREAM_S: f64 = 3.0;

const FURTHER: Values = Values::SummableFrom(1 << 40);

fn arrays(shape: &Shape, operands: &[(&'static str, Values)], result: &'static str, scalar: f64) -> Vec<Buffer> {
    let operands = operands.iter().map(|(name, values)| Buffer::input(name, shape.count(), *values));
    let sizes = uniform("sizes", &[shape.elements(), u64::from((scalar as f32).to_bits())]);
    operands.chain([Buffer::output(result, shape.count()), sizes]).collect()
}

fn from<const N: usize>(
    shape: &Shape,
    operands: [Values; N],
    value: impl Fn([f64; N]) -> f64 + Send + Sync + 'static,
) -> Oracle {
    let (operands, scalar) = (operands.map(|values| shape.input(values)), shape.dtype.scalar());
    Box::new(move |first, slots| {
        let mut blocks = [[0.0; BLOCK]; N];
        for (number, slots) in slots.chunks_mut(BLOCK).enumerate() {
            let first = first + (number * BLOCK) as u64;
            for (operand, block) in operands.iter().zip(&mut blocks) {
                operand.elements(scalar, first, 1, &mut block[..slots.len()]);
            }
            for (at, slot) in slots.iter_mut().enumerate() {
                *slot = value(std::array::from_fn(|operand| blocks[operand][at]));
            }
        }
    })
}

/// Workgroups of `dot`: 16 elements per invocation, more where the grid would otherwise be rounded up.
fn dot_groups(shape: &Shape, interface: &Interface) -> u64 {
    shape.elements().div_ceil(16 * interface.invocations()).min(16_384)
}

fn block_sums(shape: &Shape, interface: &Interface) -> u64 {
    dot_groups(shape, interface) * shape.dtype.lanes()
}

fn dot_oracle(shape: &Shape, interface: &Interface) -> Oracle {
    let (scalar, lanes, elements) = (shape.dtype.scalar(), shape.dtype.lanes(), shape.elements());
    let (a, b) = (shape.input(Values::Summable), shape.input(Values::Signs));
    let width = interface.invocations();
    let stride = dot_groups(shape, interface) * width;
    each_on_all_cores(move |i| {
        let (block, lane) = (i / lanes, i % lanes);
        let rows = (block * width..elements).step_by(stride as usize);
        let mine = rows.flat_map(|first| first..elements.min(first + width)).map(|at| at * lanes + lane);
        mine.map(|at| a.at(scalar, at) * b.at(scalar, at)).sum()
    })
}
