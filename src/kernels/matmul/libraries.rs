//! The matrix product by NVIDIA's libraries.

use super::base::{A, B, BASE, BY_TENSOR_CORES, SUMS_OF_F16, buffers, of_type, sides};
use record::suite::prelude::*;
use record::suite::{Precision, Product};

pub(super) const CUBLAS: Benchmark = Benchmark {
    name: "cublas",
    only_cuda: Some("cuBLAS needs CUDA"),
    library: Some(Library::CuBlas),
    steps: |shape, _| multiplied(shape, Precision::Own),
    ..BASE
};

pub(super) const CUBLAS_TF32: Benchmark = Benchmark {
    name: "cublas_tf32",
    quick: &[],
    only_cuda: Some("cuBLAS needs CUDA"),
    library: Some(Library::CuBlas),
    significant_bits: Some(11),
    bound: BY_TENSOR_CORES,
    cases: &of_type(&[Dtype::Tf32], PLAIN, PLAIN),
    steps: |shape, _| multiplied(shape, Precision::Tf32),
    ceiling: Some(Limit::TensorTf32),
    ..BASE
};

pub(super) const CUBLAS_F16: Benchmark = Benchmark {
    name: "cublas_f16",
    quick: &[Quick::at(&[Dtype::F16], Extent::Product(4096, 4096, 4096), PLAIN)],
    only_cuda: Some("cuBLAS needs CUDA"),
    library: Some(Library::CuBlas),
    cases: &of_type(&[Dtype::F16], PLAIN, PLAIN),
    buffers: |shape, _| buffers(shape, 1, Contents::PoisonF32),
    steps: |shape, _| multiplied(shape, Precision::Own),
    bound: BY_TENSOR_CORES,
    ceiling: Some(Limit::Tensor),
    ..BASE
};

pub(super) const CUBLAS_F16_SUMS: Benchmark = Benchmark {
    name: "cublas_f16_sums",
    only_cuda: Some("cuBLAS needs CUDA"),
    library: Some(Library::CuBlas),
    steps: |shape, _| multiplied(shape, Precision::Half),
    ..SUMS_OF_F16
};

pub(super) const CUBLAS_LT_BF16: Benchmark = Benchmark {
    name: "cublaslt_bf16",
    buffers: |shape, _| narrow_buffers(shape, Scalar::Bf16),
    significant_bits: Some(Scalar::Bf16.significant_bits()),
    check: checked(|shape, _| narrow_product(shape, Scalar::Bf16)),
    ceiling: Some(Limit::TensorBf16),
    ..NARROW
};

pub(super) const CUBLAS_LT_FP8: Benchmark = Benchmark {
    name: "cublaslt_fp8",
    buffers: |shape, _| narrow_buffers(shape, Scalar::E4m3),
    significant_bits: Some(Scalar::E4m3.significant_bits()),
    // Hopper's tensor cores keep 14 bits of a sum.
    bound: Bound::Roundings(|shape, _| sides(shape).2 << 11),
    check: checked(|shape, _| narrow_product(shape, Scalar::E4m3)),
    ceiling: Some(Limit::TensorFp8),
    ..NARROW
};

pub(super) const CUBLAS_LT_INT8: Benchmark = Benchmark {
    name: "cublaslt_int8",
    cases: &narrow_cases(&[Dtype::U32]),
    buffers: |shape, _| narrow_buffers(shape, Scalar::I8),
    significant_bits: Some(Scalar::I8.significant_bits()),
    check: checked(|shape, _| narrow_product(shape, Scalar::I8)),
    ceiling: Some(Limit::TensorInt8),
    ..NARROW
};

const NARROW: Benchmark = Benchmark {
    quick: &[],
    only_cuda: Some("cuBLASLt needs CUDA"),
    library: Some(Library::CuBlasLt),
    unsupported: |shape| {
        let (m, n, k) = sides(shape);
        let are_whole = [m, n, k].into_iter().all(|side| side.is_multiple_of(16));
        (!are_whole).then_some("cuBLASLt supports these types only if all sides are multiples of 16")
    },
    cases: &narrow_cases(&[Dtype::F32]),
    steps: |shape, _| {
        let (m, n, k) = sides(shape);
        Step::library(Routine::MultiplyByColumns { m, n, k }, &["a", "b_by_columns", "c"])
    },
    bound: BY_TENSOR_CORES,
    ..BASE
};

const fn narrow_cases(dtypes: &'static [Dtype]) -> [Cases; 1] {
    const EXTENTS: &[Extent] = &products([(208, 336, 80), (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 4096)]);
    [Cases::standard(dtypes, EXTENTS, PLAIN)]
}

const fn checked(oracle: fn(&Shape, &Interface) -> Oracle) -> Check {
    Check { oracle, ..BASE.check }
}

/// Random factors whose products have exact sums. Those of 8-bit integers stay below 2^31 while K is below 2^17.
const fn factors(scalar: Scalar) -> [Values; 2] {
    match scalar {
        Scalar::I8 => [Values::LogitsFrom(0), Values::LogitsFrom(SECOND)],
        Scalar::E4m3 => [Values::EighthsFrom(0), Values::EighthsFrom(SECOND)],
        _ => [A, B],
    }
}

/// Where B starts in the random stream, far behind A.
const SECOND: u64 = 1 << 40;

fn narrow_buffers(shape: &Shape, scalar: Scalar) -> Vec<Buffer> {
    let ((m, n, k), [a, b]) = (sides(shape), factors(scalar));
    let sums = if scalar.is_float() { Scalar::F32 } else { Scalar::I32 };
    vec![
        Buffer::new("a", m * k, Contents::Input(a).of(scalar)),
        Buffer::new("b_by_columns", n * k, Contents::Input(b).of(scalar)),
        Buffer::new("c", m * n, Contents::Poison.of(sums)),
    ]
}

fn narrow_product(shape: &Shape, scalar: Scalar) -> Oracle {
    let ((m, n, k), [a, b]) = (sides(shape), factors(scalar).map(|values| shape.input(values)));
    Product { m, n, k, a, b, scalar, is_by_columns: true }.oracle()
}

fn multiplied(shape: &Shape, precision: Precision) -> Vec<Step> {
    let (m, n, k) = sides(shape);
    Step::library(Routine::Multiply { m, n, k, precision }, &["a", "b", "c"])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With K = 4096 every partial sum of eighths lies below 2^8, where 14 bits hold it.
    #[test]
    fn sums_of_fp8_fit_the_bits_that_tensor_cores_keep() {
        const K: u64 = 4096;
        let [a, b] = factors(Scalar::E4m3);
        for (stream, element) in (0..64).flat_map(|stream| (0..32).map(move |element| (stream, element))) {
            let at = |values: Values, p: u64| values.of(stream).at(Scalar::E4m3, element * K + p);
            let most = (0..K).scan(0.0_f64, |sum, p| {
                *sum += at(a, p) * at(b, p);
                Some(sum.abs())
            });
            assert!(most.fold(0.0, f64::max) < 256.0, "stream {stream}, element {element}");
        }
    }

    /// A type holds its factors to the last bit.
    #[test]
    fn factors_are_of_their_types() {
        for scalar in [Scalar::Bf16, Scalar::E4m3, Scalar::I8] {
            for values in factors(scalar) {
                assert!((0..4096).all(|index| scalar.holds(values.of(1).at(scalar, index))), "{scalar:?}");
            }
        }
    }
}
