//! cuSPARSE: the product of a sparse CSR matrix and a vector. The library chooses the algorithm.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;

use super::loaded::{Call, Loaded, TOOLKIT, check_lengths};
use crate::backend::cuda::context::Context;
use crate::backend::cuda::memory::Memory;
use record::error::{Error, Result};

/// File names, newest first.
const NAMES: [&str; 3] = ["libcusparse.so.12", "libcusparse.so.11", "libcusparse.so"];

/// `cusparseStatus_t`.
const ALLOC_FAILED: c_int = 2;
/// `cusparseOperation_t`.
const NOT_TRANSPOSED: c_int = 0;
/// `cusparseIndexType_t`.
const INDEX_32I: c_int = 2;
/// `cusparseIndexBase_t`.
const BASE_ZERO: c_int = 0;
/// `cudaDataType`.
const R_32F: c_int = 0;
/// `cusparseSpMVAlg_t`.
const DEFAULT: c_int = 0;

type Handle = *mut c_void;
type Status = c_int;
type CreateCsr = unsafe extern "C" fn(
    *mut Handle,
    i64,
    i64,
    i64,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    c_int,
    c_int,
    c_int,
    c_int,
) -> Status;
type CreateVector = unsafe extern "C" fn(*mut Handle, i64, *mut c_void, c_int) -> Status;
/// `cusparseSpMV` and `cusparseSpMV_preprocess`, whose last argument is the workspace, and `cusparseSpMV_bufferSize`,
/// which writes the size of the workspace there.
type Multiply = unsafe extern "C" fn(
    Handle,
    c_int,
    *const c_void,
    Handle,
    Handle,
    *const c_void,
    Handle,
    c_int,
    c_int,
    *mut c_void,
) -> Status;
type Destroy = unsafe extern "C" fn(Handle) -> Status;

/// The library, with a handle on the stream of one context.
pub(super) struct Sparse {
    context: Rc<Context>,
    library: Loaded,
    handle: Handle,
}

/// A descriptor of a matrix or vector.
struct Described {
    sparse: Rc<Sparse>,
    raw: Handle,
    destroy: Destroy,
}

impl Sparse {
    /// Loads the library and opens a handle in `context`, which must be current. Fails with [`Error::Unsupported`] if
    /// the library or one of its functions is missing.
    pub(super) fn open(context: &Rc<Context>) -> Result<Rc<Self>> {
        let library = Loaded::find(("cuSPARSE", ALLOC_FAILED), &NAMES, TOOLKIT)?;
        let mut handle = ptr::null_mut();
        // SAFETY: the types are those of cusparse.h; `handle` is a valid place; the result keeps context and stream.
        unsafe {
            let create = library.symbol::<unsafe extern "C" fn(*mut Handle) -> Status>("cusparseCreate")?;
            let set_stream =
                library.symbol::<unsafe extern "C" fn(Handle, *mut c_void) -> Status>("cusparseSetStream")?;
            library.check("creating a handle", create(&raw mut handle))?;
            let sparse = Self { context: Rc::clone(context), library, handle };
            sparse.library.check("setting the stream", set_stream(handle, context.stream()))?;
            Ok(Rc::new(sparse))
        }
    }

