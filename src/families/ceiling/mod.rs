//! `ceiling`: the limits of the device, measured first, against which every other row is held.

mod oracles;

use oracles::{
    MATRIX, f16_chains, f16_rounds, fma_chains, integer_chains, read_items, readers, sums_of_products, sums_of_readers,
    sums_of_trees, tensor_rounds, trees, workgroup_sums,
};

use crate::suite::Interface;
use crate::suite::input::Values;
use crate::suite::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Limit, Params, Profile, Shape, Step, Work, all,
    copied, each, uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "ceiling",
    summary: "the limits of the device: memory and workgroup-memory bandwidth, FMA rates, tensor cores, launch overhead",
    model_text: "None: these rows are what the others are held against. A row's own share says how near it comes to \
        the best sample that any kernel of its limit reached at that working set.",
    is_by_kernel: true,
    tuned: &[],
    benchmarks: &[
        Benchmark {
            name: "copy",
            summary: "copies an array; by single words, pairs and fours, over the ladder of working sets",
            look_for: "The rate by working set: the first plateau is a cache's, the last one memory's. Where pairs \
                and fours beat single words at large sets, narrow accesses keep too few bytes in flight.",
            limited_by: "Memory's pins, which reads and writes share and which lose time whenever they turn round; \
                the last-level cache at a few MiB; below that the launch.",
            wgsl: include_str!("../../../shaders/ceiling/copy.wgsl"),
            cuda: include_str!("../../../shaders/ceiling/copy.cu"),
            cases: &[
                Cases { from: Profile::Quick, dtypes: NARROW, extents: &[Extent::Linear(1 << 24)], params: &[&[]] },
                Cases { from: Profile::Quick, dtypes: &[Dtype::Vec4F32], extents: &QUICK, params: &[&[]] },
                Cases { from: Profile::Standard, dtypes: NARROW, extents: &LADDER, params: &[&[]] },
                Cases { from: Profile::Standard, dtypes: &[Dtype::Vec4F32], extents: &LADDER, params: &[&[]] },
            ],
            work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Copy),
            buffers: |shape, _| vec![input(shape.count()), output(shape.count()), elements(shape)],
            check: Check {
                buffer: "output",
                scalars: all,
                oracle: |shape, _| copied(Values::Wide, shape.dtype.scalar()),
            },
            ..BASE
        },
        Benchmark {
            name: "read",
            summary: "reads an array by fours and adds up what it read",
            look_for: "Which ITEMS wins: few mean many workgroups with short lives, many mean long sums with loads \
                under way. At large sets all should meet, and reading should be at least as fast as copying.",
            limited_by: "The loads in flight: latency times bandwidth must be covered by bytes that were asked for \
                and have not come. Past the last cache, memory itself.",
            wgsl: include_str!("../../../shaders/ceiling/read.wgsl"),
            cuda: include_str!("../../../shaders/ceiling/read.cu"),
            cases: &ladder(&[Dtype::Vec4F32], &[&[("ITEMS", 8.0)], &[("ITEMS", 32.0)], &[("ITEMS", 128.0)]]),
            work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Read),
            buffers: |shape, interface| {
                vec![summable(shape.count()), output(readers(shape, interface)), elements(shape)]
            },
            steps: |shape, interface| covering(shape, interface, read_items(shape)),
            check: Check {
                buffer: "output",
                scalars: |shape, interface| readers(shape, interface).min(shape.count() / shape.dtype.lanes()),
                oracle: sums_of_readers,
            },
            ..BASE
        },
        Benchmark {
            name: "read_tree",
            summary: "the same with one sum for each workgroup, so that hardly anything is written",
            look_for: "Against read: what it costs memory to turn round for partial sums of less than a hundredth of \
                the bytes. Where this one is slower, the trees of few workgroups are waited for.",
            limited_by: "Memory's reading past the last cache; in a cache the workgroups' trees, whose barriers no \
                other workgroup may be there to hide.",
            wgsl: include_str!("../../../shaders/ceiling/read_tree.wgsl"),
            cuda: include_str!("../../../shaders/ceiling/read_tree.cu"),
            cases: &ladder(&[Dtype::Vec4F32], &[&[("ITEMS", 32.0)]]),
            work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Read),
            buffers: |shape, interface| vec![summable(shape.count()), output(trees(shape, interface)), elements(shape)],
            steps: |shape, interface| covering(shape, interface, read_items(shape)),
            check: Check { buffer: "output", scalars: trees, oracle: sums_of_trees },
            ..BASE
        },
        Benchmark {
            name: "fill",
            summary: "writes an array by fours",
            look_for: "Whether stores alone reach what loads reach. Far above copy at small sets, the writes stay in \
                a cache that writes back later.",
            limited_by: "The way from the processors to the cache that collects stores, then memory's writing; a \
                device that fetches a line before it overwrites it does twice the work.",
            wgsl: include_str!("../../../shaders/ceiling/fill.wgsl"),
            cuda: include_str!("../../../shaders/ceiling/fill.cu"),
            cases: &ladder(&[Dtype::Vec4F32], &[&[]]),
            work: |shape| Work { bytes: shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Fill),
            buffers: |shape, _| {
                vec![output(shape.count()), uniform("sizes", &[shape.count() / shape.dtype.lanes(), FILL_BASE])]
            },
            check: Check {
                buffer: "output",
                scalars: all,
                oracle: |shape, _| {
                    let lanes = shape.dtype.lanes();
                    each(move |i| (FILL_BASE + ((i / lanes) & 1023)) as f64)
                },
            },
            ..BASE
        },
        FMA,
        FMA_F16,
        TENSOR,
        Benchmark {
            name: "mad",
            summary: "eight independent chains of 32-bit integer multiply-adds an invocation",
            look_for: "Its share of fma's f32 rate: a half on hardware whose 32-bit integer multiplier is half as \
                wide, a quarter or less where a product takes several instructions.",
            limited_by: "The integer multiplier; everything is in registers.",
            wgsl: include_str!("../../../shaders/ceiling/mad.wgsl"),
            cuda: include_str!("../../../shaders/ceiling/mad.cu"),
            ceiling: Some(Limit::Fma),
            check: Check {
                buffer: "output",
                scalars: all,
                oracle: |shape, _| integer_chains(shape, |x, m, p| x.wrapping_mul(m).wrapping_add(p)),
            },
            ..INTEGER
        },
        Benchmark {
            name: "dot4",
            summary: "eight independent chains of packed 8-bit dot products an invocation (four multiplications, four additions each)",
            look_for: "Four products an instruction: about four times mad where the hardware has packed dot products \
                and the driver uses them; a fraction of mad where it takes bytes apart.",
            limited_by: "The dot-product instruction where there is one, else the shifts and masks that unpack eight \
                bytes for it.",
            wgsl: include_str!("../../../shaders/ceiling/dot4.wgsl"),
            cuda: include_str!("../../../shaders/ceiling/dot4.cu"),
            work: |shape| Work { bytes: 0, flops: 8 * 8 * 32 * shape.param("ROUNDS", 16.0) as u64 * shape.count() },
            check: Check {
                buffer: "output",
                scalars: all,
                oracle: |shape, _| {
                    integer_chains(shape, |x, m, p| {
                        let bytes = x.to_le_bytes().into_iter().zip(m.to_le_bytes());
                        bytes.map(|(a, b)| u32::from(a) * u32::from(b)).sum::<u32>().wrapping_add(p)
                    })
                },
            },
            ..INTEGER
        },
        Benchmark {
            name: "workgroup_read",
            summary: "reads workgroup memory without bank conflicts, by single words and by fours",
            look_for: "Bytes a cycle and processor: divide by clock and processors, and expect the number of banks \
                times four. Fours should not beat single words where a subgroup's request is as wide as the banks.",
            limited_by: "The banks: each gives one word a cycle. With single words the instruction rate can bind \
                first, since a load brings a quarter as much.",
            wgsl: include_str!("../../../shaders/ceiling/workgroup_read.wgsl"),
            cuda: include_str!("../../../shaders/ceiling/workgroup_read.cu"),
            cases: &[
                Cases {
                    from: Profile::Quick,
                    dtypes: &[Dtype::F32, Dtype::Vec4F32],
                    extents: &[Extent::Linear(1 << 20)],
                    params: &[&[("ROUNDS", 128.0)]],
                },
                // So many workgroups that the last ones, which leave processors idle, count for little.
                Cases {
                    from: Profile::Standard,
                    dtypes: &[Dtype::F32, Dtype::Vec4F32],
                    extents: &[Extent::Linear(1 << 24)],
                    params: &[&[("ROUNDS", 128.0)]],
                },
            ],
            work: |shape| Work { bytes: 16 * shape.param("ROUNDS", 128.0) as u64 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Workgroup),
            buffers: |shape, _| vec![summable(TABLE * shape.dtype.lanes()), output(shape.count()), elements(shape)],
            check: Check { buffer: "output", scalars: all, oracle: workgroup_sums },
            small: Some(Extent::Linear(1 << 14)),
            ..BASE
        },
        Benchmark {
            name: "launch",
            summary: "launches a kernel that stores one word: device time back to back, and end to end from submission to completion",
            look_for: "The device's time of an empty launch, and how much larger the end-to-end time is: the \
                difference is submission and waiting, which the host pays once for many launches.",
            limited_by: "The front end, which drains one launch and its caches before the next may start; end to \
                end, system calls and the driver's wake-up.",
            wgsl: include_str!("../../../shaders/ceiling/launch.wgsl"),
            cuda: include_str!("../../../shaders/ceiling/launch.cu"),
            cases: &[Cases {
                from: Profile::Quick,
                dtypes: &[Dtype::U32],
                extents: &[Extent::Linear(1)],
                params: &[&[]],
            }],
            work: |_| Work::default(),
            ceiling: Some(Limit::Launch),
            buffers: |_, _| vec![output(4), uniform("sizes", &[SIGN])],
            steps: |_, _| vec![Step::dispatch(1)],
            end_to_end: Some(|_, _| vec![Step::dispatch(1)]),
            check: Check { buffer: "output", scalars: |_, _| 1, oracle: |_, _| each(|_| SIGN as f64) },
            ..BASE
        },
    ],
};

