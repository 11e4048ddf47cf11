//! `workgroup_memory`: how it is declared, carved up, shared, and what holding more of it costs.

use crate::suite::Interface;
use crate::suite::input::Values;
use crate::suite::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Limit, Oracle, Params, Profile, Scalar, Shape,
    Step, Work, all, copied, each, uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "workgroup_memory",
    summary: "how workgroup memory is declared, carved up and shared, and what holding more of it costs",
    model_text: "How an array gets its length is no work of the kernel's: override_size and dynamic_size should run \
        at 1.00 times fixed_size. Elsewhere pairs of rows that differ in one thing are the model of each other.",
    is_by_kernel: true,
    tuned: &[],
    benchmarks: &[
        Benchmark {
            name: "fixed_size",
            summary: "rotates blocks through an array of a length that is written in the kernel",
            look_for: "The measure for its two siblings: the compiler knows the length and works out addresses \
                beforehand.",
            limited_by: "Barriers: each round is a store, a wait, a load, a wait, so that about half of workgroup \
                memory's rate is reached.",
            sources: &["A2", "B2"],
            wgsl: include_str!("../../shaders/workgroup_memory/fixed_size.wgsl"),
            cuda: include_str!("../../shaders/workgroup_memory/fixed_size.cu"),
            ..ROTATION
        },
        Benchmark {
            name: "override_size",
            summary: "the same, of a length that the host chooses when it makes the pipeline",
            look_for: "1.00 against fixed_size: a length that is known when the pipeline is made is as good as a \
                literal. More would mean that the API compiles before it knows the number.",
            limited_by: "What binds fixed_size: two barriers for each word that goes in and out.",
            sources: &["A2", "B2"],
            wgsl: include_str!("../../shaders/workgroup_memory/override_size.wgsl"),
            cuda: include_str!("../../shaders/workgroup_memory/override_size.cu"),
            cases: &cases(&[Extent::Linear(1 << 20)], &[Extent::Linear(1 << 24)], &[&[("LENGTH", 256.0)]]),
            model: Some(|_| 1.0),
            ..ROTATION
        },
        Benchmark {
            name: "dynamic_size",
            summary: "the same, of a length that the host gives with each launch",
            look_for: "1.00, or a percent less, against fixed_size: CUDA's third launch argument is unknown to the \
                compiler, which then cannot fold addresses into instructions.",
            limited_by: "The two waits of each round; occupancy is the same, as the launch asks for as many bytes.",
            work_text: "2 ROUNDS n words moved through workgroup memory, with 16 rounds.",
            sources: &["A2", "B2"],
            cuda: include_str!("../../shaders/workgroup_memory/dynamic_size.cu"),
            only_cuda: Some("WGSL has no workgroup memory whose length comes with the launch"),
            cases: &cases(&[Extent::Linear(1 << 20)], &[Extent::Linear(1 << 24)], &[&[("SHARED_BYTES", 1024.0)]]),
            model: Some(|_| 1.0),
            ..ROTATION
        },
        Benchmark {
            name: "structured",
            summary: "three arrays in a struct, a word for each element",
            look_for: "The partner of carved: same answers. It holds twice the memory for its shorts, and pays \
                nothing for packing them.",
            limited_by: "Stores by a part of the lanes only, with barriers between writing and reading all three \
                arrays.",
            sources: &["B3", "E4"],
            wgsl: include_str!("../../shaders/workgroup_memory/structured.wgsl"),
            cuda: include_str!("../../shaders/workgroup_memory/structured.cu"),
            ..THREE_ARRAYS
        },
        Benchmark {
            name: "carved",
            summary: "the same three carved by hand out of one block of words, shorts two to a word",
            look_for: "Its time over that of structured: what shifts, masks and bit casts cost in WGSL. CUDA's twin \
                carves by pointers, so that there the two should be equal.",
            limited_by: "Arithmetic on addresses and halves beside each access, and then the same barriers.",
            sources: &["B3", "E4"],
            wgsl: include_str!("../../shaders/workgroup_memory/carved.wgsl"),
            cuda: include_str!("../../shaders/workgroup_memory/carved.cu"),
            ..THREE_ARRAYS
        },
        Benchmark {
            name: "distinct_words",
            summary: "32 invocations write distinct values to a word each",
            look_for: "The measure for same_word and atomic_word: 32 lanes, 32 banks, one turn.",
            limited_by: "Two barriers for SETS stores and loads, and workgroup memory between them.",
            sources: &["E6"],
            wgsl: include_str!("../../shaders/workgroup_memory/distinct_words.wgsl"),
            cuda: include_str!("../../shaders/workgroup_memory/distinct_words.cu"),
            ..WORDS
        },
        Benchmark {
            name: "same_word",
            summary: "32 invocations write distinct values to one word, where any one of them must stand",
            look_for: "As fast as distinct_words or faster: of 32 stores to one word the hardware keeps one without \
                taking turns, and the load after it is a broadcast. That exactly one value stands is what the check \
                proves.",
            limited_by: "The barriers; the stores collapse into one.",
            sources: &["E6"],
            wgsl: include_str!("../../shaders/workgroup_memory/same_word.wgsl"),
            cuda: include_str!("../../shaders/workgroup_memory/same_word.cu"),
            ..WORDS
        },
        Benchmark {
            name: "atomic_word",
            summary: "32 invocations hold distinct values against one word with atomicMax",
            look_for: "How many times slower than same_word: an atomic must see every value. APIs can differ \
                tenfold, where one compiler reduces a subgroup in registers first and the other does not.",
            limited_by: "Turns at one word, up to 32 for a subgroup, unless the values were combined before.",
            sources: &["E6"],
            wgsl: include_str!("../../shaders/workgroup_memory/atomic_word.wgsl"),
            cuda: include_str!("../../shaders/workgroup_memory/atomic_word.cu"),
            ..WORDS
        },
        Benchmark {
            name: "occupancy",
            summary: "copies an array by workgroups of 64 that hold more workgroup memory than they need",
            look_for: "The rate over WORDS: flat while enough workgroups remain to cover latency, then falling in \
                proportion. Where it bends is the occupancy that a copy needs. A drop at small WORDS shows an API \
                that reserves more than was asked for.",
            limited_by: "Bytes in flight: workgroups a processor times 64 lanes times 16 bytes, over memory's latency.",
            wgsl: include_str!("../../shaders/workgroup_memory/occupancy.wgsl"),
            cuda: include_str!("../../shaders/workgroup_memory/occupancy.cu"),
            cases: &[
                Cases {
                    from: Profile::Quick,
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
            ],
            buffers: |shape, _| {
                // Any number will do as long as the compiler does not know it.
                vec![input(shape), output(shape), uniform("sizes", &[shape.count() / shape.dtype.lanes(), 5])]
            },
            steps: |shape, interface| covering(shape.count() / shape.dtype.lanes(), interface),
            work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Copy),
            check: Check {
                buffer: "output",
                scalars: all,
                oracle: |shape, _| copied(Values::Wide, shape.dtype.scalar()),
            },
            ..BASE
        },
        Benchmark {
            name: "zero_init",
            summary: "an array of 16 KiB, of which 1 KiB is used: as it is, zeroed by the API, zeroed by the kernel",
            look_for: "The three rows against each other: nobody zeroes, the API does, the kernel does. The API's \
                way costs as much as the kernel's where it is the same loop, less where it clears only what is \
                needed.",
            limited_by: "16 KiB of stores and a barrier for each KiB that is used; beside it, that so large an array \
                leaves few workgroups a processor.",
            sources: &["B2"],
            wgsl: include_str!("../../shaders/workgroup_memory/zero_init.wgsl"),
            cuda: include_str!("../../shaders/workgroup_memory/zero_init.cu"),
            cases: &cases(&[Extent::Linear(1 << 20)], &[Extent::Linear(1 << 24)], &[LEFT, BY_API, BY_KERNEL]),
            // Any page will do as long as the compiler does not know it.
            buffers: |shape, _| vec![input(shape), output(shape), uniform("sizes", &[shape.count(), 5])],
            work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Copy),
            check: Check {
                buffer: "output",
                scalars: all,
                oracle: |shape, interface| {
                    let (n, length) = (shape.count(), u64::from(interface.invocations()));
                    each(move |i| word(n, i / length * length + (i + 37) % length).into())
                },
            },
            ..BASE
        },
    ],
};

