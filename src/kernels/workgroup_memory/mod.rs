//! `workgroup_memory`: how it is declared, partitioned and shared, and the cost of using more of it.

pub(crate) mod claims;

use record::suite::copied;
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "workgroup_memory",
    summary: "declaring, partitioning and sharing workgroup memory, and the cost of using more of it",
    tags: &[Tag::Article, Tag::Memory],
    model_text: "It should not matter how the length of an array is set: override_size and dynamic_size should be as \
        fast as fixed_size. The other rows are compared in pairs that differ in one property.",
    is_by_kernel: true,
    benchmarks: &[
        Benchmark {
            name: "fixed_size",
            quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1 << 24), PLAIN)],
            ..ROTATION
        },
        Benchmark {
            name: "override_size",
            quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1 << 24), &[&[("LENGTH", 256.0)]])],
            cases: &cases::<20>(&[&[("LENGTH", 256.0)]]),
            model: Some(|_| 1.0),
            ..ROTATION
        },
        Benchmark {
            name: "dynamic_size",
            only_cuda: Some("WGSL cannot set the length of workgroup memory at launch"),
            cases: &cases::<20>(&[&[("SHARED_BYTES", 1024.0)]]),
            model: Some(|_| 1.0),
            ..ROTATION
        },
        Benchmark {
            name: "static_and_dynamic",
            only_cuda: Some("WGSL cannot set the length of workgroup memory at launch"),
            cases: &cases::<20>(&[&[("SHARED_BYTES", 1024.0)]]),
            ..ROTATION
        },
        Benchmark { name: "fixed_bytes", ..BYTES },
        Benchmark {
            name: "dynamic_bytes",
            only_cuda: Some("WGSL cannot set the length of workgroup memory at launch"),
            cases: &[Cases::standard(&[Dtype::U32], BYTES_MOVED, &[&[("SHARED_BYTES", 8.0)]])],
            ..BYTES
        },
        Benchmark { name: "structured", ..THREE_ARRAYS },
        Benchmark { name: "carved", twin_differs: Some("typed pointers instead of shifts of words"), ..THREE_ARRAYS },
        Benchmark { name: "distinct_words", ..WORDS },
        Benchmark { name: "same_word", ..WORDS },
        Benchmark {
            name: "atomic_word",
            twin_differs: Some("plain loads and stores except for the atomic maximum"),
            ..WORDS
        },
        Benchmark {
            name: "bytes_of_word",
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
            cases: &[
                Cases::standard(&[Dtype::Vec4F32], COPIED, &sets(&values("WORDS", [256.0, 1024.0, 2048.0, 4096.0]))),
                // Up to 32 KiB, if a device has more than the usual 16.
                Cases::standard(
                    &[Dtype::Vec4F32],
                    COPIED_MORE,
                    &sets(&values("WORDS", [256.0, 512.0, 1024.0, 2048.0, 4096.0, 8192.0])),
                ),
                // 48 KiB: the most that CUDA gives a block that does not opt in to more.
                Cases::standard(&[Dtype::Vec4F32], &[Extent::Linear(1 << 26)], &[&[("WORDS", 12288.0)]]),
            ],
            // 5: a number that the compiler does not know.
            buffers: |shape, _| Buffer::in_and_out(shape, Values::Wide, &[shape.elements(), 5]),
            work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Copy),
            check: Check::of("output", all, |shape, _| copied(shape, Values::Wide)),
            ..BASE
        },
        Benchmark {
            name: "zero_init",
            accepts: &[("ZEROING", Accepted::SWITCH)],
            cases: &cases::<20>(&[LEFT, BY_API, BY_KERNEL]),
            // 5: a page that the compiler does not know.
            buffers: |shape, _| Buffer::in_and_out(shape, Values::Wide, &[shape.count(), 5]),
            work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: 0 },
            ceiling: Some(Limit::Copy),
            check: Check::of("output", all, |shape, interface| rotated(shape, interface, 37, u32::MAX)),
            ..BASE
        },
    ],
    ..Family::BLANK
};

const BASE: Benchmark = Benchmark {
    small: Some(Extent::Linear(1 << 14)),
    buffers: |shape, _| Buffer::in_and_out(shape, Values::Wide, &[shape.count()]),
    ..Benchmark::BLANK
};

