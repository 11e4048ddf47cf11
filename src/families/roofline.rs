//! `roofline`: from copying to computing, by the number of operations on each element.

use crate::results::Record;
use crate::suite::input::Values;
use crate::suite::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Limit, Profile, Step, WORKGROUP_SIZES, Work, all,
    each, flop_per_s, gb_per_s, params_but_size, uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "roofline",
    summary: "where memory stops binding and arithmetic starts, by fused multiply-adds an element",
    model_text: "Time is the longer of moving 2n scalars and doing 2 FMAS n operations: flat in time up to the \
        ridge, which is the ratio of the two ceilings in operations a byte, and in proportion to FMAS from there on.",
    is_by_kernel: false,
    tuned: WORKGROUP_SIZES,
    benchmarks: &[Benchmark {
        name: "fma_an_element",
        summary: "reads by fours, works FMAS fused multiply-adds on each element, and writes it",
        look_for: "The FMAS at which time begins to rise: the ridge. Left of it GB/s is flat at the copy's rate, \
            right of it GFLOP/s at fma's; a rounded corner is latency not fully hidden.",
        limited_by: "Memory for few FMAS, the multiply-add units for many; at the ridge both, and neither is reached \
            in full.",
        work_text: "",
        sources: &[],
        wgsl: include_str!("../../shaders/roofline/fma_an_element.wgsl"),
        cuda: include_str!("../../shaders/roofline/fma_an_element.cu"),
        only_cuda: None,
        small: None,
        cases: &[
            Cases {
                from: Profile::Quick,
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
        end_to_end: None,
        work: |shape| Work {
            bytes: 2 * shape.array_bytes(),
            flops: 2 * shape.param("FMAS", 16.0) as u64 * shape.count(),
        },
        // Arithmetic can only add to the time that copying takes.
        ceiling: Some(Limit::Copy),
        sets_ceiling: false,
        tolerance: None,
        model: None,
        check: Check {
            buffer: "output",
            scalars: all,
            oracle: |shape, _| {
                let (scalar, fmas) = (shape.dtype.scalar(), shape.param("FMAS", 16.0));
                let addend = ADDEND as f64 / 128.0;
                // After F rounds of x ← m·x + p: x + F·p for m = 1; for m = −1 every second round undoes the one before.
                each(move |i| match Values::Summable.at(scalar, i) {
                    x if x > 0.0 => x + fmas * addend,
                    x if fmas % 2.0 == 0.0 => x,
                    x => addend - x,
                })
            },
        },
    }],
    finding,
};

/// The addend, in 128ths.
const ADDEND: u64 = 3;

fn finding(rows: &[&Record]) -> Option<String> {
    let size = |row: &Record| row.n.parse::<u64>().unwrap_or(0);
    let fmas = |row: &Record| params_but_size(row).strip_prefix("FMAS=")?.parse::<f64>().ok();
    let largest = rows.iter().filter(|row| row.gb_per_s.is_some()).map(|row| size(row)).max()?;
    let same = rows.iter().filter(|row| size(row) == largest);
    let mut points: Vec<(f64, f64, f64)> =
        same.filter_map(|row| Some((fmas(row)?, row.gb_per_s?, row.gflop_per_s?))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ((fewest, full, _), (most, last, tops)) = (*points.first()?, *points.last()?);
    if points.len() < 2 {
        return None;
    }
    let fallen = points.windows(2).find(|pair| pair[0].1 >= full / 2.0 && pair[1].1 < full / 2.0);
    let ridge = fallen.map_or_else(
        || format!("stays above half of its {} up to {most} an element ({})", gb_per_s(full), gb_per_s(last)),
        |pair| {
            // Straight between two points of a plot with logarithmic axes, as rooflines are drawn.
            let part = (pair[0].1 / (full / 2.0)).ln() / (pair[0].1 / pair[1].1).ln();
            let fmas = pair[0].0 * (pair[1].0 / pair[0].0).powf(part);
            format!(
                "falls to half of its {} (at {fewest} FMA an element) at about {fmas:.0} FMA an element, {:.1} FLOP a byte",
                gb_per_s(full),
                fmas / 4.0
            )
        },
    );
    Some(format!("Of {largest} f32, bandwidth {ridge}; {most} an element reach {}.", flop_per_s(tops)))
}