/// What the benchmarks here share: one word an invocation.
const BASE: Benchmark = Benchmark {
    small: Some(Extent::Linear(1 << 14)),
    cases: &[],
    buffers: |shape, _| vec![input(shape), output(shape), uniform("sizes", &[shape.count()])],
    steps: |shape, interface| covering(shape.count(), interface),
    work: |_| Work { bytes: 0, flops: 0 },
    check: Check { buffer: "output", scalars: all, oracle: |_, _| each(|_| f64::NAN) },
    ..Benchmark::BLANK
};

/// Who zeroes the array of `zero_init`: nobody, the API before the kernel starts (as WGSL has it), or the kernel.
const LEFT: Params = &[("ZEROING", 0.0)];
const BY_API: Params = &[("ZEROING", 0.0), ("ZERO_INIT", 1.0)];
const BY_KERNEL: Params = &[("ZEROING", 1.0)];

/// The two rotations.
const ROTATION: Benchmark = Benchmark {
    cases: &cases(&[Extent::Linear(1 << 20)], &[Extent::Linear(1 << 24)], &[&[]]),
    work: |shape| Work { bytes: 2 * ROTATION_ROUNDS * shape.array_bytes(), flops: 0 },
    ceiling: Some(Limit::Workgroup),
    check: Check {
        buffer: "output",
        scalars: all,
        oracle: |shape, interface| {
            let (n, length) = (shape.count(), u64::from(interface.invocations()));
            each(move |i| word(n, i / length * length + (i + 37 * ROTATION_ROUNDS) % length).into())
        },
    },
    ..BASE
};

