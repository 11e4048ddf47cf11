//! `matmul`: the matrix product, naive, tiled, blocked in registers, and on tensor cores.

mod base;
pub(crate) mod claims;
mod libraries;

use base::{BASE, BY_TENSOR_CORES, SUMS_OF_F16, buffers, cases, of_type, sides, tiles};
use record::suite::prelude::*;

pub(super) const FAMILY: Family = Family {
    name: "matmul",
    summary: "the matrix product of M×K by K×N, summed in 32 bits",
    tags: &[Tag::Article, Tag::Llm, Tag::Primitive],
    model_text: "The best time is 2mnk operations divided by the FMA rate, if each loaded element is used often \
        enough. With S×S tiles, memory is read 1/S as often as by the naive kernel. Tensor cores have their own peak.",
    headlines: &[
        Headline { name: "GEMM f32", place: 6, naive: "naive", is_largest: false, ..Headline::F32 },
        Headline {
            name: "GEMM f16",
            place: 7,
            benchmarks: &["cooperative", "wgmma"],
            scalar: None,
            is_largest: false,
            cause: "no cp.async",
            ..Headline::F32
        },
    ],
    benchmarks: &[
        Benchmark { name: "naive", ..BASE },
        Benchmark {
            name: "tiled",
            quick: &[Quick::at(&[Dtype::F32], Extent::Product(4096, 4096, 4096), &[&[("TILE", 16.0)]])],
            accepts: &[("TILE", Accepted::Whole(1, 32))],
            cases: &cases(&sets(&values("TILE", [8.0, 16.0, 32.0])), &[&[("TILE", 16.0)]]),
            ..BASE
        },
        REGISTER_BLOCKED,
        Benchmark {
            name: "double_buffered",
            buffers: |shape, _| buffers(shape, 4, Contents::Poison),
            steps: |shape, _| tiles(shape, 128, 128),
            ..BASE
        },
        libraries::CUBLAS,
        Benchmark {
            name: "cooperative",
            quick: &[Quick::at(&[Dtype::F16], Extent::Product(4096, 4096, 4096), PLAIN)],
            twin_differs: Some("cp.async prefetch, two iterations ahead"),
            cases: &of_type(&[Dtype::F16], PLAIN, PLAIN),
            buffers: |shape, _| buffers(shape, 4, Contents::PoisonF32),
            steps: |shape, _| tiles(shape, 128, 128),
            ceiling: Some(Limit::Tensor),
            bound: BY_TENSOR_CORES,
            ..BASE
        },
        Benchmark {
            name: "cooperative_f16",
            twin_differs: Some("cp.async prefetch, two iterations ahead"),
            buffers: |shape, _| base::buffers_of(base::SIGNS, shape, 4, Contents::Poison),
            steps: |shape, _| tiles(shape, 256, 256),
            ..SUMS_OF_F16
        },
        Benchmark {
            name: "wgmma",
            quick: &[],
            only_cuda: Some("WGSL has no asynchronous copies and no matrix products across subgroups"),
            unsupported: |shape| {
                let (_, n, k) = sides(shape);
                let is_aligned = n.is_multiple_of(8) && k.is_multiple_of(8);
                (!is_aligned)
                    .then_some("the copied rows must start at multiples of 16 bytes: use multiples of 8 for N and K")
            },
            accepts: &[("BLOCKS", Accepted::Multiple(2, 1024))],
            cases: &WGMMA_CASES,
            buffers: |shape, interface| {
                // Two tensor maps of 128 bytes for each block.
                let words = 64 * interface.parameter("BLOCKS");
                let mut buffers = buffers(shape, 1, Contents::PoisonF32);
                buffers.insert(3, Buffer::new("maps", words, Contents::Words(vec![0; words as usize])));
                buffers
            },
            steps: |_, interface| vec![Step::dispatch(interface.parameter("BLOCKS"))],
            ceiling: Some(Limit::Tensor),
            bound: BY_TENSOR_CORES,
            ..BASE
        },
        libraries::CUBLAS_TF32,
        libraries::CUBLAS_F16,
        libraries::CUBLAS_F16_SUMS,
        libraries::CUBLAS_LT_BF16,
        libraries::CUBLAS_LT_FP8,
        libraries::CUBLAS_LT_INT8,
    ],
    ..Family::BLANK
};

/// Register blocking; `safety_tax` also measures it with run-time checks.
pub(super) const REGISTER_BLOCKED: Benchmark =
    Benchmark { name: "register_blocked", steps: |shape, _| tiles(shape, 64, 64), ..BASE };

/// Whole tiles and an odd size, on as many blocks as an H100 has SMs.
const WGMMA_CASES: [Cases; 1] = [Cases::standard(
    &[Dtype::F16],
    &products([(203, 328, 72), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096)]),
    &[&[("BLOCKS", 132.0)]],
)];
