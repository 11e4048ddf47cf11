//! `atomics`: atomic additions of u32 per second, to one address, to many, and to workgroup memory. GFLOP/s means 10⁹
//! atomic additions per second; no bytes are counted.

pub(crate) mod claims;

use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "atomics",
    summary: "u32 atomic additions (each counts as one operation)",
    tags: &[Tag::Cost],
    model_text: "Additions to the same address are serialised, one every few cycles, unless a subgroup first combines \
        its additions into one. Additions to different addresses run in parallel.",
    is_by_kernel: true,
    benchmarks: &[
        Benchmark {
            name: "same_address",
            buffers: |shape, _| buffers(shape, 1),
            check: Check::of("counters", one, |shape, _| {
                let (n, total) = (shape.count(), totals(shape));
                each(move |_| total(0, 1, n))
            }),
            ..BASE
        },
        Benchmark {
            name: "spread",
            quick: &[],
            accepts: &[("SLOTS", Accepted::PowerOfTwo(1, 1 << 20))],
            cases: &cases(&[
                &[("ROUNDS", 8.0), ("SLOTS", 64.0)],
                &[("ROUNDS", 8.0), ("SLOTS", 4096.0)],
                &[("ROUNDS", 8.0), ("SLOTS", 262_144.0)],
            ]),
            buffers: |shape, interface| buffers(shape, slots(shape, interface)),
            check: Check::of("counters", slots, |shape, interface| {
                let (n, slots, total) = (shape.count(), slots(shape, interface), totals(shape));
                each(move |slot| total(slot, slots, n.saturating_sub(slot).div_ceil(slots)))
            }),
            ..BASE
        },
        Benchmark {
            name: "workgroup",
            buffers: |shape, interface| buffers(shape, groups(shape, interface)),
            // Each counter is stored, not added to, so none is cleared.
            steps: |shape, interface| vec![Step::dispatch(groups(shape, interface))],
            check: Check::of("counters", groups, |shape, interface| {
                let (n, width, total) = (shape.count(), interface.invocations(), totals(shape));
                each(move |block| total(block * width, 1, width.min(n - block * width)))
            }),
            ..BASE
        },
    ],
    ..Family::BLANK
};

/// n invocations. Counters are cleared before each launch, outside the timed span.
const BASE: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1 << 22), &[&[("ROUNDS", 8.0)]])],
    cases: &cases(&[&[("ROUNDS", 8.0)]]),
    steps: |shape, interface| vec![Step::Clear("counters"), Step::dispatch(groups(shape, interface))],
    work: |shape| Work { bytes: 0, flops: rounds(shape) * shape.count() },
    no_ceiling: "these rows themselves measure the peak rates of atomic additions",
    ..Benchmark::BLANK
};

const fn cases(params: &'static [Params]) -> [Cases; 2] {
    const QUICK: &[Extent] = &[Extent::Linear(1 << 18)];
    const ALL: &[Extent] = &linear([1 << 18, 1 << 22]);
    Cases::pair(&[Dtype::U32], QUICK, ALL, params)
}

fn rounds(shape: &Shape) -> u64 {
    shape.param("ROUNDS", 8.0) as u64
}

fn slots(shape: &Shape, _: &Interface) -> u64 {
    shape.param("SLOTS", 4096.0) as u64
}

fn groups(shape: &Shape, interface: &Interface) -> u64 {
    shape.count().div_ceil(interface.invocations())
}

fn buffers(shape: &Shape, counters: u64) -> Vec<Buffer> {
    Buffer::into("counters", (INPUTS, Values::Wide), counters, &[shape.count()])
}

/// Random input words, few enough to fit in L1.
const INPUTS: u64 = 1 << 10;

/// What `count` invocations, numbered from `first` in steps of `step`, add in all rounds, modulo 2^32: each adds its
/// scrambled number plus k in round k.
fn totals(shape: &Shape) -> impl Fn(u64, u64, u64) -> f64 + Send + Sync + 'static {
    let (input, rounds) = (shape.input(Values::Wide), rounds(shape));
    let words: Vec<u32> = (0..INPUTS).map(|index| input.at(Scalar::U32, index) as u32).collect();
    move |first, step, count| {
        let numbers = (0..count).map(|k| first + k * step).map(|i| scrambled(words[(i % INPUTS) as usize] ^ i as u32));
        let sum = numbers.fold(0, u32::wrapping_add);
        let of_rounds = count.wrapping_mul(rounds * rounds.saturating_sub(1) / 2) as u32;
        f64::from(sum.wrapping_mul(rounds as u32).wrapping_add(of_rounds))
    }
}

/// As in the shaders.
const fn scrambled(word: u32) -> u32 {
    let product = word.wrapping_mul(0x9e37_79b1);
    product ^ product >> 15
}
