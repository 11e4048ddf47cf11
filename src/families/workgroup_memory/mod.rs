//! `workgroup_memory`: how it is declared, partitioned and shared, and the cost of using more of it.

pub(in crate::families) mod claims;

use crate::suite::Interface;
use crate::suite::input::Values;
use crate::suite::{
    Accepted, Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Limit, Oracle, Params, Profile, Quick,
    Scalar, Shape, Step, Tag, Work, all, copied, each, uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "workgroup_memory",
    summary: "how workgroup memory is declared, partitioned and shared, and the cost of using more of it",
    tags: &[Tag::Article, Tag::Memory],
    model_text: "How an array gets its length adds no work to the kernel: override_size and dynamic_size should run at \
        1.00 times fixed_size. The other rows are compared in pairs that differ in one thing.",
    is_by_kernel: true,
    benchmarks: &[
        Benchmark {
            name: "fixed_size",
            quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1 << 24), &[&[]])],
            summary: "rotates blocks through an array whose length is a literal in the kernel",
            look_for: "The reference for override_size and dynamic_size: the compiler knows the length and computes \
                addresses in advance.",
            limited_by: "Barriers: each round is a store, a barrier, a load and a barrier, so about half of workgroup \
                memory's rate is reached.",
            wgsl: include_str!("../../../shaders/workgroup_memory/fixed_size.wgsl"),
            cuda: include_str!("../../../shaders/workgroup_memory/fixed_size.cu"),
            ..ROTATION
        },
        Benchmark {
            name: "override_size",
            quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1 << 24), &[&[("LENGTH", 256.0)]])],
            summary: "fixed_size with a length that the host sets when it creates the pipeline",
            look_for: "1.00 relative to fixed_size: a length that is known at pipeline creation is as good as a \
                literal. A slower row would mean that the API compiles before it knows the length.",
            limited_by: "The two barriers for each word in and out, as in fixed_size.",
            wgsl: include_str!("../../../shaders/workgroup_memory/override_size.wgsl"),
            cuda: include_str!("../../../shaders/workgroup_memory/override_size.cu"),
            cases: &cases(&[Extent::Linear(1 << 20)], &[Extent::Linear(1 << 24)], &[&[("LENGTH", 256.0)]]),
            model: Some(|_| 1.0),
            ..ROTATION
        },
        Benchmark {
            name: "dynamic_size",
            summary: "fixed_size with a length that the host sets at each launch",
            look_for: "1.00 relative to fixed_size, or 1 % less: the compiler does not know CUDA's third launch \
                argument, so it cannot fold addresses into instructions.",
            limited_by: "The two barriers of each round; occupancy is the same, since the launch requests as many \
                bytes.",
            work_text: "2 ROUNDS n words moved through workgroup memory, with 16 rounds.",
            cuda: include_str!("../../../shaders/workgroup_memory/dynamic_size.cu"),
            only_cuda: Some("WGSL cannot set the length of workgroup memory at launch"),
            cases: &cases(&[Extent::Linear(1 << 20)], &[Extent::Linear(1 << 24)], &[&[("SHARED_BYTES", 1024.0)]]),
            model: Some(|_| 1.0),
            ..ROTATION
        },
        Benchmark {
            name: "static_and_dynamic",
            since: "2026-11-23",
            summary: "fixed_size through a static and a dynamic array in turn",
            look_for: "Faster than fixed_size: with two arrays, a round needs one barrier instead of two. Both kinds of \
                array share the SM's memory, and one kernel may have both.",
            limited_by: "Barriers, one for each round, between the stores and loads of both arrays.",
            work_text: "2 ROUNDS n words moved through workgroup memory, with 16 rounds.",
            cuda: include_str!("../../../shaders/workgroup_memory/static_and_dynamic.cu"),
            only_cuda: Some("WGSL cannot set the length of workgroup memory at launch"),
            cases: &cases(&[Extent::Linear(1 << 20)], &[Extent::Linear(1 << 24)], &[&[("SHARED_BYTES", 1024.0)]]),
            ..ROTATION
        },
        Benchmark {
            name: "fixed_bytes",
            since: "2026-11-26",
            summary: "rotates blocks of 8 bytes through an array of 8 bytes (source article 001)",
            look_for: "The reference for dynamic_bytes. Through WGSL it is slower than in CUDA: an atomicOr and a \
                zeroed word replace the store of a byte.",
            limited_by: "Workgroups of 8: most lanes of a subgroup idle, and an SM holds few workgroups for its size.",
            wgsl: include_str!("../../../shaders/workgroup_memory/fixed_bytes.wgsl"),
            cuda: include_str!("../../../shaders/workgroup_memory/fixed_bytes.cu"),
            ..BYTES
        },
        Benchmark {
            name: "dynamic_bytes",
            since: "2026-11-26",
            summary: "fixed_bytes with a length that the host sets at each launch: 8 bytes",
            look_for: "1.00 relative to fixed_bytes: bytes start at the same address either way.",
            limited_by: "Workgroups of 8 invocations, which leave most lanes of a subgroup idle, and their barriers.",
            work_text: "30 n bytes moved through workgroup memory.",
            cuda: include_str!("../../../shaders/workgroup_memory/dynamic_bytes.cu"),
            only_cuda: Some("WGSL cannot set the length of workgroup memory at launch"),
            cases: &[Cases {
                from: Profile::Standard,
                dtypes: &[Dtype::U32],
                extents: BYTES_MOVED,
                params: &[&[("SHARED_BYTES", 8.0)]],
            }],
            ..BYTES
        },
        Benchmark {
            name: "structured",
            summary: "three arrays in a struct, one word per element",
            look_for: "Compare with carved, which gives the same answers: structured uses twice the memory for its \
                shorts and has no packing cost.",
            limited_by: "Stores by only some of the lanes, with barriers between writing and reading all three arrays.",
            wgsl: include_str!("../../../shaders/workgroup_memory/structured.wgsl"),
            cuda: include_str!("../../../shaders/workgroup_memory/structured.cu"),
            ..THREE_ARRAYS
        },
        Benchmark {
            name: "carved",
            summary: "the arrays of structured in one block of words, two shorts per word",
            look_for: "Its time over that of structured: the cost of shifts, masks and bit casts in WGSL. The CUDA \
                twin has pointers into a dynamic array, so there the two should be equal.",
            limited_by: "Arithmetic on addresses and shorts at each access, and then the barriers of structured.",
            wgsl: include_str!("../../../shaders/workgroup_memory/carved.wgsl"),
            cuda: include_str!("../../../shaders/workgroup_memory/carved.cu"),
            twin_differs: Some("typed pointers in place of shifted words"),
            ..THREE_ARRAYS
        },
        Benchmark {
            name: "distinct_words",
            summary: "32 invocations write distinct values to one word each",
            look_for: "The reference for same_word and atomic_word: 32 lanes, 32 banks, one pass.",
            limited_by: "Two barriers for SETS stores and loads, and workgroup memory between them.",
            wgsl: include_str!("../../../shaders/workgroup_memory/distinct_words.wgsl"),
            cuda: include_str!("../../../shaders/workgroup_memory/distinct_words.cu"),
            ..WORDS
        },
        Benchmark {
            name: "same_word",
            summary: "32 invocations write distinct values to one word, where any one of them may remain",
            look_for: "As fast as distinct_words or faster: of 32 stores to one word the hardware performs one, and \
                the load after it is a broadcast. The check proves that exactly one value remains.",
            limited_by: "The barriers; the hardware merges the 32 stores into one.",
            wgsl: include_str!("../../../shaders/workgroup_memory/same_word.wgsl"),
            cuda: include_str!("../../../shaders/workgroup_memory/same_word.cu"),
            ..WORDS
        },
        Benchmark {
            name: "atomic_word",
            summary: "32 invocations apply atomicMax to one word, each with a value of its own",
            look_for: "How many times slower than same_word: an atomic must process every value. APIs can differ \
                tenfold, where one compiler reduces a subgroup in registers first and the other does not.",
            limited_by: "Serialised accesses to one word, up to 32 for a subgroup, unless the values are combined \
                first.",
            wgsl: include_str!("../../../shaders/workgroup_memory/atomic_word.wgsl"),
            cuda: include_str!("../../../shaders/workgroup_memory/atomic_word.cu"),
            twin_differs: Some("plain loads and stores beside the atomic maximum"),
            ..WORDS
        },
        Benchmark {
            name: "bytes_of_word",
            since: "2026-11-26",
            summary: "32 invocations write one byte each, four to a word, in which all must stand",
            look_for: "In CUDA, as fast as distinct_words: stores of bytes to one word are one access, and none is \
                lost. WGSL has no bytes and pays for an atomicOr and for the zeroing of each word.",
            limited_by: "CUDA: the barriers, as distinct_words. WGSL: four atomics on each word, which take turns.",
            wgsl: include_str!("../../../shaders/workgroup_memory/bytes_of_word.wgsl"),
            cuda: include_str!("../../../shaders/workgroup_memory/bytes_of_word.cu"),
            work: |shape| Work { bytes: (1 + 4) * WORDS_SETS * WORDS_ROUNDS * shape.count(), flops: 0 },
            ..WORDS
        },
        Benchmark {
            name: "occupancy",
            quick: &[Quick::at(
                &[Dtype::Vec4F32],
                Extent::Linear(1 << 26),
                &[&[("WORDS", 256.0)], &[("WORDS", 4096.0)]],
            )],
            accepts: &[("WORDS", Accepted::Multiple(256, 1 << 16))],
            summary: "copies an array by workgroups of 64 that allocate more workgroup memory than they need",
            look_for: "The rate by WORDS: flat while enough workgroups remain to cover latency, then falling in \
                proportion. The bend is the occupancy that a copy needs. A drop at small WORDS shows an API that \
                reserves more than requested.",
            limited_by: "Bytes in flight: workgroups per SM times 64 lanes times 16 bytes, over DRAM latency.",
            wgsl: include_str!("../../../shaders/workgroup_memory/occupancy.wgsl"),
            cuda: include_str!("../../../shaders/workgroup_memory/occupancy.cu"),
            cases: &[
                Cases {
                    from: Profile::Standard,
                    dtypes: &[Dtype::Vec4F32],
                    extents: COPIED,
                    params: &[&[("WORDS", 256.0)], &[("WORDS", 1024.0)], &[("WORDS", 2048.0)], &[("WORDS", 4096.0)]],
                },
                // Up to 32 KiB, where a device has more than the usual 16.
                Cases {
                    from: Profile::Standard,
                    dtypes: &[Dtype::Vec4F32],
                    extents: COPIED_MORE,
                    params: &[
                        &[("WORDS", 256.0)],
                        &[("WORDS", 512.0)],
                        &[("WORDS", 1024.0)],
                        &[("WORDS", 2048.0)],
                        &[("WORDS", 4096.0)],
                        &[("WORDS", 8192.0)],
                    ],
                },
                // 48 KiB: the most that CUDA gives a block that does not opt in to more.
                Cases {
                    from: Profile::Standard,
                    dtypes: &[Dtype::Vec4F32],
                    extents: &[Extent::Linear(1 << 26)],
                    params: &[&[("WORDS", 12288.0)]],
                },
            ],
            buffers: |shape, _| {
                // Any number that the compiler does not know.
                vec![input(shape), output(shape), uniform("sizes", &[shape.count() / shape.dtype.lanes(), 5])]
            },
            steps: |shape, interface| covering(shape.count() / shape.dtype.lanes(), interface),
            work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Copy),
            check: Check { buffer: "output", scalars: all, oracle: |shape, _| copied(shape, Values::Wide) },
            ..BASE
        },
        Benchmark {
            name: "zero_init",
            accepts: &[("ZEROING", Accepted::SWITCH)],
            summary: "an array of 16 KiB, of which 1 KiB is used: not zeroed, zeroed by the API, zeroed by the kernel",
            look_for: "The ratios of the three rows: no zeroing, zeroing by the API, zeroing by the kernel. The API \
                takes as long as the kernel where it runs the same loop, less where it clears only what is needed.",
            limited_by: "16 KiB of stores and a barrier for each KiB that is used; so large an array also leaves few \
                workgroups per SM.",
            wgsl: include_str!("../../../shaders/workgroup_memory/zero_init.wgsl"),
            cuda: include_str!("../../../shaders/workgroup_memory/zero_init.cu"),
            cases: &cases(&[Extent::Linear(1 << 20)], &[Extent::Linear(1 << 24)], &[LEFT, BY_API, BY_KERNEL]),
            // Any page that the compiler does not know.
            buffers: |shape, _| vec![input(shape), output(shape), uniform("sizes", &[shape.count(), 5])],
            work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Copy),
            check: Check {
                buffer: "output",
                scalars: all,
                oracle: |shape, interface| {
                    let (word, length) = (words(shape), u64::from(interface.invocations()));
                    each(move |i| word(i / length * length + (i + 37) % length).into())
                },
            },
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// What the benchmarks here share: one word per invocation.
const BASE: Benchmark = Benchmark {
    small: Some(Extent::Linear(1 << 14)),
    cases: &[],
    buffers: |shape, _| vec![input(shape), output(shape), uniform("sizes", &[shape.count()])],
    steps: |shape, interface| covering(shape.count(), interface),
    work: |_| Work { bytes: 0, flops: 0 },
    check: Check { buffer: "output", scalars: all, oracle: |_, _| each(|_| f64::NAN) },
    ..Benchmark::BLANK
};

