//! `safety_tax`: what the run-time checks cost that an API adds to a kernel: bounds checks, loop bounds, and zero-initialisation of
//! workgroup memory, each alone and all together, on kernels of other families.

use super::{
    Benchmark, Buffer, Cases, Check, Contents, Dtype, Extent, Family, Oracle, Profile, Work, all, each, uniform,
};
use super::{ceiling, matmul, transpose};
use crate::record::Record;

/// The sets of checks that every kernel here runs with: none, each alone, all. They follow the kernel's own parameters.
macro_rules! checked {
    ($($own:expr),*) => {
        &[
            &[$($own),*],
            &[$($own,)* ("BOUNDS", 1.0)],
            &[$($own,)* ("LOOPS", 1.0)],
            &[$($own,)* ("ZERO_INIT", 1.0)],
            &[$($own,)* ("BOUNDS", 1.0), ("LOOPS", 1.0), ("ZERO_INIT", 1.0)],
        ]
    };
}

/// The family.
pub const FAMILY: Family = Family {
    name: "safety_tax",
    summary: "what bounds checks, loop bounds and zero-initialisation of workgroup memory cost",
    is_by_kernel: true,
    benchmarks: &[
        Benchmark {
            name: "fma",
            summary: "the FMA chains of ceiling/fma",
            cases: &[Cases {
                from: Profile::Quick,
                dtypes: &[Dtype::F32],
                extents: &[Extent::Linear(1 << 20)],
                params: checked!(("ROUNDS", 16.0)),
            }],
            sets_ceiling: false,
            ..ceiling::FMA
        },
        Benchmark {
            name: "transpose",
            summary: "the padded tile of transpose/tiled",
            cases: &[Cases {
                from: Profile::Quick,
                dtypes: &[Dtype::F32],
                extents: &[Extent::Matrix(2048, 2048)],
                params: checked!(("PAD", 1.0)),
            }],
            sources: &[],
            ..transpose::TILED
        },
        Benchmark {
            name: "matmul",
            summary: "the product of matmul/register_blocked",
            cases: &[
                Cases {
                    from: Profile::Quick,
                    dtypes: &[Dtype::F32],
                    extents: &[Extent::Product(512, 512, 512)],
                    params: checked!(),
                },
                // Enough tiles for every processor of a large device.
                Cases {
                    from: Profile::Standard,
                    dtypes: &[Dtype::F32],
                    extents: &[Extent::Product(2048, 2048, 2048)],
                    params: checked!(),
                },
            ],
            sources: &[],
            ..matmul::REGISTER_BLOCKED
        },
        Benchmark {
            name: "workgroup_fill",
            summary: "fills workgroup memory and reads it back",
            sources: &["B2"],
            wgsl: include_str!("../../shaders/safety_tax/workgroup_fill.wgsl"),
            cuda: include_str!("../../shaders/safety_tax/workgroup_fill.cu"),
            cases: &[Cases {
                from: Profile::Quick,
                dtypes: &[Dtype::U32],
                extents: &[Extent::Linear(1 << 20)],
                params: checked!(),
            }],
            buffers: |shape, _| {
                vec![
                    Buffer { name: "output", scalars: shape.count(), contents: Contents::Poison },
                    uniform("sizes", &[shape.count()]),
                ]
            },
            work: |shape| Work { bytes: 2 * 16 * shape.array_bytes(), flops: 0 },
            ceiling: None,
            check: Check { buffer: "output", scalars: all, oracle: |_, interface| read_back(interface.invocations()) },
            ..ceiling::FMA
        },
    ],
    finding,
};

/// What an invocation of `workgroup_fill` adds up: its workgroup's words from the end on, a workgroup apart.
fn read_back(invocations: u32) -> Oracle {
    const WORDS: u32 = 4096;
    each(move |i| {
        let (t, first) = (i as u32 % invocations, i as u32 / invocations * invocations);
        let places = (0..WORDS / invocations).map(|step| WORDS - 1 - t - step * invocations);
        let words = places.map(|k| first.wrapping_add(k).wrapping_mul(2_654_435_761));
        f64::from(words.fold(0_u32, |sum, word| sum.wrapping_mul(3).wrapping_add(word)))
    })
}

fn finding(rows: &[&Record]) -> Option<String> {
    let cost = |benchmark: &str| {
        let measured = || rows.iter().filter(|row| row.benchmark == benchmark && row.median_ns.is_some());
        // Sizes are in ascending order.
        let n = &measured().rfind(|row| row.checks == "on")?.n;
        let of = |checks: &str| measured().find(|row| row.n == *n && row.checks == checks)?.median_ns;
        let off = of("off")?;
        let dearest =
            ["bounds", "loops", "zero-init"].into_iter().filter_map(|checks| Some((of(checks)? / off, checks)));
        let (ratio, checks) = dearest.max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(format!("{benchmark} {:.2}× the time with all checks on ({checks} alone: {ratio:.2}×)", of("on")? / off))
    };
    let costs: Vec<String> = FAMILY.benchmarks.iter().filter_map(|benchmark| cost(benchmark.name)).collect();
    (!costs.is_empty()).then(|| format!("Here checks cost {}.", costs.join("; ")))
}
