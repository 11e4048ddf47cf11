//! `stream`: the six kernels of BabelStream (Deakin et al.), with its byte counts: copy, mul, add, triad, dot, nstream.
//!
//! The operands make every result exact: the scalar is a power of two, and where two arrays meet, one holds ±k/128 and
//! the other ±1; nstream's third holds further ±k/128. Its output is an array of its own, where BabelStream adds to an
//! input, and is counted once: three reads and a write, as there. The dot product stores one sum per workgroup and vector component, all of which are checked; the host
//! adds them up, as in BabelStream's own GPU versions, and the end-to-end time includes that.
//!
//! Kernels with two reads per write are compared with the read peak: a device that fetches a line before it overwrites
//! it (as CPUs do) moves 4 for the 3 counted here and 3 for the 2 of a copy, so that these kernels exceed the rate of a
//! copy.

pub(crate) mod claims;

use record::suite::input::BLOCK;
use record::suite::prelude::*;
use record::suite::{copied, each_on_all_cores};

/// The family.
pub const FAMILY: Family = Family {
    name: "stream",
    summary: "BabelStream's six kernels, with its byte counts",
    tags: &[Tag::Memory],
    model_text: "Time is proportional to the bytes counted: relative to copy, mul and dot take the same time (2n), add \
        and triad 3/2 of it (3n), a speed of 0.67, and nstream twice it (4n), a speed of 0.5.",
    headlines: &[Headline { name: "triad", place: 3, benchmarks: &["triad"], ..Headline::F32 }],
    benchmarks: &[
        Benchmark {
            name: "copy",
            buffers: |shape, _| vec![operand("a", shape, Values::Wide), output("c", shape), sizes(shape)],
            check: Check::of("c", all, |shape, _| copied(shape, Values::Wide)),
            ..BASE
        },
        Benchmark {
            name: "mul",
            quick: &[],
            buffers: |shape, _| vec![operand("c", shape, Values::Wide), output("b", shape), sizes(shape)],
            work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: shape.count() },
            bound: Bound::Roundings(|_, _| 1),
            check: Check::of("b", all, |shape, _| from(shape, [Values::Constant(S), Values::Wide], |[s, c]| s * c)),
            ..BASE
        },
        Benchmark {
            name: "add",
            quick: &[],
            buffers: |shape, _| {
                vec![
                    operand("a", shape, Values::Summable),
                    operand("b", shape, Values::Signs),
                    output("c", shape),
                    sizes(shape),
                ]
            },
            work: |shape| Work { bytes: 3 * shape.array_bytes(), flops: shape.count() },
            ceiling: Some(Limit::Read),
            model: Some(|_| 2.0 / 3.0),
            bound: Bound::Roundings(|_, _| 1),
            check: Check::of("c", all, |shape, _| from(shape, [Values::Summable, Values::Signs], |[a, b]| a + b)),
            ..BASE
        },
        Benchmark {
            name: "triad",
            buffers: |shape, _| {
                vec![
                    operand("b", shape, Values::Signs),
                    operand("c", shape, Values::Summable),
                    output("a", shape),
                    sizes(shape),
                ]
            },
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
                vec![
                    operand("a", shape, Values::Summable),
                    operand("b", shape, Values::Signs),
                    Buffer::output("block_sums", block_sums(shape, interface)),
                    sizes(shape),
                ]
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
            since: "2026-11-26",
            buffers: |shape, _| {
                vec![
                    operand("a", shape, Values::Summable),
                    operand("b", shape, Values::Signs),
                    operand("c", shape, FURTHER),
                    output("out", shape),
                    sizes_with(shape, NSTREAM_S),
                ]
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

/// What the benchmarks here share: one element per invocation, and a time in proportion to the bytes.
const BASE: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 26), PLAIN)],
    small: Some(Extent::Linear(1 << 22)),
    cases: &[
        Cases::standard(&[Dtype::Vec4F32], &QUICK_F32, PLAIN),
        Cases::standard(&[Dtype::F64], &[Extent::Linear(1 << 24)], PLAIN),
        Cases::standard(&[Dtype::Vec4F32], &SIZES, PLAIN),
        Cases::standard(&[Dtype::F64], &[Extent::Linear(1 << 26)], PLAIN),
    ],
    buffers: |_, _| Vec::new(),
    steps: |shape, interface| Step::covering(elements(shape), interface),
    work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
    ceiling: Some(Limit::Copy),
    model: Some(|_| 1.0),
    check: Check::of("", |_, _| 0, |_, _| each(|_| f64::NAN)),
    ..Benchmark::BLANK
};

const PLAIN: &[Params] = &[&[]];

/// The largest array that every device can bind (128 MiB): beyond the caches of most, as BabelStream asks.
const QUICK_F32: [Extent; 1] = [Extent::Linear(1 << 25)];
const SIZES: [Extent; 4] =
    [Extent::Linear(1 << 25), Extent::Linear(1 << 26), Extent::Linear(1 << 27), Extent::Linear(1 << 28)];

/// The scalar s. BabelStream's is 0.4; products with 0.5 are exact.
const S: f64 = 0.5;

/// The scalar of nstream: products of 3 and k/128 are exact.
const NSTREAM_S: f64 = 3.0;

/// The third operand of nstream, independent of the first.
const FURTHER: Values = Values::SummableFrom(1 << 40);

fn elements(shape: &Shape) -> u64 {
    shape.count() / shape.dtype.lanes()
}

fn operand(name: &'static str, shape: &Shape, values: Values) -> Buffer {
    Buffer::input(name, shape.count(), values)
}

fn output(name: &'static str, shape: &Shape) -> Buffer {
    Buffer::output(name, shape.count())
}

fn sizes(shape: &Shape) -> Buffer {
    sizes_with(shape, S)
}

fn sizes_with(shape: &Shape, scalar: f64) -> Buffer {
    uniform("sizes", &[elements(shape), u64::from((scalar as f32).to_bits())])
}

/// An oracle from operands at the same index.
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
    elements(shape).div_ceil(16 * u64::from(interface.invocations())).min(16_384)
}

fn block_sums(shape: &Shape, interface: &Interface) -> u64 {
    dot_groups(shape, interface) * shape.dtype.lanes()
}

fn dot_oracle(shape: &Shape, interface: &Interface) -> Oracle {
    let (scalar, lanes, elements) = (shape.dtype.scalar(), shape.dtype.lanes(), elements(shape));
    let (a, b) = (shape.input(Values::Summable), shape.input(Values::Signs));
    let width = u64::from(interface.invocations());
    let stride = dot_groups(shape, interface) * width;
    each_on_all_cores(move |i| {
        let (block, lane) = (i / lanes, i % lanes);
        let rows = (block * width..elements).step_by(stride as usize);
        let mine = rows.flat_map(|first| first..elements.min(first + width)).map(|at| at * lanes + lane);
        mine.map(|at| a.at(scalar, at) * b.at(scalar, at)).sum()
    })
}
