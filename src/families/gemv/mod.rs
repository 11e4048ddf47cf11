//! `gemv`: the matrix-vector product, from one invocation per row to weights of 4 bits: what a language model computes for
//! each token.

pub(in crate::families) mod claims;
mod oracles;

use oracles::{SCALES, WEIGHTS, WORDS, X, blocks_of_row, columns, x_of_blocks};

use crate::suite::{
    Accepted, Benchmark, Bound, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Headline, Interface, Library,
    Limit, Params, Profile, Quick, Routine, Scalar, Shape, Step, Tag, Value, Work, grid, uniform,
};

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
            summary: "one invocation per row",
            look_for: "How much slower it is than workgroup: the same bytes, but each load of a subgroup touches as \
                many sectors as it has lanes. The gap grows where the rows in flight exceed the caches.",
            limited_by: "Cache capacity: every resident row needs its current sector until all its elements are used; \
                with few rows also too few invocations.",
            wgsl: include_str!("../../../shaders/gemv/naive.wgsl"),
            cuda: include_str!("../../../shaders/gemv/naive.cu"),
            steps: |shape, interface| vec![Step::dispatch(rows(shape).div_ceil(interface.invocations().into()))],
            ..BASE
        },
        Benchmark {
            name: "workgroup",
            since: "2026-11-24",
            quick: &[],
            summary: "one workgroup per row, coalesced, then a tree",
            look_for: "The gain of coalesced loads over naive. The gap to vec4 is the cost of 4-byte loads (2-byte in \
                f16), of x read for every row, and of a tree per row.",
            limited_by: "Bytes in flight: one weight per invocation and step, and the tree's barriers at the end of \
                each row, which short rows reach soon.",
            wgsl: include_str!("../../../shaders/gemv/workgroup.wgsl"),
            cuda: include_str!("../../../shaders/gemv/workgroup.cu"),
            steps: |shape, _| vec![Step::dispatch(rows(shape))],
            ..BASE
        },
        Benchmark {
            name: "subgroup",
            since: "2026-11-24",
            summary: "one subgroup per row, then one subgroupAdd",
            look_for: "Its ratio to workgroup: no barrier, and as many rows in flight as subgroups. It is slower where \
                the matrix has fewer rows than the device has subgroups.",
            limited_by: "Load instructions: two for each weight and lane, of 4 bytes, or 2 in f16.",
            wgsl: include_str!("../../../shaders/gemv/subgroup.wgsl"),
            cuda: include_str!("../../../shaders/gemv/subgroup.cu"),
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
            summary: "vec4 loads, four rows at a time, LANES invocations per row",
            look_for: "Its share of the read peak at large sizes, the best of f32 with split_k. In f16 a vec4 is 8 \
                bytes: compare packed, whose loads are 16.",
            limited_by: "DRAM reads; with few rows, too few workgroups to fill the device.",
            accepts: BY_LANES,
            wgsl: include_str!("../../../shaders/gemv/vec4.wgsl"),
            cuda: include_str!("../../../shaders/gemv/vec4.cu"),
            cases: &cases(&[Dtype::F32, Dtype::F16], F32_LARGE, F16_LARGE),
            buffers: |shape, _| floats(shape, 4),
            steps: by_lanes,
            ..BASE
        },
        Benchmark {
            name: "packed",
            since: "2026-11-24",
            quick: &[Quick::at(&[Dtype::F16], Extent::Matrix(32768, 16384), PLAIN)],
            summary: "eight f16 per 16-byte load, unpacked in registers, four rows at a time",
            look_for: "Its gain over vec4 in f16: the same sums with half the load instructions, on devices without \
                f16 in shaders too. Near the read peak at large sizes.",
            limited_by: "DRAM reads; at sizes that fit the L2, the conversions of two weights each.",
            accepts: BY_LANES,
            wgsl: include_str!("../../../shaders/gemv/packed.wgsl"),
            cuda: include_str!("../../../shaders/gemv/packed.cu"),
            cases: &cases(&[Dtype::F16], F16_LARGE, F16_LARGE),
            buffers: |shape, _| floats(shape, 8),
            steps: by_lanes,
            ..BASE
        },
        Benchmark {
            name: "split_k",
            since: "2026-11-24",
            quick: &[Quick::at(&[Dtype::F16], Extent::Matrix(32768, 16384), PLAIN)],
            summary: "columns divided among workgroups; a second launch adds the partial sums",
            look_for: "Its gain at 256x57344, where vec4 has work for 64 groups of lanes only. Matrices of many rows are \
                not divided: there it should be as fast as vec4. The one kernel to take where shapes vary.",
            limited_by: "DRAM reads; with few rows the second launch, which waits for the first.",
            of_size: &[("CHUNK", |shape| chunk(shape) as f64)],
            wgsl: include_str!("../../../shaders/gemv/split_k.wgsl"),
            cuda: include_str!("../../../shaders/gemv/split_k.cu"),
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
            summary: "weights of 8 bits in blocks of 32 with a scale, one invocation per row",
            look_for: "How much of the bytes saved against f32 a simple kernel turns into time. The gap to q8_vec4 is \
                what the access pattern costs.",
            limited_by: "Cache capacity as in naive, and arithmetic: each weight extracts its byte and its scale.",
            wgsl: include_str!("../../../shaders/gemv/q8_naive.wgsl"),
            cuda: include_str!("../../../shaders/gemv/q8_naive.cu"),
            steps: |shape, interface| vec![Step::dispatch(rows(shape).div_ceil(interface.invocations().into()))],
            ..Q8
        },
        Benchmark {
            name: "q8_vec4",
            since: "2026-11-24",
            quick: &[],
            summary: "weights of 8 bits, 16 per load, four rows at a time",
            look_for: "Its time against packed: 8.5 bits per weight instead of 16. A lower share of the read peak than \
                packed has is the cost of dequantisation.",
            limited_by: "DRAM reads, and three instructions to turn each byte into a float and add its product.",
            accepts: BY_LANES,
            wgsl: include_str!("../../../shaders/gemv/q8_vec4.wgsl"),
            cuda: include_str!("../../../shaders/gemv/q8_vec4.cu"),
            cases: &of_blocks(Q8_LARGE),
            steps: by_lanes,
            ..Q8
        },
        Benchmark {
            name: "q4_naive",
            since: "2026-11-24",
            quick: &[],
            summary: "weights of 4 bits in blocks of 32 with a scale, one invocation per row",
            look_for: "Whether it is faster than q8_naive at all: half the bytes, the same arithmetic per weight. If \
                not, arithmetic limits both.",
            limited_by: "Arithmetic per weight: shifts, masks, a conversion and two multiplications.",
            wgsl: include_str!("../../../shaders/gemv/q4_naive.wgsl"),
            cuda: include_str!("../../../shaders/gemv/q4_naive.cu"),
            steps: |shape, interface| vec![Step::dispatch(rows(shape).div_ceil(interface.invocations().into()))],
            ..Q4
        },
        Benchmark {
            name: "q4_vec4",
            since: "2026-11-24",
            quick: &[],
            summary: "weights of 4 bits, a block of 32 per load, four rows at a time, no integer conversions",
            look_for: "Its share of the read peak, and its time against packed: at best 16 / 4.5 = 3.6 times less. A \
                lower share than q8_vec4 has is the cost of arithmetic per byte.",
            limited_by: "Instructions, about three for each weight, next to DRAM reads; small matrices, of which each \
                invocation gets few blocks.",
            accepts: BY_LANES,
            wgsl: include_str!("../../../shaders/gemv/q4_vec4.wgsl"),
            cuda: include_str!("../../../shaders/gemv/q4_vec4.cu"),
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
            summary: "weights of 4 bits that stay integers: four products of bytes per instruction, x as three bytes",
            look_for: "Its gain over q4_vec4 at large sizes: three products of bytes and one or two masks for four \
                weights, in place of about ten instructions. An element of x is rounded to 2^-22 of the largest in its \
                block of 32.",
            limited_by: "DRAM reads; without an instruction for byte products, arithmetic; at small sizes the first \
                launch, which writes x as bytes.",
            accepts: BY_LANES,
            wgsl: include_str!("../../../shaders/gemv/q4_dot4.wgsl"),
            cuda: include_str!("../../../shaders/gemv/q4_dot4.cu"),
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
    check: Check { buffer: "y", scalars: |shape, _| rows(shape), oracle: |shape, _| oracles::of_floats(shape) },
    ..Benchmark::BLANK
};

