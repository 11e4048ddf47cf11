//! `memory_spaces`: the spaces of source article 001, by read bandwidth and by the latency of a dependent load.
//!
//! n is the number of invocations. All arithmetic is on u32 and wraps; every kernel computes `sum = 3 * sum + value`
//! from what it reads, so no load is dead and the order of loads matters. Bytes are those that reach invocations: if
//! one fetch serves many, the rate is higher than that of any memory.

pub mod claims;
mod latencies;
mod oracles;

use latencies::square;
use oracles::{
    INPUTS, SHIFT, SMALL_TABLE, SPILLED, TABLE, bytes_read, fours_read, private_read, registers_mixed, rounds,
    spilled_mixed, words_read,
};

use record::suite::TexelFormat;
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "memory_spaces",
    summary: "read bandwidth and latency of the memory spaces, and the best space for a small table",
    tags: &[Tag::Article, Tag::Memory],
    model_text: "The model predicts no numbers. At a fixed clock, a load's latency is the same number of cycles in \
        every run. A rate divided by the clock and the number of SMs is in bytes per cycle per SM: 128 if a subgroup \
        is served in one cycle.",
    is_by_kernel: true,
    benchmarks: &[
        Benchmark { name: "storage_bandwidth", ..BASE },
        Benchmark {
            name: "uniform_bandwidth",
            check: Check::of("output", all, |shape, interface| {
                let workgroup = interface.invocations();
                fours_read(shape, move |i| i / workgroup)
            }),
            ..BASE
        },
        Benchmark {
            name: "texture_bandwidth",
            buffers: |shape, _| {
                let table = square(TABLE, TexelFormat::Rgba32Uint, Contents::Input(Values::Wide));
                let table = Buffer::new("table", 4 * TABLE, table);
                vec![table, output(shape), sizes(shape)]
            },
            ..BASE
        },
        Benchmark {
            name: "workgroup_bandwidth",
            buffers: |shape, _| vec![random("input", 4 * TABLE), output(shape), sizes(shape)],
            // A subgroup reads distinct elements.
            ceiling: Some(Limit::Workgroup),
            no_ceiling: "",
            ..BASE
        },
        Benchmark {
            name: "private_bandwidth",
            buffers: |shape, _| vec![random("input", INPUTS), output(shape), sizes(shape)],
            work: |shape| Work { bytes: shape.count() * 16 * rounds(shape) * 4, flops: 0 },
            check: Check::of("output", all, private_read),
            ..BASE
        },
        Benchmark {
            name: "register_bandwidth",
            cases: &cases(&[&[("ROUNDS", 32.0)]], &[&[("ROUNDS", 256.0)]]),
            // The last of the 1024 windows of 8 extends 7 words past the end.
            buffers: |shape, _| vec![random("input", INPUTS + 8), output(shape), sizes(shape)],
            check: Check::of("output", all, registers_mixed),
            ..BASE
        },
        Benchmark {
            name: "spill",
            only_cuda: Some("WGSL cannot limit the number of registers"),
            cases: &cases(
                &[&[("REGISTERS", 256.0), ("ROUNDS", 32.0)], &[("REGISTERS", 64.0), ("ROUNDS", 32.0)]],
                &[&[("REGISTERS", 256.0), ("ROUNDS", 256.0)], &[("REGISTERS", 64.0), ("ROUNDS", 256.0)]],
            ),
            buffers: |shape, _| vec![random("input", INPUTS + SPILLED), output(shape), sizes(shape)],
            // Both operands of a step count.
            work: |shape| Work { bytes: shape.count() * SPILLED * rounds(shape) * 8, flops: 0 },
            check: Check::of("output", all, spilled_mixed),
            ..BASE
        },
        Benchmark {
            name: "table_const",
            buffers: |shape, _| vec![output(shape), sizes(shape)],
            // The literals in the program are the words of stream 0.
            check: Check::of("output", all, |shape, interface| {
                words_read(&Shape { stream: 0, ..shape.clone() }, interface)
            }),
            ..TABLES
        },
        Benchmark { name: "table_uniform", ..TABLES },
        Benchmark { name: "table_storage", ..TABLES },
        Benchmark {
            name: "table_bytes",
            cases: &[Cases::standard(&[Dtype::U32], INVOCATIONS, MANY_READS)],
            work: |shape| Work { bytes: shape.count() * 16 * rounds(shape), flops: 0 },
            check: Check::of("output", all, bytes_read),
            ..TABLES
        },
        latencies::STORAGE,
        latencies::POINTER,
        latencies::UNIFORM,
        latencies::TEXTURE,
        latencies::PINNED,
        latencies::WORKGROUP,
        latencies::PRIVATE,
    ],
    ..Family::BLANK
};

