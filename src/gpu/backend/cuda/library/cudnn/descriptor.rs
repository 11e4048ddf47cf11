//! Descriptors of the graph API: each is created, given attributes, finalised, and destroyed when dropped.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;

use super::api::{Dnn, Raw};
use super::names::{Attribute, DataType, Kind, Pointwise, Reduction};
use record::error::Result;

/// An attribute's value, with several elements where there may be several.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    /// The library's handle.
    Handle,
    DataType(DataType),
    Boolean(bool),
    Int64(&'a [i64]),
    Float(f32),
    Pointers(&'a [*mut c_void]),
    HeuristicsMode(c_int),
    Pointwise(Pointwise),
    Descriptors(&'a [&'a Descriptor]),
    Reduction(Reduction),
}

/// Values of `cudnnBackendAttributeType_t`.
const INT64: c_int = 3;
const DESCRIPTOR: c_int = 15;

pub(super) struct Descriptor {
    dnn: Rc<Dnn>,
    raw: Raw,
    kind: Kind,
    /// The described object, for errors.
    name: &'static str,
}

impl Descriptor {
    /// Creates a descriptor without finalising it.
    pub(super) fn new(dnn: &Rc<Dnn>, kind: Kind, name: &'static str) -> Result<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a valid place for the descriptor.
        let status = unsafe { (dnn.create)(kind.0, &raw mut raw) };
        dnn.check(&format!("creating {} for {name}", kind.1), status)?;
        Ok(Self { dnn: Rc::clone(dnn), raw, kind, name })
    }

    /// Creates and finalises a descriptor. The caller keeps descriptors among the attributes as long as the result.
    pub(super) fn with(
        dnn: &Rc<Dnn>,
        kind: Kind,
        name: &'static str,
        attributes: &[(Attribute, Value)],
    ) -> Result<Self> {
        let descriptor = Self::new(dnn, kind, name)?;
        attributes.iter().try_for_each(|(attribute, value)| descriptor.set(*attribute, *value))?;
        // SAFETY: the descriptor exists.
        let status = unsafe { (dnn.finalize)(descriptor.raw) };
        descriptor.check("finalising", status)?;
        Ok(descriptor)
    }

    fn set(&self, attribute: Attribute, value: Value) -> Result<()> {
        let (handle, mut number, mut raws) = (self.dnn.handle, 0_i32, Vec::new());
        let mut enumerated = |value: i32| {
            number = value;
            1
        };
        // The value of `cudnnBackendAttributeType_t` and the number of elements.
        let (of, count) = match value {
            Value::Handle => (0, 1),
            Value::DataType(value) => (1, enumerated(value as i32)),
            Value::Boolean(_) => (2, 1),
            Value::Int64(values) => (INT64, values.len()),
            Value::Float(_) => (4, 1),
            Value::Pointers(values) => (6, values.len()),
            Value::HeuristicsMode(value) => (8, enumerated(value)),
            Value::Pointwise(value) => (14, enumerated(value as i32)),
            Value::Descriptors(values) => {
                raws.extend(values.iter().map(|descriptor| descriptor.raw));
                (DESCRIPTOR, values.len())
            }
            Value::Reduction(value) => (18, enumerated(value as i32)),
        };
        let elements: *const c_void = match &value {
            Value::Handle => (&raw const handle).cast(),
            Value::Boolean(value) => ptr::from_ref(value).cast(),
            Value::Int64(values) => values.as_ptr().cast(),
            Value::Float(value) => ptr::from_ref(value).cast(),
            Value::Pointers(values) => values.as_ptr().cast(),
            Value::Descriptors(_) => raws.as_ptr().cast(),
            Value::DataType(_) | Value::HeuristicsMode(_) | Value::Pointwise(_) | Value::Reduction(_) => {
                (&raw const number).cast()
            }
        };
        // SAFETY: the descriptor exists, as do `count` elements of that type until the library has copied them. The
        // library checks whether the attribute has this type.
        let status = unsafe { (self.dnn.set)(self.raw, attribute.0, of, count as i64, elements) };
        self.check(&format!("setting {} ({count} elements of type {of})", attribute.1), status)
    }

    /// A number computed by the library.
    pub(super) fn number(&self, attribute: Attribute) -> Result<i64> {
        let (mut number, mut count) = (0_i64, 0);
        // SAFETY: the descriptor exists, and `number` is a place for the one element that is requested.
        let status =
            unsafe { (self.dnn.get)(self.raw, attribute.0, INT64, 1, &raw mut count, (&raw mut number).cast()) };
        self.check(&format!("reading {}", attribute.1), status)?;
        Ok(number)
    }

    /// Descriptors of a kind that the library made, in its order of preference.
    pub(super) fn results(&self, attribute: Attribute, kind: Kind, name: &'static str) -> Result<Vec<Self>> {
        let mut count = 0;
        // SAFETY: the descriptor exists; with no element requested, the library only counts them.
        let status = unsafe { (self.dnn.get)(self.raw, attribute.0, DESCRIPTOR, 0, &raw mut count, ptr::null_mut()) };
        self.check(&format!("counting {}", attribute.1), status)?;
        let mut results = (0..count).map(|_| Self::new(&self.dnn, kind, name)).collect::<Result<Vec<_>>>()?;
        let mut raws: Vec<Raw> = results.iter().map(|descriptor| descriptor.raw).collect();
        let mut found = 0;
        // SAFETY: the descriptor exists, and so do those in `raws`, as many as requested, which the library fills.
        let status = unsafe {
            (self.dnn.get)(self.raw, attribute.0, DESCRIPTOR, count, &raw mut found, raws.as_mut_ptr().cast())
        };
        self.check(&format!("reading {}", attribute.1), status)?;
        results.truncate(usize::try_from(found).unwrap_or_default());
        Ok(results)
    }

    /// Adds the plan's work on the memory of `pack` to the stream.
    ///
    /// # Safety
    /// Until the work is done, the pack's pointers are valid for the lengths of the plan's tensors and workspace.
    pub(super) unsafe fn execute(&self, pack: &Self) -> Result<()> {
        // SAFETY: handle, plan and pack exist, and the caller guarantees the memory.
        let status = unsafe { (self.dnn.execute)(self.dnn.handle, self.raw, pack.raw) };
        self.dnn.check(self.name, status)
    }

    fn check(&self, operation: &str, status: c_int) -> Result<()> {
        if status == 0 {
            return Ok(());
        }
        self.dnn.check(&format!("{operation} in {} for {}", self.kind.1, self.name), status)
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        self.dnn.context.free(|| {
            // SAFETY: the descriptor came from this library, and no other code destroys it.
            let _ = unsafe { (self.dnn.destroy)(self.raw) };
            cudarc::driver::sys::CUresult::CUDA_SUCCESS
        });
    }
}
