//! `pitched`: rows padded to a pitch of 256 bytes against packed rows of an odd width, in two and three dimensions (source article
//! 001). The pitch is what CUDA's allocators give and what copies to textures demand.

use super::input::Values;
use super::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Limit, Oracle, Params, Profile, Shape, Step,
    Work, each, uniform,
};
use crate::record::Record;
use crate::shader::Interface;

/// The family.
pub const FAMILY: Family = Family {
    name: "pitched",
    summary: "rows padded to 256 bytes against packed rows of an odd width, every element read once",
    is_by_kernel: true,
    benchmarks: &[
        Benchmark {
            name: "rows_2d",
            summary: "the rows of a matrix",
            sources: &["B4"],
            wgsl: include_str!("../../shaders/pitched/rows_2d.wgsl"),
            ..BASE
        },
        Benchmark {
            name: "slices_3d",
            summary: "the rows of a volume, slice by slice",
            sources: &["B5"],
            wgsl: include_str!("../../shaders/pitched/slices_3d.wgsl"),
            cases: &[
                Cases {
                    from: Profile::Quick,
                    dtypes: &[Dtype::F32],
                    extents: &[Extent::Product(65, 65, 65), Extent::Product(129, 129, 129)],
                    params: PITCHES,
                },
                Cases {
                    from: Profile::Standard,
                    dtypes: &[Dtype::F32],
                    extents: &[Extent::Product(257, 257, 257), Extent::Product(511, 511, 511)],
                    params: PITCHES,
                },
            ],
            ..BASE
        },
    ],
    finding,
};

/// What the benchmarks here share.
const BASE: Benchmark = Benchmark {
    name: "",
    summary: "",
    sources: &[],
    wgsl: "",
    cases: &[
        Cases {
            from: Profile::Quick,
            dtypes: &[Dtype::F32],
            extents: &[Extent::Matrix(1023, 2047), Extent::Matrix(4096, 4095)],
            params: PITCHES,
        },
        Cases {
            from: Profile::Standard,
            dtypes: &[Dtype::F32],
            extents: &[Extent::Matrix(8192, 8191), Extent::Matrix(16384, 16383)],
            params: PITCHES,
        },
    ],
    buffers: |shape, interface| {
        let (width, height, depth) = sides(shape.extent);
        let sizes = match shape.extent {
            Extent::Product(..) => vec![width, height, depth, pitch(shape)],
            _ => vec![height, width, pitch(shape)],
        };
        vec![
            Buffer {
                name: "input",
                scalars: pitch(shape) * height * depth,
                contents: Contents::Input(Values::Summable),
            },
            Buffer { name: "output", scalars: sums(shape, interface), contents: Contents::Poison },
            uniform("sizes", &sizes),
        ]
    },
    steps: |shape, _| {
        let (_, height, depth) = sides(shape.extent);
        match shape.extent {
            Extent::Product(..) => {
                let side = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
                vec![Step::Dispatch { groups: [side(height), side(depth), 1], rebind: Vec::new() }]
            }
            _ => vec![Step::dispatch(height)],
        }
    },
    end_to_end: None,
    work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
    ceiling: Some(Limit::Read),
    sets_ceiling: false,
    model: None,
    check: Check { buffer: "output", scalars: sums, oracle: sums_of_rows },
};

/// Packed, and padded.
const PITCHES: &[Params] = &[&[("PITCHED", 0.0)], &[("PITCHED", 1.0)]];

/// Width, height and depth; a matrix is one slice.
const fn sides(extent: Extent) -> (u64, u64, u64) {
    match extent {
        Extent::Product(depth, height, width) => (width, height, depth),
        extent => (extent.matrix().1, extent.matrix().0, 1),
    }
}

/// Scalars from one row to the next.
fn pitch(shape: &Shape) -> u64 {
    let (width, ..) = sides(shape.extent);
    if shape.param("PITCHED", 0.0) == 0.0 {
        width
    } else {
        width.next_multiple_of(256 / shape.dtype.scalar().bytes() as u64)
    }
}

/// Sums written: one an invocation, a workgroup a row.
fn sums(shape: &Shape, interface: &Interface) -> u64 {
    let (_, height, depth) = sides(shape.extent);
    height * depth * u64::from(interface.invocations())
}

fn sums_of_rows(shape: &Shape, interface: &Interface) -> Oracle {
    let ((width, ..), pitch, scalar) = (sides(shape.extent), pitch(shape), shape.dtype.scalar());
    let invocations = u64::from(interface.invocations());
    each(move |i| {
        let (row, t) = (i / invocations, i % invocations);
        (t..width).step_by(invocations as usize).map(|x| Values::Summable.at(scalar, row * pitch + x)).sum()
    })
}

fn finding(rows: &[&Record]) -> Option<String> {
    let gain = |benchmark: &str| {
        let measured = rows.iter().filter(|row| row.benchmark == benchmark && row.median_ns.is_some());
        let largest = measured.max_by_key(|row| row.bytes)?;
        let of = |params: &str| rows.iter().find(|row| row.n == largest.n && row.params == params)?.median_ns;
        Some(format!("{:.2}× on {} ({benchmark})", of("PITCHED=0")? / of("PITCHED=1")?, largest.n))
    };
    let gains: Vec<String> = ["rows_2d", "slices_3d"].into_iter().filter_map(gain).collect();
    (!gains.is_empty()).then(|| format!("Padding rows to 256 bytes changes their reading by {}.", gains.join(" and ")))
}
