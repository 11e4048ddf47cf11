//! `bank_conflict`: workgroup memory read in patterns with bank conflicts (source article 004).
//!
//! Workgroup memory is split into banks of 32-bit words: word w is in bank w mod banks, and a bank serves one word per
//! clock. Invocations of a subgroup that read different words of one bank are served one after the other; those that
//! read the same word share it.

pub mod claims;

use std::sync::OnceLock;

use record::suite::consecutive;
use record::suite::prelude::*;

/// The kernel that extracts values of `$bits` bits from words.
macro_rules! wgsl {
    ($bits:literal) => {
        concat!(
            include_str!(concat!(env!("SHADERBENCH_SHADERS"), "/bank_conflict/packed.wgsl.in")),
            "\n/// Bits of a value.\nconst BITS = ",
            $bits,
            "u;\n"
        )
    };
}

/// A CUDA kernel for values of `$bits` bits, with `$line` as its header.
macro_rules! cuda {
    ($file:literal, $bits:literal, $line:literal) => {
        concat!(
            "// ",
            $line,
            "\n\nconstexpr u32 BITS = ",
            $bits,
            "u;\n",
            include_str!(concat!(env!("SHADERBENCH_SHADERS"), "/bank_conflict/", $file))
        )
    };
}

pub(super) const FAMILY: Family = Family {
    name: "bank_conflict",
    summary: "reads of workgroup memory with bank conflicts; model: speed with 32 banks, relative to stride 1",
    tags: &[Tag::Article, Tag::Memory],
    model_text: "Word w of workgroup memory is in bank w mod 32. A subgroup's access takes one pass for each distinct \
        word in its busiest bank: gcd(STRIDE, 32) passes for strided accesses, one pass if all invocations read the same word. \
        The model is 1 divided by the number of passes. Compute capability 1.x had 16 banks per half-warp.",
    chart: Chart::Own,
    benchmarks: &[
        Benchmark {
            name: "stride",
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 17), POWERS)],
            accepts: &[("STRIDE", Accepted::Whole(0, 1024))],
            cases: &[
                Cases::standard(&[Dtype::F32], SIZE, QUICK_STRIDES),
                Cases::standard(&[Dtype::F32], LARGE, &STRIDES),
            ],
            model: Some(|shape| 1.0 / conflict(shape.param("STRIDE", 1.0) as u64, 32) as f64),
            check: Check::of("output", all, |shape, _| {
                let stride = shape.param("STRIDE", 1.0) as u64;
                sums(rounds(shape), SPAN, move |i| stride * i, words(shape))
            }),
            ..BASE
        },
        Benchmark {
            name: "broadcast",
            accepts: &[("GROUP", Accepted::Whole(1, 1024))],
            cases: &[Cases::standard(&[Dtype::F32], SIZE, QUICK_GROUPS), Cases::standard(&[Dtype::F32], LARGE, GROUPS)],
            ceiling: None,
            no_ceiling: "one access serves all invocations that read the same word, so more bytes are read than the \
                banks deliver",
            model: Some(|_| 1.0),
            check: Check::of("output", all, |shape, _| {
                let group = (shape.param("GROUP", 1.0) as u64).max(1);
                sums(rounds(shape), SPAN, move |i| i / group, words(shape))
            }),
            ..BASE
        },
        Benchmark {
            name: "bytes",
            wgsl: wgsl!("8"),
            cuda: cuda!(
                "packed.cu.in",
                "8",
                "Twin of bytes.wgsl: the same code. It loads words and extracts bytes, as WGSL must."
            ),
            ..BYTES
        },
        Benchmark {
            name: "halves",
            wgsl: wgsl!("16"),
            cuda: cuda!(
                "packed.cu.in",
                "16",
                "Twin of halves.wgsl: the same code. It loads words and extracts 16-bit values, as WGSL must."
            ),
            ..HALVES
        },
        Benchmark {
            name: "bytes_direct",
            cuda: cuda!(
                "packed_direct.cu.in",
                "8",
                "CUDA only: the kernel `bytes` with 8-bit loads. WGSL must load words and extract bytes."
            ),
            only_cuda: Some("WGSL has no 8-bit integers"),
            ..BYTES
        },
        Benchmark {
            name: "halves_direct",
            cuda: cuda!(
                "packed_direct.cu.in",
                "16",
                "CUDA only: the kernel `halves` with 16-bit loads. WGSL must load words and extract 16-bit values."
            ),
            only_cuda: Some("standard WGSL has no 16-bit integers"),
            ..HALVES
        },
    ],
    ..Family::BLANK
};

