//! The right values of an output, from a file, an expression or another kernel.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::expression::{Meaning, Value};
use super::script::{Scope, Script};
use crate::error::Result;
use crate::shader::Layout;
use crate::suite::{Oracle, Scalar};

/// Writes the right values from an index on.
pub(super) type Wanted = Arc<dyn Fn(u64, &mut [f64]) + Send + Sync>;

/// The values from `first` on in the bytes of a buffer; NaN behind their end.
pub(super) fn decode(scalar: Scalar, bytes: &[u8], first: u64, slots: &mut [f64]) {
    let size = scalar.bytes();
    let from = (first as usize * size).min(bytes.len());
    let count = slots.len().min((bytes.len() - from) / size);
    let (known, rest) = slots.split_at_mut(count);
    scalar.decode(&bytes[from..from + count * size], known);
    rest.fill(f64::NAN);
}

/// The values in the bytes of a file.
pub(super) fn decoded(scalar: Scalar, bytes: Arc<Vec<u8>>) -> Wanted {
    Arc::new(move |first, slots| decode(scalar, &bytes, first, slots))
}

/// The allowed errors: a constant, and a fraction of the right value.
pub(super) fn allowed(want: Wanted, tolerance: f64, relative: f64) -> Oracle {
    Box::new(move |first, slots| {
        want(first, slots);
        slots.iter_mut().for_each(|slot| *slot = tolerance + relative * slot.abs());
    })
}

/// The values of an expression of `i` and of the names of `scope`, as the buffer stores them. `fault` gets the first
/// reason why it has none.
pub(super) fn by_expression(
    script: &Script,
    mut scope: Scope,
    layout: &Layout,
    is_exact: bool,
    scalars: u64,
    fault: Arc<OnceLock<String>>,
) -> Result<Wanted> {
    let (scalar, is_word) = (layout.scalar, layout.scalar == Scalar::U32);
    scope.insert("i".to_owned(), Meaning::Value(Value::Whole(0)));
    let script = script.clone();
    // The faults that every index has are found before anything runs.
    let mut frame = script.frame(&scope)?;
    for index in [0, scalars - 1] {
        frame.set("i", Value::Whole(index as i64));
        script.value_in(&mut frame)?;
    }
    drop(frame);
    let stored = move |value: f64| match scalar {
        Scalar::U32 if is_word => f64::from(value as i64 as u32),
        Scalar::F32 if is_exact => f64::from(value as f32),
        Scalar::F16 if is_exact => f64::from(half::f16::from_f64(value)),
        _ => value,
    };
    Ok(Arc::new(move |first, slots: &mut [f64]| {
        const PIECE: usize = 256;
        let frame = || script.frame(&scope);
        slots.par_chunks_mut(PIECE).enumerate().for_each_init(frame, |frame, (piece, slots)| {
            for (index, slot) in (first + (piece * PIECE) as u64..).zip(slots) {
                let value = frame.as_mut().map_err(|error| error.to_string()).and_then(|frame| {
                    frame.set("i", Value::Whole(index as i64));
                    script.value_in(frame).map_err(|error| error.to_string())
                });
                *slot = value.map_or_else(
                    |error| {
                        let _ = fault.set(error);
                        f64::NAN
                    },
                    stored,
                );
            }
        });
    }))
}