/// FMA chains; `safety_tax` measures them with run-time checks, too.
pub(super) const FMA: Benchmark = Benchmark {
    name: "fma",
    summary: "eight independent chains of fused multiply-adds an invocation, in one, two or four lanes",
    look_for: "The rate of f32 over that of f64: 2 on data-centre cards, 16 to 64 elsewhere. If two or four lanes \
        beat one, eight chains did not fill the pipelines, or lanes are real vectors.",
    limited_by: "The issue of instructions: a scheduler starts one a cycle. Heat and power bound it on large cards, \
        where the clock falls while all units work.",
    wgsl: include_str!("../../../shaders/ceiling/fma.wgsl"),
    cuda: include_str!("../../../shaders/ceiling/fma.cu"),
    cases: &[
        Cases {
            from: Profile::Quick,
            dtypes: &[Dtype::F32, Dtype::Vec2F32, Dtype::F64],
            extents: &[Extent::Linear(1 << 22)],
            params: &[&[("ROUNDS", 16.0)]],
        },
        // Longer chains, for what loading and the last wave of workgroups cost.
        Cases {
            from: Profile::Standard,
            dtypes: &[Dtype::F64, Dtype::F32, Dtype::Vec2F32, Dtype::Vec4F32],
            extents: &[Extent::Linear(1 << 22)],
            params: &[&[("ROUNDS", 128.0)]],
        },
    ],
    work: |shape| Work { bytes: 0, flops: 2 * 8 * 32 * shape.param("ROUNDS", 16.0) as u64 * shape.count() },
    ceiling: Some(Limit::Fma),
    buffers: |shape, _| vec![summable(TABLE * shape.dtype.lanes()), output(shape.count()), elements(shape)],
    check: Check { buffer: "output", scalars: all, oracle: fma_chains },
    small: SMALL,
    ..BASE
};

