//! cuBLAS, NVIDIA's library of linear algebra, where it is installed: the suite's kernels are compared with it.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;

use libloading::Library;

use super::context::Context;
use super::memory::Memory;
use super::toolkit::usual_folders;
use crate::error::{Error, Result};
use crate::job::{Routine, Scalar};

/// Names of the library, the newest first.
const NAMES: [&str; 3] = ["libcublas.so.13", "libcublas.so.12", "libcublas.so"];

type Handle = *mut c_void;
type Status = c_int;

/// `cublasOperation_t`.
const NOT_TRANSPOSED: c_int = 0;
const TRANSPOSED: c_int = 1;

type Gemm<T> = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const T,
    *const T,
    c_int,
    *const T,
    c_int,
    *const T,
    *mut T,
    c_int,
) -> Status;

type Geam<T> = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    *const T,
    *const T,
    c_int,
    *const T,
    *const T,
    c_int,
    *mut T,
    c_int,
) -> Status;

/// The library, with a handle that works in the stream of one context. It computes f32 products in f32, its default.
pub(super) struct Blas {
    context: Rc<Context>,
    library: Library,
    handle: Handle,
}

impl Blas {
    /// Loads the library and opens a handle in `context`, which must be current.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the library or one of its functions is missing.
    pub(super) fn open(context: &Rc<Context>) -> Result<Rc<Self>> {
        let by_path = usual_folders().into_iter().flat_map(|folder| NAMES.map(|name| folder.join(name)));
        let mut paths = NAMES.into_iter().map(Into::into).chain(by_path);
        // SAFETY: loading cuBLAS runs its initialisers, which have no preconditions.
        let library = paths.find_map(|path| unsafe { Library::new(path) }.ok()).ok_or_else(|| {
            Error::Unsupported("cuBLAS was not found (libcublas.so): install the CUDA toolkit".to_owned())
        })?;
        let mut blas = Self { context: Rc::clone(context), library, handle: ptr::null_mut() };
        // SAFETY: the types are those of cublas_v2.h; `handle` is a valid place, and the stream lives as long as
        // `context`, which `blas` keeps alive.
        unsafe {
            let create = blas.symbol::<unsafe extern "C" fn(*mut Handle) -> Status>("cublasCreate_v2")?;
            let set_stream =
                blas.symbol::<unsafe extern "C" fn(Handle, *mut c_void) -> Status>("cublasSetStream_v2")?;
            let mut handle = ptr::null_mut();
            check("opening cuBLAS", create(&raw mut handle))?;
            blas.handle = handle;
            check("giving cuBLAS a stream", set_stream(handle, context.stream()))?;
        }
        Ok(Rc::new(blas))
    }

    /// A function of the library.
    ///
    /// # Safety
    /// `F` is the function's type.
    unsafe fn symbol<F: Copy>(&self, name: &str) -> Result<F> {
        // SAFETY: the caller promises the type. Every caller is a method of `self`, and drops the copy before it
        // returns: the library is still loaded.
        let found = unsafe { self.library.get::<F>(name) };
        found.map(|symbol| *symbol).map_err(|_| Error::Unsupported(format!("the installed cuBLAS lacks {name}")))
    }

    /// Adds a routine on buffers of `scalar`s to the stream; the last buffer is the result. Matrices are row-major.
    pub(super) fn run(&self, routine: Routine, scalar: Scalar, buffers: &[&Memory]) -> Result<()> {
        self.context.check_open()?;
        let (bytes, sides) = (scalar.bytes() as u64, |value: u64| c_int::try_from(value).unwrap_or(c_int::MAX));
        let is_long_enough = |memory: &&Memory, scalars: u64| memory.bytes() >= scalars.saturating_mul(bytes);
        match (routine, scalar, buffers) {
            (Routine::Multiply { m, n, k }, Scalar::F32, [a, b, c])
                if is_long_enough(a, m.saturating_mul(k))
                    && is_long_enough(b, k.saturating_mul(n))
                    && is_long_enough(c, m.saturating_mul(n)) =>
            {
                let (m, n, k) = (sides(m), sides(n), sides(k));
                let (one, zero) = (1.0_f32, 0.0_f32);
                let at = |memory: &Memory| memory.address() as *mut f32;
                // cuBLAS is column-major: it computes the transpose of C = A·B as the product of the transposes of B
                // and A.
                // SAFETY: the type is that of cublas_v2.h; the three buffers are long enough for the sides; both
                // factors live until the call returns.
                let status = unsafe {
                    let gemm = self.symbol::<Gemm<f32>>("cublasSgemm_v2")?;
                    let (one, zero) = (&raw const one, &raw const zero);
                    gemm(self.handle, NOT_TRANSPOSED, NOT_TRANSPOSED, n, m, k, one, at(b), n, at(a), k, zero, at(c), n)
                };
                check("multiplying by cuBLAS", status)?;
            }
            (Routine::Transpose { rows, columns }, Scalar::F32 | Scalar::F64, [input, output])
                if is_long_enough(input, rows.saturating_mul(columns))
                    && is_long_enough(output, rows.saturating_mul(columns)) =>
            {
                let (rows, columns) = (sides(rows), sides(columns));
                // SAFETY: the types are those of cublas_v2.h; both buffers are long enough for the sides, in elements
                // of that type.
                unsafe {
                    if scalar == Scalar::F32 {
                        let geam = self.symbol::<Geam<f32>>("cublasSgeam")?;
                        transpose(geam, self.handle, (rows, columns), (input, output), (1.0, 0.0))?;
                    } else {
                        let geam = self.symbol::<Geam<f64>>("cublasDgeam")?;
                        transpose(geam, self.handle, (rows, columns), (input, output), (1.0, 0.0))?;
                    }
                }
            }
            _ => {
                let scalar = scalar.name();
                return Err(Error::Unsupported(format!("cuBLAS has no such routine for these buffers of {scalar}")));
            }
        }
        self.context.count_operation()
    }
}

/// The transpose, as the sum of a transposed matrix and nothing.
///
/// # Safety
/// `geam` is the routine for `T` of the library that made `handle`; both buffers have `rows * columns` elements `T`.
unsafe fn transpose<T>(
    geam: Geam<T>,
    handle: Handle,
    (rows, columns): (c_int, c_int),
    (input, output): (&Memory, &Memory),
    (one, zero): (T, T),
) -> Result<()> {
    let (from, to) = (input.address() as *const T, output.address() as *mut T);
    let (one, zero) = (&raw const one, &raw const zero);
    // SAFETY: the caller promises the function and the memory; both factors live until the call returns.
    let status = unsafe {
        geam(handle, TRANSPOSED, NOT_TRANSPOSED, rows, columns, one, from, columns, zero, to, rows, to, rows)
    };
    check("transposing by cuBLAS", status)
}

/// A status as a result. The stream reports errors of the device later.
fn check(operation: &str, status: Status) -> Result<()> {
    match status {
        0 => Ok(()),
        3 => Err(Error::OutOfMemory(format!("{operation}: CUBLAS_STATUS_ALLOC_FAILED"))),
        status => Err(Error::Validation(format!("{operation}: status {status}"))),
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            self.context.free(|| {
                // SAFETY: the type is that of cublas_v2.h; the handle came from this library, and no other code
                // destroys it.
                unsafe {
                    if let Ok(destroy) = self.symbol::<unsafe extern "C" fn(Handle) -> Status>("cublasDestroy_v2") {
                        let _ = destroy(self.handle);
                    }
                }
                cudarc::driver::sys::CUresult::CUDA_SUCCESS
            });
        }
    }
}
