//! Freivalds' check of large matrix products.

use rayon::prelude::*;

use super::random::mixed;
use crate::job::Product;
use record::suite::Scalar;
use record::suite::vectors::vectorised;

const VECTORS: usize = 16;

/// One element of each vector.
type Row = [f64; VECTORS];

/// Freivalds' check of C = A·B (*Probabilistic Machines Can Use Less Running Time*, 1977): for random vectors r of ±1,
/// C·r must equal A·(B·r). It costs mn + nk + mk operations per vector instead of mnk. A single wrong element in a row
/// is always found; all vectors miss several that cancel with a probability of at most 2^-16 per row. The check is
/// exact up to n·k = 2^39: values are multiples of 2^-14 with sums up to n·k·(127/128)², or integers up to 127.
pub(super) struct Freivalds<'a> {
    product: &'a Product,
    scalar: Scalar,
    /// The vectors r.
    signs: Vec<Row>,
    /// C·r for the part of C read so far.
    sums: Vec<Row>,
}

impl<'a> Freivalds<'a> {
    pub(super) fn new(product: &'a Product, scalar: Scalar, random: u64) -> Self {
        let signs = (0..product.n).map(|column| signs(column, random)).collect();
        let sums = vec![Row::default(); product.m as usize];
        Self { product, scalar, signs, sums }
    }

    /// Adds the elements of C that start at index `first`.
    pub(super) fn add(&mut self, first: u64, bytes: &[u8]) {
        let (n, size, scalar, signs) = (self.product.n, self.scalar.bytes(), self.scalar, &self.signs);
        let end = first + (bytes.len() / size) as u64;
        let rows = self.sums.par_iter_mut().enumerate().skip((first / n) as usize);
        let rows = rows.take((end.div_ceil(n) - first / n) as usize);
        rows.for_each_init(Vec::new, |values, (row, sums)| {
            let start = (row as u64 * n).max(first);
            let stop = ((row as u64 + 1) * n).min(end);
            values.resize((stop - start) as usize, 0.0);
            scalar.decode(&bytes[(start - first) as usize * size..(stop - first) as usize * size], values);
            add_products(sums, values, &signs[(start % n) as usize..]);
        });
    }

    /// The first row in which C·r differs from A·(B·r).
    pub(super) fn first_wrong_row(&self) -> Option<u64> {
        let product = self.product;
        let products = |values: &[f64], vectors: &[Row]| {
            let mut sums = Row::default();
            add_products(&mut sums, values, vectors);
            sums
        };
        let sums_of_b = |values: &mut Vec<f64>, row: u64| {
            values.resize(product.n as usize, 0.0);
            product.row_of_b(row, values);
            products(values, &self.signs)
        };
        let b_sums: Vec<Row> = (0..product.k).into_par_iter().map_init(Vec::new, sums_of_b).collect();
        let rows = self.sums.par_iter().enumerate();
        let wrong = rows.map_init(Vec::new, |values, (row, got)| {
            values.resize(product.k as usize, 0.0);
            product.row_of_a(row as u64, values);
            // NaN (poison or a wrong value) is never equal.
            (products(values, &b_sums) != *got).then_some(row as u64)
        });
        wrong.find_map_first(|row| row)
    }
}

vectorised! {
    fn add_products(sums: &mut Row, values: &[f64], vectors: &[Row]) {
        // A local copy has no aliases and stays in registers.
        let mut row_sums = *sums;
        for (value, vector) in values.iter().zip(vectors) {
            row_sums.iter_mut().zip(vector).for_each(|(sum, element)| *sum += value * element);
        }
        *sums = row_sums;
    }
}

/// The vectors' elements at `column`, each 1 or -1.
fn signs(column: u64, random: u64) -> Row {
    let signs = mixed(random, column + 1) >> 32;
    std::array::from_fn(|index| if signs >> index & 1 == 0 { 1.0 } else { -1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::input::Values;

    const PRODUCT: Product = Product {
        m: 37,
        n: 50,
        k: 29,
        a: Values::Summable.of(3),
        b: Values::SummableFrom(1 << 40).of(3),
        scalar: Scalar::F32,
        is_by_columns: false,
    };

    fn right() -> Vec<f32> {
        (0..PRODUCT.m * PRODUCT.n).map(|index| PRODUCT.element(index) as f32).collect()
    }

    /// Adds C in pieces that end within rows.
    fn first_wrong_row(c: &[f32]) -> Option<u64> {
        let bytes: Vec<u8> = c.iter().flat_map(|value| value.to_le_bytes()).collect();
        let mut freivalds = Freivalds::new(&PRODUCT, Scalar::F32, 5);
        for (piece, chunk) in bytes.chunks(4 * 333).enumerate() {
            freivalds.add(333 * piece as u64, chunk);
        }
        freivalds.first_wrong_row()
    }

    #[test]
    fn freivalds_check_passes_the_right_product() {
        assert_eq!(first_wrong_row(&right()), None);
    }

    #[test]
    fn freivalds_check_takes_each_element_of_a_factor_by_columns() {
        let [a, b] = [Values::LogitsFrom(0), Values::LogitsFrom(1 << 40)].map(|values| values.of(3));
        let product = Product { a, b, scalar: Scalar::I8, is_by_columns: true, ..PRODUCT };
        let right: Vec<i32> = (0..product.m * product.n).map(|index| product.element(index) as i32).collect();
        let first_wrong_row = |c: &[i32]| {
            let bytes: Vec<u8> = c.iter().flat_map(|value| value.to_le_bytes()).collect();
            let mut freivalds = Freivalds::new(&product, Scalar::I32, 5);
            freivalds.add(0, &bytes);
            freivalds.first_wrong_row()
        };
        assert_eq!(first_wrong_row(&right), None);
        for index in (0..right.len()).step_by(7) {
            let mut c = right.clone();
            c[index] += 1;
            assert_eq!(first_wrong_row(&c), Some(index as u64 / product.n), "element {index}");
        }
    }

    #[test]
    fn freivalds_check_catches_any_one_wrong_element() {
        let right = right();
        for index in 0..right.len() {
            for wrong in [right[index] + 1.0 / 16384.0, -right[index] - 1.0, f32::NAN] {
                let mut c = right.clone();
                c[index] = wrong;
                assert_eq!(first_wrong_row(&c), Some(index as u64 / PRODUCT.n), "element {index} = {wrong}");
            }
        }
    }

    #[test]
    fn freivalds_check_catches_swapped_elements() {
        let right = right();
        for column in 1..50 {
            let mut c = right.clone();
            c.swap(0, column);
            assert_eq!(first_wrong_row(&c).is_some(), right[0] != right[column], "column {column}");
        }
    }
}
