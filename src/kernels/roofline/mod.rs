//! `roofline`: from copying to computing, by operations per element.

pub(crate) mod claims;

use record::suite::prelude::*;
use record::suite::vectors::vectorised;

pub(super) const FAMILY: Family = Family {
    name: "roofline",
    summary: "the transition from memory-bound to compute-bound, by fused multiply-adds per element",
    tags: &[Tag::Peak],
    model_text: "A kernel takes as long as moving 2n scalars or as doing 2 · FMAS · n operations, whichever is longer. \
        Its time is constant up to the ridge (the ratio of the two peaks, in operations per byte) and proportional to \
        FMAS beyond the ridge.",
    chart: Chart::Own,
    benchmarks: &[Benchmark {
        name: "fma_an_element",
        quick: &[Quick::at(&[Dtype::Vec4F32], Extent::Linear(1 << 26), &sets(&values("FMAS", [1.0, 16.0, 256.0])))],
        accepts: &[("FMAS", Accepted::Whole(1, 1024))],
        cases: &[
            Cases::standard(&[Dtype::Vec4F32], &[Extent::Linear(1 << 22)], FEW),
            Cases::standard(&[Dtype::Vec4F32], &linear([1 << 22, 1 << 26]), MANY),
        ],
        buffers: |shape, _| {
            Buffer::in_and_out(shape, Values::Signed, &[shape.elements(), addend(shape).to_bits().into()])
        },
        work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 2 * fmas(shape) * shape.count() },
        ceiling: Some(Limit::Copy),
        // The oracle computes several elements at a time, in L1.
        host_cost: |shape| fmas(shape) / 16,
        bound: Bound::Roundings(|shape, _| fmas(shape)),
        check: Check::of("output", all, chains),
        ..Benchmark::BLANK
    }],
    ..Family::BLANK
};

/// The addend: about 1/32, with a full significand.
fn addend(shape: &Shape) -> f32 {
    let random = Values::Wide.of(shape.stream).at(Scalar::U32, 1 << 50) as u32;
    f32::from_bits(0x3d00_0001 | random & 0x007f_ffff)
}

const FEW: &[Params] = &sets(&values("FMAS", [1.0, 4.0, 16.0, 64.0, 256.0]));
const MANY: &[Params] = &sets(&values("FMAS", [1.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0]));

fn fmas(shape: &Shape) -> u64 {
    shape.param("FMAS", 16.0) as u64
}

fn chains(shape: &Shape, _: &Interface) -> Oracle {
    let (input, scalar) = (shape.input(Values::Signed), shape.dtype.scalar());
    let (fmas, addend) = (shape.param("FMAS", 16.0), addend(shape));
    if shape.significands.are_few() {
        return Box::new(move |first, slots| {
            input.elements(scalar, first, 1, slots);
            added(slots, fmas as u32, addend);
        });
    }
    // Unrounded, F rounds of x ← m·x + p give x + F·p for m = 1; for m = −1, every second one cancels the previous.
    each(move |i| match input.at(scalar, i) {
        x if x > 0.0 => x + fmas * f64::from(addend),
        x if fmas % 2.0 == 0.0 => x,
        x => f64::from(addend) - x,
    })
}

vectorised! {
    /// Applies `fmas` steps x ← m·x + `addend` to each x, with m = 1 if x is positive, otherwise -1. A product by m is
    /// exact, so a step rounds once, fused or not.
    fn added(slots: &mut [f64], fmas: u32, addend: f32) {
        const LANES: usize = 64;
        for slots in slots.chunks_mut(LANES) {
            let (mut x, mut m) = ([0.0_f32; LANES], [1.0_f32; LANES]);
            for ((x, m), slot) in x.iter_mut().zip(&mut m).zip(&*slots) {
                *x = *slot as f32;
                *m = if *x > 0.0 { 1.0 } else { -1.0 };
            }
            for _ in 0..fmas {
                x.iter_mut().zip(&m).for_each(|(x, m)| *x = *m * *x + addend);
            }
            slots.iter_mut().zip(x).for_each(|(slot, x)| *slot = x.into());
        }
    }
}