/// What zeroes the array of `zero_init`: nothing, the API before the kernel starts (WGSL's rule), or the kernel.
const LEFT: Params = &[("ZEROING", 0.0)];
const BY_API: Params = &[("ZEROING", 0.0), ("ZERO_INIT", 1.0)];
const BY_KERNEL: Params = &[("ZEROING", 1.0)];

/// Rotations.
const ROTATION: Benchmark = Benchmark {
    accepts: &[
        ("ROUNDS", Accepted::OneOf(&[16.0])),
        ("LENGTH", Accepted::Whole(1, 1024)),
        ("SHARED_BYTES", Accepted::Multiple(1024, 1 << 16)),
    ],
    cases: &cases(&[Extent::Linear(1 << 20)], &[Extent::Linear(1 << 24)], &[&[]]),
    work: |shape| Work { bytes: 2 * ROTATION_ROUNDS * shape.array_bytes(), flops: 0 },
    ceiling: Some(Limit::Workgroup),
    check: Check {
        buffer: "output",
        scalars: all,
        oracle: |shape, interface| {
            let (word, length) = (words(shape), u64::from(interface.invocations()));
            each(move |i| word(i / length * length + (i + 37 * ROTATION_ROUNDS) % length).into())
        },
    },
    ..BASE
};

/// Rotations of bytes.
const BYTES: Benchmark = Benchmark {
    cases: &[Cases { from: Profile::Standard, dtypes: &[Dtype::U32], extents: BYTES_MOVED, params: &[&[]] }],
    work: |shape| Work { bytes: 2 * BYTES_ROUNDS * shape.count(), flops: 0 },
    no_ceiling: "a byte occupies a bank as a word does, and eight invocations do not fill a subgroup",
    check: Check {
        buffer: "output",
        scalars: all,
        oracle: |shape, interface| {
            let (word, length) = (words(shape), u64::from(interface.invocations()));
            each(move |i| (word(i / length * length + (i + 3 * BYTES_ROUNDS) % length) & 255).into())
        },
    },
    ..BASE
};