/// The same for f16, which takes other values for its chains to stay exact. Only vectors use the full width of most devices.
const FMA_F16: Benchmark = Benchmark {
    name: "fma_f16",
    summary: "the chains of fma in f16, in one or two lanes",
    look_for: "Two lanes against one: hardware with packed f16 does both in one instruction and doubles; hardware \
        without it, or a driver that widens to f32, stays at the rate of fma or below it.",
    limited_by: "The packed half-precision pipes; with one lane, the conversions that compilers put between 16 and \
        32 bits.",
    wgsl: include_str!("../../../shaders/ceiling/fma_f16.wgsl"),
    cuda: include_str!("../../../shaders/ceiling/fma_f16.cu"),
    cases: &[
        // Software devices, which emulate f16, need seconds for more.
        Cases {
            from: Profile::Quick,
            dtypes: HALVES,
            extents: &[Extent::Linear(1 << 22)],
            params: &[&[("ROUNDS", 8.0)]],
        },
        Cases {
            from: Profile::Standard,
            dtypes: HALVES,
            extents: &[Extent::Linear(1 << 22)],
            params: &[&[("ROUNDS", 31.0)]],
        },
    ],
    work: |shape| Work { bytes: 0, flops: 2 * 8 * 32 * f16_rounds(shape) * shape.count() },
    buffers: |shape, _| {
        let scalars = TABLE * shape.dtype.lanes();
        let signs = Buffer { name: "input", scalars, contents: Contents::Input(Values::Signs) };
        vec![signs, output(shape.count()), elements(shape)]
    },
    steps: |shape, interface| {
        if f16_rounds(shape) > 31 {
            return vec![Step::Unavailable("with ROUNDS past 31 f16 rounds")];
        }
        covering(shape, interface, 1)
    },
    check: Check { buffer: "output", scalars: all, oracle: f16_chains },
    ..FMA
};

