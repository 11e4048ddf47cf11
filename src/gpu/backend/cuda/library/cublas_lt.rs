//! cuBLASLt: matrix products of narrow types. As it is column-major, it computes the transpose of C = A·B: the product
//! of the transposes of B and A. B is stored column by column, the only order that it supports for fp8 on Hopper.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;

use super::cublas::{ALLOC_FAILED, COMPUTE_32F, R_32F, TRANSPOSED, WORKSPACE};
use super::loaded::{Call, Loaded, TOOLKIT, check_lengths};
use crate::backend::cuda::context::Context;
use crate::backend::cuda::memory::Memory;
use crate::job::Scalar;
use record::error::{Error, Result};

/// File names, newest first.
const NAMES: [&str; 3] = ["libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"];

type Raw = *mut c_void;
type Status = c_int;
type Destroy = unsafe extern "C" fn(Raw) -> Status;
type SetAttribute = unsafe extern "C" fn(Raw, c_int, *const c_void, usize) -> Status;

/// `cublasStatus_t`.
const NOT_SUPPORTED: c_int = 15;

/// `cudaDataType`.
const R_8I: c_int = 3;
const R_32I: c_int = 10;
const R_16BF: c_int = 14;
const R_8F_E4M3: c_int = 28;

/// `cublasComputeType_t`.
const COMPUTE_32I: c_int = 72;

/// `cublasLtMatmulDescAttributes_t`.
const TRANSA: c_int = 3;

/// `cublasLtMatmulPreferenceAttributes_t`.
const MAX_WORKSPACE_BYTES: c_int = 1;

/// `cublasLtMatmulHeuristicResult_t`, which begins with the algorithm.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Found {
    algorithm: [u64; 8],
    workspace: usize,
    status: Status,
    waves: f32,
    reserved: [c_int; 4],
}

type Search = unsafe extern "C" fn(Raw, Raw, Raw, Raw, Raw, Raw, Raw, c_int, *mut Found, *mut c_int) -> Status;
type Multiply = unsafe extern "C" fn(
    Raw,
    Raw,
    *const c_void,
    *const c_void,
    Raw,
    *const c_void,
    Raw,
    *const c_void,
    *const c_void,
    Raw,
    *mut c_void,
    Raw,
    *const [u64; 8],
    *mut c_void,
    usize,
    *mut c_void,
) -> Status;

/// The library, with its own handle and workspace.
pub(super) struct BlasLt {
    context: Rc<Context>,
    library: Loaded,
    handle: Raw,
    workspace: Memory,
}

/// A descriptor in host memory.
struct Object {
    lt: Rc<BlasLt>,
    raw: Raw,
    destroy: Destroy,
}

impl BlasLt {
    /// Loads the library and opens a handle in `context`, which must be current. Fails with [`Error::Unsupported`] if
    /// the library or one of its functions is missing.
    pub(super) fn open(context: &Rc<Context>) -> Result<Rc<Self>> {
        let library = Loaded::find(("cuBLASLt", ALLOC_FAILED), &NAMES, TOOLKIT)?;
        let (workspace, mut handle) = (Memory::new(context, WORKSPACE)?, ptr::null_mut());
        // SAFETY: the type is that of cublasLt.h; `handle` is a valid place.
        unsafe {
            let create = library.symbol::<unsafe extern "C" fn(*mut Raw) -> Status>("cublasLtCreate")?;
            library.check("creating a handle", create(&raw mut handle))?;
        }
        Ok(Rc::new(Self { context: Rc::clone(context), library, handle, workspace }))
    }

    /// [`Routine::MultiplyByColumns`](crate::job::Routine::MultiplyByColumns) of factors of this type. The context must
    /// be current. Fails with [`Error::Unsupported`] if the library has no such product on this device.
    pub(super) fn bind(self: &Rc<Self>, [m, n, k]: [u64; 3], scalar: Scalar, buffers: &[Rc<Memory>]) -> Result<Call> {
        let (of_factors, of_sums, compute) = match scalar {
            Scalar::Bf16 => (R_16BF, R_32F, COMPUTE_32F),
            Scalar::I8 => (R_8I, R_32I, COMPUTE_32I),
            Scalar::E4m3 => (R_8F_E4M3, R_32F, COMPUTE_32F),
            _ => return Err(Error::Unsupported(format!("the suite does not call cuBLASLt for {}", scalar.name()))),
        };
        let bytes = |one: u64, other: u64, size: u64| one.saturating_mul(other).saturating_mul(size);
        let size = scalar.bytes() as u64;
        let [a, b, c] = check_lengths(buffers, [bytes(m, k, size), bytes(n, k, size), bytes(m, n, 4)])?;
        let product = self.product(compute, of_sums)?;
        let left = self.matrix(of_factors, k, n)?;
        let right = self.matrix(of_factors, k, m)?;
        let sums = self.matrix(of_sums, n, m)?;
        let found = self.algorithm([&product, &left, &right, &sums])?;
        // SAFETY: the type is that of cublasLt.h, and the call below keeps the library.
        let multiply = unsafe { self.library.symbol::<Multiply>("cublasLtMatmul")? };
        // The factors of the product and of the previous contents, in the type of the sums.
        let (one, zero) = (if of_sums == R_32I { 1 } else { 1.0_f32.to_bits() }, 0_u32);
        let lt = Rc::clone(self);
        Ok(Box::new(move || {
            let at = |memory: &Memory| memory.address() as *mut c_void;
            // SAFETY: the lengths are checked above; this closure keeps the buffers, the workspace and all descriptors;
            // both factors live until the call returns.
            let status = unsafe {
                multiply(
                    lt.handle,
                    product.raw(),
                    (&raw const one).cast(),
                    at(&b),
                    left.raw(),
                    at(&a),
                    right.raw(),
                    (&raw const zero).cast(),
                    at(&c),
                    sums.raw(),
                    at(&c),
                    sums.raw(),
                    &raw const found.algorithm,
                    at(&lt.workspace),
                    WORKSPACE as usize,
                    lt.context.stream(),
                )
            };
            lt.library.check("the matrix product", status)
        }))
    }

