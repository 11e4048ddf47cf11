//! `scan`: the inclusive prefix sum of an array.

pub(crate) mod claims;

use std::sync::OnceLock;

use rayon::prelude::*;

use record::suite::input::Scaled;
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "scan",
    summary: "the inclusive prefix sum of an array",
    tags: &[Tag::Primitive],
    model_text: "A scan needs to read and write every element only once, as a copy does. A scan by three kernels moves 4n \
        scalars: the first kernel reads and writes all elements, and the last does so again to add the preceding \
        sums. A single-pass scan moves 2n scalars.",
    headlines: &[Headline { name: "scan", place: 4, naive: "three_kernels", ..Headline::F32 }],
    benchmarks: &[
        Benchmark { name: "three_kernels", buffers, steps, ..BASE },
        Benchmark { name: "single_pass", ..SINGLE_PASS },
        Benchmark {
            name: "single_pass_subgroup",
            twin_differs: Some("64-bit status words"),
            quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 28), &[&[("WG", 256.0)], &[("WG", 512.0)]])],
            cases: &cases(&[&[("WG", 256.0)], &[("WG", 512.0)]]),
            buffers: |shape, interface| by_tiles(shape, tiles(shape, interface, 32)),
            steps: |shape, interface| vec![Step::Clear("state"), Step::dispatch(tiles(shape, interface, 32))],
            ..SINGLE_PASS
        },
        Benchmark {
            name: "cub",
            quick: &[],
            only_cuda: Some("CUB needs CUDA"),
            library: Some(Library::Cub),
            accepts: &[],
            buffers: |shape, _| Buffer::of_copy(shape.count(), SCALED),
            steps: |shape, _| Step::library(Routine::Scan { n: shape.count() }, &["input", "output"]),
            ..BASE
        },
    ],
    ..Family::BLANK
};

const SINGLE_PASS: Benchmark = Benchmark {
    buffers: |shape, interface| by_tiles(shape, tiles(shape, interface, 16)),
    steps: |shape, interface| vec![Step::Clear("state"), Step::dispatch(tiles(shape, interface, 16))],
    waits: true,
    ..BASE
};

const BASE: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 28), PLAIN)],
    accepts: &[("WG", Accepted::PowerOfTwo(32, 1024))],
    small: Some(Extent::Linear(1 << 16)),
    cases: &cases(PLAIN),
    work: |shape| Work { bytes: 2 * shape.array_bytes(), flops: shape.count() - 1 },
    ceiling: Some(Limit::Copy),
    // Of 70,001 elements: the sums of up to 137 tiles, one after the other, and trees.
    bound: Bound::Roundings(|_, _| 256),
    check: Check::of("output", all, prefix_sums),
    ..Benchmark::BLANK
};

/// Elements with exact sums, in a unit that no kernel knows.
const SCALED: Values = Values::Scaled(Scaled { most: 127, row: Scaled::ONE_ROW, first: 0 });

const fn cases(params: &'static [Params]) -> [Cases; 3] {
    const QUICK: &[Extent] = &[Extent::Linear(1 << 24)];
    const ODD: &[Extent] = &[Extent::Linear(1_000_003)];
    const ALL: &[Extent] = &linear([1 << 20, 1 << 24, 1 << 26, 1 << 28]);
    [
        Cases::standard(&[Dtype::F32], QUICK, params),
        Cases::standard(&[Dtype::F32], ODD, params),
        Cases::standard(&[Dtype::F32, Dtype::U32], ALL, params),
    ]
}

fn tiles(shape: &Shape, interface: &Interface, elements: u64) -> u64 {
    shape.count().div_ceil(elements * interface.invocations())
}

fn by_tiles(shape: &Shape, tiles: u64) -> Vec<Buffer> {
    vec![
        Buffer::input("input", shape.count(), SCALED),
        Buffer::output("output", shape.count()),
        // The next tile's number, and two words per tile.
        Buffer::output("state", 2 + 2 * tiles),
        uniform("sizes", &[shape.count(), tiles]),
    ]
}

/// Names by level: the source and the result of the scan, and the uniforms of scanning and of adding. 2^28 elements in
/// blocks of 128 or more need four.
const SOURCES: [&str; 5] = ["input", "sums_1", "sums_2", "sums_3", "sums_4"];
const RESULTS: [&str; 5] = ["output", "scanned_1", "scanned_2", "scanned_3", "scanned_4"];
const SCANNING: [&str; 5] = ["sizes", "scan_1", "scan_2", "scan_3", "scan_4"];
const ADDING: [&str; 5] = ["add_0", "add_1", "add_2", "add_3", "add_4"];