/// Whole words, each read by one invocation.
const BASE: Benchmark = Benchmark {
    small: Some(Extent::Linear(1 << 12)),
    buffers: |shape, _| Buffer::from_to((TABLE, Values::Summable), shape.count(), &[shape.count(), ADVANCE]),
    work: |shape| work(shape, 4),
    ceiling: Some(Limit::Workgroup),
    bound: Bound::Roundings(|shape, _| READS * rounds(shape) + 8),
    ..Benchmark::BLANK
};

/// Since compute capability 2.x, reads of parts of one word do not conflict, so both distances cost the same.
const NARROW: Benchmark = Benchmark { accepts: &[("APART", Accepted::Whole(0, 1024))], model: Some(|_| 1.0), ..BASE };

const BYTES: Benchmark = Benchmark {
    cases: &cases(&[&[("APART", 1.0)], &[("APART", 4.0)]]),
    work: |shape| work(shape, 1),
    check: Check::of("output", all, |shape, _| sums_of_parts(shape, 4)),
    ..NARROW
};

const HALVES: Benchmark = Benchmark {
    cases: &cases(&[&[("APART", 1.0)], &[("APART", 2.0)]]),
    work: |shape| work(shape, 2),
    check: Check::of("output", all, |shape, _| sums_of_parts(shape, 2)),
    ..NARROW
};

/// Invocations: enough workgroups for over a hundred SMs, and twice as many. Long loops make the launch and the filling
/// of the tables negligible, and cost a small device less than more invocations would.
const SIZE: &[Extent] = &[Extent::Linear(1 << 16)];
const LARGE: &[Extent] = &[Extent::Linear(1 << 17)];

const fn cases(params: &'static [Params]) -> [Cases; 2] {
    Cases::pair(&[Dtype::U32], SIZE, LARGE, params)
}

const QUICK_GROUPS: &[Params] = &sets(&values("GROUP", [2.0, 16.0, 256.0]));

const GROUPS: &[Params] = &sets(&values("GROUP", [2.0, 4.0, 8.0, 16.0, 256.0]));

/// Powers of two, from which the number of banks is inferred, and an odd stride.
const POWERS: &[Params] = &sets(&values("STRIDE", [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 33.0, 64.0]));

const QUICK_STRIDES: &[Params] = &sets(&values("STRIDE", [1.0, 2.0, 3.0, 4.0, 8.0, 16.0, 31.0, 32.0, 33.0, 64.0]));

const STRIDES: [Params; 64] = sets(&consecutive("STRIDE", 1));

/// Words of the table in workgroup memory, range of a round's first read, and distance between its reads.
const TABLE: u64 = 4096;
const SPAN: u64 = 2048;
const STEP: u64 = 128;
const READS: u64 = 16;
/// Words from one round's reads to the next round's: odd, so that every bank, byte and half is read.
const ADVANCE: u64 = 37;

/// Invocations of a subgroup that share a bank if each reads a word `stride` after its neighbour's: gcd(stride, banks).
/// Compute capability 1.x serves half-warps of 16 from 16 banks; later GPUs serve warps of 32 from 32.
#[must_use]
pub const fn conflict(stride: u64, banks: u64) -> u64 {
    let (mut a, mut b) = (stride, banks);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn rounds(shape: &Shape) -> u64 {
    shape.param("ROUNDS", 1024.0) as u64
}

fn work(shape: &Shape, bytes: u64) -> Work {
    let reads = READS * rounds(shape) * shape.count();
    Work { bytes: bytes * reads, flops: 0 }
}

fn words(shape: &Shape) -> impl Fn(u64) -> f64 + Send + Sync + 'static {
    let input = shape.input(Values::Summable);
    move |index| input.at(Scalar::F32, index)
}

