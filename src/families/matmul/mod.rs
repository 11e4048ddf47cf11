//! `matmul`: the matrix product, naive, tiled, blocked in registers, and on tensor cores.

mod base;
pub(in crate::families) mod claims;
mod libraries;

use crate::suite::{
    Accepted, Benchmark, Buffer, Cases, Contents, Dtype, Extent, Family, Headline, Limit, Profile, Quick, Step, Tag,
    uniform,
};
use base::{A, B, BASE, BY_TENSOR_CORES, cases, of_type, sides, tiles};

/// The family.
pub const FAMILY: Family = Family {
    name: "matmul",
    summary: "the matrix product of M×K by K×N, summed in 32 bits",
    tags: &[Tag::Article, Tag::Llm, Tag::Primitive],
    model_text: "2mnk operations over the FMA rate, if each loaded element is used often enough: with tiles of side S \
        memory is read S times less often than in the naive kernel. Tensor cores have a peak of their own.",
    headlines: &[
        Headline { name: "GEMM f32", place: 6, naive: "naive", is_largest: false, ..Headline::F32 },
        Headline {
            name: "GEMM f16",
            place: 7,
            benchmarks: &["cooperative", "wgmma"],
            scalar: None,
            is_largest: false,
            cause: "no async copies",
            ..Headline::F32
        },
    ],
    benchmarks: &[
        Benchmark {
            name: "naive",
            summary: "one invocation per element, all operands from global memory",
            look_for: "The share of the FMA peak with caches alone. The gap to tiled is the gain of programmed reuse; \
                a gap between APIs, the address arithmetic of the inner loop.",
            limited_by: "Load instructions: two for each multiply-add, served by L1; the arithmetic units wait.",
            wgsl: include_str!("../../../shaders/matmul/naive.wgsl"),
            cuda: include_str!("../../../shaders/matmul/naive.cu"),
            ..BASE
        },
        Benchmark {
            name: "tiled",
            quick: &[Quick::at(&[Dtype::F32], Extent::Product(4096, 4096, 4096), &[&[("TILE", 16.0)]])],
            accepts: &[("TILE", Accepted::Whole(1, 32))],
            summary: "square tiles in workgroup memory, one element per invocation",
            look_for: "TILE 32 over 16 over 8: memory traffic falls with the side, until a larger tile gains nothing: \
                each multiply-add still needs two reads of workgroup memory.",
            limited_by: "Workgroup-memory bandwidth, 8 bytes per FMA; with TILE=32 also workgroups of 1,024 \
                invocations, few of which fit an SM.",
            wgsl: include_str!("../../../shaders/matmul/tiled.wgsl"),
            cuda: include_str!("../../../shaders/matmul/tiled.cu"),
            cases: &cases(&[&[("TILE", 8.0)], &[("TILE", 16.0)], &[("TILE", 32.0)]], &[&[("TILE", 16.0)]]),
            ..BASE
        },
        REGISTER_BLOCKED,
        Benchmark {
            name: "double_buffered",
            since: "2026-11-21",
            summary: "tiles of 128×128, 8×8 elements per invocation, the next tiles prefetched",
            look_for: "Its gain over register_blocked: four times the elements per invocation halve the reads per FMA, \
                and one barrier per tile is left, overlapped with other work. The gap to cublas is what plain WGSL \
                does not reach.",
            limited_by: "Instruction issue and registers: 64 sums and their factors leave room for two workgroups per \
                SM, and small matrices have too few tiles of this size for all SMs.",
            wgsl: include_str!("../../../shaders/matmul/double_buffered.wgsl"),
            cuda: include_str!("../../../shaders/matmul/double_buffered.cu"),
            buffers: |shape, _| {
                let (m, n, k) = sides(shape);
                // Padded to whole vec4.
                let whole = |scalars: u64| scalars.next_multiple_of(4);
                vec![
                    Buffer { name: "a", scalars: whole(m * k), contents: Contents::Input(A) },
                    Buffer { name: "b", scalars: whole(k * n), contents: Contents::Input(B) },
                    Buffer { name: "c", scalars: m * n, contents: Contents::Poison },
                    uniform("sizes", &[m, n, k]),
                ]
            },
            steps: |shape, _| tiles(shape, 128, 128),
            ..BASE
        },
        libraries::CUBLAS,
        Benchmark {
            name: "cooperative",
            quick: &[Quick::at(&[Dtype::F16], Extent::Product(4096, 4096, 4096), &[&[]])],
            summary: "f16 factors, f32 sums, on tensor cores: tiles of 128×128, 64×64 per subgroup",
            look_for: "Its share of ceiling/tensor, not of FMA: feeding matrix units is harder than running them. \
                Compare the two APIs: only CUDA can copy to workgroup memory without registers.",
            limited_by: "The path from memory to the tiles: workgroup memory must deliver both factors as fast as the \
                tensor cores use them.",
            twin_differs: Some("cp.async prefetch, two iterations ahead"),
            wgsl: include_str!("../../../shaders/matmul/cooperative.wgsl"),
            cuda: include_str!("../../../shaders/matmul/cooperative.cu"),
            cases: &of_type(&[Dtype::F16], &[&[]], &[&[]]),
            buffers: |shape, _| {
                let (m, n, k) = sides(shape);
                // Padded to whole vec4.
                let factor = |name, scalars: u64, values| Buffer {
                    name,
                    scalars: scalars.next_multiple_of(4),
                    contents: Contents::Input(values),
                };
                vec![
                    factor("a", m * k, A),
                    factor("b", k * n, B),
                    Buffer { name: "c", scalars: m * n, contents: Contents::PoisonF32 },
                    uniform("sizes", &[m, n, k]),
                ]
            },
            steps: |shape, _| tiles(shape, 128, 128),
            ceiling: Some(Limit::Tensor),
            bound: BY_TENSOR_CORES,
            ..BASE
        },
        Benchmark {
            name: "wgmma",
            since: "2026-11-27T22",
            quick: &[],
            summary: "f16 factors, f32 sums, by Hopper's wgmma: tiles of 128×256, which hardware copies (TMA)",
            look_for: "How far the hardware goes beyond what WGSL can say. Its ratio to cooperative's twin is the gain of \
                these instructions; that to cublas_f16, the effort left.",
            limited_by: "Tensor cores, and power, where the clock drops; small matrices, whose tiles of 128×256 do not fill \
                all SMs.",
            work_text: "2mnk operations.",
            // A browser's program needs the declaration alone.
            #[cfg(target_family = "wasm")]
            cuda: include_str!("../../../shaders/matmul/wgmma.cu"),
            #[cfg(not(target_family = "wasm"))]
            cuda: concat!(
                include_str!("../../../shaders/hopper.cuh"),
                include_str!("../../../shaders/matmul/wgmma.cu")
            ),
            only_cuda: Some("WGSL has no asynchronous copies and no products by several subgroups"),
            unsupported: |shape| {
                let (_, n, k) = sides(shape);
                let is_aligned = n.is_multiple_of(8) && k.is_multiple_of(8);
                (!is_aligned)
                    .then_some("the copied rows start at multiples of 16 bytes: take multiples of 8 for N and K")
            },
            accepts: &[("BLOCKS", Accepted::Multiple(2, 1024))],
            cases: &WGMMA_CASES,
            buffers: |shape, interface| {
                let (m, n, k) = sides(shape);
                let blocks = interface.parameter("BLOCKS");
                vec![
                    Buffer { name: "a", scalars: m * k, contents: Contents::Input(A) },
                    Buffer { name: "b", scalars: k * n, contents: Contents::Input(B) },
                    Buffer { name: "c", scalars: m * n, contents: Contents::PoisonF32 },
                    // Two tensor maps of 128 bytes for each block.
                    Buffer {
                        name: "maps",
                        scalars: 64 * blocks,
                        contents: Contents::Words(vec![0; 64 * blocks as usize]),
                    },
                    uniform("sizes", &[m, n, k]),
                ]
            },
            steps: |_, interface| vec![Step::dispatch(interface.parameter("BLOCKS"))],
            ceiling: Some(Limit::Tensor),
            bound: BY_TENSOR_CORES,
            ..BASE
        },
        libraries::CUBLAS_TF32,
        libraries::CUBLAS_F16,
        libraries::CUBLAS_LT_BF16,
        libraries::CUBLAS_LT_FP8,
        libraries::CUBLAS_LT_INT8,
    ],
    ..Family::BLANK
};

