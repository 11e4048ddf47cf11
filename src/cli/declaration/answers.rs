//! Expected outputs, from a file, an expression, a command or another kernel.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use super::expression::{Meaning, RIGHT, Value};
use super::npy;
use super::script::{Scope, Script};
use super::stored::{Number, Numbers, Rule, float_at};
use crate::cli::compiler::{FOLDER, printed, temporary};
use crate::cli::inputs;
use record::error::{Result, in_words};
use record::suite::budget::Budget;
use record::suite::{Benchmark, Constants, Extent, Oracle, Scalar, Shape};

pub(super) struct Verify {
    pub buffer: Option<String>,
    pub length: Option<Script>,
    pub by: By,
    pub tolerance: f64,
    /// The tolerance of scalar `i`, in place of `tolerance`.
    pub tolerance_at: Option<Script>,
    pub relative: f64,
    pub outliers: f64,
    pub wraps: bool,
    /// Whether a value may differ by the rounding error of an f32 sum in another order.
    pub is_reordered: bool,
}

pub(super) enum By {
    Expression(Script),
    File(Arc<Vec<u8>>),
    Whole(Whole),
    Kernel(&'static Benchmark),
}

/// A whole output, computed at once for all kernels that share its inputs. Keeps the last results.
pub(super) struct Whole {
    pub way: Way,
    pub known: Mutex<Vec<(String, Arc<OnceLock<Computed>>)>>,
}

#[derive(Clone)]
pub(super) enum Way {
    /// Statements that set its elements.
    Program(Script),
    /// A command, run in this folder, that reads and writes `.npy` files.
    Command(String, PathBuf),
    Numbers(Arc<Numbers>),
}

/// Values, or the reason why there are none.
type Computed = std::result::Result<Arc<Numbers>, String>;

/// Outputs to keep: as many as a size has epochs.
const KEPT: usize = 8;

/// The first `scalars` expected values of a whole output, computed on demand. `fault` gets the reason of a failure.
pub(super) fn whole(
    of: &Whole,
    name: &str,
    shape: &Shape,
    mut scope: Scope,
    rule: Rule,
    scalars: u64,
    fault: Arc<OnceLock<String>>,
) -> Result<Wanted> {
    if let Way::Program(script) = &of.way {
        scope.insert(RIGHT.to_owned(), Meaning::Output(scalars, !rule.scalar.is_float()));
        // Reports errors that every run has before any run starts.
        drop(script.frame(&scope)?);
    }
    let key = format!("{name} {scalars} {:?} {:?} {}", shape.extent, shape.params, shape.stream);
    let mut known = of.known.lock().unwrap_or_else(PoisonError::into_inner);
    let place = known.iter().position(|(own, _)| *own == key);
    let computed = place.map_or_else(Arc::default, |place| known.remove(place).1);
    known.truncate(KEPT);
    known.insert(0, (key, computed.clone()));
    drop(known);
    let (way, variables) = (of.way.clone(), variables_of(&shape.params, Some(shape.extent)));
    Ok(Arc::new(move |first, slots: &mut [f64]| {
        let computed = computed.get_or_init(|| match &way {
            Way::Program(script) => {
                let values = script.run(&scope).map_err(|error| error.to_string())?;
                Ok(Arc::new(Numbers::Reals(values)))
            }
            Way::Command(command, folder) => {
                by_command(command, folder, &scope, &variables).map_err(|why| format!("[verify]: {why}"))
            }
            Way::Numbers(numbers) => Ok(numbers.clone()),
        });
        let failed = |why: String| {
            let _ = fault.set(why);
            f64::NAN
        };
        let values = match computed {
            Ok(values) if values.len() >= scalars => values,
            Ok(values) => {
                let count = values.len();
                return slots.fill(failed(format!(
                    "[verify]: {count} expected values are given, but {scalars} scalars are compared"
                )));
            }
            Err(why) => return slots.fill(failed(why.clone())),
        };
        let number = |index| values.at(index).ok_or_else(|| format!("expected value {index} is missing"));
        for (index, slot) in (first..).zip(slots) {
            *slot = rule.slot(index, number).unwrap_or_else(failed);
        }
    }))
}

/// The environment of a command: sizes and parameters.
pub(super) fn variables_of(params: &Constants, extent: Option<Extent>) -> Vec<(String, String)> {
    let sides: Vec<(&str, u64)> = match extent {
        None => Vec::new(),
        Some(Extent::Linear(n)) => vec![("SIZE", n)],
        Some(Extent::Matrix(rows, columns)) => vec![("ROWS", rows), ("COLUMNS", columns)],
        Some(Extent::Product(m, n, k)) => vec![("M", m), ("N", n), ("K", k)],
    };
    let sides = sides.into_iter().map(|(name, side)| (format!("SHADERBENCH_{name}"), side.to_string()));
    let params = params.iter().map(|(name, value)| (format!("SHADERBENCH_{name}"), value.to_string()));
    sides.chain(params).collect()
}

fn by_command(command: &str, folder: &Path, scope: &Scope, variables: &[(String, String)]) -> Computed {
    let temporary = temporary()?;
    let file = |name: &str| temporary.path().join(format!("{name}.npy"));
    for (input, meaning) in scope {
        let Meaning::Buffer(data) = meaning else { continue };
        if input == RIGHT {
            return Err(format!(
                "the name '{RIGHT}' is reserved for the file with the expected values: rename the buffer"
            ));
        }
        let values = (0..data.count).map(|index| (data.at)(index));
        let bytes = npy::write(values, data.count, data.is_integer);
        std::fs::write(file(input), bytes)
            .map_err(|error| format!("cannot write {input}.npy: {}", in_words(&error, "write")))?;
    }
    printed(command, &[(FOLDER, temporary.path())], variables, folder)?;
    let bytes = inputs::read(&file(RIGHT), inputs::DATA)
        .map_err(|error| format!("{command} did not write {{folder}}/{RIGHT}.npy: {}", in_words(&error, "read")))?;
    npy::read(&bytes).map(Arc::new).map_err(|why| format!("{RIGHT}.npy from {command}: {why}"))
}

/// Writes the expected values from an index into the slice.
pub(super) type Wanted = Arc<dyn Fn(u64, &mut [f64]) + Send + Sync>;

/// Decodes a buffer's values from `first`; NaN past its end.
pub(super) fn decode(scalar: Scalar, bytes: &[u8], first: u64, slots: &mut [f64]) {
    let size = scalar.bytes();
    let from = (first as usize * size).min(bytes.len());
    let count = slots.len().min((bytes.len() - from) / size);
    let (known, rest) = slots.split_at_mut(count);
    scalar.decode(&bytes[from..from + count * size], known);
    rest.fill(f64::NAN);
}

/// Allowed errors: `tolerance` plus a fraction of the expected value; in a struct of several types, only for its
/// floats. `fault` gets an invalid tolerance.
pub(super) fn allowed(
    want: Wanted,
    tolerance: Wanted,
    relative: f64,
    fields: &'static [Option<Scalar>],
    fault: Arc<OnceLock<String>>,
) -> Oracle {
    Box::new(move |first, slots| {
        want(first, slots);
        let mut absolute = vec![0.0; slots.len()];
        tolerance(first, &mut absolute);
        for ((index, slot), absolute) in (first..).zip(slots).zip(absolute) {
            if !absolute.is_finite() || absolute < 0.0 {
                let why = format!("`tolerance` must be finite and at least 0, but is {absolute} for i = {index}");
                let _ = fault.set(format!("[verify]: {why}"));
            }
            let is_allowed = fields.is_empty() || float_at(fields, index);
            *slot = if is_allowed { absolute + relative * slot.abs() } else { 0.0 };
        }
    })
}

/// The same values, with the words of a struct's floats decoded as floats.
pub(super) fn with_floats(want: Wanted, fields: &'static [Option<Scalar>]) -> Wanted {
    Arc::new(move |first, slots: &mut [f64]| {
        want(first, slots);
        let floats = (first..).zip(slots).filter(|(index, _)| float_at(fields, *index));
        floats.for_each(|(_, slot)| *slot = f32::from_bits(*slot as u32).into());
    })
}

/// The error of an f32 sum of `terms` values in any order. Partial sums are as large as the largest value, and each
/// addition rounds one by up to 2^-24, up or down, so errors grow as the root of their number. Then the output's type
/// rounds.
pub(super) fn reordered(want: Wanted, scalar: Scalar, scalars: u64, terms: f64) -> Oracle {
    const PIECE: usize = 1 << 16;
    let unit = |bits: u32| f64::powi(0.5, bits as i32);
    let of_sum = terms.max(1.0).sqrt() * unit(scalar.significant_bits().max(Scalar::F32.significant_bits()));
    let largest = OnceLock::new();
    Box::new(move |first, slots| {
        let largest = *largest.get_or_init(|| {
            let mut piece = [0.0; PIECE].to_vec();
            (0..scalars).step_by(PIECE).fold(0.0, |largest: f64, first| {
                let piece = &mut piece[..(scalars - first).min(PIECE as u64) as usize];
                want(first, piece);
                piece.iter().fold(largest, |largest, value| largest.max(value.abs()))
            })
        });
        want(first, slots);
        let of_output = unit(scalar.significant_bits());
        slots.iter_mut().for_each(|slot| *slot = of_sum * largest + of_output * slot.abs());
    })
}

/// The values of an expression of `i` and of `scope`, as the buffer stores them. `fault` gets the first failure.
pub(super) fn by_expression(
    script: &Script,
    mut scope: Scope,
    rule: Rule,
    scalars: u64,
    fault: Arc<OnceLock<String>>,
) -> Result<Wanted> {
    scope.insert("i".to_owned(), Meaning::Value(Value::Whole(0)));
    let script = script.clone();
    // Reports errors that every index has before anything runs.
    let mut frame = script.frame(&scope)?;
    for index in [0, scalars - 1] {
        frame.set("i", Value::Whole(index as i64));
        script.value_in(&mut frame)?;
    }
    drop(frame);
    Ok(Arc::new(move |first, slots: &mut [f64]| {
        const PIECE: usize = 256;
        if fault.get().is_some() {
            return slots.fill(f64::NAN);
        }
        let budget = Budget::start();
        let frame = || script.frame(&scope).map(|frame| frame.within(budget));
        slots.par_chunks_mut(PIECE).enumerate().for_each_init(frame, |frame, (piece, slots)| {
            for (index, slot) in (first + (piece * PIECE) as u64..).zip(slots) {
                let number = |index: u64| {
                    let frame = frame.as_mut().map_err(|error| error.to_string())?;
                    frame.set("i", Value::Whole(index as i64));
                    script.value_in(frame).map(Number::from).map_err(|error| error.to_string())
                };
                *slot = rule.slot(index, number).unwrap_or_else(|why| {
                    let _ = fault.set(why);
                    f64::NAN
                });
            }
        });
    }))
}
