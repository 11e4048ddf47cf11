//! `radix_sort`: a stable sort of u32 keys, alone or with a value each, from the lowest digit to the highest.

pub(crate) mod claims;
mod oracle;

use std::sync::OnceLock;

use oracle::Sorted;
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "radix_sort",
    summary: "stable radix sort of u32 keys, alone or with a value for each key",
    model_text: "With 8-bit digits, four passes read and write all keys, and one more pass reads them to count digits: \
        36 bytes per key, or 68 with a value. All rows count these bytes, so their rates are proportional to keys per \
        second. A rate of 100 GB/s is 2.8 billion keys or 1.5 billion pairs per second.",
    tags: &[Tag::Primitive],
    headlines: &[Headline { name: "radix sort", scalar: None, ..Headline::F32 }],
    benchmarks: &[
        Benchmark {
            name: "three_kernels",
            quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1 << 26), &[&[("BITS", 8.0), ("PAIRS", 0.0)]])],
            accepts: &[("WG", Accepted::PowerOfTwo(32, 512)), BITS, PAIRS],
            cases: &cases(
                &[&[("BITS", 4.0), ("PAIRS", 0.0)], &[("BITS", 8.0), ("PAIRS", 0.0)], &[("BITS", 8.0), ("PAIRS", 1.0)]],
                &[
                    &[("BITS", 4.0), ("PAIRS", 0.0)],
                    &[("BITS", 8.0), ("PAIRS", 0.0)],
                    &[("BITS", 4.0), ("PAIRS", 1.0)],
                    &[("BITS", 8.0), ("PAIRS", 1.0)],
                ],
                &[&[("BITS", 8.0), ("PAIRS", 0.0)]],
            ),
            buffers: three_kernels_buffers,
            steps: three_kernels_steps,
            ..BASE
        },
        Benchmark {
            name: "onesweep",
            quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1 << 26), &[&[("PAIRS", 0.0)]])],
            accepts: &[("WG", Accepted::PowerOfTwo(64, 512)), PAIRS],
            waits: true,
            cases: &cases(KEYS_AND_PAIRS, KEYS_AND_PAIRS, &[&[("PAIRS", 0.0)]]),
            buffers: onesweep_buffers,
            steps: onesweep_steps,
            ..BASE
        },
        Benchmark {
            name: "cub",
            only_cuda: Some("CUB needs CUDA"),
            library: Some(Library::Cub),
            accepts: &[PAIRS],
            cases: &cases(KEYS_AND_PAIRS, KEYS_AND_PAIRS, &[&[("PAIRS", 0.0)]]),
            buffers: |shape, _| Buffer::of_copy(scalars(shape), keys(shape)),
            steps: |shape, _| {
                Step::library(Routine::Sort { n: shape.count(), has_values: is_pairs(shape) }, &["input", "output"])
            },
            ..BASE
        },
    ],
    ..Family::BLANK
};

const BITS: (&str, Accepted) = ("BITS", Accepted::OneOf(&[4.0, 8.0]));
const KEYS_AND_PAIRS: &[Params] = &[&[("PAIRS", 0.0)], &[("PAIRS", 1.0)]];
const PAIRS: (&str, Accepted) = ("PAIRS", Accepted::SWITCH);

const BASE: Benchmark = Benchmark {
    small: Some(Extent::Linear(1 << 16)),
    unsupported: |shape| {
        (shape.count() >= MOST).then_some(
            "the kernel stores counts in 30 bits; sort fewer than 2^30 \
        keys",
        )
    },
    work: |shape| Work { bytes: if is_pairs(shape) { 17 } else { 9 } * shape.array_bytes(), flops: 0 },
    ceiling: Some(Limit::Copy),
    check: Check::of("output", |shape, _| scalars(shape), |shape, _| sorted(shape)),
    ..Benchmark::BLANK
};

const MOST: u64 = 1 << 30;

