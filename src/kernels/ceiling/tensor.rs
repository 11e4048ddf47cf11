//! Tensor cores: chains of matrix products from registers, by type of the factors.
//!
//! WGSL has only f16, since naga allows no other factors. CUDA has all types, through the PTX instruction of a warp,
//! `mma.sync`; Vulkan has bf16 and 8-bit integers, through cooperative matrices in SPIR-V made by glslang. Inputs are
//! ±1 as f32, which the kernels convert without loss; a row's type is that of the sums.

use super::oracles::{MATRIX, covering, sums_of_products, sums_of_tiles, tensor_rounds};
use record::suite::prelude::*;

/// A subgroup's matrix products from registers. Hopper's wgmma, which no portable kernel can use, can be faster.
pub(super) const F16: Benchmark = Benchmark {
    name: "tensor",
    quick: &[Quick::at(&[Dtype::F16], Extent::Linear(1 << 22), ROUNDS)],
    accepts: &[("ROUNDS", Accepted::Whole(1, 131_072))],
    cases: &cases(&[Dtype::F16]),
    work: |shape| Work { bytes: 0, flops: 2 * 16 * 8 * tensor_rounds(shape) * shape.count() },
    ceiling: Some(Limit::Tensor),
    buffers: |shape, _| {
        // Whole matrices of sums; the last may be counted in part.
        let sums = shape.count().next_multiple_of(MATRIX);
        vec![
            Buffer::input("input", (31 + 6) * MATRIX, Values::Signs),
            Buffer::output_f32("output", sums),
            uniform("sizes", &[shape.count()]),
        ]
    },
    // 32 invocations compute a matrix of 256 sums.
    steps: |shape, interface| covering(shape, interface, 8),
    unsupported: |shape| (tensor_rounds(shape) > 131_072).then_some("f32 sums are inexact for ROUNDS above 131,072"),
    bound: Bound::Roundings(|shape, _| roundings(shape, 16)),
    check: Check::of("output", all, sums_of_products),
    // As for the other chains.
    small: Some(Extent::Linear(1 << 16)),
    sets_ceiling: true,
    ..Benchmark::BLANK
};

pub(super) const BF16: Benchmark = Benchmark {
    name: "tensor_bf16",
    quick: &[],
    ceiling: Some(Limit::TensorBf16),
    only_cuda: Some("naga has no type for bf16"),
    work: |shape| operations(shape, 16),
    buffers: |shape, _| buffers(shape, 16),
    significant_bits: Some(Scalar::Bf16.significant_bits()),
    bound: Bound::Roundings(|shape, _| roundings(shape, 16)),
    check: Check::of("output", all, |shape, _| sums_of_tiles(shape, 16)),
    ..OTHER
};

pub(super) const TF32: Benchmark = Benchmark {
    name: "tensor_tf32",
    quick: &[],
    ceiling: Some(Limit::TensorTf32),
    only_cuda: Some("naga has no type for tf32"),
    work: |shape| operations(shape, 8),
    buffers: |shape, _| buffers(shape, 8),
    significant_bits: Some(11),
    bound: Bound::Roundings(|shape, _| roundings(shape, 8)),
    check: Check::of("output", all, |shape, _| sums_of_tiles(shape, 8)),
    ..OTHER
};

pub(super) const INT8: Benchmark = Benchmark {
    name: "tensor_int8",
    quick: &[Quick::at(&[Dtype::U32], Extent::Linear(1 << 22), ROUNDS)],
    ceiling: Some(Limit::TensorInt8),
    only_cuda: Some("naga has no type for 8-bit integers"),
    cases: &cases(&[Dtype::U32]),
    ..DEEP
};

pub(super) const FP8: Benchmark = Benchmark {
    name: "tensor_fp8",
    quick: &[],
    ceiling: Some(Limit::TensorFp8),
    only_cuda: Some("naga has no type for fp8"),
    significant_bits: Some(Scalar::E4m3.significant_bits()),
    // Hopper's tensor cores keep 14 bits of a sum.
    bound: Bound::Roundings(|shape, _| roundings(shape, 32) << 10),
    ..DEEP
};

/// Kernels with an instruction of depth 32.
const DEEP: Benchmark = Benchmark {
    accepts: &[("ROUNDS", Accepted::Whole(1, 65_536))],
    work: |shape| operations(shape, 32),
    buffers: |shape, _| buffers(shape, 32),
    unsupported: |shape| (tensor_rounds(shape) > 65_536).then_some("f32 sums are inexact for ROUNDS above 65,536"),
    check: Check::of("output", all, |shape, _| sums_of_tiles(shape, 32)),
    ..OTHER
};

const OTHER: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::F32], Extent::Linear(1 << 22), ROUNDS)],
    cases: &cases(&[Dtype::F32]),
    ..F16
};

/// Enough that loading and the last wave of workgroups are negligible.
const ROUNDS: &[Params] = &[&[("ROUNDS", 4096.0)]];

const fn cases(dtypes: &'static [Dtype]) -> [Cases; 2] {
    const EXTENTS: &[Extent] = &[Extent::Linear(1 << 22)];
    [Cases::standard(dtypes, EXTENTS, &[&[("ROUNDS", 512.0)]]), Cases::standard(dtypes, EXTENTS, ROUNDS)]
}

/// Each term of a product may be truncated, and so may its sum (see `matmul`); then eight chains are added.
fn roundings(shape: &Shape, depth: u64) -> u64 {
    3 * depth * tensor_rounds(shape) + 8
}

fn operations(shape: &Shape, depth: u64) -> Work {
    Work { bytes: 0, flops: 2 * depth * 8 * tensor_rounds(shape) * shape.count() }
}

/// Tiles of 16×`depth` factors as f32, and whole matrices of sums.
fn buffers(shape: &Shape, depth: u64) -> Vec<Buffer> {
    vec![
        Buffer::new("input", (31 + 6) * 16 * depth, Contents::Input(Values::Signs).of(Scalar::F32)),
        Buffer::output("output", shape.count().next_multiple_of(MATRIX)),
        uniform("sizes", &[shape.count()]),
    ]
}