    /// y = A·x on buffers of row starts, columns, values, x and y. The context must be current.
    pub(super) fn bind(self: &Rc<Self>, rows: u64, nonzeros: u64, buffers: &[Rc<Memory>]) -> Result<Call> {
        let lengths = [rows.saturating_add(1), nonzeros, nonzeros, rows, rows].map(|length| length.saturating_mul(4));
        let [starts, columns, values, x, y] = check_lengths(buffers, lengths)?;
        let int = |length: u64| {
            i64::try_from(length).map_err(|_| Error::Unsupported("cuSPARSE lengths must fit in 63 bits".to_owned()))
        };
        let (rows, nonzeros) = (int(rows)?, int(nonzeros)?);
        let at = |memory: &Memory| memory.address() as *mut c_void;
        let (mut matrix, mut from, mut to) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        // SAFETY: the types are those of cusparse.h, the places valid, and the lengths checked above. Each descriptor
        // is passed to the function that destroys its kind.
        let (matrix, from, to) = unsafe {
            let new = self.library.symbol::<CreateCsr>("cusparseCreateCsr")?;
            let (index, base) = (INDEX_32I, BASE_ZERO);
            let (at_starts, at_columns, at_values) = (at(&starts), at(&columns), at(&values));
            let made =
                new(&raw mut matrix, rows, rows, nonzeros, at_starts, at_columns, at_values, index, index, base, R_32F);
            self.library.check("creating a matrix", made)?;
            let matrix = self.described(matrix, "cusparseDestroySpMat")?;
            let new = self.library.symbol::<CreateVector>("cusparseCreateDnVec")?;
            self.library.check("creating a vector", new(&raw mut from, rows, at(&x), R_32F))?;
            let from = self.described(from, "cusparseDestroyDnVec")?;
            self.library.check("creating a vector", new(&raw mut to, rows, at(&y), R_32F))?;
            (matrix, from, self.described(to, "cusparseDestroyDnVec")?)
        };
        // SAFETY: the type is that of cusparse.h for all three, and the call below keeps the library.
        let [length, prepare, multiply] = unsafe {
            [
                self.library.symbol::<Multiply>("cusparseSpMV_bufferSize")?,
                self.library.symbol::<Multiply>("cusparseSpMV_preprocess")?,
                self.library.symbol::<Multiply>("cusparseSpMV")?,
            ]
        };
        let sparse = Rc::clone(self);
        let run = move |routine: Multiply, own: *mut c_void| {
            let (one, zero) = (1.0_f32, 0.0_f32);
            let (one, zero): (*const c_void, *const c_void) = ((&raw const one).cast(), (&raw const zero).cast());
            // By reference, so that the closure captures the descriptors and not only their handles.
            let [matrix, from, to] = [&matrix, &from, &to].map(|described| described.raw);
            // SAFETY: the descriptors live as long as this closure, which keeps the buffers below; both factors live
            // until the call returns, and `own` is what the routine requires.
            let status =
                unsafe { routine(sparse.handle, NOT_TRANSPOSED, one, matrix, from, zero, to, R_32F, DEFAULT, own) };
            sparse.library.check("the product", status)
        };
        let mut bytes = 0_usize;
        run(length, (&raw mut bytes).cast())?;
        let scratch = Memory::new(&self.context, (bytes as u64).max(4).next_multiple_of(4))?;
        run(prepare, at(&scratch))?;
        let kept = [starts, columns, values, x, y];
        Ok(Box::new(move || {
            let _ = &kept;
            run(multiply, scratch.address() as *mut c_void)
        }))
    }

    /// Keeps a descriptor, which the function of this name destroys.
    ///
    /// # Safety
    /// The function destroys this kind of descriptor.
    unsafe fn described(self: &Rc<Self>, raw: Handle, name: &str) -> Result<Described> {
        // SAFETY: all destroying functions have this type in cusparse.h, and the result keeps the library.
        let destroy = unsafe { self.library.symbol::<Destroy>(name)? };
        Ok(Described { sparse: Rc::clone(self), raw, destroy })
    }
}

impl Drop for Described {
    fn drop(&mut self) {
        self.sparse.context.free(|| {
            // SAFETY: the function destroys this kind of descriptor, and no other code does.
            let _ = unsafe { (self.destroy)(self.raw) };
            cudarc::driver::sys::CUresult::CUDA_SUCCESS
        });
    }
}

impl Drop for Sparse {
    fn drop(&mut self) {
        self.context.free(|| {
            // SAFETY: the type is that of cusparse.h; the handle came from this library, and no other code destroys it.
            unsafe {
                if let Ok(destroy) = self.library.symbol::<Destroy>("cusparseDestroy") {
                    let _ = destroy(self.handle);
                }
            }
            cudarc::driver::sys::CUresult::CUDA_SUCCESS
        });
    }
}
