//! `pitched`: rows padded to a pitch of 256 bytes and packed rows of odd width, in two and three dimensions (source
//! article 001). CUDA's allocators use this pitch, and copies to textures require it.

pub(crate) mod claims;

use record::suite::prelude::*;
use record::suite::{POISON, PackedRows, ROW_PITCH, TexelFormat, Texture, by_rows};

/// The family.
pub const FAMILY: Family = Family {
    name: "pitched",
    summary: "rows padded to 256 bytes and packed rows of odd width, every element read once",
    tags: &[Tag::Article, Tag::Memory],
    model_text: "The same elements are read with and without padding: a packed row of odd width starts inside a \
        sector, which costs one more sector per row and subgroup at the edges. Long rows should hide it, short ones \
        should not.",
    is_by_kernel: true,
    benchmarks: &[
        Benchmark {
            name: "rows_2d",
            quick: &[Quick::at(&[Dtype::F32], Extent::Matrix(16384, 16383), PITCHES)],
            ..BASE
        },
        Benchmark {
            name: "slices_3d",
            cases: &[
                Cases::standard(&[Dtype::F32], &[Extent::Product(129, 129, 129)], PITCHES),
                Cases::standard(
                    &[Dtype::F32],
                    &[Extent::Product(65, 65, 65), Extent::Product(257, 257, 257), Extent::Product(511, 511, 511)],
                    PITCHES,
                ),
                // The article's volume, whose rows of 256 bytes need no padding.
                Cases::standard(&[Dtype::F32], &[Extent::Product(64, 64, 64)], &[&[("PITCHED", 1.0)]]),
            ],
            ..BASE
        },
        Benchmark {
            name: "copy_2d",
            since: "2026-11-23",
            summary: "copies packed rows into memory of the driver's pitch and back: cuMemAllocPitch, cuMemcpy2D",
            look_for: "Its rate relative to ceiling/copy: how much 2-D copies lose to rows of odd width. A width of 4096 \
                words is a multiple of the usual pitches: there the padding is gone, and rows start at sectors.",
            limited_by: "DRAM, or the driver's copy kernel where packed rows start in the middle of a sector.",
            work_text: "4n words of 4 bytes moved: n read and written into the pitched memory, and again out of it.",
            ..PITCHED_COPIES
        },
        Benchmark {
            name: "copy_3d",
            since: "2026-11-23",
            summary: "the same for a volume: cuMemAllocPitch, cuMemcpy3D",
            look_for: "The comparison with copy_2d at about the same size: rows are shorter, and a copy has both \
                pitches and the height of a slice.",
            limited_by: "As copy_2d; rows of 65 to 511 words leave more of it to their ends.",
            work_text: "4n words of 4 bytes moved: n read and written into the pitched memory, and again out of it.",
            cases: &[
                Cases::standard(&[Dtype::U32], &[Extent::Product(129, 129, 129)], &[&[]]),
                Cases::standard(
                    &[Dtype::U32],
                    &[Extent::Product(65, 65, 65), Extent::Product(257, 257, 257), Extent::Product(511, 511, 511)],
                    &[&[]],
                ),
            ],
            ..PITCHED_COPIES
        },
        Benchmark {
            name: "buffer_to_texture",
            summary: "copies rows, a multiple of 256 bytes apart, from a buffer to a texture with the API's copy call",
            look_for: "Its rate relative to a copy: textures are stored in tiles, so rows are rearranged. A large gap \
                between APIs can show one that uses a slow copy engine.",
            limited_by: "The copy engine or the driver's copy kernel; for small pictures, the submission.",
            work_text: "2n texels of 4 bytes moved.",
            buffers: |shape, _| {
                vec![
                    Buffer::input("input", padded(shape), Values::Wide),
                    Buffer { name: "output", scalars: shape.count(), contents: texture(shape, Contents::Poison) },
                ]
            },
            check: Check::of("output", all, |shape, _| {
                let ((width, ..), pitch) = (sides(shape.extent), texture_pitch(shape));
                let input = shape.input(Values::Wide);
                Box::new(move |first, slots| {
                    by_rows(first, slots, width, |row, x, slots| {
                        input.elements(Scalar::U32, row * pitch + x, 1, slots);
                    });
                })
            }),
            ..COPIES
        },
        Benchmark {
            name: "texture_to_buffer",
            summary: "copies a texture to rows of a buffer, a multiple of 256 bytes apart; the padding is unchanged",
            look_for: "Whether untiling is as fast as tiling: usually yes. The check also proves that bytes between \
                rows are unchanged.",
            limited_by: "The copy engine in the other direction; the 256-byte pitch keeps its rows aligned.",
            work_text: "2n texels of 4 bytes moved; padding between rows is not counted.",
            buffers: |shape, _| {
                let contents = texture(shape, Contents::Input(Values::Wide));
                vec![
                    Buffer { name: "input", scalars: shape.count(), contents },
                    Buffer::output("output", padded(shape)),
                ]
            },
            check: Check::of(
                "output",
                |shape, _| padded(shape),
                |shape, _| {
                    let ((width, ..), pitch) = (sides(shape.extent), texture_pitch(shape));
                    let input = shape.input(Values::Wide);
                    each(move |i| match i % pitch {
                        x if x < width => input.at(Scalar::U32, i / pitch * width + x),
                        _ => f64::from(POISON),
                    })
                },
            ),
            ..COPIES
        },
    ],
    ..Family::BLANK
};