const fn cases(quick: &'static [Params], params: &'static [Params], largest: &'static [Params]) -> [Cases; 3] {
    const QUICK: &[Extent] = &[Extent::Linear(1 << 24)];
    const ALL: &[Extent] = &linear([100_003, 1 << 20, 1 << 24, 1 << 26]);
    const LARGEST: &[Extent] = &[Extent::Linear(1 << 28)];
    const U32: &[Dtype] = &[Dtype::U32];
    [Cases::standard(U32, QUICK, quick), Cases::standard(U32, ALL, params), Cases::standard(U32, LARGEST, largest)]
}

fn is_pairs(shape: &Shape) -> bool {
    shape.param("PAIRS", 0.0) == 1.0
}

/// Realistic keys: many equal ones, runs, zeros and the largest word among random ones. Values are random.
const fn keys(shape: &Shape) -> Values {
    Values::SortKeys(shape.count())
}

fn scalars(shape: &Shape) -> u64 {
    if is_pairs(shape) { 2 * shape.count() } else { shape.count() }
}

/// Keys and then values: the input, and two arrays between which the passes move them.
fn arrays(shape: &Shape) -> Vec<Buffer> {
    let scalars = scalars(shape);
    vec![
        Buffer::input("input", scalars, keys(shape)),
        Buffer::output("other", scalars),
        Buffer::output("output", scalars),
    ]
}

/// Source and destination of a pass; the number of passes is even.
const fn ends(pass: usize) -> (&'static str, &'static str) {
    match (pass, pass % 2) {
        (0, _) => ("input", "other"),
        (_, 0) => ("output", "other"),
        _ => ("other", "output"),
    }
}

/// Uniforms of the passes with 4-bit digits; 8-bit digits use the first half.
const COUNTING: [&str; 8] = ["count_1", "count_2", "count_3", "count_4", "count_5", "count_6", "count_7", "count_8"];
const SCANNING: [&str; 8] = ["scan_1", "scan_2", "scan_3", "scan_4", "scan_5", "scan_6", "scan_7", "scan_8"];
const MOVING: [&str; 8] = ["move_1", "move_2", "move_3", "move_4", "move_5", "move_6", "move_7", "move_8"];

struct Division {
    groups: u64,
    /// Tiles of a workgroup.
    each: u64,
    bits: u64,
    passes: usize,
}

fn division(shape: &Shape, interface: &Interface) -> Division {
    /// Enough workgroups for any device, few enough that their counts are small.
    const GROUPS: u64 = 4096;
    const LEAST_TILES: u64 = 4;
    let tiles = shape.count().div_ceil(8 * interface.invocations());
    let each = tiles.div_ceil(GROUPS).max(LEAST_TILES);
    let bits = interface.parameter("BITS").max(4);
    Division { groups: tiles.div_ceil(each), each, bits, passes: (32 / bits) as usize }
}

fn three_kernels_buffers(shape: &Shape, interface: &Interface) -> Vec<Buffer> {
    let Division { groups, each, bits, passes } = division(shape, interface);
    let mut buffers = arrays(shape);
    buffers.push(Buffer::output("counts", (groups + 1) << bits));
    for pass in 0..passes {
        for (kernel, names) in (0..).zip([COUNTING, SCANNING, MOVING]) {
            buffers.push(uniform(names[pass], &[shape.count(), groups, each, bits * pass as u64, kernel]));
        }
    }
    buffers
}

fn three_kernels_steps(shape: &Shape, interface: &Interface) -> Vec<Step> {
    let Division { groups, bits, passes, .. } = division(shape, interface);
    let pass = |pass: usize| {
        let (source, result) = ends(pass);
        [(groups, COUNTING), (1 << bits, SCANNING), (groups, MOVING)]
            .map(|(groups, names)| Step::bound(grid(groups), vec![source, result, "counts", names[pass]]))
    };
    (0..passes).flat_map(pass).collect()
}

/// Passes of `onesweep`, and the values of a digit.
const PASSES: usize = 4;
const DIGITS: u64 = 256;

