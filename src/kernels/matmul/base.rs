//! Cases, factors, buffers and expected product of the matrix-product benchmarks.

use record::suite::Product;
use record::suite::prelude::*;

/// One element of C per invocation.
pub(super) const BASE: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::F32], Extent::Product(4096, 4096, 4096), PLAIN)],
    cases: &cases(PLAIN, PLAIN),
    buffers: |shape, _| buffers(shape, 1, Contents::Poison),
    steps: |shape, interface| tiles(shape, interface.workgroup_size[0].into(), interface.workgroup_size[1].into()),
    work: |shape| Work { bytes: 0, flops: 2 * shape.count() },
    ceiling: Some(Limit::Fma),
    // A product and a sum for each term, and the sums of parts of K.
    bound: Bound::Roundings(|shape, _| sides(shape).2 + 8),
    check: Check::of("c", results, |shape, _| product_of([A, B], shape)),
    ..Benchmark::BLANK
};

/// Products of two elements are multiples of 2^-14, and a sum of K of them is exact in f32 while it stays below 2^10.
/// Its standard deviation is √K/3: 21 at K = 4096, 43 at K = 16384. The elements are the same in f16. Tensor cores may
/// truncate bits below the 24 of the largest addend (Fasi et al., *Numerical behavior of NVIDIA tensor cores*, 2021):
/// below 2^10 no such bits are set.
pub(super) const A: Values = Values::Summable;
pub(super) const B: Values = Values::SummableFrom(1 << 40);

/// Tensor cores may truncate each addend of a sum of 4 or more products, and the sum, by two units of f32 (Fasi et
/// al.).
pub(super) const BY_TENSOR_CORES: Bound = Bound::Roundings(|shape, _| 3 * sides(shape).2 + 8);

/// f16 factors and sums. Sums of ±1 are exact in f16 below 2^11; their standard deviation is √K, 64 at K = 4096 and 181
/// at K = 32768.
pub(super) const SUMS_OF_F16: Benchmark = Benchmark {
    quick: &[Quick::at(&[Dtype::F16], Extent::Product(4096, 4096, 4096), PLAIN)],
    cases: &of_type(&[Dtype::F16], PLAIN, PLAIN),
    buffers: |shape, _| buffers_of(SIGNS, shape, 1, Contents::Poison),
    unsupported: |shape| (sides(shape).2 > 1 << 15).then_some("f16 sums are inexact for K above 32,768"),
    ceiling: None,
    no_ceiling: "no kernel measures the peak of f16 sums, since long f16 sums are inexact",
    bound: BY_TENSOR_CORES,
    significant_bits: Some(11),
    // With more terms, roundings would hide fp8 factors.
    precise_at: Some(Extent::Product(200, 336, 8)),
    check: Check { oracle: |shape, _| product_of(SIGNS, shape), ..BASE.check },
    ..BASE
};

pub(super) const SIGNS: [Values; 2] = [Values::Signs, Values::SignsFrom(1 << 40)];

/// `headline`: parameters at the quick profile's largest size, where a software device needs 0.5 s per launch.
pub(super) const fn cases(params: &'static [Params], headline: &'static [Params]) -> [Cases; 3] {
    of_type(&[Dtype::F32], params, headline)
}

pub(super) const fn of_type(
    dtypes: &'static [Dtype],
    params: &'static [Params],
    headline: &'static [Params],
) -> [Cases; 3] {
    const ODD: &[Extent] = &[Extent::Product(200, 333, 77)];
    const HEADLINE: &[Extent] = &[Extent::Product(512, 512, 512)];
    const ALL: &[Extent] = &products([
        (200, 333, 77),
        (512, 512, 512),
        (1000, 1001, 999),
        (1024, 1024, 1024),
        (2048, 2048, 2048),
        (4096, 4096, 4096),
    ]);
    [
        Cases::standard(dtypes, ODD, params),
        Cases::standard(dtypes, HEADLINE, headline),
        Cases::standard(dtypes, ALL, params),
    ]
}

/// The factors, padded to whole vectors of `lanes`, the product and the sizes.
pub(super) fn buffers(shape: &Shape, lanes: u64, product: Contents) -> Vec<Buffer> {
    buffers_of([A, B], shape, lanes, product)
}

pub(super) fn buffers_of([a, b]: [Values; 2], shape: &Shape, lanes: u64, product: Contents) -> Vec<Buffer> {
    let (m, n, k) = sides(shape);
    vec![
        Buffer::input("a", (m * k).next_multiple_of(lanes), a),
        Buffer::input("b", (k * n).next_multiple_of(lanes), b),
        Buffer::new("c", m * n, product),
        uniform("sizes", &[m, n, k]),
    ]
}

/// M, N and K.
pub(super) const fn sides(shape: &Shape) -> (u64, u64, u64) {
    match shape.extent {
        Extent::Product(m, n, k) => (m, n, k),
        extent => {
            let (rows, columns) = extent.matrix();
            (rows, columns, 1)
        }
    }
}

const fn results(shape: &Shape, _: &Interface) -> u64 {
    let (m, n, _) = sides(shape);
    m * n
}

pub(super) fn tiles(shape: &Shape, width: u64, height: u64) -> Vec<Step> {
    let (m, n, _) = sides(shape);
    Step::dividing([(n, width), (m, height), (1, 1)])
}

fn product_of(factors: [Values; 2], shape: &Shape) -> Oracle {
    let ((m, n, k), [a, b]) = (sides(shape), factors.map(|values| shape.input(values)));
    let scalar = shape.dtype.scalar();
    Product { m, n, k, a, b, scalar, is_by_columns: false }.oracle()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::Scalar;

    /// The results are exact: with K = 4096 every partial sum lies far below 2^10, and f32 gives the same bits as f64.
    #[test]
    fn sums_of_products_are_exact_in_f32() {
        const K: u64 = 4096;
        for (stream, element) in (0..64).flat_map(|stream| (0..32).map(move |element| (stream, element))) {
            let (mut narrow, mut wide) = (0.0_f32, 0.0_f64);
            for p in 0..K {
                let (a, b) =
                    (A.of(stream).at(Scalar::F32, element * K + p), B.of(stream).at(Scalar::F32, p * K + element));
                narrow += a as f32 * b as f32;
                wide += a * b;
                assert!(wide.abs() < 256.0, "stream {stream}, element {element}: {wide} after {p}");
            }
            assert_eq!(f64::from(narrow), wide);
        }
    }
}