    /// Describes the product: its types, and that its first factor is transposed.
    fn product(self: &Rc<Self>, compute: c_int, of_sums: c_int) -> Result<Object> {
        type New = unsafe extern "C" fn(*mut Raw, c_int, c_int) -> Status;
        // SAFETY: the types are those of cublasLt.h, and the descriptor exists when its attribute is set.
        unsafe {
            let new = self.library.symbol::<New>("cublasLtMatmulDescCreate")?;
            let product = self.object("creating a matmul descriptor", "cublasLtMatmulDescDestroy", |raw| {
                new(raw, compute, of_sums)
            })?;
            product.set("cublasLtMatmulDescSetAttribute", TRANSA, &TRANSPOSED)?;
            Ok(product)
        }
    }

    /// Describes a column-major matrix without gaps.
    fn matrix(self: &Rc<Self>, of: c_int, rows: u64, columns: u64) -> Result<Object> {
        type New = unsafe extern "C" fn(*mut Raw, c_int, u64, u64, i64) -> Status;
        let leading = i64::try_from(rows).unwrap_or(i64::MAX);
        // SAFETY: the types are those of cublasLt.h.
        unsafe {
            let new = self.library.symbol::<New>("cublasLtMatrixLayoutCreate")?;
            self.object("creating a layout", "cublasLtMatrixLayoutDestroy", |raw| new(raw, of, rows, columns, leading))
        }
    }

    /// The algorithm that the library expects to be the fastest with this workspace.
    fn algorithm(self: &Rc<Self>, [product, left, right, sums]: [&Object; 4]) -> Result<Found> {
        let (mut found, mut count) = (Found::default(), 0);
        // SAFETY: the types are those of cublasLt.h; the descriptors exist; there is room for the one requested result.
        let status = unsafe {
            let new =
                self.library.symbol::<unsafe extern "C" fn(*mut Raw) -> Status>("cublasLtMatmulPreferenceCreate")?;
            let search = self.library.symbol::<Search>("cublasLtMatmulAlgoGetHeuristic")?;
            let wish = self.object("creating a preference", "cublasLtMatmulPreferenceDestroy", |raw| new(raw))?;
            wish.set("cublasLtMatmulPreferenceSetAttribute", MAX_WORKSPACE_BYTES, &WORKSPACE)?;
            let (sums, found, count) = (sums.raw, &raw mut found, &raw mut count);
            search(self.handle, product.raw, left.raw, right.raw, sums, sums, wish.raw, 1, found, count)
        };
        if [status, found.status].contains(&NOT_SUPPORTED) || (status == 0 && count == 0) {
            return Err(Error::Unsupported("cuBLASLt does not support this matrix product on this device".to_owned()));
        }
        self.library.check("the algorithm search", status)?;
        Ok(found)
    }

    /// The descriptor made by `create`, which the function `destroy` destroys.
    ///
    /// # Safety
    /// `create` writes a descriptor of the kind that `destroy` destroys.
    unsafe fn object(
        self: &Rc<Self>,
        name: &str,
        destroy: &str,
        create: impl FnOnce(*mut Raw) -> Status,
    ) -> Result<Object> {
        let mut raw = ptr::null_mut();
        // SAFETY: the type is that of cublasLt.h for this name.
        let destroy = unsafe { self.library.symbol::<Destroy>(destroy)? };
        self.library.check(name, create(&raw mut raw))?;
        Ok(Object { lt: Rc::clone(self), raw, destroy })
    }
}

impl Object {
    /// A method, because a closure using the field would capture only the pointer and not keep the descriptor.
    const fn raw(&self) -> Raw {
        self.raw
    }

    /// Sets an attribute by the function of this name.
    ///
    /// # Safety
    /// The function belongs to this kind of descriptor, and `T` is the attribute's type.
    unsafe fn set<T>(&self, function: &str, attribute: c_int, value: &T) -> Result<()> {
        // SAFETY: the caller guarantees the function and the type.
        let status = unsafe {
            let set = self.lt.library.symbol::<SetAttribute>(function)?;
            set(self.raw, attribute, ptr::from_ref(value).cast(), size_of::<T>())
        };
        self.lt.library.check("setting an attribute", status)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the descriptor came from this library, and no other code destroys it.
        unsafe { (self.destroy)(self.raw) };
    }
}

impl Drop for BlasLt {
    fn drop(&mut self) {
        self.context.free(|| {
            // SAFETY: the type is that of cublasLt.h; the handle came from this library, and no other code destroys it.
            unsafe {
                if let Ok(destroy) = self.library.symbol::<Destroy>("cublasLtDestroy") {
                    let _ = destroy(self.handle);
                }
            }
            cudarc::driver::sys::CUresult::CUDA_SUCCESS
        });
    }
}