/// Tiles of `onesweep`: 16 keys per invocation.
fn tiles(shape: &Shape, interface: &Interface) -> u64 {
    shape.count().div_ceil(16 * interface.invocations())
}

fn onesweep_buffers(shape: &Shape, interface: &Interface) -> Vec<Buffer> {
    let (n, tiles) = (shape.count(), tiles(shape, interface));
    let passes = PASSES as u64;
    let mut buffers = arrays(shape);
    // For each pass, the digit counts, and those that each tile publishes.
    let words = passes * (DIGITS + tiles * DIGITS);
    buffers.push(Buffer::output("state", words));
    buffers.push(uniform("sizes", &[n, tiles, 0, 1]));
    buffers.extend((0..PASSES).map(|pass| uniform(MOVING[pass], &[n, tiles, 8 * pass as u64, 0])));
    buffers
}

fn onesweep_steps(shape: &Shape, interface: &Interface) -> Vec<Step> {
    let tiles = tiles(shape, interface);
    let dispatch = |groups, (source, result), sizes| Step::bound(grid(groups), vec![source, result, "state", sizes]);
    let mut steps = vec![Step::Clear("state"), dispatch(tiles.div_ceil(4), ends(0), "sizes")];
    steps.extend((0..PASSES).map(|pass| dispatch(tiles, ends(pass), MOVING[pass])));
    steps
}

/// Keys, or keys with their positions in the lower half, which order equal keys and identify each key's value.
fn sorted(shape: &Shape) -> Oracle {
    let (input, n) = (shape.input(keys(shape)), shape.count());
    if !is_pairs(shape) {
        let keys = OnceLock::<Sorted<u32>>::new();
        return Box::new(move |first, slots| {
            keys.get_or_init(|| Sorted::new(input, n, |_, key| key)).read(first, slots, f64::from);
        });
    }
    let pairs = OnceLock::<Sorted<u64>>::new();
    Box::new(move |first, slots| {
        let pairs = pairs.get_or_init(|| Sorted::new(input, n, |index, key| u64::from(key) << 32 | index));
        let (keys, values) = slots.split_at_mut((slots.len() as u64).min(n.saturating_sub(first)) as usize);
        pairs.read(first.min(n), keys, |pair| (pair >> 32) as f64);
        let value = |pair: u64| input.at(Scalar::U32, n + (pair & u64::from(u32::MAX)));
        pairs.read(first.saturating_sub(n), values, value);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oracle_has_the_keys_in_order_and_each_value_with_its_key() {
        const N: u64 = 40_000;
        for pairs in [0.0, 1.0] {
            let params = [("PAIRS".to_owned(), pairs)].into();
            let shape = Shape { stream: 5, ..Shape::new(Dtype::U32, Extent::Linear(N), params) };
            let at = |index| shape.input(keys(&shape)).at(Scalar::U32, index);
            let mut wanted: Vec<(f64, f64)> = (0..N).map(|index| (at(index), at(N + index))).collect();
            wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
            let all: Vec<f64> = wanted.iter().map(|pair| pair.0).chain(wanted.iter().map(|pair| pair.1)).collect();
            let oracle = sorted(&shape);
            for first in [0, 1, 16_384, N - 5, N, N + 7] {
                let mut got = vec![f64::NAN; (scalars(&shape).saturating_sub(first)).min(20_000) as usize];
                oracle(first.min(scalars(&shape) - 1), &mut got);
                assert_eq!(got, all[first as usize..][..got.len()], "from {first}");
            }
        }
    }

    #[test]
    fn every_pass_reads_what_the_last_one_wrote() {
        assert_eq!(ends(0).0, "input");
        assert!((1..8).all(|pass| ends(pass).0 == ends(pass - 1).1 && ends(pass).0 != ends(pass).1));
        assert_eq!((ends(3).1, ends(7).1), ("output", "output"));
    }
}