/// A table of 256 elements of 16 bytes.
const BASE: Benchmark = Benchmark {
    cases: &cases(&[&[("ROUNDS", 4.0)]], &[&[("ROUNDS", 32.0)]]),
    buffers: |shape, _| vec![random("table", 4 * TABLE), output(shape), sizes(shape)],
    work: |shape| Work { bytes: shape.count() * 16 * rounds(shape) * 16, flops: 0 },
    no_ceiling: "this kernel itself measures the peak of a memory space",
    check: Check::of("output", all, |shape, _| fours_read(shape, |i| i)),
    ..Benchmark::BLANK
};

/// A table of 64 words.
const TABLES: Benchmark = Benchmark {
    accepts: &[("EACH", Accepted::SWITCH)],
    cases: &cases(&[&[("EACH", 0.0), ("ROUNDS", 4.0)], &[("EACH", 1.0), ("ROUNDS", 4.0)]], MANY_READS),
    buffers: |shape, _| vec![random("table", SMALL_TABLE), output(shape), sizes(shape)],
    work: |shape| Work { bytes: shape.count() * 16 * rounds(shape) * 4, flops: 0 },
    no_ceiling: "one fetch may serve many invocations, which can then receive bytes faster than any measured peak",
    check: Check::of("output", all, words_read),
    ..BASE
};

/// As many as the largest devices can hold at once.
const INVOCATIONS: &[Extent] = &[Extent::Linear(1 << 18)];

const MANY_READS: &[Params] = &[&[("EACH", 0.0), ("ROUNDS", 32.0)], &[("EACH", 1.0), ("ROUNDS", 32.0)]];

const fn cases(few: &'static [Params], many: &'static [Params]) -> [Cases; 2] {
    [Cases::standard(&[Dtype::U32], INVOCATIONS, few), Cases::standard(&[Dtype::U32], INVOCATIONS, many)]
}

fn random(name: &'static str, scalars: u64) -> Buffer {
    Buffer::input(name, scalars, Values::Wide)
}

fn output(shape: &Shape) -> Buffer {
    Buffer::output("output", shape.count())
}

fn sizes(shape: &Shape) -> Buffer {
    uniform("sizes", &[shape.count(), SHIFT])
}

#[cfg(test)]
mod tests {
    use super::oracles::words;
    use super::*;

    /// The table in the program equals the one that the host fills in.
    #[test]
    fn the_literals_of_the_const_table_are_those_of_the_oracle() {
        let kernel = crate::benchmark("memory_spaces", "table_const").expect("a benchmark").wgsl;
        let (_, after) = kernel.split_once("array<u32, 64>(").expect("the table's type");
        let (body, _) = after.split_once(')').expect("the table's end");
        let literals: Vec<u32> = body
            .split(',')
            .map(str::trim)
            .filter(|literal| !literal.is_empty())
            .map(|literal| {
                let digits = literal.strip_prefix("0x").and_then(|rest| rest.strip_suffix('u')).expect("0x...u");
                u32::from_str_radix(digits, 16).expect("hexadecimal")
            })
            .collect();
        let shape = Shape::new(Dtype::U32, INVOCATIONS[0], Default::default());
        let expected: Vec<u32> = (0..SMALL_TABLE).map(words(&shape)).collect();
        assert_eq!(literals, expected);
    }
}
