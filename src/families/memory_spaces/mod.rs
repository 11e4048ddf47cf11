//! `memory_spaces`: the spaces of source article 001, by read bandwidth and by the latency of a dependent load.
//!
//! n is the number of invocations. All arithmetic is on u32 and wraps; every kernel computes `sum = 3 * sum + value`
//! from what it reads, so that no load is dead and the order of the loads counts. Bytes are those that reach
//! invocations: where one fetch serves many, the rate is higher than that of any memory.

mod buffers;
pub mod claims;
mod latencies;
mod oracles;

use buffers::{output, square};
use oracles::{
    INPUTS, SHIFT, SMALL_TABLE, SPILLED, TABLE, bytes_read, fours_read, private_read, registers_mixed, rounds,
    spilled_mixed, words_read,
};

use crate::suite::input::Values;
use crate::suite::{
    Accepted, Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Limit, Profile, Shape, Step, Tag,
    TexelFormat, Work, all, uniform,
};

/// The family.
pub const FAMILY: Family = Family {
    name: "memory_spaces",
    summary: "read bandwidth and latency of the memory spaces, and the best space for a small table",
    tags: &[Tag::Article, Tag::Memory],
    model_text: "No number is predicted. A load's latency is a number of cycles, the same in every run at a fixed \
        clock. A rate over clock times SMs is bytes per cycle and SM: 128 where a subgroup is served in one cycle.",
    is_by_kernel: true,
    benchmarks: &[
        Benchmark {
            name: "storage_bandwidth",
            summary: "a table of 4 KiB in a storage buffer: L1",
            look_for: "The highest rate of L1. Compare with workgroup_bandwidth: equal rates suggest that the two are \
                one memory.",
            limited_by: "The load unit, 64 or 128 bytes per cycle and SM; the table stays in L1.",
            wgsl: include_str!("../../../shaders/memory_spaces/storage_bandwidth.wgsl"),
            cuda: include_str!("../../../shaders/memory_spaces/storage_bandwidth.cu"),
            ..BASE
        },
        Benchmark {
            name: "uniform_bandwidth",
            summary: "a table of 4 KiB in a uniform buffer, one element per workgroup at a time",
            look_for: "Bytes that reach lanes, not bytes fetched: one element serves a subgroup. Above \
                storage_bandwidth, the constant path is faster for elements that all lanes share.",
            limited_by: "The constant cache, which serves one address of 16 bytes at a time.",
            wgsl: include_str!("../../../shaders/memory_spaces/uniform_bandwidth.wgsl"),
            cuda: include_str!("../../../shaders/memory_spaces/uniform_bandwidth.cu"),
            check: Check {
                buffer: "output",
                scalars: all,
                oracle: |shape, interface| {
                    let workgroup = u64::from(interface.invocations());
                    fours_read(shape, move |i| i / workgroup)
                },
            },
            ..BASE
        },
        Benchmark {
            name: "texture_bandwidth",
            summary: "a table of 4 KiB in a texture of 16 by 16 texels",
            look_for: "How much slower the texture unit is without filtering: its rate is texels per cycle, whatever \
                their size, so 16-byte texels are its best case here.",
            limited_by: "The address rate of the texture units: a few texels per cycle and SM, each with bounds and \
                format work.",
            wgsl: include_str!("../../../shaders/memory_spaces/texture_bandwidth.wgsl"),
            cuda: include_str!("../../../shaders/memory_spaces/texture_bandwidth.cu"),
            buffers: |shape, _| {
                let table = square(TABLE, TexelFormat::Rgba32Uint, Contents::Input(Values::Wide));
                let table = Buffer { name: "table", scalars: 4 * TABLE, contents: table };
                vec![table, output(shape.count()), sizes(shape)]
            },
            ..BASE
        },
        Benchmark {
            name: "workgroup_bandwidth",
            summary: "a table of 4 KiB in workgroup memory",
            look_for: "It should equal ceiling/workgroup_read with vec4 loads; a gap is the mixing arithmetic.",
            limited_by: "The banks, 128 bytes per cycle and SM where there are 32.",
            wgsl: include_str!("../../../shaders/memory_spaces/workgroup_bandwidth.wgsl"),
            cuda: include_str!("../../../shaders/memory_spaces/workgroup_bandwidth.cu"),
            buffers: |shape, _| vec![random("input", 4 * TABLE), output(shape.count()), sizes(shape)],
            // A subgroup reads distinct elements.
            ceiling: Some(Limit::Workgroup),
            no_ceiling: "",
            ..BASE
        },
        Benchmark {
            name: "private_bandwidth",
            summary: "an array of 32 words per invocation, indexed at run time",
            look_for: "Far below registers, near L1: the array is in memory. A rate far above L1 means that the \
                compiler kept it in registers.",
            limited_by: "Loads of 4 bytes per lane from thread-local memory, laid out so that the words of \
                neighbouring lanes are adjacent.",
            wgsl: include_str!("../../../shaders/memory_spaces/private_bandwidth.wgsl"),
            cuda: include_str!("../../../shaders/memory_spaces/private_bandwidth.cu"),
            buffers: |shape, _| vec![random("input", INPUTS), output(shape.count()), sizes(shape)],
            work: |shape| Work { bytes: shape.count() * 16 * rounds(shape) * 4, flops: 0 },
            check: Check { buffer: "output", scalars: all, oracle: private_read },
            ..BASE
        },
        Benchmark {
            name: "register_bandwidth",
            summary: "eight variables mixed with each other; every operand counts",
            look_for: "An upper bound for all other rows: operands per second, not bytes on a bus. The ratio to fma \
                shows how many of four operands per cycle the integer units accept.",
            limited_by: "Instruction issue to the integer pipelines; register banks, where three operands lie in one.",
            wgsl: include_str!("../../../shaders/memory_spaces/register_bandwidth.wgsl"),
            cuda: include_str!("../../../shaders/memory_spaces/register_bandwidth.cu"),
            cases: &[
                Cases {
                    from: Profile::Standard,
                    dtypes: &[Dtype::U32],
                    extents: INVOCATIONS,
                    params: &[&[("ROUNDS", 32.0)]],
                },
                Cases {
                    from: Profile::Standard,
                    dtypes: &[Dtype::U32],
                    extents: INVOCATIONS,
                    params: &[&[("ROUNDS", 256.0)]],
                },
            ],
            // The last of the 1024 windows of 8 extends 7 words beyond.
            buffers: |shape, _| vec![random("input", INPUTS + 8), output(shape.count()), sizes(shape)],
            check: Check { buffer: "output", scalars: all, oracle: registers_mixed },
            ..BASE
        },
        Benchmark {
            name: "spill",
            summary: "96 values mixed with each other in REGISTERS registers: with 64, many spill to local memory and \
                more blocks are resident",
            look_for: "64 registers over 256: more blocks are resident, but spilled values are loaded from local \
                memory again. Below 1 spilling is slower, the usual result for arithmetic this dense.",
            limited_by: "With 64 registers L1, which serves the spills; with 256 the latency of dependent \
                multiplications at low occupancy.",
            work_text: "96 ROUNDS times x = x · s + y by each invocation, each of which reads two registers of 4 \
                bytes.",
            cuda: include_str!("../../../shaders/memory_spaces/spill.cu"),
            only_cuda: Some("WGSL cannot limit the number of registers"),
            cases: &[
                Cases {
                    from: Profile::Standard,
                    dtypes: &[Dtype::U32],
                    extents: INVOCATIONS,
                    params: &[&[("REGISTERS", 256.0), ("ROUNDS", 32.0)], &[("REGISTERS", 64.0), ("ROUNDS", 32.0)]],
                },
                Cases {
                    from: Profile::Standard,
                    dtypes: &[Dtype::U32],
                    extents: INVOCATIONS,
                    params: &[&[("REGISTERS", 256.0), ("ROUNDS", 256.0)], &[("REGISTERS", 64.0), ("ROUNDS", 256.0)]],
                },
            ],
            buffers: |shape, _| vec![random("input", INPUTS + SPILLED), output(shape.count()), sizes(shape)],
            // Every operand of a step counts.
            work: |shape| Work { bytes: shape.count() * SPILLED * rounds(shape) * 8, flops: 0 },
            check: Check { buffer: "output", scalars: all, oracle: spilled_mixed },
            ..BASE
        },
        Benchmark {
            name: "table_const",
            summary: "a table of 64 words in the program",
            look_for: "EACH=1 over EACH=0: a table in the program usually lies in constant memory, where lanes that \
                read different elements are serialised. 1.0 means that it lies in cached memory instead.",
            limited_by: "EACH=0: instructions. EACH=1: one constant address at a time, up to 32 for a subgroup.",
            wgsl: CONST_TABLE,
            cuda: include_str!("../../../shaders/memory_spaces/table_const.cu"),
            buffers: |shape, _| vec![output(shape.count()), sizes(shape)],
            check: Check {
                buffer: "output",
                scalars: all,
                // The literals in the program are the words of stream 0.
                oracle: |shape, interface| words_read(&Shape { stream: 0, ..shape.clone() }, interface),
            },
            ..TABLES
        },
        Benchmark {
            name: "table_uniform",
            summary: "the table of table_const in a uniform buffer",
            look_for: "EACH=1 over EACH=0 for a uniform buffer. Where it equals table_const, both use the constant \
                cache.",
            limited_by: "Divergent constant reads, replayed for each distinct address; where all lanes read one \
                element, the mixing arithmetic.",
            wgsl: include_str!("../../../shaders/memory_spaces/table_uniform.wgsl"),
            cuda: include_str!("../../../shaders/memory_spaces/table_uniform.cu"),
            ..TABLES
        },
        Benchmark {
            name: "table_storage",
            summary: "the table of table_const in a storage buffer",
            look_for: "The rate with EACH=1: where lanes read different elements, a storage buffer suits a table best. \
                EACH=0 gains little, since the cache serves 32 words as fast as one.",
            limited_by: "The load unit of L1, one request per subgroup; the 64 words always hit.",
            wgsl: include_str!("../../../shaders/memory_spaces/table_storage.wgsl"),
            cuda: include_str!("../../../shaders/memory_spaces/table_storage.cu"),
            ..TABLES
        },
        Benchmark {
            name: "table_bytes",
            since: "2026-11-26",
            summary: "a table of 256 bytes in a uniform buffer",
            look_for: "In CUDA, table_uniform's lookups per second: a byte is loaded as a word is. WGSL takes each \
                byte out of a word. With EACH=1, fewer of its words differ within a subgroup than of table_uniform's.",
            limited_by: "As table_uniform; in WGSL also the shift and the mask for each byte.",
            wgsl: include_str!("../../../shaders/memory_spaces/table_bytes.wgsl"),
            cuda: include_str!("../../../shaders/memory_spaces/table_bytes.cu"),
            cases: &[Cases {
                from: Profile::Standard,
                dtypes: &[Dtype::U32],
                extents: INVOCATIONS,
                params: &[&[("EACH", 0.0), ("ROUNDS", 32.0)], &[("EACH", 1.0), ("ROUNDS", 32.0)]],
            }],
            work: |shape| Work { bytes: shape.count() * 16 * rounds(shape), flops: 0 },
            check: Check { buffer: "output", scalars: all, oracle: bytes_read },
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

/// What the benchmarks here share: a table of 256 elements of 16 bytes.
const BASE: Benchmark = Benchmark {
    cases: &[
        Cases { from: Profile::Standard, dtypes: &[Dtype::U32], extents: INVOCATIONS, params: &[&[("ROUNDS", 4.0)]] },
        Cases { from: Profile::Standard, dtypes: &[Dtype::U32], extents: INVOCATIONS, params: &[&[("ROUNDS", 32.0)]] },
    ],
    buffers: |shape, _| vec![random("table", 4 * TABLE), output(shape.count()), sizes(shape)],
    steps: |shape, interface| vec![Step::dispatch(shape.count().div_ceil(u64::from(interface.invocations())))],
    work: |shape| Work { bytes: shape.count() * 16 * rounds(shape) * 16, flops: 0 },
    no_ceiling: "it measures the peak of a memory space itself",
    check: Check { buffer: "output", scalars: all, oracle: |shape, _| fours_read(shape, |i| i) },
    ..Benchmark::BLANK
};

/// A table of 64 words.
const TABLES: Benchmark = Benchmark {
    accepts: &[("EACH", Accepted::SWITCH)],
    cases: &[
        Cases {
            from: Profile::Standard,
            dtypes: &[Dtype::U32],
            extents: INVOCATIONS,
            params: &[&[("EACH", 0.0), ("ROUNDS", 4.0)], &[("EACH", 1.0), ("ROUNDS", 4.0)]],
        },
        Cases {
            from: Profile::Standard,
            dtypes: &[Dtype::U32],
            extents: INVOCATIONS,
            params: &[&[("EACH", 0.0), ("ROUNDS", 32.0)], &[("EACH", 1.0), ("ROUNDS", 32.0)]],
        },
    ],
    buffers: |shape, _| vec![random("table", SMALL_TABLE), output(shape.count()), sizes(shape)],
    work: |shape| Work { bytes: shape.count() * 16 * rounds(shape) * 4, flops: 0 },
    no_ceiling: "one fetch may serve many invocations, so no measured rate limits the bytes that reach them",
    check: Check { buffer: "output", scalars: all, oracle: words_read },
    ..BASE
};

/// As many as are resident on the largest devices.
const INVOCATIONS: &[Extent] = &[Extent::Linear(1 << 18)];

const CONST_TABLE: &str = include_str!("../../../shaders/memory_spaces/table_const.wgsl");

fn random(name: &'static str, scalars: u64) -> Buffer {
    Buffer { name, scalars, contents: Contents::Input(Values::Wide) }
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
        let (_, after) = CONST_TABLE.split_once("array<u32, 64>(").expect("the table's type");
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
