//! `roofline`: from copying to computing, by operations per element.

pub(in crate::families) mod claims;

use crate::suite::input::Values;
use crate::suite::{
    Accepted, Benchmark, Bound, Buffer, Cases, Chart, Check, Contents, Dtype, Extent, Family, Limit, Profile, Quick,
    Step, Tag, Work, all, each, uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "roofline",
    summary: "the transition from memory-bound to compute-bound, by fused multiply-adds per element",
    tags: &[Tag::Peak],
    model_text: "Time is the longer of moving 2n scalars and doing 2 FMAS n operations: constant up to the ridge, \
        which is the ratio of the two peaks in operations per byte, and proportional to FMAS beyond it.",
    chart: Chart::Own,
    benchmarks: &[Benchmark {
        name: "fma_an_element",
        quick: &[Quick::at(
            &[Dtype::Vec4F32],
            Extent::Linear(1 << 26),
            &[&[("FMAS", 1.0)], &[("FMAS", 16.0)], &[("FMAS", 256.0)]],
        )],
        accepts: &[("FMAS", Accepted::Whole(1, 1024))],
        summary: "reads with vec4 loads, computes FMAS fused multiply-adds per element, and writes",
        look_for: "The FMAS at which time begins to rise: the ridge. Left of it GB/s is flat at the copy rate, right \
            of it GFLOP/s at the fma rate, and each row's share is of the peak that binds it; a rounded corner is latency that is not fully hidden.",
        limited_by: "Memory for few FMAS, the FMA units for many; near the ridge both, and neither peak is reached.",
        wgsl: include_str!("../../../shaders/roofline/fma_an_element.wgsl"),
        cuda: include_str!("../../../shaders/roofline/fma_an_element.cu"),
        cases: &[
            Cases {
                from: Profile::Standard,
                dtypes: &[Dtype::Vec4F32],
                extents: &[Extent::Linear(1 << 22)],
                params: &[&[("FMAS", 1.0)], &[("FMAS", 4.0)], &[("FMAS", 16.0)], &[("FMAS", 64.0)], &[("FMAS", 256.0)]],
            },
            Cases {
                from: Profile::Standard,
                dtypes: &[Dtype::Vec4F32],
                extents: &[Extent::Linear(1 << 22), Extent::Linear(1 << 26)],
                params: &[
                    &[("FMAS", 1.0)],
                    &[("FMAS", 4.0)],
                    &[("FMAS", 8.0)],
                    &[("FMAS", 16.0)],
                    &[("FMAS", 32.0)],
                    &[("FMAS", 64.0)],
                    &[("FMAS", 128.0)],
                    &[("FMAS", 256.0)],
                    &[("FMAS", 512.0)],
                ],
            },
        ],
        buffers: |shape, _| {
            vec![
                Buffer { name: "input", scalars: shape.count(), contents: Contents::Input(Values::Summable) },
                Buffer { name: "output", scalars: shape.count(), contents: Contents::Poison },
                uniform("sizes", &[shape.count() / shape.dtype.lanes(), ADDEND]),
            ]
        },
        steps: |shape, interface| {
            let elements = shape.count() / shape.dtype.lanes();
            vec![Step::dispatch(elements.div_ceil(u64::from(interface.invocations())))]
        },
        work: |shape| Work {
            bytes: 2 * shape.array_bytes(),
            flops: 2 * shape.param("FMAS", 16.0) as u64 * shape.count(),
        },
        ceiling: Some(Limit::Copy),
        bound: Bound::Roundings(|shape, _| shape.param("FMAS", 16.0) as u64),
        check: Check {
            buffer: "output",
            scalars: all,
            oracle: |shape, _| {
                let (input, scalar) = (shape.input(Values::Summable), shape.dtype.scalar());
                let fmas = shape.param("FMAS", 16.0);
                let addend = ADDEND as f64 / 128.0;
                // After F rounds of x ← m·x + p: x + F·p for m = 1; for m = −1 every second round cancels the one
                // before.
                each(move |i| match input.at(scalar, i) {
                    x if x > 0.0 => x + fmas * addend,
                    x if fmas % 2.0 == 0.0 => x,
                    x => addend - x,
                })
            },
        },
        ..Benchmark::BLANK
    }],
    ..Family::BLANK
};

/// The addend, in 128ths.
const ADDEND: u64 = 3;