const Q8: Benchmark = Benchmark {
    cases: &of_blocks(&[]),
    buffers: |shape, _| quantised(shape, 8),
    work: |shape| work(shape, blocks(shape) * (32 + 2), 4),
    check: Check { buffer: "y", scalars: |shape, _| rows(shape), oracle: |shape, _| oracles::of_blocks(shape, 8) },
    ..BASE
};

const Q4: Benchmark = Benchmark {
    cases: &of_blocks(&[]),
    buffers: |shape, _| quantised(shape, 4),
    work: |shape| work(shape, blocks(shape) * (16 + 2), 4),
    check: Check { buffer: "y", scalars: |shape, _| rows(shape), oracle: |shape, _| oracles::of_blocks(shape, 4) },
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
        Cases { from: Profile::Standard, dtypes, extents: QUICK, params: PLAIN },
        Cases { from: Profile::Standard, dtypes, extents: STANDARD, params: PLAIN },
        Cases { from: Profile::Standard, dtypes: first, extents: or_small(f32_large), params: PLAIN },
        Cases { from: Profile::Standard, dtypes: &[Dtype::F16], extents: or_small(f16_large), params: PLAIN },
    ]
}

const fn of_blocks(large: &'static [Extent]) -> [Cases; 3] {
    const DTYPES: &[Dtype] = &[Dtype::F32];
    [
        Cases { from: Profile::Standard, dtypes: DTYPES, extents: LAYER, params: PLAIN },
        Cases { from: Profile::Standard, dtypes: DTYPES, extents: STANDARD, params: PLAIN },
        Cases {
            from: Profile::Standard,
            dtypes: DTYPES,
            extents: if large.is_empty() { QUICK } else { large },
            params: PLAIN,
        },
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
    let input = |name, scalars: u64, values| Buffer {
        name,
        scalars: scalars.next_multiple_of(lanes),
        contents: Contents::Input(values),
    };
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
        Buffer { name: "x", scalars: 32 * blocks_of_row(shape), contents: Contents::Input(x_of_blocks(bits)) },
        Buffer { name: "y", scalars: rows(shape), contents: Contents::Poison },
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
