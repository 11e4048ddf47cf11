//! cuBLAS: products and transposes of matrices. As it is column-major, it computes the transpose of C = A·B: the
//! product of the transposes of B and A.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;

use super::loaded::{Call, Loaded, TOOLKIT, check_lengths};
use crate::backend::cuda::context::Context;
use crate::backend::cuda::memory::Memory;
use crate::job::{Precision, Routine, Scalar};
use record::error::{Error, Result};

/// File names, newest first.
const NAMES: [&str; 3] = ["libcublas.so.13", "libcublas.so.12", "libcublas.so"];

type Handle = *mut c_void;
type Status = c_int;

/// `cublasStatus_t`.
pub(super) const ALLOC_FAILED: c_int = 3;

/// `cublasOperation_t`.
const NOT_TRANSPOSED: c_int = 0;
pub(super) const TRANSPOSED: c_int = 1;

/// `cudaDataType`.
pub(super) const R_32F: c_int = 0;
const R_16F: c_int = 2;

/// `cublasComputeType_t`: sums in f16, or in f32 with f32 factors unchanged or rounded to tf32.
const COMPUTE_16F: c_int = 64;
pub(super) const COMPUTE_32F: c_int = 68;
const COMPUTE_32F_FAST_TF32: c_int = 77;

/// `cublasGemmAlgo_t`: the library chooses.
const DEFAULT: c_int = -1;

/// Workspace in bytes: NVIDIA's recommendation for compute capability 9.0, more than for older devices (cuBLAS's
/// manual, `cublasSetWorkspace`). Otherwise the library would allocate its own memory within a graph.
pub(super) const WORKSPACE: u64 = 32 << 20;

type GemmEx = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    *const c_void,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    c_int,
    c_int,
    *const c_void,
    *mut c_void,
    c_int,
    c_int,
    c_int,
    c_int,
) -> Status;