/// Register blocking; `safety_tax` also measures it with run-time checks.
pub(super) const REGISTER_BLOCKED: Benchmark = Benchmark {
    name: "register_blocked",
    summary: "tiles of 64×64, 4×4 elements per invocation in registers",
    look_for: "The share of the FMA peak that portable code reaches: 16 multiply-adds for two wide reads. Odd sizes \
        show the cost of edges, 512 the cost of too few tiles for the device.",
    limited_by: "Registers, and the scheduler's mix of loads and multiply-adds; on large devices small matrices, whose \
        tiles do not fill the last wave.",
    wgsl: include_str!("../../../shaders/matmul/register_blocked.wgsl"),
    cuda: include_str!("../../../shaders/matmul/register_blocked.cu"),
    steps: |shape, _| tiles(shape, 64, 64),
    ..BASE
};

/// Whole tiles and an odd size, on as many blocks as an H100 has SMs.
const WGMMA_CASES: [Cases; 1] = [Cases {
    from: Profile::Standard,
    dtypes: &[Dtype::F16],
    extents: &[
        Extent::Product(203, 328, 72),
        Extent::Product(1024, 1024, 1024),
        Extent::Product(2048, 2048, 2048),
        Extent::Product(4096, 4096, 4096),
    ],
    params: &[&[("BLOCKS", 132.0)]],
}];
