//! What an oracle needs to know of a whole row of a matrix.

use std::sync::OnceLock;

use super::input::{Input, Values};
use super::rows::by_rows;
use super::scalar::Scalar;
use super::shape::Shape;

/// What elements of a matrix of f32 depend on besides themselves: a `T` for each of its rows, made of the whole row.
pub struct WholeRows<T> {
    input: Input,
    rows: u64,
    columns: u64,
    /// Those of rows of which a slice had a part only.
    known: OnceLock<Vec<OnceLock<T>>>,
}

impl<T> WholeRows<T> {
    /// Of the rows of the values of a shape.
    pub fn new(shape: &Shape, values: Values) -> Self {
        let (rows, columns) = shape.extent.matrix();
        Self { input: shape.input(values), rows, columns, known: OnceLock::new() }
    }

    /// Writes the elements from `first` on into the slots, and splits them at the ends of rows: `fill` gets each piece
    /// with what `of_row` makes of its row, and the column of its first element. `of_row` must always be the same.
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