/// The two layouts of three arrays.
const THREE_ARRAYS: Benchmark = Benchmark {
    accepts: &[("ROUNDS", Accepted::OneOf(&[16.0]))],
    cases: &cases(&[Extent::Linear(1 << 18)], &[Extent::Linear(1 << 22)], &[&[]]),
    work: |shape| Work { bytes: 16 * ARRAYS_ROUNDS * shape.count(), flops: 0 },
    ceiling: Some(Limit::Workgroup),
    check: Check { buffer: "output", scalars: all, oracle: |shape, _| three_arrays(shape) },
    ..BASE
};

/// The three ways to write words.
const WORDS: Benchmark = Benchmark {
    accepts: &[("ROUNDS", Accepted::OneOf(&[8.0]))],
    cases: &cases(&[Extent::Linear(1 << 17)], &[Extent::Linear(1 << 21)], &[&[]]),
    work: |shape| Work { bytes: 2 * WORDS_SETS * WORDS_ROUNDS * shape.array_bytes(), flops: 0 },
    no_ceiling: "32 invocations that read one word are served at once, so more bytes are read than the banks deliver",
    check: Check {
        buffer: "output",
        scalars: all,
        oracle: |shape, _| {
            let word = words(shape);
            // Every read of every round adds one.
            each(move |i| word(i).wrapping_add((WORDS_SETS * WORDS_ROUNDS) as u32).into())
        },
    },
    ..BASE
};