/// What zeroes the array of `zero_init`: nothing, the API before the kernel starts (WGSL's rule), or the kernel.
const LEFT: Params = &[("ZEROING", 0.0)];
const BY_API: Params = &[("ZEROING", 0.0), ("ZERO_INIT", 1.0)];
const BY_KERNEL: Params = &[("ZEROING", 1.0)];

const ROTATION: Benchmark = Benchmark {
    accepts: &[
        ("ROUNDS", Accepted::OneOf(&[16.0])),
        ("LENGTH", Accepted::Whole(1, 1024)),
        ("SHARED_BYTES", Accepted::Multiple(1024, 1 << 16)),
    ],
    cases: &cases::<20>(PLAIN),
    work: |shape| Work { bytes: 2 * ROTATION_ROUNDS * shape.array_bytes(), flops: 0 },
    ceiling: Some(Limit::Workgroup),
    check: Check::of("output", all, |shape, interface| rotated(shape, interface, 37 * ROTATION_ROUNDS, u32::MAX)),
    ..BASE
};

const BYTES: Benchmark = Benchmark {
    cases: &[Cases::standard(&[Dtype::U32], BYTES_MOVED, PLAIN)],
    work: |shape| Work { bytes: 2 * BYTES_ROUNDS * shape.count(), flops: 0 },
    no_ceiling: "a byte occupies a bank for as long as a word, and eight invocations do not fill a subgroup",
    check: Check::of("output", all, |shape, interface| rotated(shape, interface, 3 * BYTES_ROUNDS, 255)),
    ..BASE
};

const THREE_ARRAYS: Benchmark = Benchmark {
    accepts: &[("ROUNDS", Accepted::OneOf(&[16.0]))],
    cases: &cases::<18>(PLAIN),
    work: |shape| Work { bytes: 16 * ARRAYS_ROUNDS * shape.count(), flops: 0 },
    ceiling: Some(Limit::Workgroup),
    check: Check::of("output", all, |shape, _| three_arrays(shape)),
    ..BASE
};

const WORDS: Benchmark = Benchmark {
    accepts: &[("ROUNDS", Accepted::OneOf(&[8.0]))],
    cases: &cases::<17>(PLAIN),
    work: |shape| Work { bytes: 2 * WORDS_SETS * WORDS_ROUNDS * shape.array_bytes(), flops: 0 },
    no_ceiling: "one access serves all 32 invocations that read the same word, so more bytes are read than the banks \
        deliver",
    check: Check::of("output", all, |shape, _| {
        let word = words(shape);
        // Every read of every round adds one.
        each(move |i| word(i).wrapping_add((WORDS_SETS * WORDS_ROUNDS) as u32).into())
    }),
    ..BASE
};

/// `ROUNDS` of the kernels, which no case sets.
const ROTATION_ROUNDS: u64 = 16;
/// Not a multiple of 8, after which the bytes of a block are back in place.
const BYTES_ROUNDS: u64 = 15;
const ARRAYS_ROUNDS: u64 = 16;
const WORDS_ROUNDS: u64 = 8;
/// `SETS` of the kernels that write words.
const WORDS_SETS: u64 = 8;

const BYTES_MOVED: &[Extent] = &[Extent::Linear(1 << 20)];
const COPIED: &[Extent] = &[Extent::Linear(1 << 24)];
const COPIED_MORE: &[Extent] = &linear([1 << 22, 1 << 24, 1 << 26]);

/// 2^POWER invocations, and 16 times as many.
const fn cases<const POWER: u32>(params: &'static [Params]) -> [Cases; 2] {
    let (few, many) = const { (&[Extent::Linear(1 << POWER)], &[Extent::Linear(16 << POWER)]) };
    Cases::pair(&[Dtype::U32], few, many, params)
}

/// The start value of the invocation of an element.
fn words(shape: &Shape) -> impl Fn(u64) -> u32 + Send + Sync + 'static {
    let (n, input) = (shape.count(), shape.input(Values::Wide));
    move |i| if i < n { input.at(Scalar::U32, i) as u32 } else { 0 }
}

/// The words of each workgroup, rotated by `by` positions and masked.
fn rotated(shape: &Shape, interface: &Interface, by: u64, mask: u32) -> Oracle {
    let (word, length) = (words(shape), interface.invocations());
    each(move |i| (word(i / length * length + (i + by) % length) & mask).into())
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
