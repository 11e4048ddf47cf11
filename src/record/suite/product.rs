use std::sync::OnceLock;

use super::buffer::{Buffer, Contents};
use super::input::Input;
use super::oracle::Oracle;
use super::rows::by_rows;
use super::scalar::Scalar;
use super::shape::{Extent, Shape};

/// A matrix product C = A·B of the buffers `a` (m×k), row by row, and `b` (k×n), row by row, or `b_by_columns`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Product {
    /// Rows of A and C.
    pub m: u64,
    /// Columns of B and C.
    pub n: u64,
    /// Columns of A, rows of B.
    pub k: u64,
    /// A.
    pub a: Input,
    /// B.
    pub b: Input,
    /// The type of the factors.
    pub scalar: Scalar,
    /// Whether B is stored column by column.
    pub is_by_columns: bool,
}

impl Product {
    /// Up to this many multiplications, the host computes every element of a product.
    const SMALL: u64 = 1 << 28;

    /// The product of a case with these buffers, if it has more than `SMALL` multiplications.
    pub fn large(shape: &Shape, declared: &[Buffer]) -> Option<Self> {
        let Extent::Product(m, n, k) = shape.extent else { return None };
        let input = |name: &str| match &declared.iter().find(|buffer| buffer.name == name)?.contents {
            Contents::Input(values) => Some((shape.input(*values), shape.dtype.scalar())),
            Contents::Of(scalar, contents) => match **contents {
                Contents::Input(values) => Some((shape.input(values), *scalar)),
                _ => None,
            },
            _ => None,
        };
        let (by_rows, by_columns) = (input("b"), input("b_by_columns"));
        let ((a, scalar), (b, _)) = input("a").zip(by_rows.or(by_columns))?;
        let is_by_columns = by_columns.is_some();
        (shape.count() > Self::SMALL).then_some(Self { m, n, k, a, b, scalar, is_by_columns })
    }

    /// Writes row `row` of A into `slots`.
    pub fn row_of_a(&self, row: u64, slots: &mut [f64]) {
        self.a.elements(self.scalar, row * self.k, 1, slots);
    }

    /// Writes the elements of row `row` of B into `slots`.
    pub fn row_of_b(&self, row: u64, slots: &mut [f64]) {
        let (first, stride) = if self.is_by_columns { (row, self.k) } else { (row * self.n, 1) };
        self.b.elements(self.scalar, first, stride, slots);
    }

    /// Element `index` of C, exactly: see [`Values::Summable`](super::input::Values::Summable).
    #[must_use]
    pub fn element(&self, index: u64) -> f64 {
        let (row, column) = (index / self.n, index % self.n);
        let (first, stride) = if self.is_by_columns { (column * self.k, 1) } else { (column, self.n) };
        let (a, b) = (|p| self.a.at(self.scalar, row * self.k + p), |p| self.b.at(self.scalar, first + p * stride));
        (0..self.k).map(|p| a(p) * b(p)).sum()
    }

    /// C by rows, each a sum of rows of B.
    pub fn oracle(self) -> Oracle {
        let tables = OnceLock::new();
        Box::new(move |first, values| {
            let table = |rows: u64, columns: u64, row_of: &dyn Fn(u64, &mut [f64])| -> Vec<f32> {
                let mut wide = vec![0.0; (rows * columns) as usize];
                by_rows(0, &mut wide, columns, |row, _, slots| row_of(row, slots));
                wide.into_iter().map(|value| value as f32).collect()
            };
            let of_both = || {
                let a = table(self.m, self.k, &|row, slots| self.row_of_a(row, slots));
                (a, table(self.k, self.n, &|row, slots| self.row_of_b(row, slots)))
            };
            let (a, b): &(Vec<f32>, Vec<f32>) = tables.get_or_init(of_both);
            by_rows(first, values, self.n, |row, column, piece| {
                piece.fill(0.0);
                for (a, b) in a[(row * self.k) as usize..].iter().zip(b.chunks_exact(self.n as usize)) {
                    let a = f64::from(*a);
                    for (sum, b) in piece.iter_mut().zip(&b[column as usize..]) {
                        *sum += a * f64::from(*b);
                    }
                }
            });
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::input::Values;

    #[test]
    fn the_oracle_is_the_sum_of_products_from_any_index_on() {
        let kinds = [
            (Values::Summable, Values::SummableFrom(1 << 40), Scalar::F32, false),
            (Values::Summable, Values::SummableFrom(1 << 40), Scalar::Bf16, true),
            (Values::EighthsFrom(0), Values::EighthsFrom(1 << 40), Scalar::E4m3, true),
            (Values::LogitsFrom(0), Values::LogitsFrom(1 << 40), Scalar::I8, true),
        ];
        for (a, b, scalar, is_by_columns) in kinds {
            let product = Product { m: 5, n: 7, k: 3, a: a.of(5), b: b.of(5), scalar, is_by_columns };
            let at = |p: u64, column: u64| if is_by_columns { column * 3 + p } else { p * 7 + column };
            let element = |i: u64| -> f64 {
                (0..3).map(|p| product.a.at(scalar, i / 7 * 3 + p) * product.b.at(scalar, at(p, i % 7))).sum()
            };
            for (first, length) in [(0, 35), (3, 20), (13, 1), (34, 1)] {
                let mut got = vec![0.0; length];
                product.oracle()(first, &mut got);
                let want: Vec<f64> = (first..).take(length).map(element).collect();
                assert_eq!(got, want, "{scalar:?}");
                assert_eq!(product.element(first), want[0], "{scalar:?}");
            }
        }
    }
}