type Gemv = unsafe extern "C" fn(
    Handle,
    c_int,
    c_int,
    c_int,
    *const f32,
    *const f32,
    c_int,
    *const f32,
    c_int,
    *const f32,
    *mut f32,
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

/// The library, with a handle on the stream of one context.
pub(super) struct Blas {
    context: Rc<Context>,
    library: Loaded,
    handle: Handle,
    /// Used by the handle.
    _workspace: Memory,
}

impl Blas {
    /// Loads the library and opens a handle in `context`, which must be current. Fails with [`Error::Unsupported`] if
    /// the library or one of its functions is missing.
    pub(super) fn open(context: &Rc<Context>) -> Result<Rc<Self>> {
        let library = Loaded::find(("cuBLAS", ALLOC_FAILED), &NAMES, TOOLKIT)?;
        let workspace = Memory::new(context, WORKSPACE)?;
        let (at, mut handle) = (workspace.address() as *mut c_void, ptr::null_mut());
        // SAFETY: the types are those of cublas_v2.h; `handle` is a valid place; the result keeps `context` with its
        // stream and the workspace alive as long as the handle.
        unsafe {
            let create = library.symbol::<unsafe extern "C" fn(*mut Handle) -> Status>("cublasCreate_v2")?;
            let set_stream =
                library.symbol::<unsafe extern "C" fn(Handle, *mut c_void) -> Status>("cublasSetStream_v2")?;
            let set_workspace = library
                .symbol::<unsafe extern "C" fn(Handle, *mut c_void, usize) -> Status>("cublasSetWorkspace_v2")?;
            library.check("creating a handle", create(&raw mut handle))?;
            let blas = Self { context: Rc::clone(context), library, handle, _workspace: workspace };
            blas.library.check("setting the stream", set_stream(handle, context.stream()))?;
            blas.library.check("setting the workspace", set_workspace(handle, at, WORKSPACE as usize))?;
            Ok(Rc::new(blas))
        }
    }

    /// Binds a routine to row-major matrices of `scalar`s; the last buffer is the result.
    pub(super) fn bind(self: &Rc<Self>, routine: Routine, scalar: Scalar, buffers: &[Rc<Memory>]) -> Result<Call> {
        match (routine, scalar) {
            (Routine::Multiply { m, n, k, precision }, Scalar::F32 | Scalar::F16) => {
                self.product([m, n, k], precision, scalar, buffers)
            }
            (Routine::MultiplyVector { rows, columns }, Scalar::F32) => self.vector(rows, columns, buffers),
            // In f16, the product with a one-column matrix; the other factor is transposed.
            (Routine::MultiplyVector { rows, columns }, Scalar::F16) => {
                let size = u64::from(u16::BITS / 8);
                let [w, x, y] = check_lengths(buffers, [size * rows * columns, size * columns, 4 * rows])?;
                let sides = [int(rows)?, 1, int(columns)?];
                let [leading, _, depth] = sides;
                self.gemm((TRANSPOSED, sides), [(w, R_16F, depth), (x, R_16F, depth), (y, R_32F, leading)], COMPUTE_32F)
            }
            (Routine::Transpose { rows, columns }, Scalar::F32) => {
                self.transpose::<f32>("cublasSgeam", rows, columns, buffers, (1.0, 0.0))
            }
            (Routine::Transpose { rows, columns }, Scalar::F64) => {
                self.transpose::<f64>("cublasDgeam", rows, columns, buffers, (1.0, 0.0))
            }
            _ => Err(Error::Unsupported(format!("cuBLAS has no routine for this operation in {}", scalar.name()))),
        }
    }

    fn product(
        self: &Rc<Self>,
        [m, n, k]: [u64; 3],
        precision: Precision,
        scalar: Scalar,
        buffers: &[Rc<Memory>],
    ) -> Result<Call> {
        let size = scalar.bytes() as u64;
        let product = |one: u64, other: u64, size: u64| one.saturating_mul(other).saturating_mul(size);
        let (compute, of_sums) = match precision {
            Precision::Half => (COMPUTE_16F, R_16F),
            Precision::Own => (COMPUTE_32F, R_32F),
            Precision::Tf32 => (COMPUTE_32F_FAST_TF32, R_32F),
        };
        let of_c = if of_sums == R_16F { 2 } else { 4 };
        let [a, b, c] = check_lengths(buffers, [product(m, k, size), product(k, n, size), product(m, n, of_c)])?;
        let (m, n, k) = (int(m)?, int(n)?, int(k)?);
        let factor_type = if scalar == Scalar::F16 { R_16F } else { R_32F };
        self.gemm((NOT_TRANSPOSED, [n, m, k]), [(b, factor_type, n), (a, factor_type, k), (c, of_sums, n)], compute)
    }

    /// The product of column-major matrices of these types and leading dimensions. `operation` applies to the first.
    fn gemm(
        self: &Rc<Self>,
        (operation, [m, n, k]): (c_int, [c_int; 3]),
        [(a, of_a, lda), (b, of_b, ldb), (c, of_c, ldc)]: [(Rc<Memory>, c_int, c_int); 3],
        compute: c_int,
    ) -> Result<Call> {
        // SAFETY: the type is that of cublas_v2.h, and the call below keeps the library.
        let gemm = unsafe { self.library.symbol::<GemmEx>("cublasGemmEx")? };
        let blas = Rc::clone(self);
        Ok(Box::new(move || {
            // 1 in the type of the sums: an f16 is the low half of the word.
            let (one, zero) = (if compute == COMPUTE_16F { 0x3c00 } else { 1.0_f32.to_bits() }, 0_u32);
            let (one, zero) = ((&raw const one).cast(), (&raw const zero).cast());
            let at = |memory: &Memory| memory.address() as *mut c_void;
            // SAFETY: the callers have checked the lengths of the buffers, which this closure keeps; both factors live
            // until the call returns, and an f16 is in the first bytes of its word: CUDA's hosts are little-endian.
            let status = unsafe {
                gemm(
                    blas.handle,
                    operation,
                    NOT_TRANSPOSED,
                    m,
                    n,
                    k,
                    one,
                    at(&a),
                    of_a,
                    lda,
                    at(&b),
                    of_b,
                    ldb,
                    zero,
                    at(&c),
                    of_c,
                    ldc,
                    compute,
                    DEFAULT,
                )
            };
            blas.library.check("the matrix product", status)
        }))
    }

    /// y = W·x in f32. W is transposed because the library is column-major.
    fn vector(self: &Rc<Self>, rows: u64, columns: u64, buffers: &[Rc<Memory>]) -> Result<Call> {
        let [w, x, y] = check_lengths(buffers, [4 * rows * columns, 4 * columns, 4 * rows])?;
        let (rows, columns) = (int(rows)?, int(columns)?);
        // SAFETY: the type is that of cublas_v2.h, and the call below keeps the library.
        let gemv = unsafe { self.library.symbol::<Gemv>("cublasSgemv_v2")? };
        let blas = Rc::clone(self);
        Ok(Box::new(move || {
            let (one, zero) = (1.0_f32, 0.0_f32);
            let at = |memory: &Memory| memory.address() as *mut f32;
            // SAFETY: the lengths are checked above, and this closure keeps the buffers; both factors outlive the call.
            let status = unsafe {
                let (one, zero) = (&raw const one, &raw const zero);
                gemv(blas.handle, TRANSPOSED, columns, rows, one, at(&w), columns, at(&x), 1, zero, at(&y), 1)
            };
            blas.library.check("the matrix-vector product", status)
        }))
    }

    /// The transpose, as a transposed matrix plus zero times another, by the routine of this name for `T`.
    fn transpose<T: Copy + 'static>(
        self: &Rc<Self>,
        name: &'static str,
        rows: u64,
        columns: u64,
        buffers: &[Rc<Memory>],
        (one, zero): (T, T),
    ) -> Result<Call> {
        let bytes = (size_of::<T>() as u64).saturating_mul(rows).saturating_mul(columns);
        let [input, output] = check_lengths(buffers, [bytes; 2])?;
        let (rows, columns) = (int(rows)?, int(columns)?);
        // SAFETY: the type is that of cublas_v2.h for this name, and the call below keeps the library.
        let geam = unsafe { self.library.symbol::<Geam<T>>(name)? };
        let blas = Rc::clone(self);
        Ok(Box::new(move || {
            let (from, to) = (input.address() as *const T, output.address() as *mut T);
            let (one, zero) = (&raw const one, &raw const zero);
            // SAFETY: the lengths are checked above, and this closure keeps the buffers and both factors.
            let status = unsafe {
                geam(
                    blas.handle,
                    TRANSPOSED,
                    NOT_TRANSPOSED,
                    rows,
                    columns,
                    one,
                    from,
                    columns,
                    zero,
                    to,
                    rows,
                    to,
                    rows,
                )
            };
            blas.library.check("the transpose", status)
        }))
    }
}

fn int(side: u64) -> Result<c_int> {
    c_int::try_from(side).map_err(|_| Error::Unsupported(format!("a side of {side} exceeds cuBLAS's limit of 31 bits")))
}

impl Drop for Blas {
    fn drop(&mut self) {
        self.context.free(|| {
            // SAFETY: the type is that of cublas_v2.h; the handle came from this library and is destroyed only here.
            unsafe {
                if let Ok(destroy) = self.library.symbol::<unsafe extern "C" fn(Handle) -> Status>("cublasDestroy_v2") {
                    let _ = destroy(self.handle);
                }
            }
            cudarc::driver::sys::CUresult::CUDA_SUCCESS
        });
    }
}
