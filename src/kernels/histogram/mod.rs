//! `histogram`: how often each of 256 values occurs among random bytes, four packed in each word.

pub(crate) mod claims;

use std::sync::OnceLock;

use rayon::prelude::*;

use record::suite::input::BLOCK;
use record::suite::prelude::*;
use record::suite::vectors::words_of;

pub(super) const FAMILY: Family = Family {
    name: "histogram",
    summary: "histogram of the byte values (0 to 255) in an array of words",
    tags: &[Tag::Primitive],
    model_text: "The best time is the time to read each word once. Each word also needs four atomic additions, which \
        are free only if the counters' memory accepts them as fast as words arrive.",
    headlines: &[Headline { name: "histogram", place: 5, naive: "global_atomic", scalar: None, ..Headline::F32 }],
    benchmarks: &[
        Benchmark {
            name: "global_atomic",
            // Software devices need a tenth of a second for 2^22 words.
            cases: &Cases::pair(&[Dtype::U32], SMALL, ALL, PLAIN),
            steps: |shape, interface| vec![Step::Clear("bins"), covering(shape, interface, 1)],
            ..BASE
        },
        Benchmark { name: "workgroup_atomic", ..BASE },
        Benchmark {
            name: "vec4",
            steps: |shape, interface| vec![Step::Clear("bins"), covering(shape, interface, 64)],
            ..BASE
        },
        Benchmark {
            name: "private",
            quick: &[],
            accepts: &[("COPIES", Accepted::Whole(1, 64))],
            cases: &cases(&[&[("COPIES", 4.0)], &[("COPIES", 8.0)]]),
            ..BASE
        },
        Benchmark {
            name: "cub",
            quick: &[],
            only_cuda: Some("CUB needs CUDA"),
            library: Some(Library::Cub),
            steps: |shape, _| Step::library(Routine::CountBytes { n: 4 * shape.count() }, &["input", "bins"]),
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// 16 words per invocation. The bins are cleared before each launch, outside the timed span.
const BASE: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1 << 26), PLAIN)],
    cases: &cases(PLAIN),
    buffers: |shape, _| Buffer::into("bins", (shape.count(), Values::Wide), BINS as u64, &[shape.count()]),
    steps: |shape, interface| vec![Step::Clear("bins"), covering(shape, interface, 16)],
    work: |shape| Work { bytes: shape.array_bytes(), flops: 4 * shape.count() },
    ceiling: Some(Limit::Read),
    check: Check::of("bins", |_, _| BINS as u64, |shape, _| counted(shape)),
    ..Benchmark::BLANK
};

const BINS: usize = 256;

const SMALL: &[Extent] = &[Extent::Linear(1 << 20)];
const QUICK: &[Extent] = &linear([1 << 20, 1 << 22]);
const ALL: &[Extent] = &linear([1 << 20, 1 << 22, 1 << 26]);

const fn cases(params: &'static [Params]) -> [Cases; 2] {
    Cases::pair(&[Dtype::U32], QUICK, ALL, params)
}

fn covering(shape: &Shape, interface: &Interface, words: u64) -> Step {
    Step::dispatch(shape.count().div_ceil(words * interface.invocations()))
}

fn counted(shape: &Shape) -> Oracle {
    const PIECE: u64 = 1 << 16;
    let (n, input) = (shape.count(), shape.input(Values::Wide));
    let merge = |mut a: [u32; BINS], b: [u32; BINS]| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = a.wrapping_add(b));
        a
    };
    let count = move |piece: u64| {
        // Separate counts for each byte of a word: an addition waits for the previous one to the same count.
        let mut bins = [[0_u32; BINS]; 4];
        let (mut values, mut words) = ([0.0; BLOCK], [0; BLOCK]);
        let end = n.min((piece + 1) * PIECE);
        for first in (piece * PIECE..end).step_by(BLOCK) {
            let length = (end - first).min(BLOCK as u64) as usize;
            input.elements(Scalar::U32, first, 1, &mut values[..length]);
            words_of(&values[..length], &mut words[..length]);
            for word in &words[..length] {
                bins.iter_mut().zip(word.to_le_bytes()).for_each(|(bins, byte)| bins[usize::from(byte)] += 1);
            }
        }
        bins.into_iter().fold([0; BINS], merge)
    };
    let known = OnceLock::new();
    Box::new(move |first, values| {
        let all = || (0..n.div_ceil(PIECE)).into_par_iter().map(count).reduce(|| [0; BINS], merge);
        let bins = known.get_or_init(all);
        for (slot, bin) in values.iter_mut().zip(&bins[first as usize..]) {
            *slot = f64::from(*bin);
        }
    })
}
