use std::sync::OnceLock;

use super::input::{Input, Values};
use super::rows::by_rows;
use super::scalar::Scalar;
use super::shape::Shape;

/// A `T` for each row of an f32 matrix, computed from the whole row, on which the row's elements depend.
pub struct WholeRows<T> {
    input: Input,
    rows: u64,
    columns: u64,
    /// Values of rows that a slice contained only in part.
    known: OnceLock<Vec<OnceLock<T>>>,
}

impl<T> WholeRows<T> {
    /// For the rows of `values` at a shape.
    pub fn new(shape: &Shape, values: Values) -> Self {
        let (rows, columns) = shape.extent.matrix();
        Self { input: shape.input(values), rows, columns, known: OnceLock::new() }
    }

    /// Writes the elements from index `first` into the slots and splits them at row ends: `fill` gets each piece,
    /// `of_row` of its row, and the column of its first element. `of_row` must always be the same.
    pub fn visit(
        &self,
        first: u64,
        slots: &mut [f64],
        of_row: impl Fn(&[f64]) -> T,
        fill: impl Fn(&T, u64, &mut [f64]),
    ) {
        self.input.elements(Scalar::F32, first, 1, slots);
        by_rows(first, slots, self.columns, |row, column, slots| {
            if slots.len() as u64 == self.columns {
                fill(&of_row(slots), column, slots);
                return;
            }
            let known = self.known.get_or_init(|| (0..self.rows).map(|_| OnceLock::new()).collect());
            let row_values = known[row as usize].get_or_init(|| {
                let mut values = vec![0.0; self.columns as usize];
                self.input.elements(Scalar::F32, row * self.columns, 1, &mut values);
                of_row(&values)
            });
            fill(row_values, column, slots);
        });
    }
}