/// The two layouts of three arrays.
const THREE_ARRAYS: Benchmark = Benchmark {
    cases: &cases(&[Extent::Linear(1 << 18)], &[Extent::Linear(1 << 22)], &[&[]]),
    work: |shape| Work { bytes: 16 * ARRAYS_ROUNDS * shape.count(), flops: 0 },
    ceiling: Some(Limit::Workgroup),
    check: Check { buffer: "output", scalars: all, oracle: |shape, _| three_arrays(shape.count()) },
    ..BASE
};

/// The three ways to write words. No ceiling: 32 invocations that read one word are served at once.
const WORDS: Benchmark = Benchmark {
    cases: &cases(&[Extent::Linear(1 << 17)], &[Extent::Linear(1 << 21)], &[&[]]),
    work: |shape| Work { bytes: 2 * WORDS_SETS * WORDS_ROUNDS * shape.array_bytes(), flops: 0 },
    check: Check {
        buffer: "output",
        scalars: all,
        oracle: |shape, _| {
            let n = shape.count();
            // Every read of every round finds what it must.
            each(move |i| word(n, i).wrapping_add((WORDS_SETS * WORDS_ROUNDS) as u32).into())
        },
    },
    ..BASE
};

/// `ROUNDS` of the kernels, which no case changes.
const ROTATION_ROUNDS: u64 = 16;
const ARRAYS_ROUNDS: u64 = 16;
const WORDS_ROUNDS: u64 = 8;
/// `SETS` of the kernels that write words.
const WORDS_SETS: u64 = 8;

const COPIED: &[Extent] = &[Extent::Linear(1 << 22), Extent::Linear(1 << 24)];
const COPIED_MORE: &[Extent] = &[Extent::Linear(1 << 22), Extent::Linear(1 << 24), Extent::Linear(1 << 26)];

const fn cases(quick: &'static [Extent], more: &'static [Extent], params: &'static [Params]) -> [Cases; 2] {
    [
        Cases { from: Profile::Quick, dtypes: &[Dtype::U32], extents: quick, params },
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

/// What the invocation of element `i` starts with.
fn word(n: u64, i: u64) -> u32 {
    if i < n { Values::Wide.at(Scalar::U32, i) as u32 } else { 0 }
}

/// The kernels' 256 invocations, round by round, one block of the output after the other.
fn three_arrays(n: u64) -> Oracle {
    const BLOCK: usize = 256;
    Box::new(move |first, values| {
        let mut done = 0;
        while done < values.len() {
            let at = first + done as u64;
            let (block, place) = (at / BLOCK as u64 * BLOCK as u64, at as usize % BLOCK);
            let mut x: [u32; BLOCK] = std::array::from_fn(|t| word(n, block + t as u64));
            for k in 0..ARRAYS_ROUNDS as usize {
                let floats = &x[k % 4 * 64..][..64];
                let shorts = &x[(k + 1) % 4 * 64..][..64];
                let next = std::array::from_fn(|t| {
                    let pair = shorts[(t + k) % 128 / 2];
                    let short = if (t + k).is_multiple_of(2) { pair & 0xffff } else { pair >> 16 };
                    // An f32 holds the 20 bits as they are.
                    let float = floats[(3 * t + k) % 64] >> 12;
                    let sum = x[(t + 37) % BLOCK].wrapping_add(short).wrapping_sub(32_768).wrapping_add(float);
                    sum.wrapping_mul(5).wrapping_add(1)
                });
                x = next;
            }
            let length = (BLOCK - place).min(values.len() - done);
            for (value, x) in values[done..done + length].iter_mut().zip(&x[place..]) {
                *value = f64::from(*x);
            }
            done += length;
        }
    })
}