/// `ROUNDS` of the kernels, which no case sets.
const ROTATION_ROUNDS: u64 = 16;
/// No multiple of 8, after which the bytes of a block are where they were.
const BYTES_ROUNDS: u64 = 15;
const ARRAYS_ROUNDS: u64 = 16;
const WORDS_ROUNDS: u64 = 8;
/// `SETS` of the kernels that write words.
const WORDS_SETS: u64 = 8;

const BYTES_MOVED: &[Extent] = &[Extent::Linear(1 << 20)];
const COPIED: &[Extent] = &[Extent::Linear(1 << 24)];
const COPIED_MORE: &[Extent] = &[Extent::Linear(1 << 22), Extent::Linear(1 << 24), Extent::Linear(1 << 26)];

const fn cases(quick: &'static [Extent], more: &'static [Extent], params: &'static [Params]) -> [Cases; 2] {
    [
        Cases { from: Profile::Standard, dtypes: &[Dtype::U32], extents: quick, params },
        Cases { from: Profile::Standard, dtypes: &[Dtype::U32], extents: more, params },
    ]
}

fn input(shape: &Shape) -> Buffer {
    Buffer { name: "input", scalars: shape.count(), contents: Contents::Input(Values::Wide) }
}

fn output(shape: &Shape) -> Buffer {
    Buffer { name: "output", scalars: shape.count(), contents: Contents::Poison }
}

