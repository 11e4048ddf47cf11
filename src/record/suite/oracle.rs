use std::sync::OnceLock;

use rayon::prelude::*;

use super::input::Values;
use super::shape::Shape;

/// The right answer: writes the elements that start at an index into a slice.
pub type Oracle = Box<dyn Fn(u64, &mut [f64]) + Send + Sync>;

/// An oracle from a function of the index. Outputs have up to 2^28 elements; the indirect call is made once per slice.
pub fn each(value: impl Fn(u64) -> f64 + Send + Sync + 'static) -> Oracle {
    Box::new(move |first, values| {
        for (index, slot) in (first..).zip(values) {
            *slot = value(index);
        }
    })
}

/// [`each`] for few outputs of thousands of terms each: every slice is computed on all cores.
pub fn each_on_all_cores(value: impl Fn(u64) -> f64 + Send + Sync + 'static) -> Oracle {
    // A boxed function, so that the parallel loop is compiled only once.
    let value: Box<dyn Fn(u64) -> f64 + Send + Sync> = Box::new(value);
    Box::new(move |first, values| {
        values.par_iter_mut().enumerate().for_each(|(k, slot)| *slot = value(first + k as u64));
    })
}

/// A sum; 0 if there are no values, where Rust has -0.
pub fn sum(values: impl Iterator<Item = f64>) -> f64 {
    0.0 + values.sum::<f64>()
}

/// The same value everywhere.
pub fn constant(value: f64) -> Oracle {
    each(move |_| value)
}

/// An oracle of values that repeat after `period` elements: the first call computes one period on all cores.
pub fn each_of_period(period: u64, value: impl Fn(u64) -> f64 + Send + Sync + 'static) -> Oracle {
    let table = OnceLock::new();
    each(move |index| {
        let table = table.get_or_init(|| (0..period).into_par_iter().map(&value).collect::<Vec<f64>>());
        table[(index % period) as usize]
    })
}

/// The oracle of a copy: the input itself.
pub fn copied(shape: &Shape, values: Values) -> Oracle {
    let (input, scalar) = (shape.input(values), shape.dtype.scalar());
    Box::new(move |first, slots| input.elements(scalar, first, 1, slots))
}