/// Elements of each level: the array, its block sums, their block sums, down to a single block.
fn levels(shape: &Shape, interface: &Interface) -> Vec<u64> {
    let block = 4 * interface.invocations();
    let mut levels = vec![shape.count()];
    while levels[levels.len() - 1] > block && levels.len() + 1 < SOURCES.len() {
        levels.push(levels[levels.len() - 1].div_ceil(block));
    }
    levels
}

fn buffers(shape: &Shape, interface: &Interface) -> Vec<Buffer> {
    let poison = |name, scalars| Buffer::output(name, scalars);
    let mut buffers = Vec::new();
    let levels = levels(shape, interface);
    for (level, n) in levels.iter().enumerate() {
        buffers.push(match level {
            0 => Buffer::input(SOURCES[0], *n, SCALED),
            _ => poison(SOURCES[level], *n),
        });
        buffers.push(poison(RESULTS[level], *n));
        buffers.push(uniform(SCANNING[level], &[*n, 0]));
        buffers.push(uniform(ADDING[level], &[*n, 1]));
    }
    // The last level is one block, whose sum is not read.
    buffers.push(poison(SOURCES[levels.len()], 1));
    buffers
}

fn steps(shape: &Shape, interface: &Interface) -> Vec<Step> {
    let levels = levels(shape, interface);
    let dispatch = |level: usize, sums, sizes| {
        Step::bound(
            grid(levels[level].div_ceil(4 * interface.invocations())),
            vec![SOURCES[level], RESULTS[level], sums, sizes],
        )
    };
    let down = (0..levels.len()).map(|level| dispatch(level, SOURCES[level + 1], SCANNING[level]));
    let up = (0..levels.len() - 1).rev().map(|level| dispatch(level, RESULTS[level + 1], ADDING[level]));
    down.chain(up).collect()
}

/// Sums up to multiples of a piece are computed once, on all cores; a slice's elements are added one by one.
fn prefix_sums(shape: &Shape, _: &Interface) -> Oracle {
    const PIECE: u64 = 1 << 13;
    let (input, scalar, n) = (shape.input(SCALED), shape.dtype.scalar(), shape.count());
    let before: OnceLock<Vec<f64>> = OnceLock::new();
    Box::new(move |first, slots| {
        let before = before.get_or_init(|| {
            let mut sums: Vec<f64> = (0..n.div_ceil(PIECE))
                .into_par_iter()
                .map(|piece| input.sum(scalar, piece * PIECE..n.min((piece + 1) * PIECE)))
                .collect();
            sums.insert(0, 0.0);
            accumulate(scalar, 0.0, &mut sums);
            sums
        });
        let start = first / PIECE * PIECE;
        let sum = before[(first / PIECE) as usize] + input.sum(scalar, start..first);
        input.elements(scalar, first, 1, slots);
        accumulate(scalar, sum, slots);
    })
}

/// Turns elements into their prefix sums, which start from `sum`; u32 sums wrap at 2^32.
fn accumulate(scalar: Scalar, sum: f64, slots: &mut [f64]) {
    if scalar == Scalar::U32 {
        let mut sum = sum as u64 as u32;
        for slot in slots {
            sum = sum.wrapping_add(*slot as u32);
            *slot = f64::from(sum);
        }
    } else {
        let mut sum = sum;
        for slot in slots {
            sum += *slot;
            *slot = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_sums_follow_one_by_one_from_any_index_on_and_wrap_at_32_bits() {
        const N: u64 = 20_000;
        for dtype in [Dtype::F32, Dtype::U32] {
            let shape = Shape { stream: 5, ..Shape::new(dtype, Extent::Linear(N), Default::default()) };
            let input = shape.input(SCALED);
            let mut sum = 0.0;
            let one_by_one: Vec<f64> = (0..N)
                .map(|i| {
                    sum += input.at(dtype.scalar(), i);
                    if dtype == Dtype::U32 { sum % 4_294_967_296.0 } else { sum }
                })
                .collect();
            let oracle = prefix_sums(&shape, &Interface::default());
            for (first, length) in [(0, N), (1, 100), (8191, 3), (8192, 8192), (12_345, 7_000), (N - 1, 1)] {
                let mut got = vec![f64::NAN; length as usize];
                oracle(first, &mut got);
                assert_eq!(got, one_by_one[first as usize..][..length as usize], "{} from {first}", dtype.name());
            }
        }
    }
}