/// Tensor cores, as the kernels here drive them: a subgroup's products from registers. On devices with larger instructions (Hopper's
/// wgmma), which neither API offers to portable kernels, more is possible.
const TENSOR: Benchmark = Benchmark {
    name: "tensor",
    summary: "eight independent chains of products of 16×16 f16 matrices a subgroup, summed in f32 by tensor cores",
    look_for: "How many times the f16 rate of fma_f16 it is: that is what the matrix units are worth. Vendors' own \
        figures need larger instructions than a subgroup's 16×16, and are seldom reached here.",
    limited_by: "The matrix units' issue rate for a subgroup's instruction, and the power limit: this is the kernel \
        that draws most.",
    wgsl: include_str!("../../../shaders/ceiling/tensor.wgsl"),
    cuda: include_str!("../../../shaders/ceiling/tensor.cu"),
    cases: &[
        Cases {
            from: Profile::Quick,
            dtypes: &[Dtype::F16],
            extents: &[Extent::Linear(1 << 22)],
            params: &[&[("ROUNDS", 512.0)]],
        },
        Cases {
            from: Profile::Standard,
            dtypes: &[Dtype::F16],
            extents: &[Extent::Linear(1 << 22)],
            params: &[&[("ROUNDS", 4096.0)]],
        },
    ],
    work: |shape| Work { bytes: 0, flops: 2 * 16 * 8 * tensor_rounds(shape) * shape.count() },
    ceiling: Some(Limit::Tensor),
    buffers: |shape, _| {
        // Whole matrices of sums, of which the last may be counted in part.
        let sums = shape.count().next_multiple_of(MATRIX);
        vec![
            Buffer { name: "input", scalars: (31 + 6) * MATRIX, contents: Contents::Input(Values::Signs) },
            Buffer { name: "output", scalars: sums, contents: Contents::PoisonF32 },
            elements(shape),
        ]
    },
    // 32 invocations make a matrix of 256 sums.
    steps: |shape, interface| {
        if tensor_rounds(shape) > 131_072 {
            return vec![Step::Unavailable("with ROUNDS past 131072 f32 rounds")];
        }
        covering(shape, interface, 8)
    },
    check: Check { buffer: "output", scalars: all, oracle: sums_of_products },
    small: SMALL,
    ..BASE
};

