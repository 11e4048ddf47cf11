//! The right values of an output, from a file, an expression or another kernel.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use super::expression::{Meaning, RIGHT, Value};
use super::npy;
use super::script::{Scope, Script};
use crate::cli::compiler::printed;
use crate::cli::inputs;
use crate::error::Result;
use crate::suite::budget::Budget;
use crate::suite::{Benchmark, Constants, Extent, Oracle, Scalar, Shape};

/// How an output is verified.
pub(super) struct Verify {
    pub buffer: Option<String>,
    pub length: Option<Script>,
    pub by: By,
    pub tolerance: f64,
    pub relative: f64,
}

/// What an output is compared with.
pub(super) enum By {
    /// An expression of the index `i`.
    Expression(Script),
    /// The bytes of a file.
    File(Arc<Vec<u8>>),
    /// What is computed all at once.
    Whole(Whole),
    /// The output of another kernel.
    Kernel(&'static Benchmark),
}

/// A whole output that is computed at once, for all kernels that share its inputs. What was computed last is kept.
pub(super) struct Whole {
    pub way: Way,
    pub known: Mutex<Vec<(String, Arc<OnceLock<Computed>>)>>,
}

/// How a whole output is computed.
#[derive(Clone)]
pub(super) enum Way {
    /// By statements that set its elements.
    Program(Script),
    /// By a command, in this folder, which reads and writes `.npy` files.
    Command(String, PathBuf),
    /// They are the numbers of a file.
    Numbers(Arc<Vec<f64>>),
}

/// What a whole output is computed from.
pub(super) struct Inputs<'a> {
    pub shape: &'a Shape,
    pub scope: Scope,
    /// The type of the output's scalars.
    pub scalar: Scalar,
    /// Number of those that are compared.
    pub scalars: u64,
    /// Whether values must be equal, so that they are rounded as the buffer stores them.
    pub is_exact: bool,
}

/// Values, or why there are none.
type Computed = std::result::Result<Vec<f64>, String>;

/// Outputs that are kept: as many as a size has epochs.
const KEPT: usize = 8;

/// The values of a whole output, which are computed when the first of them is asked for. `fault` gets the reason why there
/// are none.
pub(super) fn whole(of: &Whole, name: &str, inputs: Inputs<'_>, fault: Arc<OnceLock<String>>) -> Result<Wanted> {
    let Inputs { shape, mut scope, scalar, scalars, is_exact } = inputs;
    let is_integer = matches!(scalar, Scalar::U32 | Scalar::Unorm8);
    if let Way::Program(script) = &of.way {
        scope.insert(RIGHT.to_owned(), Meaning::Output(scalars, is_integer));
        // The faults that every run has are found before anything runs.
        drop(script.frame(&scope)?);
    }
    let key = format!("{name} {scalars} {:?} {:?} {}", shape.extent, shape.params, shape.stream);
    let mut known = of.known.lock().unwrap_or_else(PoisonError::into_inner);
    let place = known.iter().position(|(own, _)| *own == key);
    let (_, computed) = match place {
        Some(place) => known.remove(place),
        None => (key.clone(), Arc::default()),
    };
    known.truncate(KEPT);
    known.insert(0, (key, computed.clone()));
    drop(known);
    let (way, variables) = (of.way.clone(), variables_of(&shape.params, Some(shape.extent)));
    Ok(Arc::new(move |first, slots: &mut [f64]| {
        let computed = computed.get_or_init(|| match &way {
            Way::Program(script) => script.run(&scope).map_err(|error| error.to_string()),
            Way::Command(command, folder) => {
                by_command(command, folder, &scope, &variables).map_err(|why| format!("[verify]: {why}"))
            }
            Way::Numbers(numbers) => Ok(numbers.to_vec()),
        });
        let failed = |why: String| {
            let _ = fault.set(why);
        };
        match computed {
            Err(why) => failed(why.clone()),
            Ok(values) if (values.len() as u64) < scalars => {
                failed(format!("[verify]: there are {} right values, and {scalars} are compared", values.len()));
            }
            Ok(values) => {
                for (index, slot) in (first as usize..).zip(slots.iter_mut()) {
                    *slot = values.get(index).map_or(f64::NAN, |value| stored(*value, scalar, is_exact));
                }
                return;
            }
        }
        slots.fill(f64::NAN);
    }))
}

/// A value as a buffer of this type stores it, if it must be equal.
fn stored(value: f64, scalar: Scalar, is_exact: bool) -> f64 {
    match scalar {
        // Negative numbers are those of a signed type.
        Scalar::U32 if !value.is_nan() => f64::from(value as i64 as u32),
        Scalar::F32 if is_exact => f64::from(value as f32),
        Scalar::F16 if is_exact => f64::from(half::f16::from_f64(value)),
        _ => value,
    }
}

/// What a command finds in its environment: sizes and parameters.
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

/// Writes the inputs, runs the command, and reads the output that it wrote.
fn by_command(command: &str, folder: &Path, scope: &Scope, variables: &[(String, String)]) -> Computed {
    let own = tempfile::tempdir().map_err(|error| format!("cannot create a temporary folder: {error}"))?;
    let file = |name: &str| own.path().join(format!("{name}.npy"));
    for (input, meaning) in scope {
        let Meaning::Buffer(data) = meaning else { continue };
        if input == RIGHT {
            return Err(format!(
                "a buffer is called {RIGHT}, like the file with the right values: give it another name"
            ));
        }
        let values = (0..data.count).map(|index| (data.at)(index));
        let bytes = npy::write(values, data.count, data.is_integer);
        std::fs::write(file(input), bytes).map_err(|error| format!("cannot write {input}.npy: {error}"))?;
    }
    printed(command, &[("{folder}", own.path())], variables, folder)?;
    let bytes = inputs::read(&file(RIGHT), inputs::DATA)
        .map_err(|error| format!("{command} wrote no {{folder}}/{RIGHT}.npy: {error}"))?;
    npy::read(&bytes).map_err(|why| format!("{RIGHT}.npy of {command}: {why}"))
}

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
    scalar: Scalar,
    is_exact: bool,
    scalars: u64,
    fault: Arc<OnceLock<String>>,
) -> Result<Wanted> {
    scope.insert("i".to_owned(), Meaning::Value(Value::Whole(0)));
    let script = script.clone();
    // The faults that every index has are found before anything runs.
    let mut frame = script.frame(&scope)?;
    for index in [0, scalars - 1] {
        frame.set("i", Value::Whole(index as i64));
        script.value_in(&mut frame)?;
    }
    drop(frame);
    let stored = move |value: f64| stored(value, scalar, is_exact);
    Ok(Arc::new(move |first, slots: &mut [f64]| {
        const PIECE: usize = 256;
        if fault.get().is_some() {
            return slots.fill(f64::NAN);
        }
        let budget = Budget::start();
        let frame = || script.frame(&scope).map(|frame| frame.within(budget));
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