/// One dispatch with an invocation for each element.
fn covering(elements: u64, interface: &Interface) -> Vec<Step> {
    vec![Step::dispatch(elements.div_ceil(u64::from(interface.invocations())))]
}

/// The start value of the invocation of an element.
fn words(shape: &Shape) -> impl Fn(u64) -> u32 + Send + Sync + 'static {
    let (n, input) = (shape.count(), shape.input(Values::Wide));
    move |i| if i < n { input.at(Scalar::U32, i) as u32 } else { 0 }
}

/// Simulates the kernels' 256 invocations round by round, one block of the output after the other.
fn three_arrays(shape: &Shape) -> Oracle {
    const BLOCK: usize = 256;
    let word = words(shape);
    Box::new(move |first, values| {
        let mut done = 0;
        while done < values.len() {
            let at = first + done as u64;
            let (block, offset) = (at / BLOCK as u64 * BLOCK as u64, at as usize % BLOCK);
            let mut x: [u32; BLOCK] = std::array::from_fn(|t| word(block + t as u64));
            for k in 0..ARRAYS_ROUNDS as usize {
                let floats = &x[k % 4 * 64..][..64];
                let shorts = &x[(k + 1) % 4 * 64..][..64];
                let next = std::array::from_fn(|t| {
                    let pair = shorts[(t + k) % 128 / 2];
                    let short = if (t + k).is_multiple_of(2) { pair & 0xffff } else { pair >> 16 };
                    // An f32 holds the 20 bits exactly.
                    let float = floats[(3 * t + k) % 64] >> 12;
                    let sum = x[(t + 37) % BLOCK].wrapping_add(short).wrapping_sub(32_768).wrapping_add(float);
                    sum.wrapping_mul(5).wrapping_add(1)
                });
                x = next;
            }
            let length = (BLOCK - offset).min(values.len() - done);
            for (value, x) in values[done..done + length].iter_mut().zip(&x[offset..]) {
                *value = f64::from(*x);
            }
            done += length;
        }
    })
}