/// What the benchmarks here share.
const BASE: Benchmark = Benchmark {
    cases: &[
        Cases::standard(&[Dtype::F32], &[Extent::Matrix(4096, 4095)], PITCHES),
        Cases::standard(
            &[Dtype::F32],
            &[Extent::Matrix(1023, 2047), Extent::Matrix(8192, 8191), Extent::Matrix(16384, 16383)],
            PITCHES,
        ),
    ],
    buffers: |shape, interface| {
        let (width, height, depth) = sides(shape.extent);
        let sizes = match shape.extent {
            Extent::Product(..) => vec![width, height, depth, pitch(shape)],
            _ => vec![height, width, pitch(shape)],
        };
        vec![
            Buffer::input("input", pitch(shape) * height * depth, Values::Summable),
            Buffer::output("output", sums(shape, interface)),
            uniform("sizes", &sizes),
        ]
    },
    steps: |shape, _| {
        let (_, height, depth) = sides(shape.extent);
        match shape.extent {
            Extent::Product(..) => {
                let side = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
                vec![Step::bound([side(height), side(depth), 1], Vec::new())]
            }
            _ => vec![Step::dispatch(height)],
        }
    },
    work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
    ceiling: Some(Limit::Read),
    // At a width of 257, with 32 invocations or more.
    bound: Bound::Roundings(|_, _| 16),
    check: Check::of("output", sums, sums_of_rows),
    ..Benchmark::BLANK
};

/// Copies between buffers and textures: no kernel runs.
const COPIES: Benchmark = Benchmark {
    cases: &[
        Cases::standard(&[Dtype::U32], &[Extent::Matrix(4096, 4096)], &[&[]]),
        Cases::standard(
            &[Dtype::U32],
            &[Extent::Matrix(1023, 1025), Extent::Matrix(4096, 4095), Extent::Matrix(8192, 8191)],
            &[&[]],
        ),
    ],
    steps: |_, _| vec![Step::CopyRows { from: "input", to: "output" }],
    work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
    ceiling: None,
    no_ceiling: "the API's copies may use paths that no kernel has",
    ..BASE
};

/// Copies through memory whose pitch the driver chooses.
const PITCHED_COPIES: Benchmark = Benchmark {
    only_cuda: Some("WebGPU has no pitched memory"),
    buffers: |shape, _| {
        vec![Buffer::input("input", shape.count(), Values::Wide), Buffer::output("output", shape.count())]
    },
    steps: |shape, _| {
        let (width, height, slices) = sides(shape.extent);
        let bytes = width * shape.dtype.scalar().bytes() as u64;
        vec![Step::CopyPitched { from: "input", to: "output", rows: PackedRows { bytes, height, slices } }]
    },
    work: |shape| Work { bytes: 4 * shape.array_bytes(), flops: 0 },
    check: Check::of("output", all, |shape, _| {
        let input = shape.input(Values::Wide);
        Box::new(move |first, slots| input.elements(Scalar::U32, first, 1, slots))
    }),
    ..COPIES
};

fn texture(shape: &Shape, contents: Contents) -> Contents {
    let (width, height, _) = sides(shape.extent);
    Contents::Texture(Texture {
        width,
        height,
        format: TexelFormat::R32Uint,
        is_storage: false,
        texels: Box::new(contents),
    })
}

/// Words from one row to the next in a buffer on either side of a texture copy.
const fn texture_pitch(shape: &Shape) -> u64 {
    sides(shape.extent).0.next_multiple_of(ROW_PITCH / 4)
}

/// Words of that buffer.
const fn padded(shape: &Shape) -> u64 {
    texture_pitch(shape) * sides(shape.extent).1
}

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

/// Sums written: one per invocation, with one workgroup per row.
fn sums(shape: &Shape, interface: &Interface) -> u64 {
    let (_, height, depth) = sides(shape.extent);
    height * depth * u64::from(interface.invocations())
}

fn sums_of_rows(shape: &Shape, interface: &Interface) -> Oracle {
    let ((width, ..), pitch, scalar) = (sides(shape.extent), pitch(shape), shape.dtype.scalar());
    let (input, invocations) = (shape.input(Values::Summable), u64::from(interface.invocations()));
    each(move |i| {
        let (row, t) = (i / invocations, i % invocations);
        // Rust has -0 for a sum of nothing.
        0.0 + (t..width).step_by(invocations as usize).map(|x| input.at(scalar, row * pitch + x)).sum::<f64>()
    })
}