fn sums_of_parts(shape: &Shape, parts: u64) -> Oracle {
    let (apart, bits, input) = (shape.param("APART", 1.0) as u64, 32 / parts, shape.input(Values::Summable));
    let part = move |index: u64| {
        let word = input.at(Scalar::U32, index / parts) as u64;
        (word >> (index % parts * bits) & ((1 << bits) - 1)) as f64
    };
    sums(rounds(shape), SPAN * parts, move |i| apart * i, part)
}

/// The sum of invocation i: for each round, the values at (start(i) + `ADVANCE` · round) mod `span` and at 15 multiples
/// of `STEP` after it. Invocations whose starts agree mod `span` have the same sum, so there are `span` sums.
fn sums(
    rounds: u64,
    span: u64,
    start: impl Fn(u64) -> u64 + Send + Sync + 'static,
    value: impl Fn(u64) -> f64 + Send + Sync + 'static,
) -> Oracle {
    let sums = OnceLock::new();
    let step = STEP * span / SPAN;
    let all = move || -> Vec<f64> {
        let values: Vec<f64> = (0..span + READS * step).map(&value).collect();
        let round = |at: u64| (0..READS).map(|read| values[(at + read * step) as usize]).sum::<f64>();
        let by_start: Vec<f64> = (0..span).map(round).collect();
        totals(&by_start, rounds)
    };
    each(move |i| sums.get_or_init(&all)[(start(i) % span) as usize])
}

/// For each start, the sum of `rounds` values that are `ADVANCE` apart, with indices modulo the length. Starts on one
/// cycle share prefix sums, which are exact: all values are multiples of the same power of two.
fn totals(values: &[f64], rounds: u64) -> Vec<f64> {
    let mut totals = vec![None; values.len()];
    for first in 0..values.len() {
        if totals[first].is_some() {
            continue;
        }
        let next = |at: &usize| Some((at + ADVANCE as usize) % values.len()).filter(|at| *at != first);
        let cycle: Vec<usize> = std::iter::successors(Some(first), next).collect();
        let mut prefix = vec![0.0];
        for at in &cycle {
            prefix.push(prefix[prefix.len() - 1] + values[*at]);
        }
        let (length, all) = (cycle.len(), prefix[cycle.len()]);
        let (whole, rest) = (rounds / length as u64, (rounds % length as u64) as usize);
        for (index, at) in cycle.iter().enumerate() {
            let end = index + rest;
            let upto = if end > length { all + prefix[end - length] } else { prefix[end] };
            totals[*at] = Some(whole as f64 * all + (upto - prefix[index]));
        }
    }
    totals.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_the_sums_of_all_rounds() {
        for length in [1_u64, 5, 37, 74, 512] {
            let values: Vec<f64> = (0..length).map(|i| f64::from((i * i % 97) as u32) / 8.0 - 3.0).collect();
            for rounds in [0, 1, 2, 36, 37, 500, 1024] {
                let sum = |first: u64| (0..rounds).map(|k| values[((first + ADVANCE * k) % length) as usize]).sum();
                assert_eq!(totals(&values, rounds), (0..length).map(sum).collect::<Vec<f64>>(), "{length} {rounds}");
            }
        }
    }

    /// The model equals the largest number of a warp's distinct words in one bank.
    #[test]
    fn the_model_counts_the_words_in_the_fullest_bank() {
        for banks in [16, 32] {
            for stride in 1..=64 {
                let mut load = vec![0; banks as usize];
                (0..banks).for_each(|lane| load[(stride * lane % SPAN % banks) as usize] += 1);
                assert_eq!(load.iter().max(), Some(&conflict(stride, banks)), "stride {stride}, {banks} banks");
            }
        }
    }
}
