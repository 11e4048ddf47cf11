//! `pitched`: rows padded to 256 bytes, and packed rows of odd width, in two and three dimensions (source article 001).
//! CUDA's allocators use this pitch, and copies to textures require it.

pub(crate) mod claims;

use record::suite::prelude::*;
use record::suite::{POISON, PackedRows, ROW_PITCH, TexelFormat, by_rows, copied, sum};

pub(super) const FAMILY: Family = Family {
    name: "pitched",
    summary: "reads of rows padded to 256 bytes and of packed rows of odd width",
    tags: &[Tag::Article, Tag::Memory],
    model_text: "The same elements are read with and without padding. A packed row of odd width starts inside a \
        sector, so a subgroup's access may touch one more sector. Neighbouring accesses share these sectors, so only \
        short rows should show the cost.",
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
                Cases::standard(&[Dtype::F32], VOLUME, PITCHES),
                Cases::standard(&[Dtype::F32], VOLUMES, PITCHES),
                // The article's volume, whose rows of 256 bytes need no padding.
                Cases::standard(&[Dtype::F32], &[Extent::Product(64, 64, 64)], &[&[("PITCHED", 1.0)]]),
            ],
            ..BASE
        },
        Benchmark { name: "copy_2d", ..PITCHED_COPIES },
        Benchmark { name: "copy_3d", cases: &Cases::pair(&[Dtype::U32], VOLUME, VOLUMES, PLAIN), ..PITCHED_COPIES },
        Benchmark {
            name: "buffer_to_texture",
            buffers: |shape, interface| {
                vec![
                    Buffer::input("input", padded(shape, interface), Values::Wide),
                    Buffer::new("output", shape.count(), texture(shape, Contents::Poison)),
                ]
            },
            check: Check::of("output", all, |shape, _| {
                let (width, pitch) = (shape.columns(), texture_pitch(shape));
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
            buffers: |shape, interface| {
                let contents = texture(shape, Contents::Input(Values::Wide));
                vec![Buffer::new("input", shape.count(), contents), Buffer::output("output", padded(shape, interface))]
            },
            check: Check::of("output", padded, |shape, _| {
                let (width, pitch) = (shape.columns(), texture_pitch(shape));
                let input = shape.input(Values::Wide);
                each(move |i| match i % pitch {
                    x if x < width => input.at(Scalar::U32, i / pitch * width + x),
                    _ => f64::from(POISON),
                })
            }),
            ..COPIES
        },
    ],
    ..Family::BLANK
};

const VOLUME: &[Extent] = &[Extent::Product(129, 129, 129)];
const VOLUMES: &[Extent] = &products([(65, 65, 65), (257, 257, 257), (511, 511, 511)]);

const BASE: Benchmark = Benchmark {
    cases: &[
        Cases::standard(&[Dtype::F32], &[Extent::Matrix(4096, 4095)], PITCHES),
        Cases::standard(&[Dtype::F32], &matrices([(1023, 2047), (8192, 8191), (16384, 16383)]), PITCHES),
    ],
    buffers: |shape, interface| {
        let (depth, height, width) = shape.extent.volume();
        let sizes = match shape.extent {
            Extent::Product(..) => vec![width, height, depth, pitch(shape)],
            _ => vec![height, width, pitch(shape)],
        };
        Buffer::from_to((pitch(shape) * height * depth, Values::Summable), sums(shape, interface), &sizes)
    },
    steps: |shape, _| {
        let (depth, height, _) = shape.extent.volume();
        match shape.extent {
            Extent::Product(..) => Step::dividing([(height, 1), (depth, 1), (1, 1)]),
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

const COPIES: Benchmark = Benchmark {
    cases: &[
        Cases::standard(&[Dtype::U32], &[Extent::Matrix(4096, 4096)], PLAIN),
        Cases::standard(&[Dtype::U32], &matrices([(1023, 1025), (4096, 4095), (8192, 8191)]), PLAIN),
    ],
    steps: |_, _| vec![Step::CopyRows { from: "input", to: "output" }],
    work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
    ceiling: None,
    no_ceiling: "the API's copies may use hardware paths that kernels cannot use",
    ..BASE
};

/// Copies through memory whose pitch the driver chooses.
const PITCHED_COPIES: Benchmark = Benchmark {
    only_cuda: Some("WebGPU has no pitched memory"),
    buffers: |shape, _| Buffer::of_copy(shape.count(), Values::Wide),
    steps: |shape, _| {
        let (slices, height, width) = shape.extent.volume();
        let bytes = width * shape.dtype.scalar().bytes() as u64;
        vec![Step::CopyPitched { from: "input", to: "output", rows: PackedRows { bytes, height, slices } }]
    },
    work: |shape| Work { bytes: 4 * shape.array_bytes(), flops: 0 },
    check: Check::of("output", all, |shape, _| copied(shape, Values::Wide)),
    ..COPIES
};

fn texture(shape: &Shape, contents: Contents) -> Contents {
    let (height, width) = shape.extent.matrix();
    Contents::texture((width, height), TexelFormat::R32Uint, contents)
}

/// Words from one row to the next in the buffer of a texture copy.
const fn texture_pitch(shape: &Shape) -> u64 {
    shape.columns().next_multiple_of(ROW_PITCH / 4)
}

const fn padded(shape: &Shape, _: &Interface) -> u64 {
    texture_pitch(shape) * shape.rows()
}

const PITCHES: &[Params] = &[&[("PITCHED", 0.0)], &[("PITCHED", 1.0)]];

fn pitch(shape: &Shape) -> u64 {
    let (.., width) = shape.extent.volume();
    if shape.param("PITCHED", 0.0) == 0.0 {
        width
    } else {
        width.next_multiple_of(256 / shape.dtype.scalar().bytes() as u64)
    }
}

/// Sums written: one per invocation, with one workgroup per row.
fn sums(shape: &Shape, interface: &Interface) -> u64 {
    let (depth, height, _) = shape.extent.volume();
    height * depth * interface.invocations()
}

fn sums_of_rows(shape: &Shape, interface: &Interface) -> Oracle {
    let ((.., width), pitch, scalar) = (shape.extent.volume(), pitch(shape), shape.dtype.scalar());
    let (input, invocations) = (shape.input(Values::Summable), interface.invocations());
    each(move |i| {
        let (row, t) = (i / invocations, i % invocations);
        sum((t..width).step_by(invocations as usize).map(|x| input.at(scalar, row * pitch + x)))
    })
}
