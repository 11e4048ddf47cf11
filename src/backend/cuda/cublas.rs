//! cuBLAS, NVIDIA's library of linear algebra, where it is installed: what the suite's own kernels are compared with.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;

use libloading::Library;

use super::driver::{Context, free};
use super::memory::Memory;
use super::nvrtc::usual_folders;
use crate::error::{Error, Result};
use crate::job::{Routine, Scalar};

/// Names of the library, the newest first.
const NAMES: [&str; 3] = ["libcublas.so.13", "libcublas.so.12", "libcublas.so"];

type Handle = *mut c_void;
type Status = c_int;

/// `cublasOperation_t`.
const AS_IT_IS: c_int = 0;
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

/// The library, with a handle in one context whose stream it works in. Products of f32 are computed in f32, as cuBLAS does unless it is
/// told otherwise.
pub(super) struct Blas {
    context: Rc<Context>,
    library: Library,
    handle: Handle,
}

impl Blas {
    /// Loads the library and opens a handle in `context`, which is this thread's own.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where there is no such library, or one that does not answer.
    pub(super) fn open(context: &Rc<Context>) -> Result<Rc<Self>> {
        let by_path = usual_folders().into_iter().flat_map(|folder| NAMES.map(|name| folder.join(name)));
        let mut places = NAMES.into_iter().map(Into::into).chain(by_path);
        // SAFETY: loading cuBLAS runs its initialisers, and nothing else of it is touched.
        let library = places.find_map(|place| unsafe { Library::new(place) }.ok()).ok_or_else(|| {
            Error::Unsupported("cuBLAS was not found (libcublas.so): it comes with the CUDA toolkit".to_owned())
        })?;
        let mut blas = Self { context: Rc::clone(context), library, handle: ptr::null_mut() };
        // SAFETY: the types are those of cublas_v2.h; the handle has a place, and the stream is of this thread's context.
        unsafe {
            let create = blas.symbol::<unsafe extern "C" fn(*mut Handle) -> Status>("cublasCreate_v2")?;
            let set_stream =
                blas.symbol::<unsafe extern "C" fn(Handle, *mut c_void) -> Status>("cublasSetStream_v2")?;
            let mut handle = ptr::null_mut();
            judge("opening cuBLAS", create(&raw mut handle))?;
            blas.handle = handle;
            judge("giving cuBLAS a stream", set_stream(handle, context.stream()))?;
        }
        Ok(Rc::new(blas))
    }

    /// A function of the library.
    ///
    /// # Safety
    /// `F` is its type.
    unsafe fn symbol<F: Copy>(&self, name: &str) -> Result<F> {
        // SAFETY: the caller vouches for the type; the copy is used only while the library is loaded.
        let found = unsafe { self.library.get::<F>(name) };
        found
            .map(|symbol| *symbol)
            .map_err(|_| Error::Unsupported(format!("the cuBLAS that is installed has no {name}")))
    }

    /// Puts a routine into the stream: on buffers of `scalar`s, the last of which it writes. Matrices are stored row by row.
    pub(super) fn run(&self, routine: Routine, scalar: Scalar, buffers: &[&Memory]) -> Result<()> {
        let (bytes, sides) = (scalar.bytes() as u64, |value: u64| c_int::try_from(value).unwrap_or(c_int::MAX));
        let is_long_enough = |memory: &&Memory, scalars: u64| memory.bytes >= scalars.saturating_mul(bytes);
        match (routine, scalar, buffers) {
            (Routine::Multiply { m, n, k }, Scalar::F32, [a, b, c])
                if is_long_enough(a, m * k) && is_long_enough(b, k * n) && is_long_enough(c, m * n) =>
            {
                let (m, n, k) = (sides(m), sides(n), sides(k));
                let (one, zero) = (1.0_f32, 0.0_f32);
                let at = |memory: &Memory| memory.address as *mut f32;
                // cuBLAS stores matrices column by column, where the transpose of C = A·B is the product of B's and A's.
                // SAFETY: the type is that of cublas_v2.h; the memory is of this context and as long as the sides say.
                let status = unsafe {
                    let gemm = self.symbol::<Gemm<f32>>("cublasSgemm_v2")?;
                    let (one, zero) = (&raw const one, &raw const zero);
                    gemm(self.handle, AS_IT_IS, AS_IT_IS, n, m, k, one, at(b), n, at(a), k, zero, at(c), n)
                };
                judge("multiplying by cuBLAS", status)?;
            }
            (Routine::Transpose { rows, columns }, Scalar::F32 | Scalar::F64, [input, output])
                if is_long_enough(input, rows * columns) && is_long_enough(output, rows * columns) =>
            {
                let (rows, columns) = (sides(rows), sides(columns));
                // SAFETY: the types are those of cublas_v2.h; the memory is of this context and as long as the sides say.
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
        self.context.pace()
    }
}

/// The transpose as the sum of one transposed matrix and nothing.
///
/// # Safety
/// The memory is as long as the sides say, and holds `T`s.
unsafe fn transpose<T>(
    geam: Geam<T>,
    handle: Handle,
    (rows, columns): (c_int, c_int),
    (input, output): (&Memory, &Memory),
    (one, zero): (T, T),
) -> Result<()> {
    let (from, to) = (input.address as *const T, output.address as *mut T);
    let (one, zero) = (&raw const one, &raw const zero);
    // SAFETY: the caller vouches for the memory; both factors live until the call returns.
    let status =
        unsafe { geam(handle, TRANSPOSED, AS_IT_IS, rows, columns, one, from, columns, zero, to, rows, to, rows) };
    judge("transposing by cuBLAS", status)
}

/// A status as a result. What the device did wrong, the stream says afterwards.
fn judge(doing: &str, status: Status) -> Result<()> {
    match status {
        0 => Ok(()),
        3 => Err(Error::OutOfMemory(format!("{doing}: CUBLAS_STATUS_ALLOC_FAILED"))),
        status => Err(Error::Validation(format!("{doing}: status {status}"))),
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            free(&self.context, || {
                // SAFETY: the type is that of cublas_v2.h; the handle came from the library, and nobody else has it.
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