/// What the benchmarks here share.
const BASE: Benchmark = Benchmark {
    cases: &[],
    buffers: |_, _| Vec::new(),
    steps: |shape, interface| covering(shape, interface, 1),
    work: |_| Work { bytes: 0, flops: 0 },
    sets_ceiling: true,
    check: Check { buffer: "", scalars: |_, _| 0, oracle: |_, _| each(|_| f64::NAN) },
    ..Benchmark::BLANK
};

/// What the integer chains share.
const INTEGER: Benchmark = Benchmark {
    cases: &[
        Cases {
            from: Profile::Quick,
            dtypes: &[Dtype::U32],
            extents: &[Extent::Linear(1 << 22)],
            params: &[&[("ROUNDS", 8.0)]],
        },
        Cases {
            from: Profile::Standard,
            dtypes: &[Dtype::U32],
            extents: &[Extent::Linear(1 << 22)],
            params: &[&[("ROUNDS", 32.0)]],
        },
    ],
    work: |shape| Work { bytes: 0, flops: 2 * 8 * 32 * shape.param("ROUNDS", 16.0) as u64 * shape.count() },
    buffers: |shape, _| {
        let table = Buffer { name: "input", scalars: TABLE, contents: Contents::Input(Values::Wide) };
        vec![table, output(shape.count()), elements(shape)]
    },
    small: SMALL,
    ..BASE
};

/// Working sets over which bandwidth is measured, in f32 words: 256 KiB to 1 GiB an array, by doubling, so that no row is further
/// than a factor of √2 from the rung that it is held against, and a cache's peak is not missed.
pub const LADDER: [Extent; 13] = [
    Extent::Linear(1 << 16),
    Extent::Linear(1 << 17),
    Extent::Linear(1 << 18),
    Extent::Linear(1 << 19),
    Extent::Linear(1 << 20),
    Extent::Linear(1 << 21),
    Extent::Linear(1 << 22),
    Extent::Linear(1 << 23),
    Extent::Linear(1 << 24),
    Extent::Linear(1 << 25),
    Extent::Linear(1 << 26),
    Extent::Linear(1 << 27),
    Extent::Linear(1 << 28),
];

const NARROW: &[Dtype] = &[Dtype::F32, Dtype::Vec2F32];
const HALVES: &[Dtype] = &[Dtype::F16, Dtype::Vec2F16];

/// Invocations that keep a slow device busy for some milliseconds, not for half a second.
const SMALL: Option<Extent> = Some(Extent::Linear(1 << 16));

/// The rungs that the quick profile's benchmarks stand on.
const QUICK: [Extent; 4] =
    [Extent::Linear(1 << 20), Extent::Linear(1 << 24), Extent::Linear(1 << 26), Extent::Linear(1 << 28)];

const fn ladder(dtypes: &'static [Dtype], params: &'static [Params]) -> [Cases; 2] {
    [
        Cases { from: Profile::Quick, dtypes, extents: &QUICK, params },
        Cases { from: Profile::Standard, dtypes, extents: &LADDER, params },
    ]
}

const FILL_BASE: u64 = 4_000_000;
const SIGN: u64 = 0x00c0_ffee;
/// Elements of the table that `fma` and `workgroup_read` read, with room for the 10 from the last one on.
const TABLE: u64 = 1024 + 16;

fn input(scalars: u64) -> Buffer {
    Buffer { name: "input", scalars, contents: Contents::Input(Values::Wide) }
}

fn summable(scalars: u64) -> Buffer {
    Buffer { name: "input", scalars, contents: Contents::Input(Values::Summable) }
}

fn output(scalars: u64) -> Buffer {
    Buffer { name: "output", scalars, contents: Contents::Poison }
}

/// The uniform that tells a kernel how many elements of type `T` there are.
fn elements(shape: &Shape) -> Buffer {
    uniform("sizes", &[shape.count() / shape.dtype.lanes()])
}

/// One dispatch in which each invocation covers `items` elements.
fn covering(shape: &Shape, interface: &Interface, items: u64) -> Vec<Step> {
    let elements = shape.count() / shape.dtype.lanes();
    vec![Step::dispatch(elements.div_ceil(u64::from(interface.invocations()) * items))]
}
